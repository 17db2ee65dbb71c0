package pages

import (
	"embed"

	"tenor/internal/ui/design"
)

//go:embed templates/*.html
var templateFiles embed.FS

// Form is a form of fields: template "form".
type Form struct {
	Action, Key string
	Groups      []Group
	Acts        []design.Button
	Files       bool
	Once        string // tells two clicks from two forms, "" where that does not matter
	After       string
}

// Group is a part of a form under a heading.
type Group struct {
	Legend, Lead string
	Parts        []Part
}

// Part is one of its members.
type Part struct {
	Field *design.Field
	Check *design.Check
	Act   *design.Button
}

// FieldPart is a field as a part of a form.
func FieldPart(f design.Field) Part { return Part{Field: &f} }

// CheckPart is a box to tick as a part of a form.
func CheckPart(c design.Check) Part { return Part{Check: &c} }

// Fields are what the form asks for.
func (f *Form) Fields() (all []design.Field) {
	for _, g := range f.Groups {
		for _, p := range g.Parts {
			if p.Field != nil {
				all = append(all, *p.Field)
			}
		}
	}
	return all
}

// Summary gathers what is wrong in a form.
func (f *Form) Summary() design.Summary {
	var all []design.Faulty
	for _, g := range f.Groups {
		for _, p := range g.Parts {
			switch {
			case p.Field != nil:
				all = append(all, *p.Field)
			case p.Check != nil:
				all = append(all, *p.Check)
			}
		}
	}
	return design.Summarize(all...)
}

// Wrong is the status of a form that comes back.
const Wrong = 422

// Primary is the one button of a page that goes on.
func Primary(text string) design.Button { return design.Button{Text: text, Emphasis: design.Primary} }
