package postgres

import (
	bin "encoding/binary"
	"errors"
	"fmt"

	"tenor/internal/core/store"
)

// source is a list of rows for a statement to read: each column is sent as one array, which
// the statement unnests.
type source interface {
	Len() int
	Types() []store.Type
	Value(row, column int) store.Value
}

// param is one parameter: a value, or a column of a source as an array.
type param struct {
	value  store.Value
	rows   source
	column int
	kind   store.Type // of the column
}

// typeID is a type's object identifiers on the wire, single and as an array.
type typeID struct{ oid, array uint32 }

var typeIDs = [...]typeID{
	store.Integer: {20, 1016},   // bigint
	store.Bool:    {16, 1000},   // boolean
	store.Day:     {1082, 1182}, // date
	store.Instant: {1184, 1185}, // timestamptz
	store.Text:    {25, 1009},   // text
	store.JSON:    {25, 1009},   // text, because its bytes must not change
	store.Bytes:   {17, 1001},   // bytea
}

// PostgreSQL counts from 2000-01-01.
const (
	epochDays   = 10957
	epochMicros = 946_684_800_000_000
)

func (p param) oid() uint32 {
	if p.rows != nil {
		return typeIDs[p.kind].array
	}
	return typeIDs[p.value.Kind].oid
}

// encode appends the parameter in binary form, or reports that it is NULL.
func (p param) encode(buf []byte) (out []byte, null bool) {
	if p.rows == nil {
		if p.value.Null {
			return buf, true
		}
		return appendValue(buf, p.value), false
	}
	return p.appendArray(buf), false
}

// appendArray writes a one-dimensional array.
func (p param) appendArray(buf []byte) []byte {
	n := p.rows.Len()
	buf = bin.BigEndian.AppendUint32(buf, uint32(min(n, 1))) // dimensions
	buf = bin.BigEndian.AppendUint32(buf, 1)                 // there may be NULLs
	buf = bin.BigEndian.AppendUint32(buf, typeIDs[p.kind].oid)
	if n == 0 {
		return buf
	}
	buf = bin.BigEndian.AppendUint32(buf, uint32(n))
	buf = bin.BigEndian.AppendUint32(buf, 1) // lower bound
	for i := range n {
		v := p.rows.Value(i, p.column)
		at := len(buf)
		buf = append(buf, 0xff, 0xff, 0xff, 0xff) // -1: NULL
		if v.Null {
			continue
		}
		buf = appendValue(buf, v)
		bin.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at-4))
	}
	return buf
}

func appendValue(buf []byte, v store.Value) []byte {
	switch v.Kind {
	case store.Text, store.JSON:
		return append(buf, v.Text...)
	case store.Bytes:
		return append(buf, v.Bytes...)
	case store.Bool:
		return append(buf, byte(v.Int))
	case store.Day:
		return bin.BigEndian.AppendUint32(buf, uint32(int32(v.Int-epochDays)))
	case store.Instant:
		return bin.BigEndian.AppendUint64(buf, uint64(v.Int-epochMicros))
	}
	return bin.BigEndian.AppendUint64(buf, uint64(v.Int))
}

// row is one row of a result; it is valid until the next one.
type row struct {
	fields [][]byte
	texts  []string // the same as texts; nil if they must be copied
	values []store.Value
}

func (r *row) text(i int) string {
	if r.texts != nil {
		return r.texts[i]
	}
	return string(r.fields[i])
}

// int reads a bigint, 0 for NULL.
func (r *row) int(i int) int64 {
	if len(r.fields[i]) != 8 {
		return 0
	}
	return int64(bin.BigEndian.Uint64(r.fields[i]))
}

// value reads a column of a table.
func (r *row) value(i int, t store.Type) (store.Value, error) {
	b := r.fields[i]
	v := store.Value{Kind: t, Null: b == nil}
	if v.Null {
		return v, nil
	}
	switch t {
	case store.Text, store.JSON:
		v.Text = r.text(i)
		return v, nil
	case store.Bytes:
		v.Bytes = b // decoders copy it
		return v, nil
	}
	switch {
	case t == store.Bool && len(b) == 1:
		v.Int = int64(b[0])
	case t == store.Day && len(b) == 4:
		v.Int = int64(int32(bin.BigEndian.Uint32(b))) + epochDays
	case t == store.Instant && len(b) == 8:
		v.Int = int64(bin.BigEndian.Uint64(b)) + epochMicros
	case t == store.Integer && len(b) == 8:
		v.Int = int64(bin.BigEndian.Uint64(b))
	default:
		return v, fmt.Errorf("%d bytes do not fit type %d", len(b), t)
	}
	return v, nil
}

