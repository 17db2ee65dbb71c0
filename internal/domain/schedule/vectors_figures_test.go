package schedule

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/money"
)

// The tests here compare the figures of the published and derived files that other tests of
// the same files skip, so that none is left out.

func TestDerivedChargeTotals(t *testing.T) {
	ran := 0
	for _, v := range readVectors[struct {
		vectorLoan
		Flat string `json:"finance_charge_total"`
	}](t, "derived_schedules") {
		if v.Flat == "" {
			continue // its total_interest is compared with the rows
		}
		ran++
		l, err := New("o", 0, v.terms())
		if err != nil {
			t.Fatal(err)
		}
		want(t, v.ID, l.View(l.AsOf).Charge, cents(v.Flat))
	}
	want(t, "flat fees", ran, 2)
}

func TestDerivedPrepaymentAmounts(t *testing.T) {
	for _, v := range readVectors[struct {
		vectorLoan
		Events   []struct{ Date, Op, Amount string }
		Schedule []vectorRow `json:"expect_schedule"`
	}](t, "derived_prepayment") {
		s := start(t, v.terms())
		want(t, v.ID+" level", s.loan().Level, cents(v.Level))
		for _, e := range v.Events {
			if e.Op == "payment" {
				s.pay(e.Date, e.Amount)
			} else {
				s.refund(e.Date, e.Amount)
			}
		}
		want(t, v.ID+" rows", len(v.Schedule)+canceled(s.loan()), len(s.loan().Rows))
		for _, w := range v.Schedule {
			want(t, fmt.Sprint(v.ID, " row ", w.Nr), s.row(w.Nr).Amount(), cents(w.Due))
		}
	}
}

func canceled(l *Loan) int {
	n := 0
	for _, r := range l.Rows {
		if r.Canceled {
			n++
		}
	}
	return n
}

// F8, F40.4: what a flat fee rebates in a straight line at the last due date, and that it is
// no less than the actuarial rebate.
func TestDerivedPayoffChecks(t *testing.T) {
	ran := 0
	for _, v := range readVectors[struct {
		vectorLoan
		Paid  int `json:"installments_paid_on_time"`
		Check *struct {
			Actuarial string `json:"actuarial_unearned_at_last_due_date"`
			Straight  string `json:"straight_line_unearned_at_last_due_date"`
			AtLeast   bool   `json:"straight_line_at_least_actuarial"`
		}
	}](t, "derived_payoff") {
		if v.Check == nil {
			continue
		}
		ran++
		s := start(t, v.terms())
		s.payRows(v.Paid)
		l := s.loan()
		straight := l.View(l.AsOf).Remaining - l.Payoff(l.AsOf).Total
		want(t, v.ID+" straight line", straight, cents(v.Check.Straight))
		want(t, v.ID+" at least actuarial", straight >= cents(v.Check.Actuarial), v.Check.AtLeast)
	}
	want(t, "checks", ran, 1)
}

// TestDerivedAllocationLeft compares what is left of each item, and its due date.
func TestDerivedAllocationLeft(t *testing.T) {
	type applied struct{ Order, Kind, Due, Applied, Left string }
	for _, v := range readVectors[struct {
		ID     string
		AsOf   string `json:"as_of"`
		Scope  string
		Hold   bool `json:"hold_excess"`
		Amount string
		Items  []allocationItem
		Expect []struct {
			applied
			Nr int
		} `json:"expect_applied"`
	}](t, "derived_allocation") {
		p := &Portfolio{Loans: []*Loan{loanOfItems("X", v.Items), loanOfItems("Y", v.Items)}}
		e := Event{Kind: EventPayment, ID: "p", Date: day(v.AsOf), Amount: cents(v.Amount), Hold: v.Hold}
		if v.Scope != "company" {
			e.Order = v.Scope
		}
		p.Apply(e)
		for _, w := range v.Expect {
			l := p.Loan(w.Order)
			got := applied{Order: w.Order, Kind: w.Kind, Applied: w.Applied}
			switch w.Kind {
			case "late_fee":
				got.Due, got.Left = l.Fees[0].Date.String(), l.Fees[0].Unpaid().String()
			case "principal":
				r := l.Rows[w.Nr-1]
				got.Due, got.Left = r.DueDate.String(), (r.Principal - r.PaidPrincipal).String()
			default:
				r := l.Rows[w.Nr-1]
				got.Due, got.Left = r.DueDate.String(), (r.Charge - r.PaidCharge).String()
			}
			want(t, v.ID, got, w.applied)
		}
	}
}

