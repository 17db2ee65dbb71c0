package store

import (
	"bufio"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
)

// Dump writes tables in canonical form: a line with the table's name and columns, then a
// line per row in key order. Two backends that hold the same rows write the same bytes.
type Dump struct{ w *bufio.Writer }

// NewDump starts a dump.
func NewDump(w io.Writer) *Dump { return &Dump{bufio.NewWriter(w)} }

// Table begins a table.
func (d *Dump) Table(s Schema) {
	d.w.WriteString("== " + s.Name)
	for _, c := range s.Columns {
		d.w.WriteString(" " + c)
	}
	d.w.WriteByte('\n')
}

// Row writes one row; the caller supplies rows in order.
func (d *Dump) Row(s Schema, values []Value) {
	for i, v := range values {
		if i > 0 {
			d.w.WriteByte(' ')
		}
		switch {
		case v.Null:
			d.w.WriteByte('-')
		case s.Types[i] == Text || s.Types[i] == JSON:
			d.w.WriteString(strconv.Quote(v.Text))
		case s.Types[i] == Bytes:
			d.w.WriteString("x" + hex.EncodeToString(v.Bytes))
		default:
			d.w.WriteString(strconv.FormatInt(v.Int, 10))
		}
	}
	d.w.WriteByte('\n')
}

// Close finishes the dump and returns the first error of its writer.
func (d *Dump) Close() error { return d.w.Flush() }

// Sort orders rows of values by their first key columns.
func Sort(rows [][]Value, key int) [][]Value {
	slices.SortFunc(rows, func(a, b []Value) int {
		for i := range key {
			if c := a[i].Compare(b[i]); c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}
