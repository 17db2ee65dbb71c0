package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TestWaterfallTies checks F12's order for equal due dates: by capture, then key, then fees
// before installments, installments by number.
func TestWaterfallTies(t *testing.T) {
	s := &life{t: t}
	terms := zero("300.00", 3, "2026-01-15")
	for _, key := range []string{"c", "a", "b"} {
		at := int64(2)
		if key == "b" {
			at = 1
		}
		s.apply(Event{Kind: EventCapture, Order: key, Date: terms.CaptureDate, CapturedAt: at, Terms: terms})
	}
	s.apply(Event{Kind: EventFee, ID: "fee", Order: "a", Fee: ReturnedPaymentFee, Installment: 1, Date: day("2026-02-15"), Amount: 2500})
	out := s.apply(Event{Kind: EventPayment, Date: day("2026-02-15"), Amount: cents("700.00")})
	want(t, "parts", lines(effect(t, out, EffectApplied).Parts), strings.Join([]string{
		"b 1 PRINCIPAL 100.00", "a 1 FEE 25.00", "a 1 PRINCIPAL 100.00", "c 1 PRINCIPAL 100.00", // due
		"b 2 PRINCIPAL 100.00", "a 2 PRINCIPAL 100.00", "c 2 PRINCIPAL 100.00", "b 3 PRINCIPAL 75.00", // future
	}, "\n"))
}

func lines(parts []Part) string {
	var text []string
	for _, p := range parts {
		text = append(text, fmt.Sprintf("%s %d %s %s", p.Order, p.Installment, p.Item, p.Amount))
	}
	return strings.Join(text, "\n")
}

// TestScope: a payment by order or by company touches only what it may.
func TestScope(t *testing.T) {
	s := &life{t: t}
	s.capture("a", zero("100.00", 1, "2026-01-15"))
	s.capture("b", zero("100.00", 1, "2026-01-16"))
	s.apply(Event{Kind: EventPayment, Date: day("2026-01-20"), Amount: cents("150.00"), Scope: []string{"b", "unknown"}})
	want(t, "a", s.Loans[0].UnpaidPrincipal(), cents("100.00"))
	want(t, "b", s.Loans[1].UnpaidPrincipal(), 0)
	want(t, "credit", s.Credits[0].Amount, cents("50.00"))
	s.capture("c", zero("100.00", 1, "2026-01-25"))
	early := Event{Kind: EventPayment, ID: "early", Date: day("2026-01-20"), Seq: 99, Amount: cents("500.00")}
	p, _ := Replay(append(s.events, early), day("2026-01-30"))
	want(t, "an order captured later is not paid", p.Loan("c").UnpaidPrincipal(), cents("100.00"))
}

// TestPartOfAccrued: a prepayment of less than has accrued recognizes only what it pays (F7).
func TestPartOfAccrued(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	out := s.pay("2026-03-25", "1.00")
	want(t, "recognised", effect(t, out, EffectAccrued).Amount, cents("1.00"))
	want(t, "payoff", s.loan().Payoff(day("2026-03-25")).Total, cents("807.93")+cents("1.61"))
	out = s.Advance(day("2026-04-15"))
	want(t, "rest of the period", effect(t, out, EffectAccrued).Amount, cents("7.08"))
}

// TestRefundEndsPrincipal: everything accrued is recognized, and stays owed on the running row
// (F7, F13.3).
func TestRefundEndsPrincipal(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	out := s.refund("2026-04-01", "807.93")
	want(t, "recognised", effect(t, out, EffectAccrued).Amount, cents("4.43"))
	wantRow(t, s.row(3), "4.43 + 0.00")
	wantRow(t, s.row(4), "CANCELED")
	want(t, "owed", s.loan().Payoff(day("2026-06-01")).Total, cents("4.43"))
	want(t, "nothing more accrues", len(s.Advance(day("2026-08-01"))), 0)
}

