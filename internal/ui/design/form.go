package design

import (
	"slices"
	"strings"
)

// Width is how much of a six-column row a field takes on a wide screen.
type Width string

// Widths of fields; the zero value takes the whole row.
const (
	Full      Width = ""
	TwoThirds Width = "two-thirds"
	Half      Width = "half"
	Third     Width = "third"
	Sixth     Width = "sixth"
)

// Field is an input with its label, hint and error: template "field". With Options it is a
// select, with Rows a text area.
type Field struct {
	Name  string // also its id, unless ID is set
	ID    string
	Label string
	Hint  string
	Error string // what is wrong, in the words of the summary; "" if nothing
	Value string

	Type         string // of the input; "" is text
	Autocomplete string // the input's purpose, as defined by the standard
	InputMode    string // which keyboard: numeric, decimal, email, tel
	Max          int    // maximum number of characters; 0 for no limit
	Prefix       string // before the value, such as $
	Digits       bool   // digits of equal width
	Optional     bool   // shown in the label
	Required     bool   // announced by the browser and screen readers
	Unspelled    bool   // without spell checking
	LabelHidden  bool   // the label is for screen readers only
	Form         string // id of its form, if it is outside of it

	Options []Option
	Rows    int
	Width   Width

	within string // the set that reports what is wrong
}

// Option is an option of a select.
type Option struct{ Value, Text string }

// At returns the field's id.
func (f Field) At() string { return at(f.ID, f.Name) }

// Kind returns the type of the input.
func (f Field) Kind() string {
	if f.Type == "" {
		return "text"
	}
	return f.Type
}

// DescribedBy returns the ids of the field's hint and error.
func (f Field) DescribedBy() string {
	if f.within != "" {
		return f.within + "-error"
	}
	return describedBy(f.At(), f.Hint, f.Error)
}

// Set is several fields under one name, such as a month and a year: template "set". An error is
// shown once for the whole set; fields that are wrong have an Error, too.
type Set struct {
	ID, Legend, Hint, Error string
	Fields                  []Field // their labels are for screen readers
	Width                   Width
}

// DescribedBy returns the ids of the set's hint and error.
func (s Set) DescribedBy() string { return describedBy(s.ID, s.Hint, s.Error) }

// Within returns a field as part of the set: if it is wrong, the set's error describes it.
func (s Set) Within(f Field) Field {
	f.Hint = ""
	if f.Error != "" {
		f.within = s.ID
	}
	return f
}

// Choices is a group of cards, one of which can be chosen: template "choices". None is
// preselected, unless a choice says that it was chosen.
type Choices struct {
	Name         string
	Legend       string
	LegendHidden bool // the page's title already says it
	Error        string
	Choices      []Choice
}

// DescribedBy returns the id of the group's error.
func (c Choices) DescribedBy() string { return describedBy(c.Name, "", c.Error) }

// Choice is one card.
type Choice struct {
	Value        string
	Text, Detail string
	Figure, Per  string // at the end: an amount, and its period
	Cost         string // below it
	Icon         string // at the end, if there is no amount
	Chosen       bool
	Disabled     bool
	Inset        *Inset
	// Asks are fields that only this choice needs, shown below it while it is chosen; AsksLead is a
	// sentence above them.
	Asks     []Field
	AsksLead string
}

// Inset is a choice's inner box: an offer with its cost.
type Inset struct {
	Figure, Per, Cost, Text string
	Link                    *Link
}

// Check is a checkbox with its sentence: template "check". It is never checked in advance.
type Check struct {
	Name, Text, Detail, Error string
	Ticked                    bool
	Required                  bool
	Optional                  bool // shown in the sentence
	Link                      *Link
}

// DescribedBy returns the ids of what describes the box.
func (c Check) DescribedBy() string { return describedBy(c.Name, c.Detail, c.Error) }

// Problem is what is wrong with an answer, and where it is.
type Problem struct{ Field, Text string }

// Faulty is a part of a form that may have errors.
type Faulty interface{ Problems() []Problem }

// Problems returns the field's error.
func (f Field) Problems() []Problem { return problem(f.At(), f.Error) }

// Problems returns the set's error, at its first field that is wrong.
func (s Set) Problems() []Problem {
	if len(s.Fields) == 0 {
		return nil
	}
	first := max(slices.IndexFunc(s.Fields, func(f Field) bool { return f.Error != "" }), 0)
	return problem(s.Fields[first].At(), s.Error)
}

// Own returns the error of the choice itself, at its first card.
func (c Choices) Own() []Problem { return problem(c.Name, c.Error) }

// Problems returns the errors of the choice and of its cards' fields.
func (c Choices) Problems() []Problem {
	all := c.Own()
	for _, x := range c.Choices {
		for _, f := range x.Asks {
			all = append(all, f.Problems()...)
		}
	}
	return all
}

// Problems returns the error of the box.
func (c Check) Problems() []Problem { return problem(c.Name, c.Error) }

// Summary is the list of errors above a form that comes back: template "summary". It takes the
// focus, and renders nothing without errors.
type Summary struct{ Problems []Problem }

// Summarize gathers the errors of a form in order, so that summary and fields use the same words.
func Summarize(parts ...Faulty) Summary {
	var s Summary
	for _, p := range parts {
		s.Problems = append(s.Problems, p.Problems()...)
	}
	return s
}

// Emphasis is how prominent a button is.
type Emphasis string

// Emphases of buttons. A page has one primary action, in the accent color; the others are calm.
const (
	Primary Emphasis = "primary"
	Outline Emphasis = "outline"
	Ghost   Emphasis = "ghost"
	Danger  Emphasis = "danger"
)

// Button is an action: template "button", or "acts" for a row of them. With Href it is a link
// that looks like a button.
type Button struct {
	Text        string
	Emphasis    Emphasis // the zero value is calm: Outline
	Href        string
	Name, Value string // sent with the form
	Form        string // id of the form that it submits, if it is outside of it
	Icon        string
	Tag         string
	Top         bool // it leaves the frame that the page is in
	Small       bool // in the row of a list or in a header
	Full        bool // as wide as its container
	Disabled    bool
	Act         bool // the key for the next act leads here
}

// Stepper is a count with buttons for one less and one more: template "stepper", in a form that
// knows what is counted.
type Stepper struct {
	Of         string // what is counted, for screen readers
	Count      int
	Name       string // sent with the form when a button is pressed, with one of these
	Less, More string
}

// Variant returns the emphasis by its name in the stylesheet.
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
