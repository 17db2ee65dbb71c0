package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
)

// Type is a column's type. Each dialect chooses its own SQL type for it.
type Type int

// The types of columns.
const (
	Integer Type = iota // int64; amounts are cents
	Bool                // 0 or 1
	Day                 // days since 1970-01-01, NULL for calendar.None
	Instant             // microseconds since 1970 UTC, NULL for the zero time
	Text
	JSON  // JSON text, NULL for nil
	Bytes // a hash or the bytes of a body
)

// Value is one column of one row. Null sorts first.
type Value struct {
	Kind  Type
	Null  bool
	Int   int64  // Integer, Bool, Day, Instant
	Text  string // Text, JSON
	Bytes []byte // Bytes
}

// Compare orders values of one column: NULL first, integers by size, texts and bytes
// bytewise, as SQLite and PostgreSQL's collation "C" do.
func (v Value) Compare(w Value) int {
	if v.Null || w.Null {
		return cmp.Compare(boolInt(w.Null), boolInt(v.Null))
	}
	if c := cmp.Compare(v.Int, w.Int); c != 0 {
		return c
	}
	if c := strings.Compare(v.Text, w.Text); c != 0 {
		return c
	}
	return strings.Compare(string(v.Bytes), string(w.Bytes))
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Column is one column of a table of rows T: its name, and how to get its value from a row
// and set it.
type Column[T any] struct {
	Name string
	Type Type
	Get  func(*T) Value
	Set  func(*T, Value) error
}

// Table describes one table for all backends: names, key, encoding and decoding cannot
// differ between them.
type Table[T any] struct {
	Name    string
	Key     int // the first Key columns are the primary key
	Columns []Column[T]
	// Lookups is how many of the last columns repeat others, so that lists find rows by
	// them. Decoding ignores them, and history tables omit them.
	Lookups int
	New     func() *T // nil: new(T)
}

// Schema is a Table without its row type.
type Schema struct {
	Name    string
	Key     int
	Lookups int
	Columns []string
	Types   []Type
}

// Schema returns the table's names and types.
func (t *Table[T]) Schema() Schema {
	n := len(t.Columns) // called for every list
	s := Schema{Name: t.Name, Key: t.Key, Lookups: t.Lookups, Columns: make([]string, 0, n), Types: make([]Type, 0, n)}
	for _, c := range t.Columns {
		s.Columns = append(s.Columns, c.Name)
		s.Types = append(s.Types, c.Type)
	}
	return s
}

// TypeOf returns the type of a column.
func (s Schema) TypeOf(column string) Type { return s.Types[slices.Index(s.Columns, column)] }

// Kept returns a table's schema without its lookups.
func (s Schema) Kept() Schema {
	n := len(s.Columns) - s.Lookups
	return Schema{Name: s.Name, Key: s.Key, Columns: s.Columns[:n], Types: s.Types[:n]}
}

func (t *Table[T]) types() []Type {
	types := make([]Type, len(t.Columns))
	for i := range t.Columns {
		types[i] = t.Columns[i].Type
	}
	return types
}

// Encode appends the row's values to buf, in order of the columns.
func (t *Table[T]) Encode(row *T, buf []Value) []Value {
	for i := range t.Columns {
		buf = append(buf, t.Columns[i].Get(row))
	}
	return buf
}

// Decode makes a row from what Encode wrote.
func (t *Table[T]) Decode(values []Value) (*T, error) {
	row := t.empty()
	for i := range t.Columns {
		if err := t.Columns[i].Set(row, values[i]); err != nil {
			return nil, fmt.Errorf("decode %s.%s: %w", t.Name, t.Columns[i].Name, err)
		}
	}
	return row, nil
}

func (t *Table[T]) empty() *T {
	if t.New != nil {
		return t.New()
	}
	return new(T)
}

// integer is a column of whole numbers.
func integer[T any, N ~int | ~int32 | ~int64](name string, at func(*T) *N) Column[T] {
	return Column[T]{name, Integer,
		func(r *T) Value { return Value{Kind: Integer, Int: int64(*at(r))} },
		func(r *T, v Value) error { *at(r) = N(v.Int); return nil }}
}

func boolean[T any](name string, at func(*T) *bool) Column[T] {
	return Column[T]{name, Bool,
		func(r *T) Value { return Value{Kind: Bool, Int: boolInt(*at(r))} },
		func(r *T, v Value) error { *at(r) = v.Int != 0; return nil }}
}

func day[T any](name string, at func(*T) *calendar.Date) Column[T] {
	return Column[T]{name, Day,
		func(r *T) Value {
			if *at(r) == calendar.None {
				return Value{Kind: Day, Null: true}
			}
			return Value{Kind: Day, Int: int64(*at(r))}
		},
		func(r *T, v Value) error {
			*at(r) = calendar.Date(v.Int)
			if v.Null {
				*at(r) = calendar.None
			}
			return nil
		}}
}

func instant[T any](name string, at func(*T) *time.Time) Column[T] {
	return Column[T]{name, Instant,
		func(r *T) Value { return Micros(*at(r)) },
		func(r *T, v Value) error { *at(r) = v.Time(); return nil }}
}

// Micros is the value of an instant column.
func Micros(t time.Time) Value {
	if t.IsZero() {
		return Value{Kind: Instant, Null: true}
	}
	return Value{Kind: Instant, Int: t.UnixMicro()}
}

// Time is the inverse of Micros.
func (v Value) Time() time.Time {
	if v.Null {
		return time.Time{}
	}
	return time.UnixMicro(v.Int).UTC()
}

func text[T any, S ~string](name string, at func(*T) *S) Column[T] {
	return Column[T]{name, Text,
		func(r *T) Value { return Value{Kind: Text, Text: string(*at(r))} },
		func(r *T, v Value) error { *at(r) = S(v.Text); return nil }}
}

// optional is a text column that is NULL for "": for columns with a unique or partial index
// in which "" must not count.
func optional[T any, S ~string](name string, at func(*T) *S) Column[T] {
	c := text(name, at)
	c.Get = func(r *T) Value { return Value{Kind: Text, Null: *at(r) == "", Text: string(*at(r))} }
	return c
}

// lookup is a boolean column derived from other columns.
func lookup[T any](name string, holds func(*T) bool) Column[T] {
	return Column[T]{name, Bool,
		func(r *T) Value { return Value{Kind: Bool, Int: boolInt(holds(r))} },
		func(*T, Value) error { return nil }}
}

// lookupText is a text column derived from other columns, NULL for "".
func lookupText[T any](name string, get func(*T) string) Column[T] {
	return Column[T]{name, Text,
		func(r *T) Value { s := get(r); return Value{Kind: Text, Null: s == "", Text: s} },
		func(*T, Value) error { return nil }}
}

// kept returns a table's columns without its lookups.
func (t *Table[T]) kept() []Column[T] { return t.Columns[:len(t.Columns)-t.Lookups] }

func bytesOf[T any](name string, at func(*T) *[]byte) Column[T] {
	return Column[T]{name, Bytes,
		func(r *T) Value { return Value{Kind: Bytes, Bytes: *at(r)} },
		func(r *T, v Value) error { *at(r) = append([]byte(nil), v.Bytes...); return nil }}
}

// optionalBytesOf is a column of bytes that is NULL for nil.
func optionalBytesOf[T any](name string, at func(*T) *[]byte) Column[T] {
	return Column[T]{name, Bytes,
		func(r *T) Value { return Value{Kind: Bytes, Null: *at(r) == nil, Bytes: *at(r)} },
		func(r *T, v Value) error {
			if *at(r) = nil; !v.Null {
				*at(r) = append([]byte{}, v.Bytes...)
			}
			return nil
		}}
}

// fixed is a column of a hash or another byte array; at returns all of it.
func fixed[T any](name string, at func(*T) []byte) Column[T] {
	return Column[T]{name, Bytes,
		func(r *T) Value { return Value{Kind: Bytes, Bytes: at(r)} },
		func(r *T, v Value) error {
			if copy(at(r), v.Bytes) != len(v.Bytes) || len(v.Bytes) != len(at(r)) {
				return fmt.Errorf("%d bytes, want %d", len(v.Bytes), len(at(r)))
			}
			return nil
		}}
}

// rawJSON is a column of JSON that is already encoded.
func rawJSON[T any](name string, at func(*T) *[]byte) Column[T] {
	return Column[T]{name, JSON,
		func(r *T) Value { return Value{Kind: JSON, Null: *at(r) == nil, Text: string(*at(r))} },
		func(r *T, v Value) error {
			*at(r) = nil
			if !v.Null {
				*at(r) = []byte(v.Text)
			}
			return nil
		}}
}

// lift turns columns of T into columns of a row U that contains a T.
func lift[U, T any](columns []Column[T], at func(*U) *T) []Column[U] {
	out := make([]Column[U], len(columns))
	for i, c := range columns {
		out[i] = Column[U]{c.Name, c.Type,
			func(r *U) Value { return c.Get(at(r)) },
			func(r *U, v Value) error { return c.Set(at(r), v) }}
	}
	return out
}
