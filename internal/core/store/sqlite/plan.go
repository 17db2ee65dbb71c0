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
	err := v.among(q.Where, sql, args, func(s *sqlite.Stmt) error {
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

// among runs a statement; the values of its In condition are in the input table.
func (v *view) among(where []store.Cond, sql string, args []store.Value, fn func(*sqlite.Stmt) error) error {
	for _, c := range where {
		if c.Op == store.In {
			v.in.rows = oneColumn(c.Values)
			err := v.query(sql, args, fn)
			v.in.rows = nil
			return err
		}
	}
	return v.query(sql, args, fn)
}

// Sum implements store.View.
func (v *view) Sum(q store.Sums, fn func(by, of []store.Value) error) error {
	s := q.From.Schema()
	var l list
	l.conditions(q.Where, s.Name, "")
	sql := "SELECT " + strings.Join(figures(q), ", ") + indexed(s.Name, q.Index) + l.clause()
	if len(q.By) > 0 {
		sql += " GROUP BY " + strings.Join(q.By, ", ")
	}
	values := make([]store.Value, len(q.By)+len(q.Of))
	err := v.among(q.Where, sql, l.args, func(stmt *sqlite.Stmt) error {
		for i, name := range q.By {
			values[i] = column(stmt, i, s.TypeOf(name))
		}
		for i, a := range q.Of {
			values[len(q.By)+i] = column(stmt, len(q.By)+i, a.Type(s))
		}
		return fn(values[:len(q.By)], values[len(q.By):])
	})
	if err != nil {
		return fmt.Errorf("sum %s: %w", s.Name, err)
	}
	return nil
}

// figures returns the columns of a sum: those of its groups, and the aggregates.
func figures(q store.Sums) []string {
	out := append([]string(nil), q.By...)
	for _, a := range q.Of {
		switch a.Of {
		case store.Count:
			out = append(out, "count(*)")
		case store.Sum:
			out = append(out, "coalesce(sum("+a.Column+"), 0)")
		case store.Min:
			out = append(out, "min("+a.Column+")")
		}
	}
	return out
}

// indexed names a table with the index to read.
func indexed(table, index string) string {
	switch index {
	case "":
		return " FROM " + table
	case store.ByKey:
		return " FROM " + table + " NOT INDEXED"
	}
	return " FROM " + table + " INDEXED BY " + index
}

// plan returns the statement of a query. Its text depends only on which members are set, so
// that few statements are prepared.
func plan(q store.Query, s store.Schema) (string, []store.Value) {
	l := list{where: make([]string, 0, len(q.Where)+1), args: make([]store.Value, 0, len(q.Where)+len(q.Order)+1)}
	l.conditions(q.Where, s.Name, "")
	direction, beyond := "", " > "
	if q.Down {
		direction, beyond = " DESC", " < "
	}
	if after := l.position(s, q); after != nil {
		l.where = append(l.where, "("+strings.Join(q.Order, ", ")+")"+beyond+"("+strings.Join(after, ", ")+")")
	}
	from, sorted := indexed(s.Name, q.Index), ""
	if len(q.Order) > 0 {
		sorted = " ORDER BY " + strings.Join(q.Order, direction+", ") + direction
	}
	end := l.clause() + sorted
	if q.Limit >= 0 {
		end += " LIMIT " + l.arg(integer(int64(q.Limit)))
	}
	if q.Skip > 0 {
		end += " OFFSET " + l.arg(integer(int64(q.Skip)))
	}
	if q.KeysFirst {
		key := s.Columns[0]
		from, end = " FROM "+s.Name+" WHERE "+key+" IN (SELECT "+key+from+end+")", sorted
	}
	return "SELECT " + allColumns(q.From, s) + from + end, l.args
}

// allColumns returns the columns that a query reads; those of nouns are built once.
func allColumns(from store.Source, s store.Schema) string {
	if n, ok := from.(store.Noun); ok {
		return nounTexts[n.Index()].columns
	}
	return columns(s, "")
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

// other requires that related rows, x, exist or do not exist for a row of a table.
func (l *list) other(o *store.Other, table string) {
	inner := list{args: l.args}
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
	exists := "EXISTS"
	if o.None {
		exists = "NOT EXISTS"
	}
	l.args = inner.args
	l.where = append(l.where, exists+" (SELECT 1"+indexed(o.From.Schema().Name+" x", o.Index)+inner.clause()+")")
}

// condition returns a condition's SQL. One that is part of a partial index is repeated word
// for word, or SQLite does not use the index.
func (l *list) condition(c store.Cond, prefix string) string {
	column := prefix + c.Column
	switch {
	case c.Expr != "":
		return c.Expr
	case c.Op == store.In:
		return column + " IN (SELECT i.c0 FROM input i)"
	case c.Value.Null && c.Op == store.Is:
		return column + " IS NULL"
	case c.Value.Null:
		return column + " IS NOT NULL"
	case c.Holds && c.Value.Kind == store.Bool && c.Value.Int == 1:
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
