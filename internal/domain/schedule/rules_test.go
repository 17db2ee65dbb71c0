package schedule

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/domain/money"
)

// TestLevelPayment checks the examples of F1, F2, F3 and F6.
func TestLevelPayment(t *testing.T) {
	withDueDay := func(terms Terms, day int) Terms { terms.DueDay = day; return terms }
	for _, c := range []struct {
		name  string
		terms Terms
		level string
		rows  string // charge + principal
	}{
		{"F1", the1200(), "207.06",
			"12.00 + 195.06, 10.05 + 197.01, 8.08 + 198.98, 6.09 + 200.97, 4.08 + 202.98, 2.05 + 205.00"},
		{"F1 n = 1", amortized("1200.00", "12", 1, "2026-01-15"), "1212.00", "12.00 + 1200.00"},
		{"F1 rate 0", amortized("1000.00", "0", 3, "2026-01-15"), "333.33", "0.00 + 333.33, 0.00 + 333.33, 0.00 + 333.34"},
		{"F2", the1200Flat(), "212.00", strings.TrimSuffix(strings.Repeat("12.00 + 200.00, ", 6), ", ")},
		{"F2 uneven", flat("5000.00", "1.5", 12, "2026-01-15"), "491.67",
			strings.Repeat("75.00 + 416.67, ", 11) + "75.00 + 416.63"},
		{"F2 n = 1", flat("1000.00", "2", 1, "2026-01-15"), "1020.00", "20.00 + 1000.00"},
		{"F3", zero("100.00", 9, "2026-01-15"), "11.11", strings.Repeat("0.00 + 11.11, ", 8) + "0.00 + 11.12"},
		{"F3 of 3", zero("1000.00", 3, "2026-01-15"), "333.33", "0.00 + 333.33, 0.00 + 333.33, 0.00 + 333.34"},
		{"F3 NET30", Terms{Plan: Net30, Principal: 120000, Installments: 1, CaptureDate: day("2026-01-15")}, "1200.00", "0.00 + 1200.00"},
		{"F6 long", withDueDay(the1200(), 1), "207.06",
			"18.71 + 195.06, 10.05 + 197.01, 8.08 + 198.98, 6.09 + 200.97, 4.08 + 202.98, 2.05 + 205.00"},
		{"F6 short", withDueDay(amortized("1200.00", "12", 6, "2026-01-10"), 1), "207.06",
			"8.45 + 195.06, 10.05 + 197.01, 8.08 + 198.98, 6.09 + 200.97, 4.08 + 202.98, 2.05 + 205.00"},
		{"F6 ZERO has no odd charge", withDueDay(zero("300.00", 3, "2026-01-15"), 1), "100.00",
			"0.00 + 100.00, 0.00 + 100.00, 0.00 + 100.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := New("o", 0, c.terms)
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, r := range l.Rows {
				rows = append(rows, r.text())
			}
			want(t, "level", l.Level.String(), c.level)
			want(t, "rows", strings.Join(rows, ", "), c.rows)
			if err := l.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTermRefused checks the edge cases of F1 and F2.
func TestTermRefused(t *testing.T) {
	override := amortized("100.00", "12", 6, "2026-01-15")
	override.LevelPayment = cents("60.00")
	for name, terms := range map[string]Terms{
		"level below 1.00":        zero("2.98", 3, "2026-01-15"),
		"AMORTIZED below 1.00":    amortized("5.00", "12", 6, "2026-01-15"),
		"flat below 1.00":         flat("2.00", "1", 3, "2026-01-15"),
		"negative last principal": override,
		"no principal":            zero("0.00", 1, "2026-01-15"),
		"no installments":         zero("10.00", 0, "2026-01-15"),
		"37 installments":         zero("1000.00", 37, "2026-01-15"),
		"NET30 of 2":              {Plan: Net30, Principal: 1000, Installments: 2, CaptureDate: day("2026-01-15")},
	} {
		if _, err := New("o", 0, terms); !errors.Is(err, ErrTerm) {
			t.Errorf("%s: error %v, want ErrTerm", name, err)
		}
	}
	if _, err := New("o", 0, zero("2.99", 3, "2026-01-15")); err != nil {
		t.Errorf("level of exactly 1.00: %v", err)
	}
	if _, err := New("o", 0, zero("0.01", 1, "2026-01-15")); err != nil {
		t.Errorf("one row of 0.01: %v", err)
	}
}

// TestDueDates checks F4 and F6.
func TestDueDates(t *testing.T) {
	odd := func(captured string, d int) Terms {
		terms := amortized("1200.00", "12", 3, captured)
		terms.DueDay = d
		return terms
	}
	for _, c := range []struct {
		terms Terms
		want  string
	}{
		{amortized("1200.00", "12", 3, "2026-01-31"), "[2026-02-28 2026-03-31 2026-04-30]"},
		// Fineract LoanMonthEndDueDateStrategy.feature, last day of month.
		{amortized("1200.00", "12", 3, "2025-01-31"), "[2025-02-28 2025-03-31 2025-04-30]"},
		{Terms{Plan: Net30, Principal: 100, Installments: 1, CaptureDate: day("2026-01-15")}, "[2026-02-14]"},
		{odd("2026-01-15", 1), "[2026-03-01 2026-04-01 2026-05-01]"},
		{odd("2026-01-10", 1), "[2026-02-01 2026-03-01 2026-04-01]"},
		{odd("2026-12-20", 15), "[2027-01-15 2027-02-15 2027-03-15]"},
		// The due day is clamped separately in each month.
		{odd("2026-02-08", 31), "[2026-02-28 2026-03-31 2026-04-30]"},
	} {
		want(t, c.terms.CaptureDate.String(), fmt.Sprint(dueDates(c.terms)), c.want)
	}
}

// TestPayoff checks the examples of F8.
func TestPayoff(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	q := s.loan().Payoff(day("2026-04-01"))
	want(t, "payoff 04-01", q, Payoff{day("2026-04-01"), cents("807.93"), cents("4.43"), 0, 0, cents("812.36"), cents("0.26")})
	want(t, "payoff 04-15", s.loan().Payoff(day("2026-04-15")).Total, cents("816.01"))

	s = start(t, amortized("5000.00", "18", 12, "2026-01-31"))
	want(t, "payoff 02-10", s.loan().Payoff(day("2026-02-10")).Total, cents("5026.79"))

	s = start(t, the1200Flat())
	s.payRows(3)
	q = s.loan().Payoff(day("2026-05-01"))
	want(t, "flat", q, Payoff{day("2026-05-01"), cents("600.00"), cents("6.40"), 0, 0, cents("606.40"), cents("0.40")})
	paid := &life{t: t, Portfolio: *s.Clone()}
	out := paid.pay("2026-05-01", "606.40")
	want(t, "rebate", effect(t, out, EffectRebated).Amount, cents("29.60"))
	want(t, "left", paid.loan().Payoff(day("2026-12-31")).Total, 0)
	want(t, "status", paid.loan().View(day("2026-05-01")).Status, PaidOff)

	s.pay("2026-05-01", "212.00")
	want(t, "flat, row 4 paid", s.loan().Payoff(day("2026-05-01")).Total, cents("394.40"))
	out = s.pay("2026-05-01", "400.00")
	rebated := money.Amount(0)
	for _, e := range out {
		if e.Kind == EffectRebated {
			rebated += e.Credit
		}
	}
	want(t, "prepaid rebated", rebated, cents("5.60"))
	want(t, "prepaid to principal", sum(effect(t, out, EffectCreditApplied).Parts, ItemPrincipal), cents("5.60"))
	want(t, "surplus", effect(t, out, EffectApplied).Credit, cents("5.60"))
	want(t, "closed", s.loan().Payoff(day("2026-05-01")).Total, 0)
}

// TestLatenessAddsNothing is the example of F7.
func TestLatenessAddsNothing(t *testing.T) {
	s := start(t, the1200())
	s.payRows(1)
	out := s.Advance(day("2026-04-15"))
	want(t, "period 3", effect(t, out[1:], EffectAccrued).Amount, cents("8.08"))
	wantRow(t, s.row(3), "8.08 + 198.98")
	want(t, "DPD", s.loan().DPD(day("2026-04-15")), 31)
}

// TestPrepayment checks the examples of F9.
func TestPrepayment(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	part := s.Clone()
	out := s.pay("2026-03-25", "207.06")
	want(t, "charge", sum(effect(t, out, EffectApplied).Parts, ItemCharge), cents("2.61"))
	want(t, "principal", sum(effect(t, out, EffectApplied).Parts, ItemPrincipal), cents("204.45"))
	want(t, "recognised", effect(t, out, EffectAccrued).Amount, cents("2.61"))
	want(t, "row 3", s.loan().View(day("2026-03-25")).Rows[2].Status, RowPaid)
	wantRow(t, s.row(4), "10.11 + 196.95")
	wantRow(t, s.row(5), "4.07 + 202.99")
	wantRow(t, s.row(6), "2.04 + 203.54")

	s = &life{t: t, Portfolio: *part}
	out = s.pay("2026-03-25", "100.00")
	want(t, "charge", sum(effect(t, out, EffectApplied).Parts, ItemCharge), cents("2.61"))
	wantRow(t, s.row(3), "7.42 + 199.64")
	want(t, "row 3 open", s.row(3).Unpaid(), cents("107.06"))
	want(t, "row 6", s.row(6).Amount(), cents("206.36"))
}

// TestLateFee checks the examples of F10.
func TestLateFee(t *testing.T) {
	fee := func(unpaid, due, run string) money.Amount {
		return LateFee(cents(unpaid), day(due), day(run), percentRate("5"), cents("25.00"), 10)
	}
	want(t, "DPD 10", fee("207.06", "2026-03-15", "2026-03-25"), 0)
	want(t, "DPD 11", fee("207.06", "2026-03-15", "2026-03-26"), cents("10.35"))
	want(t, "cap", fee("1153.51", "2026-03-28", "2026-04-08"), cents("25.00"))
	want(t, "nothing unpaid", fee("0.00", "2026-03-15", "2026-03-26"), 0)
}

// TestReturn is the example of F16.
func TestReturn(t *testing.T) {
	for name, earmark := range map[string][]Ref{"manual": nil, "autopay debit of row 2": {{Order: "o", Installment: 2}}} {
		s := start(t, zero("300.00", 3, "2026-01-15"))
		s.pay("2026-02-15", "100.00")
		s.apply(Event{Kind: EventPayment, Order: "o", Date: day("2026-03-15"), Amount: 10000, Earmark: earmark})
		back := Event{Kind: EventReturn, ID: "r", Order: "o", Payment: s.events[1].ID, Date: day("2026-03-18"), Seq: 9}
		p, _ := Replay(append(s.events, back), day("2026-03-18"))
		alone, _ := Replay([]Event{s.events[0], s.events[2]}, day("2026-03-18"))
		dpd := 3
		if earmark != nil {
			dpd = 31
		}
		want(t, name+" DPD", p.Loans[0].DPD(day("2026-03-18")), dpd)
		want(t, name+" payoff", p.Loans[0].Payoff(day("2026-03-18")), alone.Loans[0].Payoff(day("2026-03-18")))
		if dpd == 3 {
			want(t, "row 1", p.Loans[0].Rows[0].Unpaid(), 0)
		}
	}
}

// TestReturnAfterRefund: what had been sent out is owed at once (F16).
func TestReturnAfterRefund(t *testing.T) {
	s := start(t, zero("300.00", 3, "2026-01-15"))
	s.pay("2026-02-15", "120.00")
	s.apply(Event{Kind: EventPaymentRefund, ID: "pr", Order: "o", Payment: s.events[1].ID, Date: day("2026-02-20"), Amount: 3000})
	s.events = append(s.events, Event{Kind: EventReturn, ID: "r", Order: "o", Payment: s.events[1].ID, Date: day("2026-02-22"), Seq: 8, Amount: 3000})
	p, out := Replay(s.events, day("2026-02-22"))
	want(t, "fee", effect(t, out, EffectFee).Parts[0], Part{"o", ItemOther, 1, "r", 3000, false})
	want(t, "owed", p.Loans[0].Payoff(day("2026-02-22")).Total, cents("330.00"))
}

// TestPaymentRefund is the example of F35.
func TestPaymentRefund(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	out := s.apply(Event{Kind: EventPaymentRefund, Order: "o", Payment: s.events[2].ID, Date: day("2026-03-20"), Amount: 5000})
	e := effect(t, out, EffectReopened)
	if len(e.Parts) != 1 || e.Parts[0] != (Part{"o", ItemPrincipal, 2, "", 5000, false}) || e.Credit != 0 {
		t.Errorf("reopened %+v", e)
	}
	want(t, "row 2 open", s.row(2).Unpaid(), cents("50.00"))
	want(t, "DPD", s.loan().DPD(day("2026-03-20")), 5)
}

// TestPaymentRefundOfPrepayment: reopened principal accrues again from the day of the refund,
// and unapplied money goes first (F35).
func TestPaymentRefundOfPrepayment(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	s.pay("2026-03-25", "900.00")
	want(t, "paid off", s.loan().Payoff(day("2026-03-25")).Total, 0)
	credit := s.Credits[0].Amount
	out := s.apply(Event{Kind: EventPaymentRefund, Order: "o", Payment: s.events[3].ID, Date: day("2026-04-01"), Amount: cents("300.00")})
	e := effect(t, out, EffectReopened)
	want(t, "from credit", e.Credit, credit)
	want(t, "reopened", partsTotal(e.Parts), cents("300.00")-credit)
	want(t, "credits", len(s.Credits), 0)
	s.Advance(day("2026-04-15"))
	open := cents("300.00") - credit
	accrued := money.MulDiv(open*14, 1, 3100)
	want(t, "charge on re-opened principal", s.loan().Payoff(day("2026-04-15")).Total, open+accrued)
}

// TestBackdatedPayment is the example of F34.
func TestBackdatedPayment(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	s.Advance(day("2026-04-20"))
	want(t, "before: row 3 overdue", s.loan().DPD(day("2026-04-20")), 5)
	want(t, "before: period 3", s.row(3).Recognised, cents("8.08"))
	check := Event{Kind: EventPayment, ID: "check", Order: "o", Date: day("2026-03-25"), Seq: 9, Amount: cents("500.00")}
	p, out := Replay(append(s.events, check), day("2026-04-20"))
	l := p.Loans[0]
	var applied Effect
	for _, e := range out {
		if e.Kind == EffectApplied && e.Cause == "check" {
			applied = e
		}
	}
	want(t, "charge", sum(applied.Parts, ItemCharge), cents("2.61"))
	want(t, "principal", sum(applied.Parts, ItemPrincipal), cents("497.39"))
	want(t, "on row 5", applied.Parts[len(applied.Parts)-1], Part{"o", ItemPrincipal, 5, "", cents("85.88"), false})
	want(t, "period 3", l.Rows[2].Recognised, cents("4.71"))
	want(t, "carried", l.Carried, cents("2.10"))
	want(t, "row 3", l.View(day("2026-04-20")).Rows[2].Status, RowPaid)
	want(t, "row 5 open", l.Rows[4].Unpaid(), cents("121.18"))
	want(t, "row 6 open", l.Rows[5].Unpaid(), cents("199.66"))
}

// TestLateFeeUndoneByReplay: a late fee that would not have been assessed is left out, a
// returned payment fee stays (F34).
func TestLateFeeUndoneByReplay(t *testing.T) {
	s := start(t, zero("300.00", 3, "2026-01-15"))
	s.apply(Event{Kind: EventFee, ID: "late", Order: "o", Fee: LateFeeKind, Installment: 1, Date: day("2026-02-26"), Amount: 500})
	s.apply(Event{Kind: EventFee, ID: "back", Order: "o", Fee: ReturnedPaymentFee, Installment: 1, Date: day("2026-02-27"), Amount: 2500})
	want(t, "fees", s.loan().UnpaidFees(), cents("30.00"))
	check := Event{Kind: EventPayment, ID: "check", Order: "o", Date: day("2026-02-14"), Seq: 9, Amount: cents("100.00")}
	p, _ := Replay(append(s.events, check), day("2026-03-01"))
	want(t, "fees after", p.Loans[0].UnpaidFees(), cents("25.00"))
}

// TestHeldCredit: excess of hold_excess pays its order's rows on their due dates (F36).
func TestHeldCredit(t *testing.T) {
	s := start(t, the1200())
	out := s.apply(Event{Kind: EventPayment, ID: "p", Order: "o", Date: day("2026-01-20"), Amount: cents("300.00"), Hold: true})
	want(t, "held", effect(t, out, EffectApplied).Credit, cents("300.00"))
	out = s.Advance(day("2026-03-20"))
	want(t, "row 1", s.row(1).PaidOn, day("2026-02-15"))
	want(t, "row 2 open", s.row(2).Unpaid(), cents("114.12"))
	want(t, "used first", partsTotal(effect(t, out, EffectCreditApplied).Parts), cents("207.06"))
	want(t, "credits", len(s.Credits), 0)
	a := AppliedOf("p", append(s.effects, out...))
	want(t, "applied", partsTotal(a.Parts), cents("300.00"))
	s.check()
}

// TestEarmark: an autopay debit pays exactly its items, its excess goes through the waterfall
// (F12).
func TestEarmark(t *testing.T) {
	s := start(t, the1200())
	s.apply(Event{Kind: EventFee, ID: "nsf", Order: "o", Fee: ReturnedPaymentFee, Installment: 1, Date: day("2026-02-18"), Amount: 2500})
	out := s.apply(Event{Kind: EventPayment, Order: "o", Date: day("2026-02-20"), Amount: cents("217.06"), Earmark: []Ref{{Order: "o", Installment: 1}}})
	parts := effect(t, out, EffectApplied).Parts
	want(t, "row 1", sum(parts, ItemPrincipal)+sum(parts, ItemCharge), cents("207.06"))
	want(t, "excess to the fee", sum(parts, ItemFee), cents("10.00"))
	out = s.apply(Event{Kind: EventWaiver, Order: "o", FeeID: "nsf", Date: day("2026-02-21")})
	want(t, "waived", partsTotal(effect(t, out, EffectWaived).Parts), cents("15.00"))
	want(t, "fees", s.loan().UnpaidFees(), 0)
	want(t, "kept with the fee", s.loan().Fees[0].Waived, cents("15.00"))
	v := s.loan().View(day("2026-02-21"))
	want(t, "fees in the row", v.Rows[0].Fees, cents("10.00"))
	want(t, "total", v.TotalAmount, v.TotalPaid+v.Remaining)
}

// TestMerchantRefund checks the examples of F13.
func TestMerchantRefund(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	out := s.refund("2026-04-01", "300.00")
	e := effect(t, out, EffectRefunded)
	want(t, "from the last row", e.Parts[0], Part{"o", ItemPrincipal, 6, "", cents("205.00"), false})
	for k, text := range map[int]string{3: "6.72 + 200.34", 4: "3.08 + 203.98", 5: "1.04 + 103.61", 6: "CANCELED"} {
		wantRow(t, s.row(k), text)
	}

	s = start(t, amortized("999.99", "24", 3, "2026-08-31"))
	s.payRows(2)
	out = s.refund("2026-11-05", "999.99")
	e = effect(t, out, EffectRefunded)
	want(t, "principal", sum(e.Parts, ItemPrincipal), cents("339.95"))
	want(t, "accrued", sum(e.Parts, ItemCharge), cents("1.13"))
	want(t, "recognised", effect(t, out, EffectAccrued).Amount, cents("1.13"))
	want(t, "credit", e.Credit, cents("658.91"))
	want(t, "latest payment first", e.Shares[0], Share{s.events[2].ID, cents("333.29"), false})
	want(t, "then the one before", e.Shares[1], Share{s.events[1].ID, cents("325.62"), false})
	want(t, "credits", s.Credits[0].Amount+s.Credits[1].Amount, cents("658.91"))
	wantRow(t, s.row(3), "1.13 + 0.00")

	for _, c := range []struct{ amount, rebate, row4, row5 string }{
		{"300.00", "14.80", "12.00 + 200.00", "9.20 + 100.00"},
		{"200.00", "9.87", "12.00 + 200.00", "14.13 + 200.00"},
	} {
		s = start(t, the1200Flat())
		s.payRows(3)
		out = s.refund("2026-05-01", c.amount)
		want(t, "rebate", effect(t, out, EffectRebated).Amount, cents(c.rebate))
		want(t, "earned is recognised", effect(t, out, EffectAccrued).Amount, cents("6.40"))
		wantRow(t, s.row(4), c.row4)
		wantRow(t, s.row(5), c.row5)
		wantRow(t, s.row(6), "CANCELED")
		out = s.Advance(day("2026-05-15"))
		want(t, "rest of period 4", effect(t, out, EffectAccrued).Amount, cents("5.60"))
	}
}

// TestRefundWaivesCharge is F13.7: a full refund within a day costs nothing.
func TestRefundWaivesCharge(t *testing.T) {
	for name, terms := range map[string]Terms{"amortized": the1200(), "flat": the1200Flat()} {
		s := start(t, terms)
		out := s.apply(Event{Kind: EventRefund, Order: "o", Date: day("2026-01-16"), Amount: cents("1200.00"), WaiveCharge: true})
		want(t, name+" payoff", s.loan().Payoff(day("2026-07-15")).Total, 0)
		want(t, name+" status", s.loan().View(day("2026-07-15")).Status, PaidOff)
		if name == "flat" {
			want(t, "all is rebated", effect(t, out, EffectRebated).Amount, cents("72.00"))
		} else {
			want(t, "waived", partsTotal(effect(t, out, EffectWaived).Parts), cents("0.39"))
		}
		s.Advance(day("2026-08-01"))
		s.check()
	}
}

// TestRefundRebatesPrepaidFee: fee paid ahead goes back to its payment (F13.3).
func TestRefundRebatesPrepaidFee(t *testing.T) {
	s := start(t, the1200Flat())
	s.payRows(3)
	p := s.pay("2026-05-01", "424.00") // rows 4 and 5
	out := s.refund("2026-05-01", "190.00")
	var rebate, prepaid money.Amount
	for _, e := range out {
		if e.Kind == EffectRebated {
			rebate, prepaid = rebate+e.Amount, prepaid+e.Credit
		}
	}
	want(t, "rebate", rebate+prepaid, cents("28.12"))
	want(t, "prepaid", prepaid, cents("16.12"))
	want(t, "credit", s.Credits[0], Credit{p[0].Source, "o", day("2026-05-01"), cents("16.12"), false})
	want(t, "payoff", s.loan().Payoff(day("2026-05-01")).Total, cents("8.52"))
	want(t, "still applied", partsTotal(AppliedOf(p[0].Source, s.effects).Parts), cents("424.00")-cents("16.12"))
}

// TestExternalExcess: the excess of an externally managed order is not the borrower's credit
// (F33).
func TestExternalExcess(t *testing.T) {
	s := start(t, zero("100.00", 1, "2026-01-15"))
	s.pay("2026-01-20", "100.00")
	out := s.apply(Event{Kind: EventRefund, Order: "o", Date: day("2026-01-21"), Amount: 4000, ExternalExcess: true})
	want(t, "excess", effect(t, out, EffectRefunded).Credit, cents("40.00"))
	want(t, "credits", len(s.Credits), 0)
}

// TestShortCredit: sending back credit that a replay has reduced leaves a receivable (F16).
func TestShortCredit(t *testing.T) {
	s := start(t, zero("100.00", 1, "2026-01-15"))
	s.pay("2026-01-20", "100.00")
	s.apply(Event{Kind: EventRefund, ID: "rf", Order: "o", Date: day("2026-01-21"), Amount: 4000})
	s.apply(Event{Kind: EventPaymentRefund, ID: "out", Order: "o", Payment: CreditSource("rf", s.events[1].ID), Date: day("2026-01-22"), Amount: 4000})
	want(t, "credits", len(s.Credits), 0)
	s.events = append(s.events, Event{Kind: EventReturn, ID: "r", Order: "o", Payment: s.events[1].ID, Date: day("2026-01-23"), Seq: 9})
	p, _ := Replay(s.events, day("2026-01-23"))
	want(t, "owed", p.Loans[0].Payoff(day("2026-01-23")).Total, cents("100.00"))
	want(t, "receivable", p.Loans[0].Fees[0].Kind, OtherReceivable)
}

// TestOddDays checks F6 with a clamped due day: a capture on 31 January, due on 28 February
// with a due day of 31, has a regular first period.
func TestOddDays(t *testing.T) {
	for _, c := range []struct {
		captured string
		dueDay   int
		want     int
	}{
		{"2026-01-15", 1, 17}, {"2026-01-10", 1, -9}, {"2026-01-31", 31, 0}, {"2026-02-08", 31, -8},
	} {
		terms := amortized("1200.00", "12", 3, c.captured)
		terms.DueDay = c.dueDay
		if got := terms.OddDays(dueDates(terms)[0]); got != c.want {
			t.Errorf("captured %s, due day %d: %d odd days, want %d", c.captured, c.dueDay, got, c.want)
		}
	}
}
