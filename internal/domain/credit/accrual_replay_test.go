package credit_test

import (
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// A backdated payment may change only what a loan has earned, by a fraction of a cent: the
// company-level payment that paid it before pays elsewhere. The stored figures still continue
// from the new value (F34).
func TestReplayKeepsFractionsOfACent(t *testing.T) {
	m := newMarket(t)
	company := m.companies[0]
	order := func(amount string, n int) string {
		o := m.must(m.shops[0], lending.CreateOrder{Company: company, Amount: cents(amount), Installments: n, Authorize: true}).(*credit.Order)
		m.must(operator, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		return o.Key
	}
	pay := func(c payments.RecordPayment, amount, on string) string {
		c.Amount, c.Method, c.ScheduledDate, c.EffectiveDate = cents(amount), credit.Wire, calendar.None, calendar.MustParse(on)
		return m.must(operator, c).(*credit.Payment).ID
	}
	x := order("34.01", 12)
	order("84.00", 6)
	m.now = m.now.Add(3 * 24 * time.Hour)
	whole := pay(payments.RecordPayment{Company: company}, "50.00", "2026-01-13")
	pay(payments.RecordPayment{Order: x}, "24.42", "2026-01-13")
	back := cents("39.78")
	m.must(operator, payments.RefundPayment{Payment: whole, Amount: &back})
	m.now = m.now.Add(2 * 24 * time.Hour)
	pay(payments.RecordPayment{Company: company}, "0.91", "2026-01-12")
	pay(payments.RecordPayment{Order: x}, "1.00", "2026-01-15")
	m.verify()
}