// TestMerchantRefundTotals: the totals, and what each event did to charge, principal and
// balance. The files show the refund as paid, so here paid and due are lower by the refund.
func TestMerchantRefundTotals(t *testing.T) {
	type totals struct {
		Charge                 string `json:"finance_charge"`
		Due, Paid, Outstanding string
	}
	for _, v := range readVectors[struct {
		ID   string
		Loan struct {
			Principal    string
			AnnualRate   string `json:"annual_rate_pct"`
			Installments int
			Disbursed    string
		}
		Events       []struct{ Date, Op, Amount string }
		Totals       totals `json:"expect_totals"`
		Transactions []struct {
			Date, Type, Amount, Principal, Balance string
			Charge                                 string `json:"finance_charge"`
		} `json:"expect_transactions"`
	}](t, "fineract_merchant_refund_interest") {
		s := start(t, amortized(v.Loan.Principal, v.Loan.AnnualRate, v.Loan.Installments, v.Loan.Disbursed))
		refunded := money.Amount(0)
		for i, e := range v.Events {
			var got Effect
			if e.Op == "payment" {
				got = effect(t, s.pay(e.Date, e.Amount), EffectApplied)
			} else {
				got = effect(t, s.refund(e.Date, e.Amount), EffectRefunded)
				refunded += cents(e.Amount)
			}
			w := v.Transactions[i]
			want(t, w.Type, fmt.Sprint(sum(got.Parts, ItemCharge), " ", sum(got.Parts, ItemPrincipal), " ", s.loan().UnpaidPrincipal()),
				fmt.Sprint(w.Charge, " ", w.Principal, " ", w.Balance))
		}
		x := s.loan().View(s.loan().AsOf)
		got := totals{x.Charge.String(), (x.TotalAmount + refunded).String(), (x.TotalPaid + refunded).String(), x.Remaining.String()}
		want(t, v.ID, got, v.Totals)
	}
}

// The scenarios of allocation_flat that are not run follow prepayment rules other than F9; the
// one that shows a status ends paid off.
func TestAllocationFlatRules(t *testing.T) {
	foreign := map[string]string{
		"flat-Loan:2442": "LAST_INSTALLMENT: prepayments pays the last row",
		"flat-Loan:2528": "REAMORTIZATION: prepayments lowers all later rows",
		"flat-Loan:2614": "REAMORTIZATION: prepayments lowers all later rows",
	}
	all := readVectors[struct {
		ID    string
		Rules []struct {
			Rule string `json:"future_rule"`
		} `json:"future_rules"`
	}](t, "allocation_flat")
	want(t, "scenarios", len(all), 7)
	for _, v := range all {
		why, known := foreign[v.ID]
		other := slices.ContainsFunc(v.Rules, func(r struct {
			Rule string `json:"future_rule"`
		}) bool {
			return r.Rule != "NEXT_INSTALLMENT"
		})
		if other != known {
			t.Errorf("%s: rules %v, reason %q", v.ID, v.Rules, why)
		}
		if known {
			t.Logf("%s is not run: %s", v.ID, why)
		}
	}
}

