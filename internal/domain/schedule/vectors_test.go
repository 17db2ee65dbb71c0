package schedule

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// vectorLoan is how the derived files describe a loan.
type vectorLoan struct {
	ID           string `json:"id"`
	Plan         Plan   `json:"plan"`
	Principal    string `json:"principal"`
	AnnualRate   string `json:"annual_rate_pct"`
	MonthlyFee   string `json:"monthly_fee_rate_pct"`
	Installments int    `json:"installments"`
	Captured     string `json:"capture_date"`
	Level        string `json:"level_payment"`
}

func (v vectorLoan) terms() Terms {
	t := Terms{Plan: v.Plan, Principal: cents(v.Principal), Installments: v.Installments, CaptureDate: day(v.Captured)}
	if v.AnnualRate != "" {
		t.AnnualRate = percentRate(v.AnnualRate)
	}
	if v.MonthlyFee != "" {
		t.MonthlyFeeRate = percentRate(v.MonthlyFee)
	}
	return t
}

type vectorRow struct {
	Nr          int
	DueDate     string `json:"due_date"`
	Collection  string `json:"collection_date"`
	Principal   string
	Charge      string `json:"finance_charge"`
	Interest    string
	Due         string
	Balance     string `json:"balance_after"`
	Paid        string
	Outstanding string
}

func TestDerivedSchedules(t *testing.T) {
	for _, v := range readVectors[struct {
		vectorLoan
		Interest string `json:"total_interest"`
		Total    string `json:"total_of_payments"`
		Rows     []vectorRow
	}](t, "derived_schedules") {
		t.Run(v.ID, func(t *testing.T) {
			l, err := New("o", 0, v.terms())
			if err != nil {
				t.Fatal(err)
			}
			view := l.View(l.AsOf)
			want(t, "level", l.Level, cents(v.Level))
			want(t, "rows", len(view.Rows), len(v.Rows))
			for i, w := range v.Rows {
				r := view.Rows[i]
				got := vectorRow{r.Number, r.DueDate.String(), r.CollectionDate.String(), r.Principal.String(), r.Charge.String(),
					"", r.Amount.String(), r.Remaining.String(), "", ""}
				want(t, "row", got, w)
			}
			if v.Interest != "" {
				want(t, "total charge", view.Charge, cents(v.Interest))
			}
			if v.Total != "" {
				want(t, "total of payments", view.TotalAmount, cents(v.Total))
			}
		})
	}
}

// TestDerivedPrepayment also runs the external C3842, whose refund is shown there as paid:
// outstanding and charge of each row must agree.
func TestDerivedPrepayment(t *testing.T) {
	for _, v := range readVectors[struct {
		vectorLoan
		Events      []struct{ Date, Op, Amount string }
		Allocations []struct {
			Charge      string `json:"finance_charge"`
			Principal   string
			Outstanding string `json:"principal_outstanding"`
		} `json:"expect_allocations"`
		Schedule []vectorRow `json:"expect_schedule"`
		Removed  []int       `json:"removed_installments"`
	}](t, "derived_prepayment") {
		t.Run(v.ID, func(t *testing.T) {
			s := start(t, v.terms())
			for i, e := range v.Events {
				var got Effect
				if e.Op == "payment" {
					got = effect(t, s.pay(e.Date, e.Amount), EffectApplied)
				} else {
					got = effect(t, s.refund(e.Date, e.Amount), EffectRefunded)
				}
				w := v.Allocations[i]
				want(t, "charge", sum(got.Parts, ItemCharge), cents(w.Charge))
				want(t, "principal", sum(got.Parts, ItemPrincipal), cents(w.Principal))
				want(t, "outstanding", s.loan().UnpaidPrincipal(), cents(w.Outstanding))
			}
			for _, w := range v.Schedule {
				r := s.row(w.Nr)
				want(t, fmt.Sprint("row ", w.Nr), r.text(), w.Charge+" + "+w.Principal)
				want(t, "due date", r.DueDate.String(), w.DueDate)
				want(t, "paid", r.Paid(), cents(w.Paid))
				want(t, "open", r.Unpaid(), cents(w.Outstanding))
			}
			for _, k := range v.Removed {
				want(t, fmt.Sprint("row ", k), s.row(k).Canceled, true)
			}
		})
	}
}

