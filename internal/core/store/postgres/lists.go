package postgres

import (
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// list builds the statement of one page. Its text depends only on which filters are set, so
// that few statements are prepared.
type list struct {
	where []string
	args  []store.Value
	among []among
}

// among is the values of an In condition: one argument, at its position.
type among struct {
	at     int
	values oneColumn
}

// params returns the arguments in the form of a call.
func (l *list) params() []param {
	out := make([]param, len(l.args))
	for i, v := range l.args {
		out[i] = param{value: v}
	}
	for _, a := range l.among {
		out[a.at] = param{rows: a.values, kind: a.values.Types()[0]}
	}
	return out
}

// arg adds an argument and returns its placeholder.
func (l *list) arg(v store.Value) string {
	l.args = append(l.args, v)
	return "$" + number(len(l.args))
}

func (l *list) equal(column, value string) {
	if value != "" {
		l.where = append(l.where, column+" = "+l.arg(text(value)))
	}
}

// compare adds a bound unless the value is NULL, which means none.
func (l *list) compare(column, operator string, v store.Value) {
	if !v.Null {
		l.where = append(l.where, column+" "+operator+" "+l.arg(v))
	}
}

func date(d calendar.Date) store.Value {
	return store.Value{Kind: store.Day, Null: d == calendar.None, Int: int64(d)}
}

func (l *list) clause() string {
	if len(l.where) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(l.where, " AND ")
}
