package store

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
)

// Source is what a query reads: a noun, or RowsOf a table.
type Source interface {
	Schema() Schema
	Decode(values []Value) (row any, err error)
	// Value is a row's value in a column.
	Value(row any, column int) Value

	firstColumn() string // of the key
}

// RowsOf makes a table a source of queries. Its rows are *T.
func RowsOf[T any](t *Table[T]) Source { return rowsOf[T]{t} }

type rowsOf[T any] struct{ t *Table[T] }

func (r rowsOf[T]) Schema() Schema                     { return r.t.Schema() }
func (r rowsOf[T]) Decode(values []Value) (any, error) { return r.t.Decode(values) }
func (r rowsOf[T]) Value(row any, column int) Value    { return r.t.Columns[column].Get(row.(*T)) }

func (r rowsOf[T]) firstColumn() string { return r.t.Columns[0].Name }

// Query asks for a page of rows. It is plain data: a dialect makes the same statement for
// the same set of members, and memory evaluates it.
type Query struct {
	From   Source
	Where  []Cond
	Order  []string // columns, ascending; the last is the key
	Down   bool     // descending
	After  []Value  // values of the Order columns in the last row of the previous page; nil: from the beginning
	Behind string   // alternative to After: the key of that row; nothing follows an unknown one
	Limit  int      // maximum number of rows; negative: all
	Skip   int      // number of rows to skip first
	// Index is the index to read, by name or ByKey, where a planner would choose by
	// statistics that it does not have. PostgreSQL has the statistics and goes by the
	// conditions.
	Index string
	// KeysFirst means that the index covers all conditions and the order: the keys of a
	// page come from the index, and only the page's rows are read.
	KeysFirst bool
}

// ByKey reads a table in order of its key.
const ByKey = "key"

// Op compares a column with a value.
type Op int

// The comparisons. NULL matches only itself.
const (
	Is Op = iota
	IsNot
	AtLeast
	Below
	AtMost
	Above
	In // one of Values
)

// Cond is a condition on one column.
type Cond struct {
	Column string
	Op     Op
	Value  Value // NULL matches itself: IS NULL and IS NOT NULL
	// Values are those of In, all of one type. A query has at most one such condition, and
	// its fn must not read from the view. Without values no row matches.
	Values []Value
	// Of computes the value of a row where Column is an expression.
	Of func(row any) Value
	// Holds means that the value is written into the text of the statement, because it is
	// part of a partial index's condition.
	Holds bool
	// Expr is a condition that columns cannot express, in SQL valid for both dialects;
	// Takes evaluates it on a row. Column, Op and Value are ignored.
	Expr  string
	Takes func(row any) bool
	// Other is a condition on other rows; all members above are ignored.
	Other *Other
}

// Other checks whether related rows exist, in the same table or another one. An index finds
// them.
type Other struct {
	From    Source
	Index   string // see Query
	Same    []Pair // columns that are equal
	Differs []Pair
	Earlier []Pair   // compared as a tuple: the other row comes first
	Where   []Cond   // on the other row
	Order   []string // the order of the index, for PostgreSQL
	None    bool     // requires that no such row exists
}

// Pair is a column of the other row and the column of this row to compare it with.
type Pair struct{ Other, Row string }

// Sums asks for aggregates of the rows that match the conditions, grouped by the columns of
// By. Without By all rows form one group, even if there are none.
type Sums struct {
	From  Source
	Where []Cond
	By    []string
	Of    []Aggregate
	Index string // see Query
}

// Aggregate is one figure of a group.
type Aggregate struct {
	Of     Figure
	Column string // unused for Count
}

// Figure is a kind of aggregate.
type Figure int

// The kinds of aggregates. A Sum of no rows is 0, a Min of none is NULL.
const (
	Count Figure = iota
	Sum
	Min
)

// Type is the type of an aggregate's value.
func (a Aggregate) Type(s Schema) Type {
	if a.Of == Min {
		return s.TypeOf(a.Column)
	}
	return Integer
}