// TestRefundOfOverdue: rows not yet due lose principal before overdue ones, and
// an overdue row keeps its date (F13.2, F13.5).
func TestRefundOfOverdue(t *testing.T) {
	s := start(t, zero("300.00", 3, "2026-01-15"))
	e := effect(t, s.refund("2026-03-20", "220.00"), EffectRefunded)
	want(t, "parts", lines(e.Parts), "o 3 PRINCIPAL 100.00\no 2 PRINCIPAL 100.00\no 1 PRINCIPAL 20.00")
	want(t, "DPD", s.loan().DPD(day("2026-03-20")), 33)
	want(t, "row 2", s.row(2).Canceled, true)
}

// TestRefundKeepsPrepaidRow: a row paid ahead keeps principal too, so the rest of the fee goes
// to the last such row (F13.3).
func TestRefundKeepsPrepaidRow(t *testing.T) {
	s := start(t, the1200Flat())
	s.payRows(3)
	s.pay("2026-05-01", "212.00")
	s.refund("2026-05-01", "350.00") // rows 5 and 6: 50.00 of row 5 stays
	wantRow(t, s.row(4), "10.10 + 200.00")
	wantRow(t, s.row(5), "0.00 + 50.00")
	want(t, "credit", s.Credits[0].Amount, cents("1.90"))
}

// TestFlatClosesWithOldestFirst: fee prepaid by two payments covers the open principal in the
// order of the payments (F8, F36).
func TestFlatClosesWithOldestFirst(t *testing.T) {
	s := start(t, the1200Flat())
	s.payRows(3)
	s.apply(Event{Kind: EventPayment, ID: "p1", Order: "o", Date: day("2026-04-15"), Amount: cents("212.00")})
	s.apply(Event{Kind: EventPayment, ID: "p2", Order: "o", Date: day("2026-04-15"), Amount: cents("212.00")})
	out := s.pay("2026-04-15", "176.00")
	var text []string
	for _, e := range out {
		text = append(text, fmt.Sprint(e.Kind, " ", e.Source, " ", e.Amount, " ", e.Credit, " ", strings.ReplaceAll(lines(e.Parts), "\n", ", ")))
	}
	want(t, "effects", strings.Join(text, "\n"), strings.Join([]string{
		"APPLIED " + s.events[len(s.events)-1].ID + " 0.00 0.00 o 6 PRINCIPAL 176.00",
		"REBATED  12.00 0.00 ",
		"REBATED p1 0.00 12.00 o 4 CHARGE 12.00",
		"REBATED p2 0.00 12.00 o 5 CHARGE 12.00",
		"CREDIT_APPLIED p1 0.00 0.00 o 6 PRINCIPAL 12.00",
		"CREDIT_APPLIED p2 0.00 0.00 o 6 PRINCIPAL 12.00",
	}, "\n"))
	want(t, "status", s.loan().View(day("2026-04-15")).Status, PaidOff)
}

// TestFlatTakesNoMoreThanPayoff: what a flat fee does not need goes to the company's other
// orders (F8, F12).
func TestFlatTakesNoMoreThanPayoff(t *testing.T) {
	s := &life{t: t}
	s.capture("a", flat("100.00", "20", 12, "2026-01-15")) // rows of 8.33 + 20.00
	s.capture("b", zero("100.00", 1, "2026-01-15"))
	out := s.apply(Event{Kind: EventPayment, Date: day("2026-01-15"), Amount: cents("220.00")})
	e := effect(t, out, EffectApplied)
	want(t, "principal", sum(e.Parts, ItemPrincipal), cents("200.00"))
	want(t, "no fee is earned on the first day", sum(e.Parts, ItemCharge), 0)
	want(t, "rebate", effect(t, out, EffectRebated).Amount, cents("240.00"))
	want(t, "credit", e.Credit, cents("20.00"))
}

