package design

import (
	"strings"
	"unicode/utf8"

	"tenor/internal/domain/money"
)

// Page is common to all pages, whatever their shell.
type Page struct {
	Title  string // of the window: what the page is about
	Site   string // the site's name, after the title
	Failed bool   // it comes back with errors, which the title says first
	Script bool   // it has copy buttons
	Keys   bool   // it has keys that lead to what has one
	Tabs   bool   // it has code in several languages
	Sheet  string // address of an additional stylesheet, if any
	Assets Assets
}

// Link leads somewhere.
type Link struct {
	Text string
	Href string
	Here bool   // it leads to the current page
	Icon string // before the text, if any
	Lang string // of the text, if it differs from the page's
	Tag  string // a number or a word after it, if any
	Key  string // the key that leads there, if any
}

// Brand is on whose behalf a page speaks: a mark and two lines.
type Brand struct {
	Name string
	Sub  string
	Href string
	Calm bool   // the mark is dark instead of the accent color
	Logo string // address of an image in place of the mark; "": the initials
}

// Initials returns the letters of the mark: those of the name's first two words.
func (b Brand) Initials() string {
	var out strings.Builder
	for i, word := range strings.Fields(b.Name) {
		if r, _ := utf8.DecodeRuneInString(word); i < 2 {
			out.WriteRune(r)
		}
	}
	return strings.ToUpper(out.String())
}

// Checkout is the shell of pages on which a buyer makes one decision: templates "checkout" and
// "checkout-end". Merchant and total are always visible, the way back is at the top, and help is
// always in the same place.
type Checkout struct {
	Page
	Merchant string
	Logo     string // address of the merchant's logo; "": its initials
	Lender   string // the merchant's lender
	Back     string // address of the shop; "": no way back
	Help     string // address of the help
	Foot     []Link // next to help
	Steps    []string
	Step     int    // current step, from 1; 0 is none
	Order    *Order // nil if nothing is being bought, as in an application
	Notices  []Notice
	Banner   *Banner
}

// Brand returns the merchant as shown in the header.
func (c Checkout) Brand(financing string) Brand {
	return Brand{Name: c.Merchant, Sub: financing, Logo: c.Logo}
}

// StepName returns the current step.
func (c Checkout) StepName() string {
	if c.Step < 1 || c.Step > len(c.Steps) {
		return ""
	}
	return c.Steps[c.Step-1]
}

// Order is the purchase: templates "order" and, for narrow screens, "order-bar".
type Order struct {
	At    string // the shop's name
	Lines []Line
	Total money.Amount
}

// Line is a line of an order, or of any list with amounts.
type Line struct {
	Text, Detail string
	Amount       money.Amount
}

// App is the shell of application pages: a shop, an account, the sandbox, the console. Templates
// "app" and "app-end". It follows the system's light or dark mode.
type App struct {
	Page
	Brand  Brand
	Nav    string // the name of the navigation
	Links  []Link // in the header; on a narrow screen in a menu
	Tabs   []Link // in a row below the header, which scrolls by itself
	Acts   []Button
	Note   string // before the actions, as a tag
	Banner *Banner
	Help   Sentence
	Wide   bool // the page's main part uses the whole width
	Beside bool // the links are next to the brand, which is one line
}

// Console is the shell of a back office's pages: sections at the side, on a narrow screen in a
// menu. Templates "console" and "console-end". It follows the system's light or dark mode.
type Console struct {
	Page
	Brand  Brand
	Nav    string // the name of the navigation
	Links  []Link // each with an icon; a tag is how much waits there
	You    Link   // initials, and what they open as the tag
	Search *SearchBox
	Banner *Banner
	Help   Sentence
}

// SearchBox is a form in the header that finds anything by its identifier.
type SearchBox struct {
	Action, Name, Label, Value string
	Key                        string // leads to it, "" if none does
}

// Banner says at the top that this is a sandbox, and its current time.
type Banner struct {
	Time string
	Link Link
}

// Sentence is a text followed by links.
type Sentence struct {
	Text  string
	Links []Link
}

// Title heads a page's main part: template "title". Part and Parts show the progress.
type Title struct {
	Text, Lead  string
	Part, Parts int
	Link        *Link
	Badge       *Badge  // after the lead
	Act         *Button // next to the title
}

// Bars returns for each part whether it has been reached.
func (t Title) Bars() []bool {
	bars := make([]bool, t.Parts)
	for i := range bars {
		bars[i] = i < t.Part
	}
	return bars
}

// Heading heads a section, which is aria-labelledby its ID: template "heading", and inside a
// panel "panel-heading", which also shows the badge.
type Heading struct {
	ID, Text string
	Link     *Link
	Badge    *Badge
}