// The two vectors of rebates.json that TestRebates does not run show what the rule of 78 earns
// early: more than the straight line that a flat fee earns here.
func TestRuleOf78EarnsEarly(t *testing.T) {
	ran := 0
	for _, v := range readVectors[struct {
		ID, Method string
		Charge     string `json:"finance_charge"`
		N, Month   int64
		Through    int64 `json:"through_month"`
		Earned     string
		Percent    string `json:"earned_pct"`
	}](t, "rebates") {
		sum := v.N * (v.N + 1) / 2
		switch v.Method {
		case "rule_of_78_earned_in_month":
			ran++
			want(t, v.ID, money.MulDiv(cents(v.Charge), v.N-v.Month+1, sum), cents(v.Earned))
			if even := money.MulDiv(cents(v.Charge), 1, v.N); even >= cents(v.Earned) {
				t.Errorf("%s: a straight line earns %s in the month", v.ID, even)
			}
		case "rule_of_78_earned_fraction":
			ran++
			want(t, v.ID, money.MulDiv(100_00, v.N*v.Through-v.Through*(v.Through-1)/2, sum), cents(v.Percent))
			if even := money.MulDiv(100_00, v.Through, v.N); even >= cents(v.Percent) {
				t.Errorf("%s: a straight line earns %s %%", v.ID, even)
			}
		}
	}
	want(t, "vectors", ran, 2)
}

// TestTextbookTotals compares the last payment and the totals printed in two of the textbook
// tables.
func TestTextbookTotals(t *testing.T) {
	ran := 0
	for _, v := range readVectors[struct {
		ID, Principal string
		Rate          string `json:"annual_rate_pct"`
		N             int
		Level         string `json:"level_payment"`
		Last          string `json:"last_payment"`
		Interest      string `json:"total_interest_rounded"`
		Total         string `json:"total_payment_rounded"`
	}](t, "amortization_textbook") {
		rate := periodRate(percentRate(v.Rate), money.Fraction{Num: 1, Den: 12})
		given, _, _ := strings.Cut(v.Level, " ")
		parts := levelParts(cents(v.Principal), cents(given), slices.Repeat([]money.Fraction{rate}, v.N), 0)
		interest := money.Amount(0)
		for _, p := range parts {
			interest += p.charge
		}
		for what, x := range map[string]struct {
			text           string
			got, tolerance money.Amount
		}{
			"last payment":   {v.Last, parts[v.N-1].principal + parts[v.N-1].charge, 12}, // each row there is rounded up
			"total interest": {v.Interest, interest, 100},                                // printed in units
			"total payment":  {v.Total, interest + cents(v.Principal), 100},
		} {
			if x.text == "" {
				continue
			}
			ran++
			if off := x.got - cents(x.text); off < -x.tolerance || off > x.tolerance {
				t.Errorf("%s: %s %s, want %s", v.ID, what, x.got, x.text)
			}
		}
	}
	want(t, "figures", ran, 3)
}

