package postgres

import (
	"fmt"
	"strings"

	"tenor/internal/core/store"
)

// List implements store.View.
func (v *view) List(q store.Query, fn func(row any) error) error {
	schema := q.From.Schema()
	sql, args := plan(q, schema)
	err := v.query(sql, args, func(r *row) error {
		x, err := r.decode(q.From, schema.Types)
		if err != nil {
			return err
		}
		return fn(x)
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", schema.Name, err)
	}
	return nil
}

// plan is the statement of a query. Its text depends only on which members are set, so
// that few are prepared. The length of a page stands in the text: a plan that is made for
// any length would read more than a page and sort it.
func plan(q store.Query, s store.Schema) (string, []store.Value) {
	l := list{where: make([]string, 0, len(q.Where)+1), args: make([]store.Value, 0, len(q.Where)+len(q.Order)+1)}
	for _, c := range q.Where {
		l.where = append(l.where, l.condition(c))
	}
	order := strings.Join(q.Order, ", ")
	direction, beyond := "", " > "
	if q.Down {
		direction, beyond = " DESC", " < "
	}
	if after := l.position(s, q); after != nil {
		l.where = append(l.where, "("+order+")"+beyond+"("+strings.Join(after, ", ")+")")
	}
	sql := "SELECT " + columns(s, "") + " FROM " + s.Name
	sql += l.clause() + " ORDER BY " + strings.Join(q.Order, direction+", ") + direction
	if q.Limit >= 0 {
		sql += " LIMIT " + number(q.Limit)
	}
	return sql, l.args
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

// condition is a condition as the statement says it. What a partial index holds is no
// parameter, or a plan that is made for any value does not use it.
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
