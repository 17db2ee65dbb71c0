package screens

import (
	"bytes"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenor/internal/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

// site is what pages are made of. It is not changed once it is made.
type site struct {
	templates *template.Template
	assets    web.Assets
	texts     texts
	verify    []snippet
}

// snippet is code that checks a signature.
type snippet struct{ Language, Code string }

func newSite(c Config, spoken texts) (*site, error) {
	s := &site{texts: spoken}
	var err error
	if s.assets, err = web.LoadAssets("/sandbox/assets/"); err != nil {
		return nil, err
	}
	if s.templates, err = template.New("").Funcs(s.functions()).ParseFS(templateFiles, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("screens: %w", err)
	}
	if err = spoken.into(s.templates); err != nil {
		return nil, err
	}
	if c.Docs != nil {
		if s.verify, err = verifyCode(c.Docs); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// verifyCode is the code of the guide that checks a signature, in the languages of the
// portal. The guide's tests run it.
func verifyCode(docs fs.FS) ([]snippet, error) {
	guide, err := fs.ReadFile(docs, "guides/webhooks.md")
	if err != nil {
		return nil, fmt.Errorf("screens: %w", err)
	}
	var list []snippet
	for _, l := range [][2]string{{"go", "Go"}, {"php", "PHP"}, {"javascript", "JavaScript"}, {"python", "Python"}, {"bash", "Shell"}} {
		_, rest, found := strings.Cut(string(guide), "\n```"+l[0]+" verify\n")
		code, _, closed := strings.Cut(rest, "\n```")
		if !found || !closed {
			return nil, fmt.Errorf("screens: the guide of webhooks has no code in %s", l[1])
		}
		list = append(list, snippet{l[1], code + "\n"})
	}
	return list, nil
}

// frame is what every page has around its own part.
type frame struct {
	Title   string
	Path    string // of the navigation
	Entered bool
	Notice  *notice
	Main    any

	// The rest is made by show.
	Key       string // of the forms of the page
	Back      string // where the bar's forms lead
	Bar       barView
	Nav       []navLink
	Version   string
	BaseURL   string
	CSS, Icon string
}

// notice is a word about what was done.
type notice struct {
	Bad       bool
	Text      string
	Code      string // of a refusal
	RequestID string
}

// navLink is a link of the navigation.
type navLink struct{ Title, Path string }

// In reports whether a page is the link's own or below it.
func (l navLink) In(path string) bool {
	return path == l.Path || strings.HasPrefix(path, l.Path+"/")
}

func (s *Screens) navigation() []navLink {
	return []navLink{{s.say("hooks.title"), "/sandbox/webhooks"}, {s.say("mail.title"), "/sandbox/mail"}, {s.say("scenarios.title"), "/sandbox/scenarios"}}
}

// barView is the sandbox's clock.
type barView struct {
	Known     bool
	Now       moment
	Frozen    bool
	Advancing bool
	Done      int
	Total     int
	Next      *nextView
}

// nextView is what time brings first.
type nextView struct {
	At   moment
	What string
}

// moment is an instant for people: as text, with the whole of it beside.
type moment struct{ Text, Full, Machine string }

// business is an instant of the business clock.
func (s *Screens) business(t time.Time) moment {
	at := t.In(s.config.Zone)
	return moment{s.say("time.business", at.Format("Jan 2, 2006, 15:04")), at.Format("Mon Jan 2, 2006, 15:04:05 MST"), t.UTC().Format(time.RFC3339)}
}

// wall is an instant of the wall clock: how long ago it was.
func (s *Screens) wall(t time.Time) moment {
	d := s.config.Now().Sub(t)
	text := s.say("time.past", s.span(d))
	switch {
	case d < 0:
		text = s.say("time.future", s.span(-d))
	case d < time.Second:
		text = s.say("time.now")
	}
	return moment{text, t.UTC().Format("Mon Jan 2, 2006, 15:04:05 MST"), t.UTC().Format(time.RFC3339)}
}

// span is a span of time in its largest unit.
func (s *Screens) span(d time.Duration) string {
	name, n := "second", int(d/time.Second)
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour}} {
		if d >= u.size {
			name, n = u.name, int(d/u.size)
		}
	}
	if n == 1 {
		return s.say("span." + name + ".one")
	}
	return s.say("span."+name+".many", n)
}

// show sends a page.
func (s *Screens) show(w http.ResponseWriter, r *http.Request, status int, name string, f frame) {
	f.Key, f.Nav, f.Version, f.BaseURL = rand.Text(), s.navigation(), s.config.Version, s.config.BaseURL
	f.CSS, f.Icon = s.site.assets.CSS, s.site.assets.Icon
	f.Back = inner(r.URL.Path)
	if c, err := s.config.Clock(r.Context()); err == nil {
		f.Bar = barView{Known: true, Now: s.business(c.Now), Frozen: c.Frozen, Advancing: c.Advancing, Done: c.DaysDone, Total: c.DaysTotal}
		if !c.NextAt.IsZero() {
			f.Bar.Next = &nextView{s.business(c.NextAt), c.Next}
		}
	}
	var out bytes.Buffer
	if err := s.site.templates.ExecuteTemplate(&out, name, f); err != nil {
		http.Error(w, "The page could not be made. This is a fault of the program.", http.StatusInternalServerError)
		return
	}
	web.Send(w, r, status, out.Bytes())
}

// page sends a page to somebody who has entered, with what is to be said of the last
// form.
func (v *visit) page(name string, f frame) {
	x := v.session
	x.mu.Lock()
	f.Notice, x.notice = x.notice, nil
	x.form = nil
	x.mu.Unlock()
	f.Entered = true
	v.screens.show(v.w, v.r, http.StatusOK, name, f)
}

// kept is a value of the form that failed last, else another.
func (v *visit) kept(name, other string) string {
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	if v.session.form.Has(name) {
		return v.session.form.Get(name)
	}
	return other
}

// failureView is the page of what cannot be shown.
type failureView struct {
	Status    int
	RequestID string // of the call that has failed, "" if none has
}

func (s *Screens) failure(w http.ResponseWriter, r *http.Request, status int) {
	s.failed(w, r, failureView{Status: status})
}

func (s *Screens) failed(w http.ResponseWriter, r *http.Request, m failureView) {
	s.show(w, r, m.Status, "failure", frame{Title: s.say("failure.title." + strconv.Itoa(m.Status)), Entered: s.sessionOf(r) != nil, Main: m})
}
