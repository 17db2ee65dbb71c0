package schedule

import (
	"slices"
	"testing"
)

// shared is a company with credit of 120.00 from a payment on order a, and order b that owes
// 100.00 on each of three days.
func shared(t *testing.T) *life {
	s := &life{t: t}
	s.capture("a", zero("30.00", 1, "2026-01-15"))
	s.capture("b", zero("300.00", 3, "2026-01-16"))
	s.apply(Event{Kind: EventPayment, ID: "pay", Date: day("2026-01-20"), Order: "a", Amount: cents("150.00")})
	return s
}

// use is a CREDIT_USE of the payment's credit on rows of order b.
func use(on, amount string, rows ...int) Event {
	e := Event{Kind: EventCreditUse, Date: day(on), Order: "b", Payment: "pay", Amount: cents(amount)}
	for _, row := range rows {
		e.Earmark = append(e.Earmark, Ref{Order: "b", Installment: row})
	}
	return e
}

// TestCreditUse: credit of one order pays only those items of another that the event names, as
// far as the credit goes and they are unpaid (F36).
func TestCreditUse(t *testing.T) {
	s := shared(t)
	out := s.apply(use("2026-02-16", "100.00", 1))
	want(t, "parts", lines(effect(t, out, EffectCreditApplied).Parts), "b 1 PRINCIPAL 100.00")
	want(t, "credit left", s.Credits[0].Amount, cents("20.00"))
	want(t, "of the payment", lines(AppliedOf("pay", s.effects).Parts), "a 1 PRINCIPAL 30.00\nb 1 PRINCIPAL 100.00")
	want(t, "a paid item takes nothing", len(s.apply(use("2026-02-17", "20.00", 1))), 0)
	out = s.apply(use("2026-03-16", "100.00", 2))
	want(t, "no more than is there", lines(effect(t, out, EffectCreditApplied).Parts), "b 2 PRINCIPAL 20.00")
	want(t, "credits", len(s.Credits), 0)
	want(t, "no credit, no use", len(s.apply(use("2026-03-17", "100.00", 2))), 0)
	want(t, "row 2", s.Loan("b").Rows[1].Unpaid(), cents("80.00"))
}

// TestCreditUseGoesBack: what credit had paid reopens when its source is returned or refunded,
// and money recorded late leaves the credit unchanged (F16, F34, F35).
func TestCreditUseGoesBack(t *testing.T) {
	s := shared(t)
	s.apply(use("2026-02-16", "100.00", 1))
	events := slices.Clone(s.events)
	p, _ := Replay(append(events, Event{Kind: EventReturn, ID: "ret", Date: day("2026-02-20"), Seq: 99, Order: "a", Payment: "pay"}), day("2026-02-20"))
	want(t, "returned", p.Loan("b").Rows[0].Unpaid(), cents("100.00"))
	want(t, "its own order", p.Loan("a").Rows[0].Unpaid(), cents("30.00"))
	want(t, "credits", len(p.Credits), 0)

	late := Event{Kind: EventPayment, ID: "late", Date: day("2026-02-16"), Order: "b", Amount: cents("40.00")}
	p, _ = Replay(append(events, late), day("2026-02-20"))
	want(t, "row 1", p.Loan("b").Rows[0].Unpaid(), 0)
	want(t, "credit is left", p.Credits[0].Amount, cents("60.00"))

	back := Event{Kind: EventPaymentRefund, ID: "back", Date: day("2026-02-21"), Order: "a", Payment: "pay", Amount: cents("50.00")}
	out := s.apply(back)
	want(t, "its credit first, then the latest item", lines(effect(t, out, EffectReopened).Parts), "b 1 PRINCIPAL 30.00")
	want(t, "row 1", s.Loan("b").Rows[0].Unpaid(), cents("30.00"))
}
