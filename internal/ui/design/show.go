package design

import (
	"strconv"

	"tenor/internal/domain/money"
)

// Icon is one of src/icons.txt with the classes of its size and color: template "icon".
// It says nothing to who cannot see it; words beside it do.
type Icon struct{ Name, Class string }

// Tone is what a color means. A word always says the same.
type Tone string

// Tones; the zero value is calm.
const (
	Calm Tone = "calm"
	Good Tone = "good"
	Warn Tone = "warn"
	Bad  Tone = "bad"
)

// Or is the tone, or calm.
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

// Fact is a line of a list of facts, with an amount at its end or without: template
// "facts" takes several.
type Fact struct{ Label, Text, Amount string }

// Answer is what somebody has said, with the way to change it: template "answers" takes
// several.
type Answer struct {
	Label, Text, Detail string
	Change              string // where it is changed; "" if it cannot be
}

// Table is rows and columns: template "table". It scrolls in itself if it is wide.
type Table struct {
	Caption string // for screen readers
	Columns []Column
	Rows    []Row
	Foot    []Cell // as many as columns
	Empty   *Empty // in place of rows
}

// Column is one of a table.
type Column struct {
	Text   string
	Number bool   // figures: right-aligned, of one width
	From   string // the width from which it is shown: sm, md, lg; "" is always
}

// Row is one of a table. Its first cell heads it.
type Row struct{ Cells []Cell }

// Cell is one of a row.
type Cell struct {
	Text, Detail string
	Href         string
	Strong, Soft bool
	Badge        *Badge
	Narrow       string // under the text, and
	Below        *Badge // below that: where a narrow screen has no room for their columns
}

// Timeline is what has happened, the newest first: template "timeline".
type Timeline struct{ Entries []Entry }

// Entry is one thing that happened. With Gap it is the time that passed between two.
type Entry struct {
	Icon         string
	Tone         Tone
	Text, Detail string
	Href         string // where the text leads, if anywhere
	Link         *Link  // after the detail, to what has caused it
	Time         string // for people
	Instant      string // for machines: RFC 3339, or a date
	Gap          string
}

// Empty stands where nothing is yet: one sentence, one button, one command. Template
// "empty".
type Empty struct {
	Text    string
	Act     *Button
	Command string
}

// Notice is a word beside or above the rest: template "notice".
type Notice struct {
	Tone    Tone
	Icon    string
	Figure  string // an amount, first
	Badge   *Badge // beside the title
	Title   string
	Text    string
	Links   []Link
	Act     *Button
	Spoken  Role
	Heading string // its id, if it is a section with a heading
}

// Role is how a screen reader hears of a notice.
type Role string

// Roles of notices. A status is said when there is time, an alert at once; the zero value
// is a part of the page like others.
const (
	Status Role = "status"
	Alert  Role = "alert"
)

// Outcome is a decision, as the first thing on its page: template "outcome".
type Outcome struct {
	Badge  Badge
	Title  string
	Figure string // the largest thing of the page
	Text   string
	Points []Point
	Keys   []Key
	Meter  *Meter
	Acts   []Button
}

// Point is a short sentence with an icon.
type Point struct{ Icon, Text string }

// Meter shows how much of a line is used: template "meter".
type Meter struct {
	Used, Held, Limit money.Amount
	Figures           []Figure // below it, the last at the end
	Legend            bool     // the figures are what is used and what is held, each with its color
}

// share is how much of the whole an amount is, in percent with one decimal.
func (m Meter) share(a money.Amount) string {
	if m.Limit <= 0 || a <= 0 {
		return "0"
	}
	tenths := min(int64(a)*1000/int64(m.Limit), 1000)
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

// UsedShare is the used part in percent.
func (m Meter) UsedShare() string { return m.share(m.Used) }

// HeldShare is the reserved part in percent.
func (m Meter) HeldShare() string { return m.share(m.Held) }

// Next is what will happen, step by step: template "next" takes several.
type Next struct{ Text, Detail string }

// Address is who lives or trades where: template "address".
type Address struct {
	Icon   string
	Name   string
	Lines  []string
	Change string // where it is changed; "" if it cannot be
	Label  string // what is changed, for screen readers
}

// Document is a paper to read: template "document".
type Document struct {
	Title, Href, Detail string
	Link                *Link // another form of it
}

// Key is a text to copy: template "key". A click marks the whole of it; where scripts
// run, there is a button.
type Key struct{ ID, Label, Value string }
