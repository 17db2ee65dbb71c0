package credit_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// evidence is what a reader finds about an order today.
func (w *world) evidence(key string) explain.Evidence {
	v := explain.Evidence{Order: w.all.Orders[key], Loan: w.all.Loans[key], History: w.all.History[key], Day: w.today()}
	for _, c := range w.all.Credits[v.Order.Company] {
		if c.Hold {
			v.Credits = append(v.Credits, c.Credit)
		}
	}
	for _, e := range w.entries {
		if slices.ContainsFunc(e.Postings, func(p ledger.Posting) bool { return p.Order == key }) {
			v.Entries = append(v.Entries, e)
		}
	}
	return v
}

// explained requires that each amount of an order is explained once, with the value shown, by
// an existing rule, and that the named postings add up to it.
func (w *world) explained(key string) map[string]explain.Explanation {
	w.t.Helper()
	v := w.evidence(key)
	byName := map[string]explain.Explanation{}
	for _, x := range explain.Explain(v) {
		if _, twice := byName[x.Amount]; twice || explain.RuleText(x.Rule) == "" {
			w.t.Fatalf("%s of %s is explained twice or by no rule: %+v", x.Amount, key, x)
		}
		byName[x.Amount] = x
		w.carried(v, x)
	}
	for name, want := range shown(v) {
		got, ok := byName[name]
		if !ok || got.Value != want {
			w.t.Fatalf("%s of %s is %s, explained as %s (found %t)", name, key, want, got.Value, ok)
		}
	}
	w.computed(v, byName)
	return byName
}

// carried compares an amount with the postings that it names. What is owed on the loan is
// posted to the cent, unless time has changed more than the last command knew, or the lender
// does not fund the order.
func (w *world) carried(v explain.Evidence, x explain.Explanation) {
	w.t.Helper()
	sum := money.Amount(0)
	seen := map[explain.PostingRef]bool{}
	for _, ref := range x.Postings {
		i := slices.IndexFunc(v.Entries, func(e ledger.Entry) bool { return e.ID == ref.Entry })
		if i < 0 || seen[ref] {
			w.t.Fatalf("%s names line %v, which is not there or named twice", x.Amount, ref)
		}
		if slices.ContainsFunc(v.Entries, func(e ledger.Entry) bool { return e.Reverses == ref.Entry }) || v.Entries[i].Reverses != "" {
			w.t.Fatalf("%s names entry %s, which is reversed", x.Amount, ref.Entry)
		}
		seen[ref] = true
		sum += v.Entries[i].Postings[ref.Line].Amount
	}
	if len(x.Postings) == 0 {
		if x.Unposted != 0 {
			w.t.Fatalf("%s has no postings and leaves %s", x.Amount, x.Unposted)
		}
		return
	}
	if posted := x.Value - x.Unposted; sum != posted && -sum != posted {
		w.t.Fatalf("%s is %s, of that %s unposted; its postings come to %s", x.Amount, x.Value, x.Unposted, sum)
	}
	if x.Unposted != 0 && stands(v) && !v.Order.Terms.Unfunded {
		w.t.Fatalf("%s of %s is %s; its postings leave %s: %+v", x.Amount, v.Order.Key, x.Value, x.Unposted, x)
	}
}

// stands reports whether time alone has changed nothing.
func stands(v explain.Evidence) bool {
	return v.Loan == nil || reflect.DeepEqual(v.Loan.Standing(v.Credits, v.Day).Rows, v.Loan.Rows)
}

