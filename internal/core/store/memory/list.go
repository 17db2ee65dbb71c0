package memory

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/core/store"
)

// item is a row of a table: a pointer to its row type, or its stored values.
type item struct {
	row    any
	values []store.Value
}

// rows are the rows of a source's table.
type rows struct {
	from    store.Source
	of      store.Source // whose row type the rows have
	columns []string     // of the whole table
	list    []item
}

// rows takes the rows of a source under the lock. None of them changes. A setting is found
// by its name: the clockwork reads one a day in books of years.
func (v *view) rows(from store.Source, where ...store.Cond) *rows {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	name := from.Schema().Name
	var h held
	if i := slices.IndexFunc(where, func(c store.Cond) bool { return c.Column == "name" && c.Op == store.Is }); i >= 0 && name == store.Settings.Name {
		var found []store.SettingRow
		if value, there := v.db.settings[where[i].Value.Text]; there {
			found = append(found, store.SettingRow{Name: where[i].Value.Text, Value: value})
		}
		h = hold(&store.Settings, found)
	} else {
		h = v.held(name)
	}
	t := &rows{from: from, of: h.of, columns: v.db.columns[name]}
	for _, row := range h.rows {
		t.list = append(t.list, item{row: row})
	}
	for _, values := range h.values {
		t.list = append(t.list, item{values: values})
	}
	return t
}

// value is a row's value in a column.
func (t *rows) value(x item, column string) store.Value {
	at := slices.Index(t.columns, column)
	if x.row != nil {
		return t.of.Value(x.row, at)
	}
	return x.values[at]
}

func (t *rows) valuesOf(x item, columns []string) []store.Value {
	out := make([]store.Value, len(columns))
	for i, c := range columns {
		out[i] = t.value(x, c)
	}
	return out
}

// decode makes the source's row from an item; a source may have only some of the table's
// columns. A noun's row is returned without a copy, as when it is loaded.
func (t *rows) decode(x item) (any, error) {
	if _, noun := t.of.(store.Noun); noun && t.from == t.of {
		return x.row, nil
	}
	return t.from.Decode(t.valuesOf(x, t.from.Schema().Columns))
}