// TestReturnOfCompanyPayment: money that had been sent out is owed although the payment names
// no order (F16).
func TestReturnOfCompanyPayment(t *testing.T) {
	s := start(t, zero("100.00", 1, "2026-01-15"))
	s.apply(Event{Kind: EventPayment, ID: "p", Date: day("2026-01-20"), Amount: cents("120.00")})
	back := Event{Kind: EventReturn, ID: "r", Payment: "p", Date: day("2026-01-22"), Seq: 9, Amount: cents("20.00")}
	p, _ := Replay(append(s.events, back), day("2026-01-22"))
	want(t, "owed", p.Loans[0].Payoff(day("2026-01-22")).Total, cents("120.00"))
}

// TestHeldCreditOldestFirst: one payment's credit is used up before the next (F36).
func TestHeldCreditOldestFirst(t *testing.T) {
	s := start(t, the1200())
	for _, p := range []struct{ id, amount string }{{"p1", "100.00"}, {"p2", "150.00"}} {
		s.apply(Event{Kind: EventPayment, ID: p.id, Order: "o", Date: day("2026-01-20"), Amount: cents(p.amount), Hold: true})
	}
	s.Advance(day("2026-02-15"))
	want(t, "row 1", s.row(1).Unpaid(), 0)
	want(t, "left", s.Credits[0], Credit{"p2", "o", day("2026-01-20"), cents("42.94"), true})
}

// TestHeldCreditPaysFee: a fee is due when assessed, and held credit of its order pays it
// (F12, F36).
func TestHeldCreditPaysFee(t *testing.T) {
	s := start(t, the1200())
	s.apply(Event{Kind: EventPayment, ID: "p", Order: "o", Date: day("2026-01-20"), Amount: cents("30.00"), Hold: true})
	out := s.apply(Event{Kind: EventFee, ID: "f", Order: "o", Fee: ReturnedPaymentFee, Installment: 1, Date: day("2026-02-01"), Amount: 2500})
	want(t, "paid", lines(effect(t, out, EffectCreditApplied).Parts), "o 1 FEE 25.00")
	want(t, "left", s.Credits[0].Amount, cents("5.00"))
}

// TestView checks row statuses and totals of F10 on the days where they change.
func TestView(t *testing.T) {
	s := start(t, zero("300.00", 3, "2026-01-15"))
	s.pay("2026-01-20", "150.00")
	s.refund("2026-01-21", "60.00")
	for _, c := range []struct{ on, rows, totals string }{
		{"2026-01-21", "PAID PARTIALLY_PAID UPCOMING", "ACTIVE 240.00 150.00 90.00 0.00 0 2026-03-15 50.00"},
		{"2026-03-15", "PAID PARTIALLY_PAID UPCOMING", "ACTIVE 240.00 150.00 90.00 0.00 0 2026-03-15 50.00"},
		{"2026-03-16", "PAID OVERDUE UPCOMING", "OVERDUE 240.00 150.00 90.00 50.00 1 2026-04-15 40.00"},
		{"2026-04-15", "PAID OVERDUE DUE", "OVERDUE 240.00 150.00 90.00 50.00 31 2026-04-15 40.00"},
		{"2026-04-16", "PAID OVERDUE OVERDUE", "OVERDUE 240.00 150.00 90.00 90.00 32  0.00"},
	} {
		v := s.loan().View(day(c.on))
		var rows []string
		for _, r := range v.Rows {
			rows = append(rows, string(r.Status))
		}
		want(t, c.on, strings.Join(rows, " "), c.rows)
		want(t, c.on, fmt.Sprint(v.Status, " ", v.TotalAmount, " ", v.TotalPaid, " ", v.Remaining, " ", v.PastDue, " ", v.DPD, " ", v.NextDueDate, " ", v.NextDueAmount), c.totals)
	}
	s.refund("2026-01-22", "90.00")
	want(t, "paid off", s.loan().View(day("2026-05-01")).Status, PaidOff)
	want(t, "row 3", s.loan().View(day("2026-05-01")).Rows[2].Status, RowCanceled)
}

