package memory

import (
	"cmp"
	"slices"

	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/schedule"
	"tenor/internal/store"
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

func (v *view) EachEvent(fn func(store.EventRow) error) error {
	return each(gather(v, func() []store.EventRow {
		return v.db.events[:until(v.db.events, v.q, func(e store.EventRow) int64 { return e.Q })]
	}, nil), fn)
}

func (v *view) EachBalance(fn func(ledger.BalanceKey, int64) error) error {
	rows := gather(v, func() []store.BalanceRow { return v.db.balances.all(v.q) }, func(a, b store.BalanceRow) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Company, b.Company), cmp.Compare(a.Account, b.Account),
			cmp.Compare(a.Merchant, b.Merchant), cmp.Compare(a.Currency, b.Currency))
	})
	return each(rows, func(b store.BalanceRow) error { return fn(b.BalanceKey, int64(b.Amount)) })
}

func (v *view) Trial() (books, memo int64, err error) {
	err = v.EachBalance(func(k ledger.BalanceKey, amount int64) error {
		if k.Account.Memo() {
			memo += amount
		} else {
			books += amount
		}
		return nil
	})
	return books, memo, err
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

func (v *view) EachCompany(fn func(*credit.Company) error) error {
	rows := gather(v, func() []store.CompanyRow { return v.db.companies.all(v.q) },
		func(a, b store.CompanyRow) int { return cmp.Compare(a.ID, b.ID) })
	return each(rows, func(c store.CompanyRow) error { return fn(c.Company) })
}

func (v *view) EachPayment(fn func(*credit.Payment) error) error {
	rows := gather(v, func() []store.PaymentRow { return v.db.payments.all(v.q) },
		func(a, b store.PaymentRow) int { return cmp.Compare(a.ID, b.ID) })
	return each(rows, func(p store.PaymentRow) error { return fn(p.Payment) })
}

func (v *view) EachInvoice(fn func(*credit.Invoice) error) error {
	rows := gather(v, func() []store.InvoiceRow { return v.db.invoices.all(v.q) },
		func(a, b store.InvoiceRow) int { return cmp.Compare(a.ID, b.ID) })
	return each(rows, func(i store.InvoiceRow) error { return fn(i.Invoice) })
}

func (v *view) EachMoney(fn func(q int64, e credit.MoneyEvent) error) error {
	rows := gather(v, func() []store.MoneyRow { return v.db.money.all(v.q) },
		func(a, b store.MoneyRow) int { return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N)) })
	return each(rows, func(e store.MoneyRow) error { return fn(e.Q, e.MoneyEvent) })
}

func (v *view) EachCredit(fn func(credit.Credit) error) error {
	rows := gather(v, func() []store.CreditRow { return slices.Concat(v.db.credits.all(v.q)...) },
		func(a, b store.CreditRow) int {
			return cmp.Or(cmp.Compare(a.Company, b.Company), cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N))
		})
	return each(rows, func(c store.CreditRow) error { return fn(c.Credit) })
}

func (v *view) EachAnswer(fn func(store.KeyID, store.Answer) error) error {
	rows := gather(v, func() []store.AnswerRow { return v.db.answers.all(v.q) }, func(a, b store.AnswerRow) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Key, b.Key))
	})
	return each(rows, func(a store.AnswerRow) error { return fn(a.KeyID, a.Answer) })
}

func (v *view) EachClaim(fn func(credit.Claim, string) error) error {
	rows := gather(v, func() []store.ClaimRow { return v.db.claims.all(v.q) }, func(a, b store.ClaimRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name))
	})
	return each(rows, func(c store.ClaimRow) error { return fn(c.Claim, c.Owner) })
}