var errColumns = errors.New("postgres: a row has fewer columns than its table")

// decode makes a row from the leading columns.
func (r *row) decode(from store.Source, types []store.Type) (any, error) {
	if len(r.fields) < len(types) {
		return nil, errColumns
	}
	r.values = r.values[:0]
	for i, t := range types {
		v, err := r.value(i, t)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", from.Schema().Name, err)
		}
		r.values = append(r.values, v)
	}
	return from.Decode(r.values)
}

// scan decodes the leading columns of a row.
func scan[T any](t *store.Table[T], r *row) (*T, error) { return scanAt(t, r, 0) }

// scanAt decodes the columns of a row from first on.
func scanAt[T any](t *store.Table[T], r *row, first int) (*T, error) {
	if len(r.fields) < first+len(t.Columns) {
		return nil, errColumns
	}
	r.values = r.values[:0]
	for i := range t.Columns {
		v, err := r.value(first+i, t.Columns[i].Type)
		if err != nil {
			return nil, fmt.Errorf("decode %s.%s: %w", t.Name, t.Columns[i].Name, err)
		}
		r.values = append(r.values, v)
	}
	return t.Decode(r.values)
}

// records are rows of a table.
type records[T any] struct {
	table *store.Table[T]
	rows  []T
}

func (r records[T]) Len() int { return len(r.rows) }

func (r records[T]) Types() []store.Type { return typesOf(r.table) }

func (r records[T]) Value(row, column int) store.Value {
	return r.table.Columns[column].Get(&r.rows[row])
}

// typesOf lists the types of a table's columns.
func typesOf[T any](t *store.Table[T]) []store.Type {
	types := make([]store.Type, len(t.Columns))
	for i := range t.Columns {
		types[i] = t.Columns[i].Type
	}
	return types
}

// texts are rows of one text.
type texts []string

func (t texts) Len() int                     { return len(t) }
func (t texts) Types() []store.Type          { return textColumns[:1] }
func (t texts) Value(row, _ int) store.Value { return text(t[row]) }

// oneColumn are rows of one value: texts, or integers.
type oneColumn []store.Value

func (c oneColumn) Len() int                     { return len(c) }
func (c oneColumn) Value(row, _ int) store.Value { return c[row] }

func (c oneColumn) Types() []store.Type {
	if len(c) > 0 && c[0].Kind == store.Integer {
		return integerColumn
	}
	return textColumns[:1]
}

// numbers are rows of one integer.
type numbers []int64

func (n numbers) Len() int                     { return len(n) }
func (n numbers) Types() []store.Type          { return integerColumn }
func (n numbers) Value(row, _ int) store.Value { return integer(n[row]) }

// tuples are rows of values; the first row determines the types.
type tuples [][]store.Value

func (t tuples) Len() int                          { return len(t) }
func (t tuples) Value(row, column int) store.Value { return t[row][column] }

func (t tuples) Types() []store.Type {
	types := make([]store.Type, len(t[0]))
	for i, v := range t[0] {
		types[i] = v.Kind
	}
	return types
}

var (
	textColumns   = []store.Type{store.Text, store.Text, store.Text, store.Text}
	integerColumn = []store.Type{store.Integer}
)

func text(s string) store.Value { return store.Value{Kind: store.Text, Text: s} }

func integer(n int64) store.Value { return store.Value{Kind: store.Integer, Int: n} }

func blob(b []byte) store.Value { return store.Value{Kind: store.Bytes, Bytes: b} }

// over returns a call whose leading parameters are the columns of rows.
func over(sql string, rows source, fn func(*row) error, more ...store.Value) *call {
	types := rows.Types()
	c := &call{sql: sql, row: fn, params: make([]param, len(types), len(types)+len(more))}
	for i, t := range types {
		c.params[i] = param{rows: rows, column: i, kind: t}
	}
	for _, v := range more {
		c.params = append(c.params, param{value: v})
	}
	return c
}
