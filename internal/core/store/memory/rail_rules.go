package memory

import (
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// These look for a record that is stored or that the batch writes.

func (d *data) hasCompany(r *store.Rows, id int64) bool {
	return d.companies.has(id) || slices.ContainsFunc(store.CompanyNoun.In(r), func(c store.CompanyRow) bool { return c.ID == id })
}

func (d *data) hasMerchant(r *store.Rows, id string) bool {
	return d.merchants.has(id) || slices.ContainsFunc(store.MerchantNoun.In(r), func(m store.MerchantRow) bool { return m.ID == id })
}

// hasMethod demands that a payment method is of the company that pays with it (AU1).
func (d *data) hasMethod(r *store.Rows, id string, company int64) bool {
	row := d.methods.get(id, d.head.Q)
	return id == "" || row != nil && row.Company == company ||
		slices.ContainsFunc(store.MethodNoun.In(r), func(m store.MethodRow) bool { return m.ID == id && m.Company == company })
}

// hasOrder demands that a line is of the company and merchant of its order (AU1).
func (d *data) hasOrder(r *store.Rows, l *credit.PayoutLine) bool {
	row := d.orders.get(l.Order, d.head.Q)
	return l.Order == "" || row != nil && row.Company == l.Company && row.Merchant == l.Merchant ||
		slices.ContainsFunc(store.OrderNoun.In(r), func(o store.OrderRow) bool {
			return o.Key == l.Order && o.Company == l.Company && o.Merchant == l.Merchant
		})
}

// soundMethod demands that a method has the account of its type, and a reason exactly
// if it is disabled.
func soundMethod(m *credit.PaymentMethod) bool {
	return m.Version > 0 && (m.Type == credit.ACH) == (m.Bank != nil) && (m.Type == credit.Card) == (m.Card != nil) &&
		(m.Bank != nil) != (m.Card != nil) && (m.Status == credit.MethodDisabled) == (m.DisabledReason != "")
}

// soundTransfer demands that a transfer is a company's or a merchant's as its kind
// says, moves money unless it only asks, and says when it was sent (MN2).
func soundTransfer(t *credit.Transfer) bool {
	merchants := t.Kind == credit.TransferPayout || t.Kind == credit.TransferClawback
	sent := t.Status == credit.TransferSent || t.Status == credit.TransferSettled
	return t.Version > 0 && t.Amount >= 0 && (t.Amount > 0 || t.Kind == credit.TransferPrenote) && (t.Company == 0) == merchants &&
		(t.Merchant != "") == merchants && (!sent || !t.SentAt.IsZero()) && t.Back >= 0 && t.Back <= t.Amount
}

// soundLine demands that a line's amounts fit each other and its kind (PO2).
func soundLine(l *credit.PayoutLine) bool {
	return l.Version > 0 && l.Due != calendar.None && l.Gross >= 0 && l.Discount >= 0 && l.Refunds >= 0 && l.Netted >= 0 && l.Netted <= l.Amount &&
		(l.Kind != credit.LineCapture || l.Amount == l.Gross-l.Discount-l.Refunds) && (l.Kind.Owes() || l.Netted == 0)
}

// soundPayout demands that a payout adds up (PO2, PO3).
func soundPayout(p *credit.Payout) bool {
	return p.Version > 0 && p.Date != calendar.None && min(p.Gross, p.Discount, p.Refunds, p.Repaid, p.Clawback, p.Collected, p.Net) >= 0 &&
		p.Net == p.Gross-p.Discount-p.Refunds+p.Repaid-p.Clawback-p.Collected
}

// checkPayments demands that payments are made with methods of their companies.
func (d *data) checkPayments(r *store.Rows) error {
	for _, x := range store.PaymentNoun.In(r) {
		if !d.hasMethod(r, x.MethodID, x.Company) {
			return fmt.Errorf("%w: payment %s by a payment method that is not its company's", store.ErrRefused, x.ID)
		}
	}
	return nil
}

// checkPeriods demands that a month is closed once, and that nothing is booked in one
// that is (LG7).
func (d *data) checkPeriods(r *store.Rows) error {
	closed := map[calendar.Date]bool{} // by last day
	for _, p := range d.periods.all(d.head.Q) {
		closed[p.Month.EndOfMonth()] = true
	}
	for _, p := range store.PeriodNoun.In(r) {
		if _, _, day := p.Month.Civil(); day != 1 || p.Debits < 0 {
			return fmt.Errorf("%w: period %s", store.ErrRefused, p.Month)
		}
		if closed[p.Month.EndOfMonth()] {
			return fmt.Errorf("period %s: %w", p.Month, store.ErrTaken)
		}
		closed[p.Month.EndOfMonth()] = true
	}
	for _, e := range r.Entries {
		if closed[e.BookDate.EndOfMonth()] {
			return fmt.Errorf("%w: entry %s is booked in a closed month", store.ErrRefused, e.ID)
		}
	}
	return nil
}
