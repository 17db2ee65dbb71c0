package store

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// Noun is a type of record as every backend sees it: backends load it by key, write, dump
// and walk it in one way, without knowing its Go type. Rows are pointers to the row type of
// the noun's table.
type Noun interface {
	firstColumn() string // of the key

	// Name is the singular name: "payment method".
	Name() string
	Schema() Schema
	Traits() *Traits
	// Index is its position in Nouns.
	Index() int

	// Wanted marks the keys of this noun that are not yet loaded into the state, and lists
	// them. It is nil if k names none.
	Wanted(s *credit.State, k *credit.Keys) KeyList
	// Named lists the keys of this noun, loaded or not.
	Named(k *credit.Keys) KeyList
	// Under reports whether its records belong to a company and are changed under its lock.
	Under() bool
	// Decode makes a row from stored values, in order of the schema's columns.
	Decode(values []Value) (row any, err error)
	// Encode appends a row's values.
	Encode(row any, buf []Value) []Value
	// Value is one column of a row.
	Value(row any, column int) Value
	// Key is the row's key in maps.
	Key(row any) any
	// Label names a row in reports: "payment pay_…".
	Label(row any) string
	// Put puts a row's record into the state.
	Put(s *credit.State, row any)
	// Covered reports whether every record of the noun in the state belongs to a locked
	// company.
	Covered(s *credit.State, locked map[int64]bool) bool

	changed() Changed
	number(index int)
}

// Traits are what backends treat differently from noun to noun.
type Traits struct {
	// Fixed are columns that never change after the insert. Naming an indexed column in an
	// UPDATE rewrites the index even if the value is the same.
	Fixed []string
	// Seldom are indexed columns that few commands change.
	Seldom []string
	// Aside are columns that a batch does not write once the row exists.
	Aside []string
	// Past is the table of replaced versions, nil if they are not kept.
	Past *Schema
	// Object is what events call the noun, for those with a past: the log finds the commits
	// that changed a record by it.
	Object string
	// Own rows have a lock of their own; other rows are covered by their company's lock.
	Own bool
	// Late rows are written after the ledger's entries, which may have ended them.
	Late bool
	// Once means that a row is written once and never again.
	Once bool
}

// List is rows of values.
type List interface {
	Len() int
	Value(row, column int) Value
	Types() []Type
}

// KeyList is a list of a noun's keys to load, as rows of one column.
type KeyList interface {
	List
	Key(i int) any
}

// Changed is what a batch writes of a noun: the last version of each record, in order of
// first appearance.
type Changed interface {
	List
	Row(i int) any
	// Q is the last commit that changed the record.
	Q(i int) int64
	// Fresh reports whether the record may have been created in this batch.
	Fresh(i int) bool

	add(c *credit.Changes, q int64)
}

// NounOf is a noun of records V under keys K, kept as rows R.
type NounOf[K comparable, V, R any] struct {
	Kind  credit.Kind[K, V]
	Table *Table[R]
	traits
	row     func(V, int64) R
	of      func(*R) V
	version func(V) int   // 1: it may be new; nil: whatever is written is new
	company func(V) int64 // the company whose lock covers it, 0 for none; nil: never any
	only    func(K) bool  // nil: all keys of the kind belong to the noun
	index   int
}

type traits = Traits

// Name implements Noun.
func (n *NounOf[K, V, R]) Name() string { return n.Kind.Name }

// Schema implements Noun.
func (n *NounOf[K, V, R]) Schema() Schema { return n.Table.Schema() }

func (n *NounOf[K, V, R]) firstColumn() string { return n.Table.Columns[0].Name }

// Traits implements Noun.
func (n *NounOf[K, V, R]) Traits() *Traits { return &n.traits }

// Index implements Noun.
func (n *NounOf[K, V, R]) Index() int { return n.index }

func (n *NounOf[K, V, R]) number(index int) { n.index = index }

// Wanted implements Noun.
func (n *NounOf[K, V, R]) Wanted(s *credit.State, k *credit.Keys) KeyList {
	keys := n.named(k)
	if len(keys) == 0 {
		return nil
	}
	if keys = n.Kind.Missing(s, keys); len(keys) == 0 {
		return nil
	}
	return &keyList[K]{keys, n.Table.Columns[0].Type}
}

// Named implements Noun.
func (n *NounOf[K, V, R]) Named(k *credit.Keys) KeyList {
	return &keyList[K]{n.named(k), n.Table.Columns[0].Type}
}

func (n *NounOf[K, V, R]) named(k *credit.Keys) []K {
	if n.Kind.Keys == nil {
		return nil
	}
	keys := *n.Kind.Keys(k)
	if n.only == nil || len(keys) == 0 {
		return keys
	}
	var own []K
	for _, key := range keys {
		if n.only(key) {
			own = append(own, key)
		}
	}
	return own
}

// Under implements Noun.
func (n *NounOf[K, V, R]) Under() bool { return n.company != nil }

