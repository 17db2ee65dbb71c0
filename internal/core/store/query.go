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
	// Value is what a row has in a column.
	Value(row any, column int) Value

	firstColumn() string // of the key
}

// RowsOf is a table as a source of queries. Its rows are *T.
func RowsOf[T any](t *Table[T]) Source { return rowsOf[T]{t} }

type rowsOf[T any] struct{ t *Table[T] }

func (r rowsOf[T]) Schema() Schema                     { return r.t.Schema() }
func (r rowsOf[T]) Decode(values []Value) (any, error) { return r.t.Decode(values) }
func (r rowsOf[T]) Value(row any, column int) Value    { return r.t.Columns[column].Get(row.(*T)) }

func (r rowsOf[T]) firstColumn() string { return r.t.Columns[0].Name }

// Query asks for a page of rows. It is data: each dialect turns it into the same statement
// for the same members that are set, and memory evaluates it.
type Query struct {
	From   Source
	Where  []Cond
	Order  []string // columns, the last of which is the key; from the lowest value up
	Down   bool     // from the highest value down
	After  []Value  // of the columns of Order: those of the last row of the page before; nil: from the beginning
	Behind string   // instead of After: the key of that row; a row that is not there has none behind it
	Limit  int      // rows at most; negative: all
	Skip   int      // rows that are left out before them
	// Index is the index that is read where a planner would choose by figures that it does
	// not have: the name of one, or ByKey. PostgreSQL, which has the figures, goes by the
	// conditions.
	Index string
	// KeysFirst says that the index holds all that is asked and sorted by: the keys of a
	// page are found in it, and no row is read that is not on the page.
	KeysFirst bool
}

// ByKey reads a table in order of its key.
const ByKey = "key"

// Op compares a column with a value.
type Op int

// The comparisons. NULL is like nothing but itself.
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
	Value  Value // NULL stands for itself: IS NULL and IS NOT NULL
	// Values are those of In, all of one type: a query has one such condition at most, and
	// its fn reads nothing else of the view. None of them: no row meets it.
	Values []Value
	// Of is the value of a row where Column is an expression.
	Of func(row any) Value
	// Holds says that the value stands in the text of the statement, because it is part of
	// the condition of a partial index.
	Holds bool
	// Expr is a condition that columns cannot say, as both dialects write it, and Takes is
	// the same of a row. Column, Op and Value are not looked at.
	Expr  string
	Takes func(row any) bool
	// Other is a condition on other rows, instead of all that is above.
	Other *Other
}

// Other asks whether there are rows, of the same table or of another one, that belong to a
// row. An index finds them.
type Other struct {
	From    Source
	Index   string // as of a Query
	Same    []Pair // columns that are equal
	Differs []Pair
	Earlier []Pair   // compared as one: the other row comes before
	Where   []Cond   // on the other row
	Order   []string // the order of the index, for PostgreSQL
	None    bool     // there is no such row
}

// Pair is a column of the other row with the one of the row that it is compared with.
type Pair struct{ Other, Row string }

// Sums asks for aggregates of the rows that meet the conditions, in groups of those that
// have the same in the columns of By. Without By all are one group, even if there are none.
type Sums struct {
	From  Source
	Where []Cond
	By    []string
	Of    []Aggregate
	Index string // as of a Query
}

// Aggregate is one figure of a group.
type Aggregate struct {
	Of     Figure
	Column string // not of Count
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

// Match reports whether a value meets the condition.
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

// holds adds the condition of the partial index that the query is read by.
func (q *Query) holds(column string, op Op, v Value) {
	q.Where = append(q.Where, Cond{Column: column, Op: op, Value: v, Holds: true})
}

// is narrows to rows with a text, unless that is empty.
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

// until narrows to what is before an instant, unless that is zero.
func (q *Query) until(column string, at time.Time) {
	if !at.IsZero() {
		q.where(column, Below, Micros(at))
	}
}

// among narrows to rows that have one of some texts. The empty one is none.
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

// expr adds a condition that columns cannot say.
func (q *Query) expr(expr string, takes func(row any) bool) {
	q.Where = append(q.Where, Cond{Expr: expr, Takes: takes})
}

func textValue(s string) Value { return Value{Kind: Text, Text: s} }

func dayValue(d calendar.Date) Value {
	return Value{Kind: Day, Null: d == calendar.None, Int: int64(d)}
}

// newest is a list from the newest record down, by an instant and the key.
func newest(from Source, at string, p Page) Query {
	key := from.firstColumn()
	q := Query{From: from, Order: []string{at, key}, Down: true, Limit: max(p.Limit, 0), Where: make([]Cond, 0, 8)}
	if !p.AfterAt.IsZero() {
		q.After = []Value{Micros(p.AfterAt), textValue(p.AfterID)}
	}
	return q
}

// list reads the records of a query.
func list[K comparable, V, R any](v View, n *NounOf[K, V, R], q Query) (out []V, err error) {
	err = v.List(q, func(row any) error { out = append(out, n.of(row.(*R))); return nil })
	return out, err
}

// rows reads the rows of a query of a table.
func rows[R any](v View, q Query) (out []R, err error) {
	err = v.List(q, func(row any) error { out = append(out, *row.(*R)); return nil })
	return out, err
}

// sum reads one group of figures.
func sum(v View, s Sums) (of []Value, err error) {
	err = v.Sum(s, func(_, x []Value) error { of = append(of, x...); return nil })
	return of, err
}

// since narrows to what is at or after an instant, unless that is zero.
func (q *Query) since(column string, at time.Time) {
	if !at.IsZero() {
		q.where(column, AtLeast, Micros(at))
	}
}
