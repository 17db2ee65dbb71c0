package accountpages

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

// page is the content of a page.
type page struct {
	Shell    design.App
	Title    design.Title
	Summary  design.Summary
	Notices  []design.Notice
	Outcome  *design.Outcome
	Home     *home
	Sections []section
	Form     *pages.Form
	Below    []section       // after the form
	Acts     []design.Button // links below
	Key      string
	Limits   []string
	Time     *pages.Time // nil if nobody is signed in
}

// section is a part of a page under a heading: text, then one of the others.
type section struct {
	Head      design.Heading
	Text      string
	Figures   []design.Figure
	Table     *design.Table
	Facts     []design.Fact
	Documents []design.Document
	Items     []item
	Choices   *choosing
	Ask       *asking
	Acts      []design.Button
	Empty     string
}

// asking is a form that requests something and changes nothing.
type asking struct {
	Action string
	Field  design.Field
	Go     design.Button
}

// item is an entry of a list, with its actions.
type item struct {
	Icon, Text, Detail, Figure string
	Href                       string
	Badge                      *design.Badge
	Acts                       []act
	Key                        string
}

// act is a button of an item: a form of its own, or a link.
type act struct {
	Text, Label  string // Label: what it applies to, for screen readers
	Action, Href string
	Name, Value  string
}

// choosing is a form for choosing one of several cards, with fields above and below.
type choosing struct {
	Action, Key string
	Hidden      []hidden
	Cards       []design.Choices
	Fields      []design.Field
	Below       []design.Field
	Checks      []design.Check
	Terms       []string
	Once        string // distinguishes two clicks from two forms
	Acts        []design.Button
}

// hidden is a value that a form sends back unchanged.
type hidden struct{ Name, Value string }

// shell returns the frame of a page, with its tab.
func (v *visit) shell(tab, title string) design.App {
	s := design.App{
		Page:  design.Page{Title: title, Site: v.lender(), Assets: v.config.Assets},
		Brand: design.Brand{Name: v.lender(), Sub: v.Say("a.yours"), Href: v.Carrying(Prefix)}, Nav: v.Say("a.account"),
		Help: design.Sentence{Text: v.Say("a.questions"), Links: []design.Link{{Text: v.Say("help"), Href: v.Carrying(Prefix + "/help")}, v.OtherLanguage()}},
	}
	if v.Desk.Sandbox {
		s.Banner = &design.Banner{Time: v.Clock()}
	}
	if v.Person == nil {
		return s
	}
	s.Acts = append(s.Acts, design.Button{Text: v.Say("you.account"), Href: Prefix + "/you", Icon: "user", Small: true, Emphasis: design.Outline})
	s.Help.Text = v.Say("who", v.Session.Masked()) + " " + s.Help.Text
	if v.company == nil {
		return s
	}
	if len(v.companies) > 1 {
		s.Acts = append([]design.Button{{Text: v.company.Name, Href: Prefix + "/business", Icon: "store", Small: true, Emphasis: design.Outline}}, s.Acts...)
	}
	for _, t := range []struct{ key, path string }{
		{"home", ""}, {"orders", "/orders"}, {"payments", "/payments"}, {"banks", "/banks"}, {"statements", "/statements"}, {"people", "/people"},
	} {
		s.Tabs = append(s.Tabs, design.Link{Text: v.Say("a.tab." + t.key), Href: Prefix + t.path, Here: t.key == tab})
	}
	s.Help.Links = append(s.Help.Links, design.Link{Text: v.Say("cases.title"), Href: Prefix + "/cases"})
	if v.owns() {
		s.Help.Links = append(s.Help.Links, design.Link{Text: v.Say("a.tab.notices"), Href: Prefix + "/notices"})
	}
	return s
}

// lender returns the name on whose behalf the pages speak.
func (v *visit) lender() string {
	if name := v.Lender.Creditor.Name; name != "" {
		return name
	}
	return "Tenor"
}

// show answers with a page. It first reports what the previous request did.
func (v *visit) show(status int, p page) error {
	p.Shell.Failed, p.Key = len(p.Summary.Problems) > 0, v.key()
	if p.Form != nil {
		p.Form.Key = p.Key
	}
	for _, s := range slices.Concat(p.Sections, p.Below) {
		for i := range s.Items {
			s.Items[i].Key = p.Key
		}
		if s.Choices != nil {
			s.Choices.Key = p.Key
		}
	}
	if what, proof, ok := strings.Cut(v.R.URL.Query().Get("done"), "."); ok && status == http.StatusOK && v.Session != nil && pages.Same(proof, v.did(what)) {
		key := "did." + what
		if text := v.Say(key); text != key {
			p.Notices = append([]design.Notice{{Tone: design.Good, Icon: "circle-check", Title: text, Text: v.Say(key + ".more"), Spoken: design.Status}}, p.Notices...)
		}
	}
	v.timed(&p)
	var b bytes.Buffer
	if err := v.Templates.ExecuteTemplate(&b, "account", p); err != nil {
		return fmt.Errorf("accountpages: %w", err)
	}
	web.Send(v.W, v.R, status, b.Bytes())
	return nil
}

// stop refuses a request with a reason: a page with one sentence.
func (v *visit) stop(status int, key string) error {
	return v.show(status, page{
		Shell: v.shell("", v.Say(key+".title")), Title: design.Title{Text: v.Say(key + ".title"), Lead: v.withID(v.Say(key+".text", v.Ask()))},
		Acts: []design.Button{{Text: v.Say("a.home"), Emphasis: design.Primary, Href: Prefix}},
	})
}

// bare is stop for a request about which nothing is known, or may be said.
func (v *visit) bare(status int, key string) error {
	v.Person, v.company = nil, nil
	return v.stop(status, key)
}

// withID adds the request's ID to a text, on an error page.
func (v *visit) withID(text string) string {
	if v.id == "" {
		return text
	}
	return text + " " + v.Say("fault.id", v.id, v.Ask())
}

func (v *visit) link(text, path string, e design.Emphasis) design.Button {
	return design.Button{Text: v.Say(text), Emphasis: e, Href: v.Carrying(Prefix + path)}
}

// back is the button that leaves a form.
func (v *visit) back(path string) design.Button { return v.link("back", path, design.Ghost) }

// orderName returns an order's name: the merchant's number, otherwise its key.
func orderName(o *credit.Order) string {
	if o.MerchantOrderID != "" {
		return o.MerchantOrderID
	}
	return o.Key
}

// orderText describes the purchase in one line.
func orderText(o *credit.Order) string {
	var names []string
	for _, x := range o.Cart {
		names = append(names, x.Name)
	}
	if len(names) > 2 {
		names = append(names[:2], "…")
	}
	return strings.Join(names, ", ")
}
