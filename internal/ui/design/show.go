package design

import (
	"strconv"

	"tenor/internal/domain/money"
)

// Icon is an icon from src/icons.txt with the classes for its size and color: template "icon". It
// is invisible to screen readers; words next to it carry its meaning.
type Icon struct{ Name, Class string }

// Tone is the meaning of a color. A word always says the same.
type Tone string

// Tones; the default is calm.
const (
	Calm Tone = "calm"
	Good Tone = "good"
	Warn Tone = "warn"
	Bad  Tone = "bad"
)

// Or returns the tone, or calm.
func (t Tone) Or() Tone {
	if t == "" {
		return Calm
	}
	return t
}

// Badge is a state: a dot and a word. Template "badge".
type Badge struct {
	Tone Tone
	Text string
}

// Figure is an amount or a rate with its label: template "figures" takes several.
type Figure struct{ Label, Value, Note string }

// Bars is a bar chart with its numbers as a table: template "bars".
type Bars struct {
	ID, Title, Lead string
	Axis            []string // from the top to zero
	Bars            []Bar
	Table           Table
	Open            bool // the table is shown at once
}

// Bar is one bar; Height is in thousandths of the axis.
type Bar struct {
	Label, Says string // below it, and for who cannot see it
	Height      int
	Href        string
	Soft        bool // it is of the past, beside what is expected
	Wide        bool // a narrow screen has no room for it
}

// Y is where the bar begins, from the top.
func (b Bar) Y() int { return 1000 - b.Height }

// Bands is amounts by band, each with its share of the whole as a bar: template "bands".
type Bands struct {
	ID, Title, Lead string
	Bands           []Band
}

// Band is one of them. Share is in thousandths; Level is how bad the band is, from 0 to 5.
type Band struct {
	Label, Note, Amount, Href string
	Share, Level              int
}

// Fact is a line in a list of facts, with or without an amount at its end: template "facts" takes
// several.
type Fact struct{ Label, Text, Amount string }

// Answer is what the user has answered, with a link to change it: template "answers" takes
// several.
type Answer struct {
	Label, Text, Detail string
	Change              string // where it is changed; "" if it cannot be changed
}

// Table is rows and columns: template "table". It scrolls by itself if it is wide.
type Table struct {
	Caption string // for screen readers
	Columns []Column
	Rows    []Row
	Foot    []Cell // one per column
	Empty   *Empty // in place of rows
}

// Column is a column of a table.
type Column struct {
	Text   string
	Number bool   // digits: right-aligned, of equal width
	From   string // the width from which it is shown: sm, md, lg; "" is always
}

// Row is a row of a table. Its first cell is the row header.
type Row struct{ Cells []Cell }

// Cell is a cell of a row.
type Cell struct {
	Text, Detail string
	Href         string
	Strong, Soft bool
	Badge        *Badge
	Narrow       string // below the text, and
	Below        *Badge // below that: where a narrow screen has no room for their columns
}

// Timeline is what has happened, newest first: template "timeline".
type Timeline struct{ Entries []Entry }

// Entry is one event. With Gap it is the time between two events.
type Entry struct {
	Icon         string
	Tone         Tone
	Text, Detail string
	Href         string // where the text leads, if anywhere
	Link         *Link  // after the detail, to what caused it
	Time         string // for people
	Instant      string // for machines: RFC 3339, or a date
	Gap          string
}

// Empty is shown where nothing exists yet: one sentence, one button, one command. Template
// "empty".
type Empty struct {
	Text    string
	Act     *Button
	Command string
}

// Notice is a remark next to or above the rest: template "notice".
type Notice struct {
	Tone    Tone
	Icon    string
	Figure  string // an amount, first
	Badge   *Badge // next to the title
	Title   string
	Text    string
	Links   []Link
	Act     *Button
	Spoken  Role
	Heading string // its id, if it is a section with a heading
}

// Role is how a screen reader announces a notice.
type Role string

// Roles of notices. A status is announced when convenient, an alert at once; the zero value is an
// ordinary part of the page.
const (
	Status Role = "status"
	Alert  Role = "alert"
)

// Outcome is a decision, as the first element of its page: template "outcome".
type Outcome struct {
	Badge  Badge
	Title  string
	Figure string // the largest element of the page
	Text   string
	Points []Point
	Keys   []Key
	Meter  *Meter
	Acts   []Button
}

// Point is a short sentence with an icon.
type Point struct{ Icon, Text string }

// Meter shows how much of a credit line is used: template "meter".
type Meter struct {
	Used, Held, Limit money.Amount
	Figures           []Figure // below it, the last one at the end
	Legend            bool     // the figures are used and reserved credit, each with its color
}

// share returns an amount's share of the limit, in percent with one decimal.
func (m Meter) share(a money.Amount) string {
	if m.Limit <= 0 || a <= 0 {
		return "0"
	}
	tenths := min(int64(a)*1000/int64(m.Limit), 1000)
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

// UsedShare returns the used part in percent.
func (m Meter) UsedShare() string { return m.share(m.Used) }

// HeldShare returns the reserved part in percent.
func (m Meter) HeldShare() string { return m.share(m.Held) }

// Next is what will happen, step by step: template "next" takes several.
type Next struct{ Text, Detail string }

// Address is a name with its address: template "address".
type Address struct {
	Icon   string
	Name   string
	Lines  []string
	Change string // where it is changed; "" if it cannot be changed
	Label  string // what is changed, for screen readers
}

// Document is a paper to read: template "document".
type Document struct {
	Title, Href, Detail string
	Link                *Link // to another form of it
}

// Key is a text to copy: template "key". A click selects all of it; with scripts, there is a
// button.
type Key struct {
	ID, Label, Value string
	Whole            bool // it is read and typed: a long one goes on in the next line
}