// Decode implements Noun.
func (n *NounOf[K, V, R]) Decode(values []Value) (any, error) { return n.Table.Decode(values) }

// Encode implements Noun.
func (n *NounOf[K, V, R]) Encode(row any, buf []Value) []Value { return n.Table.Encode(row.(*R), buf) }

// Value implements Noun.
func (n *NounOf[K, V, R]) Value(row any, column int) Value {
	return n.Table.Columns[column].Get(row.(*R))
}

// Key implements Noun.
func (n *NounOf[K, V, R]) Key(row any) any { return n.Kind.Key(n.of(row.(*R))) }

// Label implements Noun.
func (n *NounOf[K, V, R]) Label(row any) string {
	key := any(n.Kind.Key(n.of(row.(*R))))
	if k, ok := key.(credit.RecordKey); ok {
		key = k.ID
	}
	return fmt.Sprint(n.Kind.Name, " ", key)
}

// Put implements Noun.
func (n *NounOf[K, V, R]) Put(s *credit.State, row any) {
	x := n.of(row.(*R))
	(*n.Kind.State(s))[n.Kind.Key(x)] = x
}

// Of returns the record of a row.
func (n *NounOf[K, V, R]) Of(row *R) V { return n.of(row) }

// Row returns the row of a record that commit q wrote.
func (n *NounOf[K, V, R]) Row(x V, q int64) R { return n.row(x, q) }

// Covered implements Noun.
func (n *NounOf[K, V, R]) Covered(s *credit.State, locked map[int64]bool) bool {
	if n.company == nil {
		return true
	}
	for key, x := range *n.Kind.State(s) { // unordered: each by itself
		if n.only != nil && !n.only(key) || any(x) == any(*new(V)) {
			continue
		}
		if company := n.company(x); company != 0 && !locked[company] {
			return false
		}
	}
	return true
}

func (n *NounOf[K, V, R]) changed() Changed { return &changedOf[K, V, R]{n: n} }

// In returns the rows that a batch writes of the noun.
func (n *NounOf[K, V, R]) In(r *Rows) []R { return n.written(r).rows }

func (n *NounOf[K, V, R]) written(r *Rows) *changedOf[K, V, R] {
	return r.Nouns[n.index].(*changedOf[K, V, R])
}

// changedOf implements Changed.
type changedOf[K comparable, V, R any] struct {
	n     *NounOf[K, V, R]
	rows  []R
	fresh []bool
	q     []int64
	at    map[K]int
}

func (l *changedOf[K, V, R]) Len() int      { return len(l.rows) }
func (l *changedOf[K, V, R]) Types() []Type { return l.n.Table.types() }
func (l *changedOf[K, V, R]) Value(row, column int) Value {
	return l.n.Table.Columns[column].Get(&l.rows[row])
}
func (l *changedOf[K, V, R]) Row(i int) any    { return &l.rows[i] }
func (l *changedOf[K, V, R]) Q(i int) int64    { return l.q[i] }
func (l *changedOf[K, V, R]) Fresh(i int) bool { return l.fresh[i] }

func (l *changedOf[K, V, R]) add(c *credit.Changes, q int64) {
	for _, x := range *l.n.Kind.Changes(c) {
		key := l.n.Kind.Key(x)
		if l.n.only != nil && !l.n.only(key) {
			continue
		}
		if i, found := l.at[key]; found {
			l.rows[i], l.q[i] = l.n.row(x, q), q
			continue
		}
		if l.at == nil {
			l.at = map[K]int{}
		}
		l.at[key] = len(l.rows)
		l.rows, l.q = append(l.rows, l.n.row(x, q)), append(l.q, q)
		l.fresh = append(l.fresh, l.n.version == nil || l.n.version(x) == 1)
	}
}

// keyList implements KeyList.
type keyList[K comparable] struct {
	keys []K
	kind Type
}

func (l *keyList[K]) Len() int      { return len(l.keys) }
func (l *keyList[K]) Types() []Type { return []Type{l.kind} }
func (l *keyList[K]) Key(i int) any { return l.keys[i] }

func (l *keyList[K]) Value(i, _ int) Value { return keyValue(l.keys[i], l.kind) }

// keyValue is a key as its column stores it. In a table keyed by hashes, a text that is not
// a hash names no row and becomes NULL.
func keyValue[K comparable](key K, kind Type) Value {
	switch k := any(key).(type) {
	case string:
		if kind == Bytes {
			return hashValue(k)
		}
		return Value{Kind: Text, Text: k}
	case int64:
		return Value{Kind: Integer, Int: k}
	case calendar.Date:
		return Value{Kind: Day, Int: int64(k)}
	case credit.RecordKey:
		return Value{Kind: Text, Text: k.ID}
	}
	panic(fmt.Sprintf("store: no column holds a %T", key)) // a bug: a kind whose keys no table can hold
}
