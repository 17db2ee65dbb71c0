package postgres

import (
	"strings"

	"tenor/internal/credit"
	"tenor/internal/schedule"
	"tenor/internal/store"
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

// EachEvent implements store.View.
func (v *view) EachEvent(fn func(store.EventRow) error) error {
	return all(v, &store.Events, inOrder(store.Events.Schema()), func(r *store.EventRow) error { return fn(*r) })
}

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

// EachCompany implements store.View.
func (v *view) EachCompany(fn func(*credit.Company) error) error {
	return all(v, &store.Companies, " ORDER BY company_id", func(r *store.CompanyRow) error { return fn(r.Company) })
}

// EachPayment implements store.View.
func (v *view) EachPayment(fn func(*credit.Payment) error) error {
	return all(v, &store.Payments, " ORDER BY id", func(r *store.PaymentRow) error { return fn(r.Payment) })
}

// EachInvoice implements store.View.
func (v *view) EachInvoice(fn func(*credit.Invoice) error) error {
	return all(v, &store.Invoices, " ORDER BY id", func(r *store.InvoiceRow) error { return fn(r.Invoice) })
}

// EachMoney implements store.View.
func (v *view) EachMoney(fn func(q int64, e credit.MoneyEvent) error) error {
	return all(v, &store.MoneyEvents, " ORDER BY q, n", func(r *store.MoneyRow) error { return fn(r.Q, r.MoneyEvent) })
}

// EachCredit implements store.View.
func (v *view) EachCredit(fn func(credit.Credit) error) error {
	return all(v, &store.Credits, " ORDER BY company_id, q, n", func(r *store.CreditRow) error { return fn(r.Credit) })
}

// EachAnswer implements store.View.
func (v *view) EachAnswer(fn func(store.KeyID, store.Answer) error) error {
	return all(v, &store.Idempotency, inOrder(store.Idempotency.Schema()), func(r *store.AnswerRow) error {
		return fn(r.KeyID, r.Answer)
	})
}

// EachClaim implements store.View.
func (v *view) EachClaim(fn func(credit.Claim, string) error) error {
	return all(v, &store.Claims, inOrder(store.Claims.Schema()), func(r *store.ClaimRow) error { return fn(r.Claim, r.Owner) })
}
