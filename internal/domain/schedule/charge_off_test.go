package schedule

import (
	"reflect"
	"slices"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

func charged(t *testing.T, plan Plan, events ...Event) (*Portfolio, []Effect) {
	t.Helper()
	terms := Terms{Plan: plan, Principal: cents("1200.00"), Installments: 6, CaptureDate: day("2026-01-15")}
	switch plan {
	case Amortized:
		terms.AnnualRate = money.MustParseRate("0.12")
	case FlatFee:
		terms.MonthlyFeeRate = money.MustParseRate("0.01")
	}
	all := append([]Event{{Kind: EventCapture, ID: "O", Order: "O", Date: day("2026-01-15"), Terms: terms}}, events...)
	for i := range all {
		all[i].Seq, all[i].Order = int64(i), "O"
	}
	p, effects := Replay(all, day("2026-12-31"))
	for _, l := range p.Loans {
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return p, effects
}

// F17: charge stops on the day of the charge-off, and no fee follows. What was unpaid is the
// effect; recoveries pay principal, then charge, then fees.
func TestChargeOff(t *testing.T) {
	fee := Event{Kind: EventFee, ID: "f1", Date: day("2026-02-26"), Fee: LateFeeKind, Installment: 1, Amount: cents("10.35")}
	off := Event{Kind: EventChargeOff, ID: "off", Date: day("2026-06-20")}
	late := Event{Kind: EventFee, ID: "f2", Date: day("2026-06-21"), Fee: ReturnedPaymentFee, Installment: 1, Amount: cents("25.00")}
	for _, x := range []struct {
		plan               Plan
		principal, charges string
	}{
		// periods 1 to 5, and five days of the sixth on what is not yet due (205.00)
		{Amortized, "1200.00", "40.64"}, // 12.00 + 10.05 + 8.08 + 6.09 + 4.08 + 0.34
		{FlatFee, "1200.00", "62.00"},   // 5 × 12.00 + 12.00 × 5/30
		{Zero, "1200.00", "0.00"},
	} {
		p, effects := charged(t, x.plan, fee, off, late)
		l := p.Loans[0]
		v := l.View(day("2026-12-31"))
		if v.Principal != cents(x.principal) || v.Charge != cents(x.charges) || v.Fees != cents("10.35") || v.Status != ChargedOff {
			t.Errorf("%s: principal %s, charge %s, fees %s, %s", x.plan, v.Principal, v.Charge, v.Fees, v.Status)
		}
		i := slices.IndexFunc(effects, func(e Effect) bool { return e.Kind == EffectChargedOff })
		if got := partsTotal(effects[i].Parts); got != v.Remaining || effects[i].Parts[0].Item != ItemFee {
			t.Errorf("%s: %s of %s is charged off: %v", x.plan, got, v.Remaining, effects[i].Parts)
		}
		if q := l.Payoff(day("2026-12-31")); q.Total != v.Remaining || q.PerDiem != 0 {
			t.Errorf("%s: payoff %+v, remaining %s", x.plan, q, v.Remaining)
		}
		pay := Event{Kind: EventPayment, ID: "pay", Date: day("2026-07-01"), Amount: cents("1210.00")}
		p, effects = charged(t, x.plan, fee, off, late, pay)
		got := effects[len(effects)-1].Parts
		if got[0].Item != ItemPrincipal || p.Loans[0].UnpaidPrincipal() != 0 {
			t.Errorf("%s: the recovery pays %v", x.plan, got)
		}
		if x.plan != Zero && (got[len(got)-1].Item != ItemCharge || p.Loans[0].UnpaidFees() == 0) {
			t.Errorf("%s: the recovery ends with %v", x.plan, got)
		}
	}
}

// A flat fee paid before it was earned pays other items of the order when it is charged off.
func TestChargeOffOfPrepaidFee(t *testing.T) {
	pay := Event{Kind: EventPayment, ID: "pay", Date: day("2026-01-20"), Amount: cents("424.00")} // rows 1 and 2
	p, _ := charged(t, FlatFee, pay, Event{Kind: EventChargeOff, ID: "off", Date: day("2026-01-25")})
	v := p.Loans[0].View(day("2026-01-25"))
	if v.TotalPaid != cents("424.00") || v.Charge != cents("3.87") || v.Remaining != cents("779.87") || len(p.Credits) != 0 {
		t.Errorf("%+v, credits %v", v, p.Credits)
	}
}

// F34: a reversed charge-off never happened. Charge continues, recoveries are ordinary
// payments, and so is a payment dated before it and recorded after it.
func TestChargeOffReversed(t *testing.T) {
	late := Event{Kind: EventPayment, ID: "late", Date: day("2026-06-25"), Amount: cents("500.00")}
	off := Event{Kind: EventChargeOff, ID: "off", Date: day("2026-03-20")}
	early := Event{Kind: EventPayment, ID: "early", Date: day("2026-03-10"), Amount: cents("100.00")}
	back := Event{Kind: EventReversal, ID: "back", Date: day("2026-07-01"), ChargeOff: "off"}
	other := Event{Kind: EventReversal, ID: "back", Date: day("2026-07-01"), ChargeOff: "another"}
	for _, plan := range []Plan{Amortized, FlatFee, Zero} {
		want, _ := charged(t, plan, late, early)
		got, effects := charged(t, plan, late, off, early, back)
		if a, b := want.Loans[0].View(day("2026-12-31")), got.Loans[0].View(day("2026-12-31")); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: reversed\n%+v\nnever charged off\n%+v", plan, b, a)
		}
		if slices.ContainsFunc(effects, func(e Effect) bool { return e.Kind == EffectChargedOff || e.Cause == "back" }) {
			t.Errorf("%s: effects of what has never been: %+v", plan, effects)
		}
		if got, _ := charged(t, plan, late, off, early, other); !got.Loans[0].ChargedOff {
			t.Errorf("%s: the reversal of another charge-off counts", plan)
		}
	}
}

// F15: due 2026-03-15, hold from 03-20 until 03-30: five days past due during it, six
// on 03-31. F10: none while a timely payment covers the row.
func TestRelief(t *testing.T) {
	r := Row{Number: 1, DueDate: day("2026-03-15"), Principal: 100}
	hold := Relief{Held: []Span{{day("2026-03-20"), day("2026-03-30")}}}
	for on, want := range map[string]int{
		"2026-03-15": 0, "2026-03-16": 1, "2026-03-20": 5, "2026-03-21": 5, "2026-03-30": 5, "2026-03-31": 6, "2026-04-10": 16,
	} {
		if got := hold.Late(r, day(on)); got != want {
			t.Errorf("on %s the row is %d days late, want %d", on, got, want)
		}
		if got := (Relief{Pending: []int{1}}).Late(r, day(on)); got != 0 {
			t.Errorf("on %s the row is %d days late although a timely payment is pending", on, got)
		}
	}
	early := Relief{Held: []Span{{day("2026-03-10"), day("2026-03-18")}}}
	if got := early.Late(r, day("2026-03-19")); got != 1 {
		t.Errorf("a hold that begins before the due date leaves %d", got)
	}
	l := &Loan{Rows: []Row{r, {Number: 2, DueDate: day("2026-04-15"), Principal: 100}}}
	for after, want := range map[string]string{
		"2026-03-15": "2026-03-16", "2026-03-16": "2026-04-05", "2026-04-05": "2026-04-16", "2026-04-16": "2026-04-26", "2026-04-26": "",
	} {
		if got := l.NextLate(day(after), hold, 1, 11); got.String() != want {
			t.Errorf("after %s the next day is %s, want %s", after, got, want)
		}
	}
	if got := l.NextLate(day("2026-03-15"), Relief{Pending: []int{1, 2}}, 1); got != calendar.None {
		t.Errorf("nothing can be late, and yet %s", got)
	}
}
