package memory

import (
	"cmp"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// gather takes rows under the lock, so that the caller's function may take its
// time and may even commit. A part of a slice that is only ever appended to needs
// no copy.
func gather[T any](v *view, rows func() []T, order func(a, b T) int) []T {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	out := rows()
	if order != nil {
		slices.SortFunc(out, order)
	}
	return out
}

func each[T any](rows []T, fn func(T) error) error {
	for _, row := range rows {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) EachAudit(after int64, fn func(q int64, a store.Audit) error) error {
	rows := gather(v, func() []store.AuditRow {
		n := until(v.db.audits, v.q, func(a store.AuditRow) int64 { return a.Q })
		return v.db.audits[min(max(after, 0), int64(n)):n] // the audit row of q stands at q−1
	}, nil)
	return each(rows, func(a store.AuditRow) error { return fn(a.Q, a.Audit) })
}

func (v *view) EachBatch(fn func(store.BatchRow) error) error {
	return each(gather(v, func() []store.BatchRow {
		return slices.DeleteFunc(slices.Clone(v.db.batches), func(b store.BatchRow) bool { return b.FirstQ > v.q })
	}, func(a, b store.BatchRow) int {
		return cmp.Or(cmp.Compare(a.FirstQ, b.FirstQ), slices.Compare(a.ID[:], b.ID[:]))
	}), fn)
}

func (v *view) EachEntry(fn func(store.EntryRow) error) error {
	return each(gather(v, func() []store.EntryRow {
		n := until(v.db.entries, v.q, func(e entry) int64 { return e.head.Q })
		rows := make([]store.EntryRow, n)
		for i := range rows {
			rows[i] = v.db.entries[i].row()
		}
		return rows
	}, nil), fn)
}

func (v *view) Trial() (books, memo int64, err error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	for _, b := range v.db.balances.all(v.q) {
		if b.Account.Memo() {
			memo += int64(b.Amount)
		} else {
			books += int64(b.Amount)
		}
	}
	return books, memo, nil
}

func (v *view) EachOrder(fn func(*credit.Order, *schedule.Loan) error) error {
	type pair struct {
		order *credit.Order
		loan  *schedule.Loan
	}
	rows := gather(v, func() []pair {
		var out []pair
		for _, o := range v.db.orders.all(v.q) {
			p := pair{order: o.Order}
			if l := v.db.loans.get(o.Key, v.q); l != nil {
				p.loan = l.Loan
			}
			out = append(out, p)
		}
		return out
	}, func(a, b pair) int { return cmp.Compare(a.order.Key, b.order.Key) })
	return each(rows, func(p pair) error { return fn(p.order, p.loan) })
}

func (v *view) EachMoney(fn func(q int64, e credit.MoneyEvent) error) error {
	rows := gather(v, func() []store.MoneyRow { return v.db.money.all(v.q) },
		func(a, b store.MoneyRow) int { return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N)) })
	return each(rows, func(e store.MoneyRow) error { return fn(e.Q, e.MoneyEvent) })
}
