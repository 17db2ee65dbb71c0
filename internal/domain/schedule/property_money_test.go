package schedule

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TestPaidOnTime: Σ paid is the total of payments; on each due date the payoff is the
// principal after the previous row plus the row's charge (F40.4, SC7).
func TestPaidOnTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t, "")
		p := &Portfolio{}
		p.Apply(Event{Kind: EventCapture, ID: "o", Order: "o", Date: terms.CaptureDate, Terms: terms})
		l := p.Loans[0]
		first := l.Clone()
		paid, balance := money.Amount(0), terms.Principal
		for k := range first.Rows {
			row := first.Rows[k]
			p.Advance(row.DueDate)
			if got := l.Payoff(row.DueDate).Total; got != balance+row.Charge {
				t.Fatalf("payoff on due date %d is %s, want %s + %s", k+1, got, balance, row.Charge)
			}
			p.Apply(Event{Kind: EventPayment, ID: fmt.Sprint("p", k), Order: "o", Date: row.DueDate, Amount: row.Amount()})
			paid += row.Amount()
			balance -= row.Principal
		}
		if v := l.View(l.AsOf); v.Status != PaidOff || v.TotalPaid != paid || v.TotalAmount != first.View(first.AsOf).TotalAmount {
			t.Fatalf("view %+v, paid %s", v, paid)
		}
		for k := range l.Rows {
			if l.Rows[k].Amount() != first.Rows[k].Amount() || l.Rows[k].Charge != first.Rows[k].Charge {
				t.Fatalf("row %d changed: %+v", k+1, l.Rows[k])
			}
		}
	})
}

// TestPayoffPaysOff: paying the quote, on any day of any history, leaves exactly
// nothing; a cent less leaves a cent (F8, F40.4).
func TestPayoffPaysOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		on := h.events[len(h.events)-1].Date + calendar.Date(rapid.IntRange(0, 200).Draw(t, "later"))
		p, _ := Replay(h.events, on)
		paid := money.Amount(0) // by the borrower, less what was sent back
		for _, e := range h.events {
			switch e.Kind {
			case EventPayment:
				paid += e.Amount
			case EventPaymentRefund:
				paid -= e.Amount
			}
		}
		for _, l := range p.Loans {
			q := l.Payoff(on).Total
			if q == 0 {
				continue
			}
			almost := p.Clone()
			out := almost.Apply(Event{Kind: EventPayment, ID: "almost", Order: l.Key, Date: on, Amount: q - 1})
			if left := almost.Loan(l.Key).Payoff(on).Total; left != 1 || out[len(out)-1].Kind == EffectRebated {
				t.Fatalf("%s: %s paid of %s leaves %s", l.Key, q-1, q, left)
			}
			over := money.Amount(rapid.Int64Range(0, 100).Draw(t, "over"))
			paid += q + over
			p.Apply(Event{Kind: EventPayment, ID: "off " + l.Key, Order: l.Key, Date: on, Amount: q + over})
			if err := l.Check(); err != nil {
				t.Fatal(err)
			}
			if l.Payoff(on).Total != 0 || l.View(on+400).Status != PaidOff {
				t.Fatalf("%s: %s paid leaves %+v", l.Key, q, l.Payoff(on))
			}
			if over > 0 && (p.Credits[len(p.Credits)-1].Source != "off "+l.Key || p.Credits[len(p.Credits)-1].Amount != over) {
				t.Fatalf("%s: %s too much became %+v", l.Key, over, p.Credits)
			}
		}
		for _, c := range p.Credits {
			paid -= c.Amount
		}
		if owed := everOwed(p, h.events); paid != owed { // F40.6
			t.Fatalf("the borrowers paid %s in all, owed %s", paid, owed)
		}
	})
}

// everOwed is captured − refunded + charge + fees of loans that are paid off.
func everOwed(p *Portfolio, events []Event) money.Amount {
	owed := money.Amount(0)
	for _, e := range events {
		switch e.Kind {
		case EventCapture:
			owed += e.Terms.Principal
		case EventRefund:
			owed -= e.Amount
		}
	}
	for _, l := range p.Loans {
		for _, r := range l.Rows {
			owed += r.Charge
		}
		for _, f := range l.Fees {
			owed += f.Amount
		}
	}
	return owed
}

// TestLatenessAndPrepayment: neither late nor early money ever adds charge (F40.9).
func TestLatenessAndPrepayment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t, "")
		first, err := New("o", 0, terms)
		if err != nil {
			t.Fatal(err)
		}
		onTime := first.View(first.AsOf).Charge
		events := []Event{{Kind: EventCapture, ID: "o", Order: "o", Date: terms.CaptureDate, Terms: terms}}
		for k, row := range first.Rows {
			on := row.DueDate + calendar.Date(rapid.IntRange(-90, 90).Draw(t, "shift"))
			events = append(events, Event{Kind: EventPayment, ID: fmt.Sprint("p", k), Order: "o", Date: max(on, terms.CaptureDate), Seq: int64(k + 1), Amount: row.Amount()})
		}
		p, _ := Replay(events, first.Rows[len(first.Rows)-1].DueDate+200)
		v := p.Loans[0].View(p.Loans[0].AsOf)
		if v.Charge > onTime || v.Status != PaidOff {
			t.Fatalf("charge %s, on time %s, status %s", v.Charge, onTime, v.Status)
		}
	})
}

// TestRefundEveryDay: refunds of 0.01 and of everything work on every day of any history, and
// a paid-off order keeps F40.6.
func TestRefundEveryDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		on := h.events[len(h.events)-1].Date + calendar.Date(rapid.IntRange(0, 100).Draw(t, "later"))
		p, _ := Replay(h.events, on)
		for _, l := range p.Loans {
			room := l.Terms.Principal - h.refunded[l.Key]
			for _, amount := range []money.Amount{1, room} {
				if amount < 1 || amount > room {
					continue
				}
				c := p.Clone()
				paidRows := slices.Clone(l.Rows[:l.Current-1])
				c.Apply(Event{Kind: EventRefund, ID: "last", Order: l.Key, Date: on, Amount: amount})
				after := c.Loan(l.Key)
				if err := after.Check(); err != nil {
					t.Fatal(err)
				}
				if amount == room && h.refunded[l.Key]+room == l.Terms.Principal && after.Refunded == l.Terms.Principal && after.UnpaidPrincipal() != 0 {
					t.Fatalf("fully refunded order owes principal %s", after.UnpaidPrincipal())
				}
				for k, r := range paidRows {
					if r.Unpaid() == 0 && after.Rows[k] != r {
						t.Fatalf("paid row changed: %+v, %+v", r, after.Rows[k])
					}
				}
			}
		}
	})
}
