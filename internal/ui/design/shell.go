package design

import (
	"strings"
	"unicode/utf8"

	"tenor/internal/domain/money"
)

// Page is what every page has, whatever its shell.
type Page struct {
	Title  string // of the window: what the page is about
	Site   string // whose page it is, behind the title
	Failed bool   // it comes back with errors, which its title says first
	Script bool   // it has keys to copy
	Tabs   bool   // it has code in several languages
	Sheet  string // address of a further stylesheet, if any
	Assets Assets
}

// Link leads somewhere.
type Link struct {
	Text string
	Href string
	Here bool   // it leads to where one is
	Icon string // before the text, if any
	Lang string // of the text, where it is not that of the page
	Tag  string // a number or a word behind it, if any
}

// Brand is who a page speaks for: its mark and two lines.
type Brand struct {
	Name string
	Sub  string
	Href string
	Calm bool   // the mark is dark and not in the accent
	Logo string // address of a picture in the place of the mark; "": the initials
}

// Initials are the letters of the mark: of the first two words of the name.
func (b Brand) Initials() string {
	var out strings.Builder
	for i, word := range strings.Fields(b.Name) {
		if r, _ := utf8.DecodeRuneInString(word); i < 2 {
			out.WriteRune(r)
		}
	}
	return strings.ToUpper(out.String())
}

// Checkout is the shell of pages on which a buyer decides one thing: templates
// "checkout" and "checkout-end". Merchant and total are always in sight, the way back
// stands at the top and help in one place.
type Checkout struct {
	Page
	Merchant string
	Logo     string // address of the merchant's picture; "": its initials
	Lender   string // by whom the merchant is financed
	Back     string // where the shop is; "" shows no way back
	Help     string // where help is
	Foot     []Link // beside help
	Steps    []string
	Step     int    // which of them this is, from 1; 0 is none
	Order    *Order // nil where nothing is bought, as in an application
	Notices  []Notice
	Banner   *Banner
}

// Brand is the merchant as the header shows it.
func (c Checkout) Brand(financing string) Brand {
	return Brand{Name: c.Merchant, Sub: financing, Logo: c.Logo}
}

// StepName is the step that one is at.
func (c Checkout) StepName() string {
	if c.Step < 1 || c.Step > len(c.Steps) {
		return ""
	}
	return c.Steps[c.Step-1]
}

// Order is what is bought: templates "order" and, for narrow screens, "order-bar".
type Order struct {
	At    string // the shop's name
	Lines []Line
	Total money.Amount
}

// Line is a line of an order, or of any list that ends in an amount.
type Line struct {
	Text, Detail string
	Amount       money.Amount
}

// App is the shell of pages that one works with: a shop, an account, the sandbox, the
// console. Templates "app" and "app-end". It follows the system's light or dark.
type App struct {
	Page
	Brand  Brand
	Nav    string // the name of the navigation
	Links  []Link // in the header; on a narrow screen in a menu
	Tabs   []Link // in a row below the header, which scrolls in itself
	Acts   []Button
	Note   string // before the acts, as a tag
	Banner *Banner
	Help   Sentence
	Wide   bool // the page's main part goes over the whole width
	Beside bool // the links stand beside the brand, which is one line
}

// Banner says at the top that this is a sandbox, and what time it is there.
type Banner struct {
	Time string
	Link Link
}

// Sentence is a text with links behind it.
type Sentence struct {
	Text  string
	Links []Link
}

// Title heads a page's main part: template "title". Part and Parts show how far one is.
type Title struct {
	Text, Lead  string
	Part, Parts int
	Link        *Link
	Badge       *Badge  // behind the lead
	Act         *Button // beside the title
}

// Bars are the parts, each with whether it has been reached.
func (t Title) Bars() []bool {
	bars := make([]bool, t.Parts)
	for i := range bars {
		bars[i] = i < t.Part
	}
	return bars
}

// Heading heads a section, which is aria-labelledby its ID: template "heading", and inside a
// panel "panel-heading", which shows the badge too.
type Heading struct {
	ID, Text string
	Link     *Link
	Badge    *Badge
}
