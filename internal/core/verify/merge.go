package verify

import (
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// compareTables walks each table in both databases side by side, in key order, with one row
// of each in memory.
func (r *run) compareTables(made store.View) error {
	for _, c := range tables() {
		if err := r.compareTable(c, made); err != nil {
			return fmt.Errorf("compare %s: %w", c.Name, err)
		}
	}
	return r.compareDues(made)
}

func (r *run) compareTable(c compared, made store.View) (err error) {
	var fail error
	next, stop := iter.Pull(rowsOf(made, c.Schema, &fail))
	defer stop()
	want, more := next()
	err = r.view.Stored(c.Schema, func(stored []store.Value) error {
		for ; more && c.order(want, stored) < 0; want, more = next() {
			r.missing(c, want)
		}
		if more && c.order(want, stored) == 0 {
			r.columns(c.rule, c.called(stored), c.Name, r.differing(c, stored, want))
			want, more = next()
		} else if fail == nil {
			r.broken(either(c.more, c.rule), c.called(stored), "was not created by any command")
		}
		r.rows++
		return r.ctx.Err()
	})
	for ; err == nil && more; want, more = next() {
		r.missing(c, want)
	}
	if err == nil {
		err = fail
	}
	return err
}

func (r *run) missing(c compared, want []store.Value) {
	if !c.mayLack {
		r.broken(either(c.lost, c.rule), c.called(want), "is missing")
	}
}

func either(own, rule string) string {
	if own != "" {
		return own
	}
	return rule
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// rowsOf iterates over the rows of a table; it sets fail if they end early. A row is valid
// until the next one.
func rowsOf(v store.View, s store.Schema, fail *error) iter.Seq[[]store.Value] {
	return func(yield func([]store.Value) bool) {
		*fail = v.Stored(s, func(values []store.Value) error {
			if !yield(values) {
				return errEnough
			}
			return nil
		})
	}
}

// differing returns the columns in which two rows differ and must not.
func (r *run) differing(c compared, stored, want []store.Value) []difference {
	found := differing(c.Schema, stored, want)
	return slices.DeleteFunc(found, func(d difference) bool {
		return slices.Contains(c.aside, d.column) || c.unlike != nil && c.unlike(r, stored, d.column)
	})
}

// order compares the keys of two rows.
func (c compared) order(a, b []store.Value) int {
	for i := range c.Key {
		if n := a[i].Compare(b[i]); n != 0 {
			return n
		}
	}
	return 0
}

// called names a row by its key.
func (c compared) called(row []store.Value) string {
	names := make([]any, c.Key)
	for i, v := range row[:c.Key] {
		names[i] = nameOf(c.Types[i], v)
	}
	return fmt.Sprintf(c.object, names...)
}

// nameOf formats a key value for reports, a hash by its first digits.
func nameOf(t store.Type, v store.Value) string {
	switch {
	case v.Null:
		return ""
	case t == store.Text:
		return v.Text
	case t == store.Bytes:
		return hex.EncodeToString(v.Bytes[:min(len(v.Bytes), 4)])
	case t == store.Day:
		return calendar.Date(v.Int).String()
	}
	return strconv.FormatInt(v.Int, 10)
}
