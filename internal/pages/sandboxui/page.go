package sandboxui

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

// site is what pages are made of. It is immutable once created.
type site struct {
	templates *template.Template
	assets    design.Assets
	texts     texts
	verify    []design.Code
}

func newSite(c Config, spoken texts) (*site, error) {
	s := &site{texts: spoken}
	var err error
	if s.assets, err = design.LoadAssets("/sandbox/assets/"); err != nil {
		return nil, err
	}
	parts, err := design.Parts(design.English)
	if err != nil {
		return nil, err
	}
	if s.templates, err = parts.Funcs(s.functions()).ParseFS(templateFiles, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("sandboxui: %w", err)
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

// verifyCode returns the guide's code that verifies a signature, in the portal's languages. The
// guide's tests run it.
func verifyCode(docs fs.FS) ([]design.Code, error) {
	guide, err := fs.ReadFile(docs, "guides/webhooks.md")
	if err != nil {
		return nil, fmt.Errorf("sandboxui: %w", err)
	}
	var list []design.Code
	for _, l := range [][2]string{{"go", "Go"}, {"php", "PHP"}, {"javascript", "JavaScript"}, {"python", "Python"}, {"bash", "Shell"}} {
		_, rest, found := strings.Cut(string(guide), "\n```"+l[0]+" verify\n")
		code, _, closed := strings.Cut(rest, "\n```")
		if !found || !closed {
			return nil, fmt.Errorf("sandboxui: the guide of webhooks has no code in %s", l[1])
		}
		list = append(list, design.Code{Language: l[0], Title: l[1], Text: code + "\n"})
	}
	return list, nil
}

// frame is common to all pages, around their own part.
type frame struct {
	Title   string
	Path    string // of the navigation
	Entered bool
	Home    bool // the page shows the clock itself
	Notice  *notice
	Main    any

	// The rest is set by show.
	Shell design.App
	Key   string // of the forms of the page
	Back  string // target of the bar's forms
	Bar   barView
}

// notice says what was done.
type notice struct {
	Bad       bool
	Text      string
	Code      string // of a refusal
	RequestID string
}

// shell returns the frame of a page.
func (s *Screens) shell(f frame) design.App {
	app := design.App{
		Page:  design.Page{Title: f.Title, Site: s.say("site.name"), Script: true, Tabs: true, Assets: s.site.assets},
		Brand: design.Brand{Name: "Tenor", Sub: s.say("site.sub"), Href: "/sandbox"}, Nav: s.say("nav.label"), Note: s.say("site.note"), Wide: true, Beside: true,
		Help: design.Sentence{Text: s.say("foot", s.config.Version, s.config.BaseURL)},
	}
	for _, l := range []design.Link{
		{Text: s.say("home.title"), Href: "/sandbox"}, {Text: s.say("place.shop"), Href: "/shop"}, {Text: s.say("mail.title"), Href: "/sandbox/mail"}, {Text: s.say("hooks.title"), Href: "/sandbox/webhooks"},
		{Text: s.say("requests.title"), Href: "/sandbox/requests"},
		{Text: s.say("scenarios.title"), Href: "/sandbox/scenarios"}, {Text: s.say("nav.docs"), Href: "/docs"},
	} {
		l.Here = l.Href == f.Path
		app.Links = append(app.Links, l)
	}
	if f.Entered {
		app.Acts = []design.Button{{Text: s.say("leave"), Small: true, Form: "leave", Icon: "log-out"}}
	}
	return app
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

// nextView describes what is due first, with the page of its object.
type nextView struct {
	At   moment
	What string // order PO-7781
	Href string // "" if it has no page
}

// moment is an instant for people: a text, and the full time as a tooltip.
type moment struct{ Text, Full, Machine string }

// business formats an instant of the business clock.
func (s *Screens) business(t time.Time) moment {
	at := t.In(s.config.Zone)
	return moment{s.say("time.business", at.Format("Jan 2, 2006, 15:04")), at.Format("Mon Jan 2, 2006, 15:04:05 MST"), t.UTC().Format(time.RFC3339)}
}

// wall formats an instant of the wall clock: how long ago it was.
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

// span formats a span of time in its largest unit.
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

// clock reads the sandbox's clock, and notices if it was moved.
func (s *Screens) clock(ctx context.Context) (Clock, bool) {
	c, err := s.config.Clock(ctx)
	if err != nil {
		return Clock{}, false
	}
	s.watch.look(c, s.config.Now())
	return c, true
}

// bar is the clock as shown on every page. Signed-in visitors also see the name of what is due.
func (s *Screens) bar(r *http.Request) barView {
	c, known := s.clock(r.Context())
	if !known {
		return barView{}
	}
	bar := barView{Known: true, Now: s.business(c.Now), Frozen: c.Frozen, Advancing: c.Advancing, Done: c.DaysDone, Total: c.DaysTotal}
	if !c.NextAt.IsZero() {
		bar.Next = s.next(r, c)
	}
	return bar
}

// cutLast cuts a text at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// show sends a page.
func (s *Screens) show(w http.ResponseWriter, r *http.Request, status int, name string, f frame) {
	f.Key, f.Shell, f.Back = rand.Text(), s.shell(f), inner(r.URL.Path)
	f.Bar = s.bar(r)
	var out bytes.Buffer
	if err := s.site.templates.ExecuteTemplate(&out, name, f); err != nil {
		http.Error(w, "The page could not be made. This is a fault of the program.", http.StatusInternalServerError)
		return
	}
	web.Send(w, r, status, out.Bytes())
}

// page sends a page to a signed-in visitor, with the notice about the last form.
func (v *visit) page(name string, f frame) {
	x := v.session
	x.mu.Lock()
	f.Notice, x.notice = x.notice, nil
	x.form = nil
	x.mu.Unlock()
	f.Entered = true
	v.screens.show(v.w, v.r, http.StatusOK, name, f)
}

// kept returns a value of the form that failed last, or another one.
func (v *visit) kept(name, other string) string {
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	if v.session.form.Has(name) {
		return v.session.form.Get(name)
	}
	return other
}

// failureView is an error page.
type failureView struct {
	Status    int
	RequestID string // of the failed call, "" if none
}

func (s *Screens) failure(w http.ResponseWriter, r *http.Request, status int) {
	s.failed(w, r, failureView{Status: status})
}

func (s *Screens) failed(w http.ResponseWriter, r *http.Request, m failureView) {
	s.show(w, r, m.Status, "failure", frame{Title: s.say("failure.title." + strconv.Itoa(m.Status)), Entered: s.sessionOf(r) != nil, Main: m})
}
