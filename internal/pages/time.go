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

// A session ends after a while without a click. Its pages say so. With scripts they warn before,
// and one key press extends it. What is submitted after the end is saved for the person who had
// proved the email, and offered again once she has proved it again; that needs no script.

//go:embed scripts/time.js
var timeScript []byte

// TimeAsset returns the script that warns before a session ends, below a prefix.
func TimeAsset(prefix string) (path string, a web.Asset) {
	return web.AssetPath(prefix, "time.js", timeScript), web.NewAsset("text/javascript; charset=utf-8", timeScript)
}

// Time is a page's data about the session's time for its script: template "time".
type Time struct {
	Script, Nonce string
	Stay, Out     string // addresses for extending the session and for signing out
	Key           string
	Left          int // seconds
	Last          bool
	Hours         int
}

// TimeOf returns the time of the session, nil without one.
func (c *Call) TimeOf(script, nonce, stay, out, key string) *Time {
	if c.Session == nil || c.Session.Person == "" {
		return nil
	}
	left, last := c.Desk.Left(c.Session)
	return &Time{Script: script, Nonce: nonce, Stay: stay, Out: out, Key: key, Left: int(left / time.Second), Last: last, Hours: buyer.WholeHours()}
}

// SendLeft sends how many seconds the session has left. That does not count as activity.
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

// Limit says how long a page with a form waits, and which of its answers are not saved then.
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

// Moment formats an instant in the business zone.
func (c *Call) Moment(at time.Time) string {
	layout := "3:04 pm"
	if c.Language == design.Spanish {
		layout = "15:04"
	}
	return c.Say("time.at", c.Day(c.Desk.Zone.Date(at)), at.In(c.Desk.Zone.Location()).Format(layout))
}

// Known finds the session of a token. If it has expired there is no session, but Late is set.
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

// AsLate runs do with the expired session, and reports whether there is one that submitted the
// form. Afterwards nobody is signed in.
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

// lateAnswers are the names of late answers that are saved, of forms whose answers are always
// saved. Secrets are not among them.
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

// KeepLate saves the answers of a late form, each under its name.
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

// LateFields are the names of late answers that are saved, of forms whose answers are otherwise
// discarded.
func LateFields() []string {
	return []string{"first_name", "last_name", "email", "role", "limit", "kind", "what", "about", "subject", "text", "amount", "order", "account"}
}

// lateName is the answer that stores such a form.
const lateName = "late"

// KeepLateForm saves such a form with its page.
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

// LatePage returns where a form is offered again, "" if none is saved.
func (c *Call) LatePage() string {
	path, _, _ := strings.Cut(c.Draft[lateName], "?")
	return path
}

// OfferLate fills a page's form with what was saved.
func (c *Call) OfferLate() {
	path, query, _ := strings.Cut(c.Draft[lateName], "?")
	if path != c.R.URL.Path || c.R.PostForm != nil {
		return
	}
	if kept, err := url.ParseQuery(query); err == nil {
		c.R.PostForm = kept
	}
}

// DropLate discards the saved form of a page that is submitted now.
func (c *Call) DropLate() error {
	if c.Draft[lateName] == "" || c.LatePage() != c.R.URL.Path {
		return nil
	}
	return c.Keep(buyer.Draft{lateName: ""})
}

// Seconds formats the remaining seconds for the page's script.
func (t *Time) Seconds() string { return strconv.Itoa(t.Left) }