// TestOtherDayCount: rates differ by period; a due day moves no charge by F6, because the
// first period's rate includes the odd days.
func TestOtherDayCount(t *testing.T) {
	terms := the1200()
	terms.DayCount, terms.DueDay = Actual365, 1
	l, err := New("o", 0, terms)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "first charge, 45 days", l.Rows[0].Charge, money.MulDiv(cents("1200.00"), 12*45, 36500))
	want(t, "first row", l.Rows[0].Amount(), l.Level)
	want(t, "second charge, 31 days", l.Rows[1].Charge, money.MulDiv(cents("1200.00")-l.Rows[0].Principal, 12*31, 36500))
}

// TestWaterfallOrder: whatever the history, money never pays a later item while an earlier due
// one is open (F12, PA4).
func TestWaterfallOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		p := &Portfolio{}
		for _, e := range h.events {
			out := p.Apply(e)
			closed := slices.ContainsFunc(out, func(x Effect) bool { return x.Kind == EffectRebated })
			if e.Kind != EventPayment || e.Earmark != nil || closed {
				continue // closing a flat fee reuses money
			}
			parts := out[slices.IndexFunc(out, func(x Effect) bool { return x.Kind == EffectApplied && x.Cause == e.ID })].Parts
			var keys []place
			for _, part := range parts {
				keys = append(keys, p.place(part))
			}
			if !slices.IsSortedFunc(keys, place.compare) {
				t.Fatalf("parts are out of order: %s", lines(parts))
			}
			if len(keys) == 0 {
				continue
			}
			for _, l := range p.Loans {
				if e.Order != "" && e.Order != l.Key || e.Order == "" && e.Scope != nil && !slices.Contains(e.Scope, l.Key) {
					continue
				}
				for _, open := range l.openDue() {
					if p.place(open).compare(keys[len(keys)-1]) < 0 {
						t.Fatalf("%s is open, paid are\n%s", lines([]Part{open}), lines(parts))
					}
				}
			}
		}
	})
}

// place is an item's rank in the waterfall, defined independently of it.
type place struct {
	stage     int // 0 due, 1 charged off, 2 future
	due       calendar.Date
	captured  int64
	order     string
	installed bool // fees first
	number    int
	principal bool // charge first
}

func (a place) compare(b place) int {
	rank := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(a.stage-b.stage, cmp.Compare(a.due, b.due), cmp.Compare(a.captured, b.captured),
		cmp.Compare(a.order, b.order), rank(a.installed)-rank(b.installed), cmp.Compare(a.number, b.number), rank(a.principal)-rank(b.principal))
}

func (p *Portfolio) place(part Part) place {
	l := p.Loan(part.Order)
	if l.ChargedOff { // principal, charge, fees (F17)
		number := map[Item]int{ItemPrincipal: part.Installment, ItemCharge: 100 + part.Installment, ItemFee: 200, ItemOther: 200}[part.Item]
		return place{stage: 1, captured: l.CapturedAt, order: l.Key, number: number}
	}
	if f := l.fee(part.Fee); f != nil {
		return place{due: f.Date, captured: l.CapturedAt, order: l.Key}
	}
	stage := 0
	if part.Installment >= l.Current {
		stage = 2
	}
	return place{stage, l.Rows[part.Installment-1].DueDate, l.CapturedAt, l.Key, true, part.Installment, part.Item == ItemPrincipal}
}

// openDue lists what is due and unpaid.
func (l *Loan) openDue() []Part {
	var open []Part
	for _, f := range l.Fees {
		if f.Unpaid() > 0 {
			open = append(open, Part{l.Key, itemOf(f.Kind), f.Installment, f.ID, f.Unpaid(), false})
		}
	}
	for k, r := range l.Rows[:l.Current-1] {
		if r.Charge > r.PaidCharge {
			open = append(open, Part{l.Key, ItemCharge, k + 1, "", r.Charge - r.PaidCharge, false})
		}
		if r.Principal > r.PaidPrincipal {
			open = append(open, Part{l.Key, ItemPrincipal, k + 1, "", r.Principal - r.PaidPrincipal, false})
		}
	}
	return open
}