// List implements store.View.
func (v *view) List(q store.Query, fn func(row any) error) error {
	t := v.rows(q.From, q.Where...)
	at := func(x item) []store.Value { return t.valuesOf(x, q.Order) }
	after := q.After
	if q.Behind != "" {
		i := slices.IndexFunc(t.list, func(x item) bool { return t.value(x, t.columns[0]).Text == q.Behind })
		if i < 0 {
			return nil
		}
		after = at(t.list[i])
	}
	if err := v.keep(t, q.Where); err != nil {
		return err
	}
	type placed struct {
		item
		at []store.Value
	}
	var list []placed
	for _, x := range t.list {
		if p := at(x); after == nil || compare(q, p, after) > 0 {
			list = append(list, placed{x, p})
		}
	}
	slices.SortFunc(list, func(a, b placed) int { return compare(q, a.at, b.at) })
	list = list[min(len(list), q.Skip):]
	if q.Limit >= 0 {
		list = list[:min(len(list), q.Limit)]
	}
	for _, x := range list {
		row, err := t.decode(x.item)
		if err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps the rows that match all conditions; those on other rows are evaluated last.
func (v *view) keep(t *rows, where []store.Cond) (err error) {
	for _, last := range []bool{false, true} {
		for _, c := range where {
			if last != (c.Other != nil) {
				continue
			}
			takes := t.takes(c)
			if last {
				if takes, err = v.others(t, c.Other); err != nil {
					return err
				}
			}
			t.list = slices.DeleteFunc(t.list, func(x item) bool {
				ok, e := takes(x)
				if e != nil {
					err = e
				}
				return !ok
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// takes returns whether a row matches a condition on it alone.
func (t *rows) takes(c store.Cond) func(item) (bool, error) {
	return func(x item) (bool, error) {
		if c.Takes == nil && c.Of == nil {
			return c.Match(t.value(x, c.Column)), nil
		}
		row, err := t.decode(x)
		if err != nil {
			return false, err
		}
		if c.Takes != nil {
			return c.Takes(row), nil
		}
		return c.Match(c.Of(row)), nil
	}
}

// others returns whether related rows exist for a row.
func (v *view) others(t *rows, o *store.Other) (func(item) (bool, error), error) {
	x := v.rows(o.From)
	if err := v.keep(x, o.Where); err != nil {
		return nil, err
	}
	same := func(t *rows, r item, column func(store.Pair) string) string { return key(t, r, o.Same, column) }
	groups := map[string][]item{}
	for _, r := range x.list {
		k := same(x, r, func(p store.Pair) string { return p.Other })
		groups[k] = append(groups[k], r)
	}
	return func(r item) (bool, error) {
		found := slices.ContainsFunc(groups[same(t, r, func(p store.Pair) string { return p.Row })], func(other item) bool {
			for _, p := range o.Differs {
				if x.value(other, p.Other).Compare(t.value(r, p.Row)) == 0 {
					return false
				}
			}
			return len(o.Earlier) == 0 || earlier(o.Earlier, func(p store.Pair) (a, b store.Value) { return x.value(other, p.Other), t.value(r, p.Row) })
		})
		return found != o.None, nil
	}, nil
}

// key is a row's values in the columns of pairs, as one text.
func key(t *rows, r item, pairs []store.Pair, column func(store.Pair) string) string {
	var k strings.Builder
	for _, p := range pairs {
		v := t.value(r, column(p))
		fmt.Fprintf(&k, "%t %d %q %x\n", v.Null, v.Int, v.Text, v.Bytes)
	}
	return k.String()
}

// earlier compares pairs as a tuple. NULL is not earlier, and nothing is before NULL.
func earlier(pairs []store.Pair, of func(store.Pair) (a, b store.Value)) bool {
	for _, p := range pairs {
		a, b := of(p)
		if a.Null || b.Null {
			return false
		}
		if c := a.Compare(b); c != 0 {
			return c < 0
		}
	}
	return false
}

// Sum implements store.View.
func (v *view) Sum(q store.Sums, fn func(by, of []store.Value) error) error {
	t := v.rows(q.From)
	if err := v.keep(t, q.Where); err != nil {
		return err
	}
	pairs := make([]store.Pair, len(q.By))
	for i, c := range q.By {
		pairs[i] = store.Pair{Row: c}
	}
	groups, order := map[string][]item{}, []string{}
	if len(q.By) == 0 {
		order = append(order, "")
	}
	for _, x := range t.list {
		k := key(t, x, pairs, func(p store.Pair) string { return p.Row })
		if groups[k] == nil && len(q.By) > 0 {
			order = append(order, k)
		}
		groups[k] = append(groups[k], x)
	}
	for _, k := range order {
		var by, of []store.Value
		if len(q.By) > 0 {
			by = t.valuesOf(groups[k][0], q.By)
		}
		for _, a := range q.Of {
			of = append(of, t.aggregate(groups[k], a))
		}
		if err := fn(by, of); err != nil {
			return err
		}
	}
	return nil
}

// aggregate is one figure of a group.
func (t *rows) aggregate(group []item, a store.Aggregate) store.Value {
	out := store.Value{Kind: store.Integer, Null: a.Of == store.Min}
	for _, x := range group {
		switch a.Of {
		case store.Count:
			out.Int++
		case store.Sum:
			out.Int += t.value(x, a.Column).Int
		case store.Min:
			if v := t.value(x, a.Column); !v.Null && (out.Null || v.Compare(out) < 0) {
				out = v
			}
		}
	}
	return out
}

// compare orders positions as the query lists them.
func compare(q store.Query, a, b []store.Value) int {
	for i := range a {
		if c := a[i].Compare(b[i]); c != 0 {
			if q.Down {
				return -c
			}
			return c
		}
	}
	return 0
}
