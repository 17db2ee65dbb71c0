package design

import (
	"slices"
	"strings"
)

// Width is how much of a row of six columns a field takes on a screen that is not narrow.
type Width string

// Widths of fields; the zero value takes the whole row.
const (
	Full      Width = ""
	TwoThirds Width = "two-thirds"
	Half      Width = "half"
	Third     Width = "third"
	Sixth     Width = "sixth"
)

// Field is an input with its label, hint and error: template "field". With Options it is
// a select, with Rows a text of several lines.
type Field struct {
	Name  string // also its id, unless ID says another
	ID    string
	Label string
	Hint  string
	Error string // what is wrong, in the words of the summary; "" if nothing is
	Value string

	Type         string // of the input; "" is text
	Autocomplete string // the input's purpose, as the standard names it
	InputMode    string // which keyboard: numeric, decimal, email, tel
	Max          int    // the most characters; 0 sets no bound
	Prefix       string // before the value, such as $
	Digits       bool   // figures of one width
	Optional     bool   // which the label says
	Required     bool   // which the browser and a screen reader say
	Unspelled    bool   // no spell checker is asked
	LabelHidden  bool   // the label is for screen readers alone
	Form         string // id of the form that it belongs to, if it stands outside

	Options []Option
	Rows    int
	Width   Width

	within string // the set that says what is wrong
}

// Option is one of a select.
type Option struct{ Value, Text string }

// At is the field's id.
func (f Field) At() string { return at(f.ID, f.Name) }

// Kind is the type of the input.
func (f Field) Kind() string {
	if f.Type == "" {
		return "text"
	}
	return f.Type
}

// DescribedBy names what is said about the field: its hint and its error.
func (f Field) DescribedBy() string {
	if f.within != "" {
		return f.within + "-error"
	}
	return describedBy(f.At(), f.Hint, f.Error)
}

// Set is several fields under one name, such as a month and a year: template "set". What
// is wrong is said once for the whole; fields that are wrong have an Error, too.
type Set struct {
	ID, Legend, Hint, Error string
	Fields                  []Field // their labels are for screen readers
	Width                   Width
}

// DescribedBy names what is said about the whole.
func (s Set) DescribedBy() string { return describedBy(s.ID, s.Hint, s.Error) }

// Within is a field as it stands in the set: what is said about the whole is said about
// it if it is wrong.
func (s Set) Within(f Field) Field {
	f.Hint = ""
	if f.Error != "" {
		f.within = s.ID
	}
	return f
}

// Choices is a group of cards of which one is chosen: template "choices". Nothing is
// chosen before somebody does, unless a choice says that it was.
type Choices struct {
	Name         string
	Legend       string
	LegendHidden bool // the page's title has said it
	Error        string
	Choices      []Choice
}

// DescribedBy names the group's error.
func (c Choices) DescribedBy() string { return describedBy(c.Name, "", c.Error) }

// Choice is one card.
type Choice struct {
	Value        string
	Text, Detail string
	Figure, Per  string // at the end: an amount, and for how long
	Cost         string // below it
	Icon         string // at the end, where there is no amount
	Chosen       bool
	Disabled     bool
	Inset        *Inset
	// Asks are fields that only this choice needs, shown below it while it is chosen;
	// AsksLead is a sentence above them.
	Asks     []Field
	AsksLead string
}

// Inset is what a choice says in a box of its own: an offer with its cost.
type Inset struct {
	Figure, Per, Cost, Text string
	Link                    *Link
}

// Check is a box to tick with its sentence: template "check". It is never ticked for
// somebody.
type Check struct {
	Name, Text, Detail, Error string
	Ticked                    bool
	Required                  bool
	Optional                  bool // which the sentence says
	Link                      *Link
}

// DescribedBy names what is said about the box.
func (c Check) DescribedBy() string { return describedBy(c.Name, c.Detail, c.Error) }

// Problem is what is wrong with an answer, and where it is.
type Problem struct{ Field, Text string }

// Faulty is a part of a form that may say that something is wrong.
type Faulty interface{ Problems() []Problem }

// Problems tells what is wrong with the field.
func (f Field) Problems() []Problem { return problem(f.At(), f.Error) }

// Problems tells what is wrong with the set, at its first field that is wrong.
func (s Set) Problems() []Problem {
	if len(s.Fields) == 0 {
		return nil
	}
	first := max(slices.IndexFunc(s.Fields, func(f Field) bool { return f.Error != "" }), 0)
	return problem(s.Fields[first].At(), s.Error)
}

// Own tells what is wrong with the choice itself, at its first card.
func (c Choices) Own() []Problem { return problem(c.Name, c.Error) }

// Problems tells what is wrong with the choice, and with what its cards ask.
func (c Choices) Problems() []Problem {
	all := c.Own()
	for _, x := range c.Choices {
		for _, f := range x.Asks {
			all = append(all, f.Problems()...)
		}
	}
	return all
}

// Problems tells what is wrong with the box.
func (c Check) Problems() []Problem { return problem(c.Name, c.Error) }

// Summary is the list of what is wrong, above a form that comes back: template
// "summary". It takes the focus, and is nothing if nothing is wrong.
type Summary struct{ Problems []Problem }

// Summarize gathers the errors of a form in its order, so that summary and fields use
// the same words.
func Summarize(parts ...Faulty) Summary {
	var s Summary
	for _, p := range parts {
		s.Problems = append(s.Problems, p.Problems()...)
	}
	return s
}

// Emphasis is how much a button asks for.
type Emphasis string

// Emphases of buttons. A page has one primary act, in the accent; the others are calm.
const (
	Primary Emphasis = "primary"
	Outline Emphasis = "outline"
	Ghost   Emphasis = "ghost"
	Danger  Emphasis = "danger"
)

// Button is an act: template "button", or "acts" for a row of them. With Href it is a
// link that looks like one.
type Button struct {
	Text        string
	Emphasis    Emphasis // the zero value is calm: Outline
	Href        string
	Name, Value string // what a form is told of it
	Form        string // id of the form that it sends, if it stands outside
	Icon        string
	Tag         string
	Top         bool // it leads out of the frame that the page is in
	Small       bool // in the row of a list or in a header
	Full        bool // as wide as what it stands in
	Disabled    bool
}

// Stepper is a number of things with a button for one less and one more: template
// "stepper", in a form that knows what is counted.
type Stepper struct {
	Of         string // what is counted, for screen readers
	Count      int
	Name       string // what the form is told when a button is pressed, with one of these
	Less, More string
}

// Variant is the emphasis as the stylesheet knows it.
func (b Button) Variant() Emphasis {
	if b.Emphasis == "" {
		return Outline
	}
	return b.Emphasis
}

func at(id, name string) string {
	if id != "" {
		return id
	}
	return name
}

func describedBy(id, hint, wrong string) string {
	var ids []string
	if hint != "" {
		ids = append(ids, id+"-hint")
	}
	if wrong != "" {
		ids = append(ids, id+"-error")
	}
	return strings.Join(ids, " ")
}

func problem(at, text string) []Problem {
	if text == "" {
		return nil
	}
	return []Problem{{at, text}}
}
