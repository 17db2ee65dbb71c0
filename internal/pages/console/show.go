package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/permit"
	"tenor/internal/office/credential"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

//go:embed templates/*.html texts/en-US.json
var files embed.FS

// load reads templates and texts. The console is in English.
func (p *Pages) load() error {
	text, err := files.ReadFile("texts/en-US.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &p.texts); err != nil {
		return fmt.Errorf("texts: %w", err)
	}
	shared, err := pages.Templates(english, p.texts)
	if err != nil {
		return err
	}
	p.templates, err = shared.ParseFS(files, "templates/*.html")
	return err
}

const english design.Language = "en-US"

func (v *visit) language() design.Language { return english }

// page is the content of a page.
type page struct {
	Shell   shell
	Title   design.Title
	Summary design.Summary
	Crumbs  []design.Link // above the title
	Handle  *design.Key   // an identifier, below it
	TopActs []design.Button
	// Impossible are the acts that cannot be done now, and why.
	Impossible []design.Fact
	Notice     *design.Notice
	Figures    []design.Figure
	Below      bool // the figures are below the work
	Bars       *design.Bars
	Bands      *design.Bands // beside them
	Filter     *filter
	Tabs       []design.Link
	Timeline   *design.Timeline
	Work       []work
	Panels     []panel
	States     []design.Badge // below the title
	Review     *review
	Tables     []titled
	Facts      []design.Fact
	QR         *qrCode
	Codes      []string
	Choices    []choice
	Beside     bool // the form is beside the tables
	Form       *pages.Form
	Empty      *design.Empty
	Acts       []design.Button
	Out        string // the button that signs out; "": none
	Key        string
}

// shell is the frame of a page: with the navigation if somebody is signed in.
type shell struct {
	design.Console
	Plain *design.App // instead, for a page without navigation
}

// work is what waits of one kind.
type work struct {
	ID, Title string
	Count     int
	Tone      design.Tone
	Items     []todo
	More      string
	Command   string
}

// todo is one thing that waits.
type todo struct{ Text, Detail, When, Href string }

// titled is a table under a heading.
type titled struct {
	ID, Title, Lead string
	Table           design.Table
}

// panel is facts under a heading, beside others.
type panel struct {
	ID, Title string
	Facts     []design.Fact
}

// filter is a form that narrows a list: a GET, so that the address holds it.
type filter struct {
	Action string
	Fields []design.Field
	Kept   [][2]string // members that have no field
	Go     design.Button
	Clear  *design.Button
}

// qrCode is a code to scan, and the same as text.
type qrCode struct {
	credential.QRCode
	Label string
	Key   design.Key
}

// choice is a form of one button.
type choice struct{ Action, Key, Name, Value, Text, Detail string }

// places are the console's sections, for those who may see them.
func (v *visit) places() []place {
	return []place{{"home", "", "house", permit.Read, "h"}, {"approvals", "/approvals", "circle-check", permit.Read, "w"}, {"applications", "/applications", "inbox", permit.Read, "a"}, {"companies", "/companies", "building-2", permit.Read, "c"},
		{"orders", "/orders", "shopping-cart", permit.Read, "o"}, {"payments", "/payments", "hand-coins", permit.Read, "p"}, {"payouts", "/payouts", "send", permit.Read, "u"}, {"ledger", "/ledger", "book-open", permit.Read, "l"}, {"reports", "/reports", "chart-line", permit.ReadReports, "r"}, {"people", "/people", "users", permit.ReadStaff, "s"}, {"audit", "/audit", "history", permit.Audit, "t"}}
}

// place is a section of the console.
type place struct {
	name, path, icon string
	permission       permit.Permission
	key              string // after g
}

// shell returns the frame of a page for somebody who is signed in.
func (v *visit) shell(here, title string) shell {
	c := design.Console{
		Page:  design.Page{Title: title, Site: v.say("site"), Assets: v.config.Assets, Script: true, Keys: v.keysOn()},
		Brand: design.Brand{Name: v.say("site"), Href: Prefix}, Nav: v.say("nav"),
		You: design.Link{Text: initials(v.visitor.Contact), Href: Prefix + "/you", Tag: v.say("you.open", v.visitor.Name)},
	}
	c.Search = &design.SearchBox{Action: Prefix + "/search", Name: "q", Label: v.say("search.label"), Value: v.r.URL.Query().Get("q")}
	if v.keysOn() {
		c.Search.Key = "/"
	}
	for _, p := range v.places() {
		if v.visitor.May(p.permission) != permit.None {
			x := design.Link{Text: v.say("nav." + p.name), Href: Prefix + p.path, Icon: p.icon, Here: p.name == here, Key: p.key}
			if n := v.waiting[p.name]; n > 0 {
				x.Tag = many(n)
			}
			c.Links = append(c.Links, x)
		}
	}
	c.Banner, c.Help = v.banner(), v.help()
	return shell{Console: c}
}

// plain returns the frame of a page before somebody is signed in.
func (v *visit) plain(title string) shell {
	return shell{Plain: &design.App{
		Page:  design.Page{Title: title, Site: v.say("site"), Assets: v.config.Assets, Script: true},
		Brand: design.Brand{Name: v.say("site"), Sub: v.say("site.sub"), Href: Prefix}, Banner: v.banner(), Help: v.help(),
	}}
}

// help says where to read on.
func (v *visit) help() design.Sentence {
	return design.Sentence{Text: v.say("help"), Links: []design.Link{{Text: v.say("help.guide"), Href: "/docs/guides/console"}, {Text: v.say("keys.title"), Href: Prefix + "/keys", Key: "?"}}}
}

// banner says that this is a sandbox, nil if it is none.
func (v *visit) banner() *design.Banner {
	if !v.desk().Sandbox {
		return nil
	}
	return &design.Banner{Time: v.language().Day(v.today()) + v.desk().Now().In(v.desk().Zone.Location()).Format(" 15:04"), Link: design.Link{Text: v.say("clock"), Href: "/sandbox"}}
}

// today is the business date.
func (v *visit) today() calendar.Date { return v.desk().Zone.Date(v.desk().Now()) }

// moment writes an instant in the business zone.
func (v *visit) moment(t time.Time) string {
	return v.language().Day(v.desk().Zone.Date(t)) + t.In(v.desk().Zone.Location()).Format(" 15:04")
}

// showForm shows a page that is a form, whose texts begin with a name.
func (v *visit) showForm(status int, name string, f *pages.Form) error {
	frame := v.plain(v.say(name + ".title"))
	return v.show(status, page{Shell: frame, Title: design.Title{Text: v.say(name + ".title"), Lead: v.say(name + ".lead")}, Summary: f.Summary(), Form: f})
}

// show writes a page.
func (v *visit) show(status int, p page) error {
	failed := len(p.Summary.Problems) > 0
	if p.Shell.Plain != nil {
		p.Shell.Plain.Failed = failed
	} else {
		p.Shell.Console.Failed = failed
	}
	if p.Form != nil {
		p.Form.Key = v.key()
	}
	var b bytes.Buffer
	if err := v.templates.ExecuteTemplate(&b, "console-page", p); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes())
	return nil
}

// bare writes a page that says why there is none.
func (v *visit) bare(status int, key string, args ...any) error {
	title := v.say("bare." + key)
	p := page{Shell: v.plain(title), Title: design.Title{Text: title, Lead: v.say("bare."+key+".text", args...)}}
	if status != http.StatusServiceUnavailable {
		p.Acts = []design.Button{{Text: v.say("bare.home"), Href: Prefix}}
	}
	return v.show(status, p)
}
