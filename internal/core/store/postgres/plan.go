package postgres

import (
	"fmt"
	"strings"

	"tenor/internal/core/store"
)

// List implements store.View.
func (v *view) List(q store.Query, fn func(row any) error) error { return v.Union(fn, q) }

// Union implements store.Uniter.
func (v *view) Union(fn func(row any) error, pages ...store.Query) error {
	from := pages[0].From
	schema, small := from.Schema(), true
	for _, q := range pages {
		small = small && q.Limit >= 0 && q.Limit <= chunk
	}
	sql, params := plan(schema, pages...)
	err := v.run(&call{sql: sql, params: params, small: small, row: func(r *row) error {
		x, err := r.decode(from, schema.Types)
		if err != nil {
			return err
		}
		return fn(x)
	}})
	if err != nil {
		return fmt.Errorf("list %s: %w", schema.Name, err)
	}
	return nil
}

// Sum implements store.View.
func (v *view) Sum(q store.Sums, fn func(by, of []store.Value) error) error {
	s := q.From.Schema()
	var l list
	l.conditions(q.Where, s.Name, "")
	names, types := figures(q, s)
	sql := "SELECT " + strings.Join(names, ", ") + " FROM " + s.Name + l.clause()
	if len(q.By) > 0 {
		sql += " GROUP BY " + strings.Join(q.By, ", ")
	}
	values := make([]store.Value, len(types))
	err := v.run(&call{sql: sql, params: l.params(), row: func(r *row) (err error) {
		for i, t := range types {
			if values[i], err = r.value(i, t); err != nil {
				return err
			}
		}
		return fn(values[:len(q.By)], values[len(q.By):])
	}})
	if err != nil {
		return fmt.Errorf("sum %s: %w", s.Name, err)
	}
	return nil
}

// figures returns the columns of a sum, those of its groups and the aggregates, with their
// types.
func figures(q store.Sums, s store.Schema) (names []string, types []store.Type) {
	for _, name := range q.By {
		names, types = append(names, name), append(types, s.TypeOf(name))
	}
	for _, a := range q.Of {
		types = append(types, a.Type(s))
		switch a.Of {
		case store.Count:
			names = append(names, "count(*)")
		case store.Sum:
			names = append(names, "coalesce(sum("+a.Column+"), 0)::bigint")
		case store.Min:
			names = append(names, "min("+a.Column+")")
		}
	}
	return names, types
}

// plan returns the statement of queries of one table. Its text depends only on which
// members are set, so that few statements are prepared. The length of a page is part of the
// text: a generic plan for any length would read more than a page and sort it.
func plan(s store.Schema, pages ...store.Query) (string, []param) {
	q := pages[0]
	l := list{where: make([]string, 0, len(q.Where)+1), args: make([]store.Value, 0, len(pages)*(len(q.Where)+len(q.Order)+1))}
	sql := l.page(q, s)
	for _, q := range pages[1:] {
		l.where = l.where[:0]
		sql = "(" + sql + ") UNION ALL (" + l.page(q, s) + ")"
	}
	return sql, l.params()
}

// page returns the statement of one query.
func (l *list) page(q store.Query, s store.Schema) string {
	l.conditions(q.Where, s.Name, "")
	order := strings.Join(q.Order, ", ")
	direction, beyond := "", " > "
	if q.Down {
		direction, beyond = " DESC", " < "
	}
	if after := l.position(s, q); after != nil {
		l.where = append(l.where, "("+order+")"+beyond+"("+strings.Join(after, ", ")+")")
	}
	sql := "SELECT " + columns(s, "") + " FROM " + s.Name + l.clause()
	if order != "" {
		sql += " ORDER BY " + strings.Join(q.Order, direction+", ") + direction
	}
	if q.Limit >= 0 {
		sql += " LIMIT " + number(q.Limit)
	}
	if q.Skip > 0 {
		sql += " OFFSET " + number(q.Skip)
	}
	return sql
}

// position returns where a page begins: the values of the order's columns.
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

// conditions adds conditions on the rows of a table, whose columns have a prefix.
func (l *list) conditions(where []store.Cond, table, prefix string) {
	for _, c := range where {
		if c.Other != nil {
			l.other(c.Other, table)
			continue
		}
		l.where = append(l.where, l.condition(c, prefix))
	}
}

// other requires that related rows, x, exist or do not exist for a row of a table. A single
// value is looked up in the index for each row: EXISTS would become a join with all
// existing rows.
func (l *list) other(o *store.Other, table string) {
	inner := list{args: l.args, among: l.among}
	pairs := func(pairs []store.Pair) (others, rows []string) {
		for _, p := range pairs {
			others, rows = append(others, "x."+p.Other), append(rows, table+"."+p.Row)
		}
		return others, rows
	}
	for i, list := range [][]store.Pair{o.Same, o.Differs} {
		others, rows := pairs(list)
		for n := range others {
			inner.where = append(inner.where, others[n]+[]string{" = ", " <> "}[i]+rows[n])
		}
	}
	if others, rows := pairs(o.Earlier); len(others) > 0 {
		inner.where = append(inner.where, "("+strings.Join(others, ", ")+") < ("+strings.Join(rows, ", ")+")")
	}
	inner.conditions(o.Where, "x", "x.")
	sql := "(SELECT true FROM " + o.From.Schema().Name + " x" + inner.clause()
	if len(o.Order) > 0 {
		sql += " ORDER BY x." + strings.Join(o.Order, ", x.")
	}
	found := " IS NOT NULL"
	if o.None {
		found = " IS NULL"
	}
	l.args, l.among = inner.args, inner.among
	l.where = append(l.where, sql+" LIMIT 1)"+found)
}

// condition returns a condition's SQL. One that is part of a partial index is not a
// parameter, because a generic plan would not use the index.
func (l *list) condition(c store.Cond, prefix string) string {
	column := prefix + c.Column
	switch {
	case c.Expr != "":
		return c.Expr
	case c.Op == store.In:
		l.among = append(l.among, among{len(l.args), c.Values})
		kind := "text"
		if len(c.Values) > 0 && c.Values[0].Kind == store.Integer {
			kind = "bigint"
		}
		return column + " = ANY(" + l.arg(store.Value{}) + "::" + kind + "[])"
	case c.Value.Null && c.Op == store.Is:
		return column + " IS NULL"
	case c.Value.Null:
		return column + " IS NOT NULL"
	case c.Holds && c.Value.Kind == store.Bool && c.Value.Int == 0:
		return "NOT " + column
	case c.Holds && c.Value.Kind == store.Bool:
		return column
	case c.Holds:
		return column + operators[c.Op] + literal(c.Value)
	}
	return column + operators[c.Op] + l.arg(c.Value)
}

// literal returns a text or a number as part of the statement's text.
func literal(v store.Value) string {
	if v.Kind == store.Text {
		return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	}
	return fmt.Sprint(v.Int)
}
