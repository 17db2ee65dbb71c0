package memory

import (
	"fmt"
	"slices"

	"tenor/internal/store"
)

// EachStored implements store.View.
func (v *view) EachStored(table string, fn func([]store.Value) error) error {
	rows, err := v.stored(table)
	if err != nil {
		return err
	}
	return each(rows, fn)
}

func (v *view) stored(table string) ([][]store.Value, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	d, q := v.db, v.q
	switch table {
	case store.MoneyEvents.Name:
		return store.EncodeRows(&store.MoneyEvents, d.money.all(q)), nil
	case store.MoneyTouches.Name:
		return store.EncodeRows(&store.MoneyTouches, v.touches()), nil
	case store.Loans.Name:
		return store.EncodeRows(&store.Loans, d.loans.all(q)), nil
	case store.Installments.Name:
		return store.EncodeRows(&store.Installments, flat(d.loans.all(q), store.LoanRow.Installments)), nil
	case store.Fees.Name:
		return store.EncodeRows(&store.Fees, flat(d.loans.all(q), store.LoanRow.FeeRows)), nil
	case store.Payments.Name:
		return store.EncodeRows(&store.Payments, d.payments.all(q)), nil
	case store.Entries.Name:
		return store.EncodeRows(&store.Entries, v.heads()), nil
	case store.CompanyMerchants.Name:
		return store.EncodeRows(&store.CompanyMerchants, v.links()), nil
	}
	return nil, fmt.Errorf("memory: table %q repeats nothing", table)
}

func flat[T any](loans []store.LoanRow, of func(store.LoanRow) []T) []T {
	var out []T
	for _, l := range loans {
		out = append(out, of(l)...)
	}
	return out
}

func (v *view) touches() []store.TouchRow {
	var rows []store.TouchRow
	for order, list := range v.db.touches {
		for _, t := range list {
			if t.q <= v.q {
				rows = append(rows, store.TouchRow{Order: order, Event: t.event, Company: v.db.money.get(t.event, v.q).Company})
			}
		}
	}
	return rows
}

func (v *view) heads() []store.EntryHead {
	var rows []store.EntryHead
	for _, e := range v.db.entries {
		if e.head.Q <= v.q {
			rows = append(rows, e.head)
		}
	}
	return rows
}

func (v *view) links() []store.LinkRow {
	var rows []store.LinkRow
	for _, c := range v.db.companies.all(v.q) {
		for _, m := range slices.Compact(slices.Sorted(slices.Values(c.Linked))) {
			rows = append(rows, store.LinkRow{Company: c.ID, Merchant: m, CreatedAt: c.CreatedAt})
		}
	}
	return rows
}