func TestFineractMerchantRefund(t *testing.T) {
	for _, v := range readVectors[struct {
		ID   string
		Loan struct {
			Principal    string
			AnnualRate   string `json:"annual_rate_pct"`
			Installments int
			Disbursed    string
		}
		Events   []struct{ Date, Op, Amount string }
		Schedule []vectorRow `json:"expect_schedule"`
	}](t, "fineract_merchant_refund_interest") {
		s := start(t, amortized(v.Loan.Principal, v.Loan.AnnualRate, v.Loan.Installments, v.Loan.Disbursed))
		for _, e := range v.Events {
			if e.Op == "payment" {
				s.pay(e.Date, e.Amount)
			} else {
				s.refund(e.Date, e.Amount)
			}
		}
		for _, w := range v.Schedule {
			want(t, "due date", s.row(w.Nr).DueDate.String(), w.DueDate)
			want(t, "charge", s.row(w.Nr).Charge, cents(w.Charge))
			want(t, "outstanding", s.row(w.Nr).Unpaid(), cents(w.Outstanding))
		}
	}
}

func TestDerivedPayoff(t *testing.T) {
	for _, v := range readVectors[struct {
		vectorLoan
		Paid      int    `json:"installments_paid_on_time"`
		Date      string `json:"payoff_date"`
		Principal string `json:"principal_outstanding"`
		Accrued   string `json:"accrued_finance_charge"`
		EarnedFee string `json:"earned_unpaid_fee"`
		Amount    string `json:"payoff_amount"`
		Remaining string `json:"remaining_scheduled_payments"`
		Saved     string `json:"finance_charge_saved"`
		Rebated   string `json:"fee_rebated"`
	}](t, "derived_payoff") {
		t.Run(v.ID, func(t *testing.T) {
			s := start(t, v.terms())
			s.payRows(v.Paid)
			remaining := s.loan().View(s.loan().AsOf).Remaining
			q := s.loan().Payoff(day(v.Date))
			want(t, "principal", q.Principal, cents(v.Principal))
			want(t, "charge", q.Charge, cents(v.Accrued+v.EarnedFee))
			want(t, "payoff", q.Total, cents(v.Amount))
			if v.Remaining != "" {
				want(t, "remaining", remaining, cents(v.Remaining))
			}
			want(t, "saved", remaining-q.Total, cents(v.Saved+v.Rebated))
			out := s.pay(v.Date, v.Amount)
			want(t, "closed", s.loan().View(day(v.Date)).Status, PaidOff)
			if v.Rebated != "" {
				want(t, "rebate", effect(t, out, EffectRebated).Amount, cents(v.Rebated))
			}
		})
	}
}

func TestDerivedLateFees(t *testing.T) {
	for _, v := range readVectors[struct {
		ID     string
		Unpaid string  `json:"unpaid_installment_amount"`
		Due    string  `json:"due_date"`
		Run    string  `json:"run_date"`
		Grace  int     `json:"grace_days"`
		Rate   string  `json:"rate_pct"`
		Cap    string  `json:"cap"`
		Fee    *string `json:"expect_fee"`
	}](t, "derived_late_fees") {
		expected := money.Amount(0)
		if v.Fee != nil {
			expected = cents(*v.Fee)
		}
		want(t, v.ID, LateFee(cents(v.Unpaid), day(v.Due), day(v.Run), percentRate(v.Rate), cents(v.Cap), v.Grace), expected)
	}
}

