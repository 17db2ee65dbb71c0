package pages

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// A session ends after a while without a click. Its pages say so. Where scripts run they warn
// before, and one key makes it go on. What is sent after the end is kept for whoever had proved
// the e-mail, and offered again once she has proved it again; it needs no script.

//go:embed scripts/time.js
var timeScript []byte

// TimeAsset is the script that warns before a session's time is over, below a prefix.
func TimeAsset(prefix string) (path string, a web.Asset) {
	return web.AssetPath(prefix, "time.js", timeScript), web.NewAsset("text/javascript; charset=utf-8", timeScript)
}

// Time is what a page tells its script of the session's time: template "time".
type Time struct {
	Script, Nonce string
	Stay, Out     string // addresses: of more time, and of signing out
	Key           string
	Left          int // seconds
	Last          bool
	Hours         int
}

// TimeOf is the time of the session, nil without one.
func (c *Call) TimeOf(script, nonce, stay, out, key string) *Time {
	if c.Session == nil || c.Session.Person == "" {
		return nil
	}
	left, last := c.Desk.Left(c.Session)
	return &Time{Script: script, Nonce: nonce, Stay: stay, Out: out, Key: key, Left: int(left / time.Second), Last: last, Hours: buyer.WholeHours()}
}

// SendLeft answers how many seconds the session has left. Asking does not use it.
func (c *Call) SendLeft() {
	var told struct {
		Left int  `json:"left"`
		Last bool `json:"last"`
	}
	if c.Session != nil {
		left, last := c.Desk.Left(c.Session)
		told.Left, told.Last = int(left/time.Second), last
	}
	body, _ := json.Marshal(told) // two plain members
	c.W.Header().Set("Content-Type", "application/json")
	web.Send(c.W, c.R, http.StatusOK, body)
}

// Limit says for how long a page with a form waits, and which of the answers that it asks for
// are not kept then.
func (c *Call) Limit(asks []design.Field) string {
	says := "time.idle"
	for _, f := range asks {
		name, _, _ := strings.Cut(f.Name, "_") // of one of several owners
		switch {
		case slices.Contains(SecretNames(), name):
			says = "time.idle.person"
		case name == "number":
			says = "time.idle.account"
		}
	}
	return c.Say(says, buyer.IdleMinutes())
}

// Moment writes an instant in the business zone.
func (c *Call) Moment(at time.Time) string {
	layout := "3:04 pm"
	if c.Language == design.Spanish {
		layout = "15:04"
	}
	return c.Say("time.at", c.Day(c.Desk.Zone.Date(at)), at.In(c.Desk.Zone.Location()).Format(layout))
}

// Known finds the session of a token. With an expired one there is no session, but Late is set.
func (c *Call) Known(token, checkout string) error {
	s, over, err := c.Desk.Known(c.Ctx(), token)
	switch {
	case err != nil || s == nil || s.Checkout != checkout:
		return err
	case over:
		c.Late = s
	default:
		c.Session = s
	}
	return nil
}

// LateNotice says why the session ended; nil if it did not.
func (c *Call) LateNotice() *design.Notice {
	if c.Late == nil || c.Session != nil {
		return nil
	}
	return &design.Notice{Tone: design.Warn, Icon: "clock", Title: c.Say("time.over.title"), Text: c.Say("time.over.text", buyer.IdleMinutes(), buyer.WholeHours()), Spoken: design.Status}
}

// AsLate does something with the session whose time is over, and reports whether there is one
// whose form was sent. Afterwards nobody is signed in.
func (c *Call) AsLate(key func() string, do func() error) (ours bool, err error) {
	if c.Late == nil {
		return false, nil
	}
	c.Session = c.Late
	defer func() { c.Session, c.Person, c.Draft = nil, nil, buyer.Draft{} }()
	if err := c.Know(); err != nil || c.Person == nil {
		return false, err
	}
	if !Same(c.R.PostForm.Get("form"), key()) {
		return false, nil
	}
	return true, do()
}

// lateAnswers are the names of what is kept that is sent too late, of forms whose answers are
// always kept. What is secret is not among them.
func lateAnswers() []string {
	out := append(BusinessNames(), "higher", "plan")
	for n := range 1 + MoreOwners {
		for _, name := range PersonNames() {
			if !slices.Contains(SecretNames(), name) {
				out = append(out, owner(n, name))
			}
		}
	}
	return out
}

// KeepLate keeps the answers of a form that came too late, each under its name.
func (c *Call) KeepLate() error {
	d := buyer.Draft{}
	for _, name := range lateAnswers() {
		if c.R.PostForm.Has(name) {
			d[name] = c.Answer(name)
		}
	}
	if len(d) == 0 {
		return nil
	}
	return c.Keep(d)
}

// LateFields are the names of what is kept that is sent too late, of forms whose answers are
// otherwise forgotten.
func LateFields() []string {
	return []string{"first_name", "last_name", "email", "role", "limit", "kind", "what", "about", "subject", "text", "amount", "order", "account"}
}

// lateName is the answer that holds such a form.
const lateName = "late"

// KeepLateForm keeps such a form with its page.
func (c *Call) KeepLateForm(path string) error {
	kept := url.Values{}
	for _, name := range LateFields() {
		if text := c.Text(name, buyer.MaxCaseText); text != "" {
			kept.Set(name, text)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return c.Keep(buyer.Draft{lateName: path + "?" + kept.Encode()})
}

// LatePage is where a form is to be offered again, "" if none is kept.
func (c *Call) LatePage() string {
	path, _, _ := strings.Cut(c.Draft[lateName], "?")
	return path
}

// OfferLate fills the form of a page with what was kept of it.
func (c *Call) OfferLate() {
	path, query, _ := strings.Cut(c.Draft[lateName], "?")
	if path != c.R.URL.Path || c.R.PostForm != nil {
		return
	}
	if kept, err := url.ParseQuery(query); err == nil {
		c.R.PostForm = kept
	}
}

// DropLate forgets the form of a page that is sent now.
func (c *Call) DropLate() error {
	if c.Draft[lateName] == "" || c.LatePage() != c.R.URL.Path {
		return nil
	}
	return c.Keep(buyer.Draft{lateName: ""})
}

// Seconds are the seconds as the page's script reads them.
func (t *Time) Seconds() string { return strconv.Itoa(t.Left) }