// shown are the amounts of the resources, derived again from the records.
func shown(v explain.Evidence) map[string]money.Amount {
	o := v.Order
	out := map[string]money.Amount{
		"amount": o.Amount, "authorized_amount": o.Authorized, "captured_amount": o.Captured, "refunded_amount": o.Refunded,
		"refundable_amount": o.Captured - o.Refunded,
	}
	if o.Terms != nil {
		out["terms.finance_charge"], out["terms.total_of_payments"] = o.Terms.FinanceCharge, o.Terms.TotalOfPayments
	}
	for _, r := range o.Refunds {
		out["refunds["+r.ID+"].amount"] = r.Amount
		if o.Captured > 0 && !o.Terms.Unfunded {
			out["refunds["+r.ID+"].discount_returned"] = r.Discount
		}
	}
	if v.Loan == nil {
		return out
	}
	l := v.Loan.Standing(v.Credits, v.Day)
	view, q := o.View(l, v.Day), l.Payoff(v.Day)
	maps.Copy(out, map[string]money.Amount{
		"schedule.principal": view.Principal, "schedule.finance_charge": view.Charge, "schedule.total_amount": view.TotalAmount,
		"schedule.total_paid": view.TotalPaid, "schedule.remaining_balance": view.Remaining, "schedule.past_due_amount": view.PastDue,
		"schedule.next_due_amount": view.NextDueAmount, "payoff.amount": q.Total, "payoff.principal": q.Principal, "payoff.fees": q.Fees,
		"payoff.finance_charge": q.Total - q.Principal - q.Fees, "payoff.per_diem": q.PerDiem,
	})
	for _, r := range view.Rows {
		row := fmt.Sprintf("schedule.installments[%d].", r.Number)
		maps.Copy(out, map[string]money.Amount{
			row + "amount": r.Amount, row + "principal": r.Principal, row + "finance_charge": r.Charge, row + "fees": r.Fees,
			row + "amount_paid": r.Paid, row + "amount_outstanding": r.Outstanding, row + "remaining_balance": r.Remaining,
		})
	}
	for _, f := range l.Fees {
		out["fees["+f.ID+"].amount"] = f.Amount
	}
	if !o.Terms.Unfunded {
		out["merchant.discount"], out["merchant.payable"] = o.Discount, o.Captured-o.Discount
	}
	return out
}

func input(x explain.Explanation, name string) money.Amount {
	for _, i := range x.Inputs {
		if i.Name == name {
			return cents(i.Value)
		}
	}
	return 0
}

var sliceName = regexp.MustCompile(`^principal for (\d+) days from `)

// computed repeats some of the rules' sums using only the inputs that the explanations name.
func (w *world) computed(v explain.Evidence, by map[string]explain.Explanation) {
	w.t.Helper()
	if v.Loan == nil {
		return
	}
	t := v.Loan.Terms
	for name, x := range by {
		got, ok := money.Amount(0), true
		switch {
		case strings.HasSuffix(name, "].amount") && strings.HasPrefix(name, "schedule"):
			got = input(x, "principal") + input(x, "finance_charge")
		case strings.HasSuffix(name, ".amount_outstanding"):
			got = input(x, "amount") + input(x, "fees") - input(x, "amount_paid")
		case strings.HasSuffix(name, ".remaining_balance") && x.Rule != "F12":
			for _, i := range x.Inputs {
				got += cents(i.Value)
			}
		case strings.HasSuffix(name, "amount_paid"), strings.HasSuffix(name, "total_paid"):
			ok = stands(v)
			for _, i := range x.Inputs {
				got += cents(i.Value)
			}
		case strings.HasSuffix(name, ".principal") && x.Rule == "F1" && len(x.Inputs) == 2 && x.Inputs[1].Name == "finance_charge" && t.DueDay == 0:
			got = input(x, "bound of the installment") - input(x, "finance_charge")
		case strings.HasSuffix(name, ".finance_charge") && x.Rule == "F1" && name != "terms.finance_charge" && name != "schedule.finance_charge" && wholeMonth(t):
			got = money.MulDiv(input(x, "balance before"), int64(t.AnnualRate), 12*money.RateScale)
		case strings.HasSuffix(name, ".finance_charge_earned") && t.Plan == schedule.Amortized && wholeMonth(t) && ended(v, name):
			got = accruedOn(x, t)
		case name == "payoff.amount":
			got = input(x, "payoff.principal") + input(x, "payoff.finance_charge") + input(x, "payoff.fees")
		default:
			ok = false
		}
		if ok && got != x.Value {
			w.t.Fatalf("%s of %s is %s; its inputs give %s: %+v", name, v.Order.Key, x.Value, got, x)
		}
	}
}