// Match reports whether a value satisfies the condition.
func (c Cond) Match(v Value) bool {
	if c.Op == In {
		return slices.ContainsFunc(c.Values, func(x Value) bool { return !v.Null && v.Compare(x) == 0 })
	}
	if c.Value.Null || v.Null {
		same := c.Value.Null && v.Null
		return c.Op == Is && same || c.Op == IsNot && c.Value.Null && !v.Null
	}
	switch n := v.Compare(c.Value); c.Op {
	case Is:
		return n == 0
	case IsNot:
		return n != 0
	case AtLeast:
		return n >= 0
	case Below:
		return n < 0
	case Above:
		return n > 0
	default:
		return n <= 0
	}
}

func (q *Query) where(column string, op Op, v Value) {
	q.Where = append(q.Where, Cond{Column: column, Op: op, Value: v})
}

// holds adds a condition of the partial index that the query reads.
func (q *Query) holds(column string, op Op, v Value) {
	q.Where = append(q.Where, Cond{Column: column, Op: op, Value: v, Holds: true})
}

// is narrows to rows with a text, unless it is empty.
func (q *Query) is(column, value string) {
	if value != "" {
		q.where(column, Is, textValue(value))
	}
}

func (q *Query) company(id int64) {
	if id != 0 {
		q.where("company_id", Is, Value{Kind: Integer, Int: id})
	}
}

// until narrows to rows before an instant, unless it is zero.
func (q *Query) until(column string, at time.Time) {
	if !at.IsZero() {
		q.where(column, Below, Micros(at))
	}
}

// among narrows to rows with one of the texts. Empty texts are ignored.
func (q *Query) among(column string, texts []string) {
	c := Cond{Column: column, Op: In}
	sorted := slices.Sorted(slices.Values(texts))
	for _, s := range slices.Compact(sorted) {
		if s != "" {
			c.Values = append(c.Values, textValue(s))
		}
	}
	q.Where = append(q.Where, c)
}

// expr adds a condition that columns cannot express.
func (q *Query) expr(expr string, takes func(row any) bool) {
	q.Where = append(q.Where, Cond{Expr: expr, Takes: takes})
}

func textValue(s string) Value { return Value{Kind: Text, Text: s} }

func dayValue(d calendar.Date) Value {
	return Value{Kind: Day, Null: d == calendar.None, Int: int64(d)}
}

// newest lists records from the newest down, by an instant and the key.
func newest(from Source, at string, p Page) Query {
	key := from.firstColumn()
	q := Query{From: from, Order: []string{at, key}, Down: !p.Oldest, Limit: max(p.Limit, 0), Where: make([]Cond, 0, 8)}
	if !p.AfterAt.IsZero() {
		q.After = []Value{Micros(p.AfterAt), textValue(p.AfterID)}
	}
	return q
}

// list returns the records of a query.
func list[K comparable, V, R any](v View, n *NounOf[K, V, R], q Query) (out []V, err error) {
	err = v.List(q, func(row any) error { out = append(out, n.of(row.(*R))); return nil })
	return out, err
}

// rows returns the rows of a query on a table.
func rows[R any](v View, q Query) (out []R, err error) {
	err = v.List(q, func(row any) error { out = append(out, *row.(*R)); return nil })
	return out, err
}

// sum returns one group of figures.
// Uniter is a View that reads several pages of one source with one statement.
type Uniter interface {
	// Union calls fn with the rows of all pages, in no order.
	Union(fn func(row any) error, pages ...Query) error
}

// union is Union of any view.
func union(v View, fn func(row any) error, pages ...Query) error {
	if u, ok := v.(Uniter); ok {
		return u.Union(fn, pages...)
	}
	for _, q := range pages {
		if err := v.List(q, fn); err != nil {
			return err
		}
	}
	return nil
}

func sum(v View, s Sums) (of []Value, err error) {
	err = v.Sum(s, func(_, x []Value) error { of = append(of, x...); return nil })
	return of, err
}

// since narrows to rows at or after an instant, unless it is zero.
func (q *Query) since(column string, at time.Time) {
	if !at.IsZero() {
		q.where(column, AtLeast, Micros(at))
	}
}
