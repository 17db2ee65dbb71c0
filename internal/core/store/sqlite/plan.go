package sqlite

import (
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// List implements store.View.
func (v *view) List(q store.Query, fn func(row any) error) error {
	schema := q.From.Schema()
	sql, args := plan(q, schema)
	err := v.query(sql, args, func(s *sqlite.Stmt) error {
		row, err := v.decode(q.From, schema.Types, s)
		if err != nil {
			return err
		}
		return fn(row)
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", schema.Name, err)
	}
	return nil
}

// plan is the statement of a query. Its text depends only on which members are set, so
// that few are prepared.
func plan(q store.Query, s store.Schema) (string, []store.Value) {
	l := list{where: make([]string, 0, len(q.Where)+1), args: make([]store.Value, 0, len(q.Where)+len(q.Order)+1)}
	for _, c := range q.Where {
		l.where = append(l.where, l.condition(c))
	}
	direction, beyond := "", " > "
	if q.Down {
		direction, beyond = " DESC", " < "
	}
	if after := l.position(s, q); after != nil {
		l.where = append(l.where, "("+strings.Join(q.Order, ", ")+")"+beyond+"("+strings.Join(after, ", ")+")")
	}
	from := " FROM " + s.Name
	switch q.Index {
	case "":
	case store.ByKey:
		from += " NOT INDEXED"
	default:
		from += " INDEXED BY " + q.Index
	}
	sorted := " ORDER BY " + strings.Join(q.Order, direction+", ") + direction
	end := l.clause() + sorted
	if q.Limit >= 0 {
		end += " LIMIT " + l.arg(integer(int64(q.Limit)))
	}
	if q.KeysFirst {
		key := s.Columns[0]
		from, end = " FROM "+s.Name+" WHERE "+key+" IN (SELECT "+key+from+end+")", sorted
	}
	return "SELECT " + allColumns(q.From, s) + from + end, l.args
}

// allColumns are the columns of what a query reads; those of nouns are written once.
func allColumns(from store.Source, s store.Schema) string {
	if n, ok := from.(store.Noun); ok {
		return nounTexts[n.Index()].columns
	}
	return columns(s, "")
}

// position is where a page begins: what the columns of the order have there.
func (l *list) position(s store.Schema, q store.Query) (at []string) {
	if q.Behind == "" {
		for _, v := range q.After {
			at = append(at, l.arg(v))
		}
		return at
	}
	key := l.arg(text(q.Behind))
	for _, column := range q.Order[:len(q.Order)-1] {
		at = append(at, "(SELECT "+column+" FROM "+s.Name+" WHERE "+s.Columns[0]+" = "+key+")")
	}
	return append(at, key)
}

var operators = [...]string{store.Is: " = ", store.IsNot: " <> ", store.AtLeast: " >= ", store.Below: " < ", store.AtMost: " <= ", store.Above: " > "}

// condition is a condition as the statement says it. The text of one that a partial index
// holds is repeated word for word, or SQLite does not use it.
func (l *list) condition(c store.Cond) string {
	switch {
	case c.Expr != "":
		return c.Expr
	case c.Value.Null && c.Op == store.Is:
		return c.Column + " IS NULL"
	case c.Value.Null:
		return c.Column + " IS NOT NULL"
	case c.Holds && c.Value.Kind == store.Bool:
		return c.Column
	case c.Holds:
		return c.Column + operators[c.Op] + literal(c.Value)
	}
	return c.Column + operators[c.Op] + l.arg(c.Value)
}

// literal is a text or a number of a statement's own text.
func literal(v store.Value) string {
	if v.Kind == store.Text {
		return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	}
	return fmt.Sprint(v.Int)
}
