package rest

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/edge/rest/value"
)

// Row reads the rows of a list, for handlers that read a body themselves.
type Row struct{ rules bodyRules }

// Column is one member of a row.
type Column struct {
	Name   string
	member member
}

// RowOf compiles the type of a row. kinds are the contract's.
func RowOf(t reflect.Type, kinds []value.Kind) (Row, error) {
	rules, err := newTypes(kinds, nil).body(t)
	return Row{rules}, err
}

// Columns returns the row's members in the order of its type.
func (r Row) Columns() []Column {
	var list []Column
	for _, m := range r.rules.root.members {
		list = append(list, Column{m.name, m})
	}
	return list
}

// Set parses the text of a column into a row.
func (c Column) Set(row reflect.Value, text string) *value.Violation {
	return c.member.rule.setText(row.FieldByIndex(c.member.index), text)
}

// Decode decodes a JSON row as if it were a body of its own: the problem is what makes the
// whole list malformed, the errors are the row's schema violations.
func (r Row) Decode(raw jsontext.Value, row reflect.Value) (*Problem, []FieldError) {
	switch raw.Kind() {
	case '{':
		return r.rules.decode(raw, row)
	case 'n':
		return nil, []FieldError{{Code: badNull.Code, Detail: badNull.Detail}}
	}
	bad := r.rules.root.badType()
	return nil, []FieldError{{Code: bad.Code, Detail: bad.Detail}}
}