// The schedule of the worked example, at capture and after the refund.
func TestWorkedExampleSchedules(t *testing.T) {
	raw, err := os.ReadFile("../../app/demo/journal.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Terms   struct{ Plan Plan }
			Initial []vectorRow `json:"initial_schedule"`
			After   []struct {
				vectorRow
				Status string
			} `json:"schedule_after_refund_2026-04-01"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	v := file.Vectors[0]
	want(t, "rows", fmt.Sprintf("%d %d %s", len(v.Initial), len(v.After), v.Terms.Plan), "6 4 AMORTIZED")
	s := start(t, the1200())
	for i, w := range v.Initial {
		r := s.loan().View(s.loan().AsOf).Rows[i]
		want(t, "row", vectorRow{Nr: r.Number, DueDate: r.DueDate.String(), Collection: r.CollectionDate.String(),
			Principal: r.Principal.String(), Charge: r.Charge.String(), Due: r.Amount.String()}, w)
	}
	s.payRows(2)
	s.refund("2026-04-01", "300.00")
	for _, w := range v.After {
		r := s.row(w.Nr)
		want(t, "row after the refund", vectorRow{Nr: r.Number, DueDate: r.DueDate.String(),
			Principal: r.Principal.String(), Charge: r.Charge.String(), Due: r.Amount().String()}, w.vectorRow)
		want(t, "removed", r.Canceled, w.Status == "removed")
	}
}

// TestSpreadsheetTable runs the spreadsheet functions that a schedule can answer: level
// payment, and the parts of one or several rows. Rows are rounded to the cent here, so a
// figure may be off by half a cent per row up to it. Functions covered by other tests or by
// none are listed.
func TestSpreadsheetTable(t *testing.T) {
	elsewhere := map[string]string{
		"RATE": "by the rate solver", "IRR": "by the rate solver", "XIRR": "by the rate solver",
		"EFFECT": "by the rate solver", "NOMINAL": "by the rate solver", "YEARFRAC": "by the day counts",
	}
	nowhere := map[string]string{
		"pmt-1": "a payment that saves up a future value", "pmt-3": "a future value, payments at the beginning of a period",
		"ipmt-23": "a future value", "fv-30": "a future value", "pv-32": "a future value", "xnpv-16": "a present value at a rate of one's own",
		"nper-17": "the number of periods is given", "nper-19": "the number of periods is given", "nper-49": "the number of periods is given",
	}
	count := map[string]int{}
	for _, v := range readVectors[struct {
		ID, Function, Expected string
		Args                   []string
	}](t, "excel_tvm") {
		if why := elsewhere[v.Function]; why != "" {
			count["elsewhere"]++
			continue
		}
		if why := nowhere[v.ID]; why != "" {
			count["nowhere"]++
			t.Logf("%s is not run: %s", v.ID, why)
			continue
		}
		count["here"]++
		got, rows := spreadsheet(t, v.Function, v.Args)
		expected, _ := new(big.Rat).SetString(v.Expected)
		off := new(big.Rat).Add(expected.Mul(expected, big.NewRat(100, 1)), big.NewRat(int64(got), 1))
		if off.Abs(off).Cmp(big.NewRat(int64(rows), 2)) > 0 {
			t.Errorf("%s: %s here, %s there", v.ID, got, v.Expected)
		}
	}
	want(t, "vectors", fmt.Sprint(count), "map[elsewhere:10 here:10 nowhere:9]")
}

// spreadsheet computes a function and returns how many roundings the result may contain.
func spreadsheet(t *testing.T, function string, args []string) (money.Amount, int) {
	t.Helper()
	i := args
	row := ""
	if function == "PPMT" || function == "IPMT" {
		i, row = []string{args[0], args[2], args[3]}, args[1]
	}
	n := int(product(t, i[1]).Num().Int64())
	principal := cents(decimals(i[2]))
	rates := slices.Repeat([]money.Fraction{rateOf(product(t, i[0]))}, n)
	level := levelPayment(principal, rates)
	if function == "PMT" {
		return level, 1
	}
	parts := levelParts(principal, level, rates, 0)
	from, to := row, row
	if row == "" {
		from, to = args[3], args[4]
	}
	a, _ := strconv.Atoi(from)
	b, _ := strconv.Atoi(to)
	sum := money.Amount(0)
	for _, p := range parts[a-1 : b] {
		if function == "IPMT" || function == "CUMIPMT" {
			sum += p.charge
		} else {
			sum += p.principal
		}
	}
	return sum, b + 1
}

// product reads "0.1/12" and "30*12".
func product(t *testing.T, text string) *big.Rat {
	t.Helper()
	a, b, times := strings.Cut(text, "*")
	if times {
		return new(big.Rat).Mul(product(t, a), product(t, b))
	}
	a, b, over := strings.Cut(text, "/")
	x, ok := new(big.Rat).SetString(a)
	if !ok {
		t.Fatal(text)
	}
	if over {
		x.Quo(x, product(t, b))
	}
	return x
}

func rateOf(r *big.Rat) money.Fraction {
	return money.Fraction{Num: r.Num().Int64(), Den: r.Denom().Int64()}
}