func TestDerivedRefunds(t *testing.T) {
	for _, v := range readVectors[struct {
		vectorLoan
		Paid     int    `json:"installments_paid_on_time"`
		Date     string `json:"refund_date"`
		Amount   string `json:"refund_amount"`
		Before   string `json:"principal_before"`
		After    string `json:"principal_after"`
		Excess   string `json:"excess_to_borrower_credit"`
		Schedule []vectorRow
		Rows     []vectorRow `json:"remaining_schedule"`
		Removed  []int       `json:"removed_installments"`
	}](t, "derived_refunds") {
		t.Run(v.ID, func(t *testing.T) {
			s := start(t, v.terms())
			s.payRows(v.Paid)
			want(t, "before", s.loan().UnpaidPrincipal(), cents(v.Before))
			e := effect(t, s.refund(v.Date, v.Amount), EffectRefunded)
			want(t, "after", s.loan().UnpaidPrincipal(), cents(v.After))
			want(t, "excess", e.Credit+sum(e.Parts, ItemCharge), cents(v.Excess))
			view := s.loan().View(s.loan().AsOf)
			for _, w := range v.Rows {
				r := view.Rows[w.Nr-1]
				want(t, fmt.Sprint("row ", w.Nr), s.row(w.Nr).text(), w.Charge+" + "+w.Principal)
				want(t, "due date", r.DueDate.String(), w.DueDate)
				want(t, "balance after", r.Remaining, cents(w.Balance))
			}
			for _, k := range v.Removed {
				want(t, fmt.Sprint("row ", k), s.row(k).Canceled, true)
			}
		})
	}
}

// TestFineractProgressive recomputes level payment tables of another implementation. Its level
// payment is taken as given if its own adjustment produced it. Its actual/actual splits the
// year at 31 December, unlike ours.
func TestFineractProgressive(t *testing.T) {
	for _, v := range readVectors[struct {
		ID, Principal string
		Rate          string `json:"annual_rate_pct"`
		DayCount      string `json:"day_count"`
		Every         int64
		Unit          string
		Disbursed     string
		Level         string `json:"level_payment"`
		LevelRule     string `json:"level_rule"`
		Interest      string `json:"total_interest"`
		Rows          []struct {
			vectorRow
			Balance string
		}
	}](t, "amortization_fineract_progressive") {
		t.Run(v.ID, func(t *testing.T) {
			var rates []money.Fraction
			from := day(v.Disbursed)
			for _, r := range v.Rows {
				due := day(r.DueDate)
				days := int64(from.DaysUntil(due))
				year := map[string]money.Fraction{
					"30/360": {Num: v.Every, Den: 12}, "act/365": {Num: days, Den: 365},
					"act/364": {Num: days, Den: 364}, "actual/actual": cutAtYearEnd(from, due),
				}[v.DayCount]
				rates = append(rates, periodRate(percentRate(v.Rate), year))
				from = due
			}
			level := levelPayment(cents(v.Principal), rates)
			if strings.HasPrefix(v.LevelRule, "plain") {
				want(t, "level", level, cents(v.Level))
			}
			total, balance := money.Amount(0), cents(v.Principal)
			for i, p := range levelParts(cents(v.Principal), cents(v.Level), rates, 0) {
				w := v.Rows[i]
				balance -= p.principal
				total += p.charge
				want(t, fmt.Sprint("row ", i+1), fmt.Sprint(p.principal, p.charge, p.principal+p.charge, balance),
					fmt.Sprint(cents(w.Principal), cents(w.Interest), cents(w.Due), cents(w.Balance)))
			}
			want(t, "total", total, cents(v.Interest))
		})
	}
}

// cutAtYearEnd counts the days up to 31 December in the year that ends.
func cutAtYearEnd(from, to calendar.Date) money.Fraction {
	return actualActual(from+1, to+1)
}

func TestTextbooks(t *testing.T) {
	month := func(percent string, n int) []money.Fraction {
		rate := periodRate(percentRate(percent), money.Fraction{Num: 1, Den: 12})
		return slices.Repeat([]money.Fraction{rate}, n)
	}
	near := func(t *testing.T, what string, got, expected, tolerance money.Amount) {
		t.Helper()
		if got < expected-tolerance || got > expected+tolerance {
			t.Errorf("%s = %s, want %s within %s", what, got, expected, tolerance)
		}
	}
	for _, v := range readVectors[struct {
		ID, Principal string
		Rate          string `json:"annual_rate_pct"`
		N             int
		Level         string `json:"level_payment"`
		Rows          [][3]string
		First         [][3]string                                              `json:"first_3"`
		Rounded       map[string]struct{ Principal, Interest, Balance string } `json:"rows_rounded_to_unit"`
	}](t, "amortization_textbook") {
		t.Run(v.ID, func(t *testing.T) {
			rates, tolerance := month(v.Rate, v.N), money.Amount(2)
			given, _, rounded := strings.Cut(v.Level, " ")
			level := levelPayment(cents(v.Principal), rates)
			if rounded {
				tolerance = 100 // the level payment is rounded up to a whole unit, the rows are printed in units
			}
			near(t, "level", level, cents(given), tolerance)
			balance := cents(v.Principal)
			for i, p := range levelParts(balance, cents(given), rates, 0) {
				balance -= p.principal
				for _, rows := range [][][3]string{v.Rows, v.First} {
					if i < len(rows) {
						text, _, _ := strings.Cut(rows[i][2], "(")
						near(t, "interest", p.charge, cents(rows[i][0]), tolerance)
						near(t, "principal", p.principal, cents(rows[i][1]), tolerance)
						near(t, "balance", balance, cents(text), tolerance)
					}
				}
				if w, ok := v.Rounded[fmt.Sprint("index", i)]; ok {
					near(t, "interest", p.charge, cents(w.Interest), tolerance)
					near(t, "principal", p.principal, cents(w.Principal), tolerance)
					near(t, "balance", balance, cents(w.Balance), tolerance)
				}
			}
		})
	}
}

