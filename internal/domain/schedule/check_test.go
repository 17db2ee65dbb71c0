package schedule

import (
	"testing"

	"tenor/internal/domain/calendar"
)

// TestCheck: each invariant is detected when broken.
func TestCheck(t *testing.T) {
	level := func(t *testing.T) *Loan {
		s := start(t, the1200())
		s.payRows(2)
		s.pay("2026-03-25", "1.00")
		s.apply(Event{Kind: EventFee, ID: "f", Order: "o", Fee: ReturnedPaymentFee, Installment: 1, Date: day("2026-03-26"), Amount: 2500})
		return s.loan()
	}
	flatLoan := func(t *testing.T) *Loan {
		s := start(t, the1200Flat())
		s.payRows(2)
		s.pay("2026-03-25", "100.00")
		return s.loan()
	}
	for _, c := range []struct {
		name  string
		loan  func(*testing.T) *Loan
		spoil func(*Loan)
	}{
		{"principal moved in", level, func(l *Loan) { l.Rows[0].Principal++ }},
		{"refund not counted", level, func(l *Loan) { l.Refunded++ }},
		{"a row is missing", level, func(l *Loan) { l.Rows = l.Rows[:5] }},
		{"period does not hold the day", level, func(l *Loan) { l.AsOf = day("2026-04-15") }},
		{"due dates fall", level, func(l *Loan) { l.Rows[4].DueDate = l.Rows[3].DueDate }},
		{"paid more than owed", level, func(l *Loan) { l.Rows[0].PaidCharge++ }},
		{"negative part", level, func(l *Loan) { l.Rows[3].PaidPrincipal = -1 }},
		{"row above its bound", level, func(l *Loan) { l.Rows[3].Target-- }},
		{"projection changed", level, func(l *Loan) { l.Rows[3].Principal--; l.Rows[4].Principal++; l.Rows[4].Target++ }},
		{"recognised ahead of time", level, func(l *Loan) { l.Rows[4].Recognised = 1 }},
		{"recognised less than paid", level, func(l *Loan) { l.Rows[2].Recognised = 0 }},
		{"recognised more than earned", level, func(l *Loan) { l.Rows[2].Recognised = 1000 }},
		{"ended period not recognised", level, func(l *Loan) { l.Rows[0].Recognised-- }},
		{"carried from nowhere", level, func(l *Loan) { l.Carried++ }},
		{"slices lost", level, func(l *Loan) { l.Slices -= 50_000_000 }},
		{"canceled but owed", level, func(l *Loan) { l.Rows[5].Canceled = true }},
		{"paid without a day", level, func(l *Loan) { l.Rows[0].PaidOn = calendar.None }},
		{"fee overpaid", level, func(l *Loan) { l.Fees[0].Paid = l.Fees[0].Amount + 1 }},
		{"fee waived below nothing", level, func(l *Loan) { l.Fees[0].Waived = -1 }},
		{"prepaid source lost", flatLoan, func(l *Loan) { l.Prepaid = nil }},
		{"fee of an ended row changed", flatLoan, func(l *Loan) { l.Rows[0].Charge++; l.Rows[0].PaidCharge++ }},
		{"flat fee recognised early", flatLoan, func(l *Loan) { l.Rows[2].Recognised = 1200 }},
		{"covered and not closed", flatLoan, func(l *Loan) {
			for k := 2; k < 6; k++ {
				l.Rows[k].PaidPrincipal = l.Rows[k].Principal
				l.Rows[k].PaidOn = calendar.None
			}
			l.Rows[2].PaidOn = l.AsOf
		}},
	} {
		l := c.loan(t)
		if err := l.Check(); err != nil {
			t.Fatalf("%s: before: %v", c.name, err)
		}
		c.spoil(l)
		if l.Check() == nil {
			t.Errorf("%s: not seen", c.name)
		}
	}
}

// TestNewAllocates tracks the cost of a quote: New runs for every authorization.
func TestNewAllocates(t *testing.T) {
	terms := the1200()
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := New("o", 0, terms); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 15 {
		t.Errorf("New allocates %v times", allocs)
	}
}
