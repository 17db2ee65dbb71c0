package verify

import (
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
)

// difference is a column in which a stored row is wrong.
type difference struct{ column, stored, want string }

// differences compares two rows of a table as they would be stored, ignoring the commit
// that wrote them.
func differences[T any](t *store.Table[T], stored, want T) []difference {
	found := differing(t.Schema(), t.Encode(&stored, nil), t.Encode(&want, nil))
	return slices.DeleteFunc(found, func(d difference) bool { return d.column == "q" })
}

// differing returns the columns in which two rows differ.
func differing(s store.Schema, a, b []store.Value) []difference {
	var out []difference
	for i := range a {
		if a[i].Compare(b[i]) != 0 {
			out = append(out, difference{s.Columns[i], show(s.Types[i], a[i]), show(s.Types[i], b[i])})
		}
	}
	return out
}

func show(t store.Type, v store.Value) string {
	switch {
	case v.Null:
		return "nothing"
	case t == store.Text || t == store.JSON:
		return strconv.Quote(v.Text)
	case t == store.Bytes:
		return strconv.Itoa(len(v.Bytes)) + " bytes"
	}
	return strconv.FormatInt(v.Int, 10)
}

// columnInvariants maps columns to the invariant that they alone show.
var columnInvariants = [...]struct{ table, column, invariant string }{
	{"orders", "status", "OR1"},
	{"orders", "version", "OR2"},
	{"orders", "capture_date", "OR3"},
	{"orders", "revision", "SC6"},
	{"orders", "reserved", "CL4"},
	{"orders", "financing_status", "OR11"},
	{"orders", "charges", "OR11"},
	{"orders", "extended", "OR9"},
	{"companies", "reserved", "CL3"},
	{"companies", "outstanding", "CL3"},
	{"companies", "on_hold", "CL3"},
	{"companies", "unapplied_credit", "PA6"},
	{"installments", "due_date", "SC3"},
	{"installments", "principal", "SC1"},
	{"installments", "paid_principal", "SC5"},
	{"installments", "paid_finance_charge", "SC5"},
	{"fees", "paid", "SC5"},
	{"fees", "waived", "PA7"},
	{"payments", "status", "PA1"},
	{"payments", "allocations", "PA4"},
	{"payments", "merchant_id", "AU1"},
	{"invoices", "amount_due", "OR5"},
	{"clients", "scopes", "AU3"},
	{"clients", "secrets", "AU3"},
	{"endpoints", "secrets", "EV5"},
	{"endpoints", "merchant_id", "AU1"},
	{"events", "readers", "EV6"},
}

// columns reports the differences in a row, each under its column's own invariant if there
// is one.
func (r *run) columns(invariant, object, table string, found []difference) {
	for _, d := range found {
		id := invariant
		for _, c := range columnInvariants {
			if c.table == strings.TrimSuffix(table, "_history") && c.column == d.column {
				id = c.invariant
			}
		}
		r.broken(id, object, "%s.%s is %s, must be %s", table, d.column, d.stored, d.want)
	}
}