// TestRebates: what the borrower gets back at payoff, straight-line for a flat fee and
// actuarial for AMORTIZED, is never less than by the rule of 78, which is not used here (F8).
func TestRebates(t *testing.T) {
	for _, v := range readVectors[struct {
		ID, Method string
		Charge     string `json:"finance_charge"`
		Principal  string
		Payment    string
		N          int
		Remaining  int
		Unearned   string
		Payoff     string `json:"payoff_after_12th"`
	}](t, "rebates") {
		switch v.Method {
		case "rule_of_78":
			k, n := int64(v.Remaining), int64(v.N)
			want(t, v.ID, money.MulDiv(cents(v.Charge), k*(k+1), n*(n+1)), cents(v.Unearned))
			if straight := money.MulDiv(cents(v.Charge), k, n); straight < cents(v.Unearned) {
				t.Errorf("%s: straight line gives %s back, the rule of 78 %s", v.ID, straight, v.Unearned)
			}
		case "actuarial":
			// The implied rate, 0.0075099271 a month, is 9.0119 % a year.
			terms := amortized(v.Principal, "9.0119", v.N, "2025-01-15")
			terms.LevelPayment = cents(v.Payment)
			s := start(t, terms)
			s.payRows(v.N - v.Remaining)
			payoff := s.loan().Payoff(s.loan().AsOf).Total
			unearned := cents(v.Payment)*money.Amount(v.Remaining) - payoff
			if off := payoff - cents(v.Payoff); off < -1 || off > 1 {
				t.Errorf("%s: payoff %s, want %s", v.ID, payoff, v.Payoff)
			}
			if off := unearned - cents(v.Unearned); off < -1 || off > 1 || unearned < cents("28.63") {
				t.Errorf("%s: unearned %s, want %s", v.ID, unearned, v.Unearned)
			}
		}
	}
}

func TestDayCounts(t *testing.T) {
	for _, v := range readVectors[struct {
		ID, Convention, Start, End string
		Days                       *int64
		Expected                   string `json:"year_fraction"`
	}](t, "daycount") {
		switch v.Convention {
		case "30/360 bond basis":
			want(t, v.ID, yearFraction(Thirty360Bond, day(v.Start), day(v.End)), money.Fraction{Num: *v.Days, Den: 360})
		case "30/360 US":
			want(t, v.ID, yearFraction(Thirty360US, day(v.Start), day(v.End)), money.Fraction{Num: *v.Days, Den: 360})
		default:
			published, _ := new(big.Rat).SetString(v.Expected)
			off := new(big.Rat).Sub(yearFraction(ActualActual, day(v.Start), day(v.End)).Rat(), published)
			if off.Abs(off).Cmp(big.NewRat(1, 1e10)) > 0 {
				t.Errorf("%s: off by %s from %s", v.ID, off.FloatString(14), v.Expected)
			}
		}
	}
	want(t, "actual/365", yearFraction(Actual365, day("2026-01-15"), day("2026-02-15")), money.Fraction{Num: 31, Den: 365})
	want(t, "by month", yearFraction(WholeMonth, day("2026-01-15"), day("2026-02-15")), money.Fraction{Num: 1, Den: 12})
}
