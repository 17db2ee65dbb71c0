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
	Once        string // distinguishes two clicks from two forms, "" if that does not matter
	After       string
}

// Group is part of a form under a heading.
type Group struct {
	Legend, Lead string
	Parts        []Part
}

// Part is a member of a group.
type Part struct {
	Field *design.Field
	Check *design.Check
	Act   *design.Button
}

// FieldPart returns a field as a part of a form.
func FieldPart(f design.Field) Part { return Part{Field: &f} }

// CheckPart returns a checkbox as a part of a form.
func CheckPart(c design.Check) Part { return Part{Check: &c} }

// Fields returns the fields of the form.
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

// Summary gathers the errors of a form.
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

// Wrong is the status of a form with errors.
const Wrong = 422

// Primary is the one button of a page that continues.
func Primary(text string) design.Button { return design.Button{Text: text, Emphasis: design.Primary} }
