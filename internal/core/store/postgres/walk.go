package postgres

import (
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// inOrder is the clause that puts a table in order of its key.
func inOrder(s store.Schema) string { return " ORDER BY " + strings.Join(s.Columns[:s.Key], ", ") }

// EachAudit implements store.View.
func (v *view) EachAudit(after int64, fn func(q int64, a store.Audit) error) error {
	return all(v, &store.Audits, " WHERE q > $1 ORDER BY q",
		func(r *store.AuditRow) error { return fn(r.Q, r.Audit) }, integer(after))
}

// EachBatch implements store.View.
func (v *view) EachBatch(fn func(store.BatchRow) error) error {
	return all(v, &store.Batches, " ORDER BY first_q, id", func(r *store.BatchRow) error { return fn(*r) })
}

// EachEntry implements store.View.
func (v *view) EachEntry(fn func(store.EntryRow) error) error { return v.entries(allEntries, fn) }

// EachOrder implements store.View. The rows and fees of a loan are read beside
// its order, so that memory stays flat however many there are.
func (v *view) EachOrder(fn func(*credit.Order, *schedule.Loan) error) error {
	var orders []*credit.Order
	for after := ""; ; after = orders[len(orders)-1].Key {
		orders = orders[:0]
		err := all(v, &store.Orders, " WHERE order_key > $1 ORDER BY order_key LIMIT 500", func(r *store.OrderRow) error {
			orders = append(orders, r.Order)
			return nil
		}, text(after))
		if err != nil || len(orders) == 0 {
			return err
		}
		if err := v.withLoans(orders, fn); err != nil {
			return err
		}
	}
}

func (v *view) withLoans(orders []*credit.Order, fn func(*credit.Order, *schedule.Loan) error) error {
	keys := make(texts, len(orders))
	for i, o := range orders {
		keys[i] = o.Key
	}
	l := newLoader(credit.NewState())
	l.loadLoans(keys, loansByKey, rowsByKey, feesByKey, func(string) bool { return true })
	if err := v.run(l.calls...); err != nil {
		return err
	}
	for _, o := range orders {
		if err := fn(o, l.loans[o.Key]); err != nil {
			return err
		}
	}
	return nil
}

// EachMoney implements store.View.
func (v *view) EachMoney(fn func(q int64, e credit.MoneyEvent) error) error {
	return all(v, &store.MoneyEvents, " ORDER BY q, n", func(r *store.MoneyRow) error { return fn(r.Q, r.MoneyEvent) })
}