func wholeMonth(t schedule.Terms) bool {
	return t.DueDay == 0 && (t.DayCount == "" || t.DayCount == schedule.WholeMonth)
}

// ended reports whether the period of an amount's installment is over.
func ended(v explain.Evidence, name string) bool {
	k, _ := strconv.Atoi(name[strings.Index(name, "[")+1 : strings.Index(name, "]")])
	return k < v.Loan.Current
}

// accruedOn is half_up(Σ N·days·i/D), from the inputs, and at least what a reschedule has kept
// (F7).
func accruedOn(x explain.Explanation, t schedule.Terms) money.Amount {
	sum, days, odd, least := int64(0), int64(0), int64(0), money.Amount(0)
	for _, i := range x.Inputs {
		if i.Name == "odd days of a re-schedule" {
			odd, _ = strconv.ParseInt(i.Value, 10, 64)
		}
		if strings.HasPrefix(i.Name, "earned by ") {
			least = cents(i.Value)
		}
		if m := sliceName.FindStringSubmatch(i.Name); m != nil {
			n, _ := strconv.ParseInt(m[1], 10, 64)
			sum += int64(cents(i.Value)) * n
		}
		if i.Name == "days of the period" {
			days, _ = strconv.ParseInt(i.Value, 10, 64)
		}
	}
	return max(least, money.MulDiv(money.Amount(sum), int64(t.AnnualRate)*(365+12*odd), 12*365*money.RateScale*days))
}

// In every story every order can be explained at its end, and each kind of amount occurs with
// its postings.
func TestStoriesAreExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range storyFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := newStory(t)
		s.seen = func(operation, []credit.Event) {
			for _, key := range slices.Sorted(maps.Keys(s.all.Orders)) {
				for name, x := range s.explained(key) {
					if len(x.Postings) > 0 {
						seen[regexp.MustCompile(`\[.*\]`).ReplaceAllString(name, "[]")] = true
					}
				}
			}
		}
		s.tell(string(text))
	}
	for _, name := range []string{
		"authorized_amount", "captured_amount", "refunded_amount", "terms.finance_charge", "merchant.discount", "merchant.payable",
		"refunds[].amount", "refunds[].discount_returned", "refunds[].taken_from_payable", "refunds[].principal", "refunds[].charge_and_fees",
		"refunds[].credit", "refunds[].rebate", "refunds[].charge_waived", "schedule.principal", "schedule.total_paid",
		"schedule.installments[].amount_paid", "schedule.installments[].finance_charge_earned", "payoff.principal", "payoff.fees",
	} {
		if !seen[name] {
			t.Errorf("%s was never traced to postings", name)
		}
	}
}

// A refund after the payout is clawed back, and the explanation says so (F13, F32).
func TestClawbackIsExplained(t *testing.T) {
	w, shop, o := captured(t, "1200.00")
	paidOut(w, o.Key)
	amount := cents("300.00")
	o = w.must(shop, lending.RefundOrder{Order: o.Key, Amount: &amount}).(*credit.Order)
	by := w.explained(o.Key)
	name := "refunds[" + o.Refunds[0].ID + "]."
	if x := by[name+"clawback"]; x.Value != cents("291.00") || len(x.Postings) != 1 || x.Rule != "F13" {
		t.Errorf("the clawback is explained as %+v", x)
	}
	if x, found := by[name+"taken_from_payable"]; found {
		t.Errorf("and it is taken from the payable too: %+v", x)
	}
}
