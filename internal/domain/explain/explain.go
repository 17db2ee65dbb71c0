// Package explain traces every amount of an order, its schedule or its payoff to the rule that
// produced it, the rule's inputs, and the postings that make it up. It only reads.
package explain

import (
	"fmt"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Evidence is what an order's amounts are explained from, all from one snapshot.
type Evidence struct {
	Order   *credit.Order
	Loan    *schedule.Loan      // as stored; nil before capture
	Credits []schedule.Credit   // held for the order, which pay what falls due; the company's others do no harm
	History []credit.MoneyEvent // of the order
	Entries []ledger.Entry      // with a posting on the order, in posting order
	Day     calendar.Date       // as of which the amounts are shown, today or later
}

// Explanation traces one amount of an order, its schedule or its payoff: the rule that
// produced it, the rule's inputs, and the postings that make it up.
//
// Amount is its name in the resource. Brackets identify the element of an array: the number of
// an installment, the identifier of a refund or a fee.
type Explanation struct {
	Amount string
	Value  money.Amount
	Rule   string // F0 to F40; RuleText describes it in a sentence
	Inputs []Input
	// Postings are the lines that make up the amount: their sum, as a debit or as a credit, is
	// Value less Unposted. There are none if no lines carry it alone: what is projected is in
	// no book yet.
	Postings []PostingRef
	Unposted money.Amount
}

// Input is one input of a rule, formatted.
type Input struct{ Name, Value string }

// PostingRef identifies a line of an entry, counted from 0.
type PostingRef struct {
	Entry string
	Line  int
}

// Entries lists the entries of the postings without duplicates, in posting order.
func (x *Explanation) Entries() []string {
	out := []string{}
	seen := map[string]bool{}
	for _, p := range x.Postings {
		if !seen[p.Entry] {
			seen[p.Entry] = true
			out = append(out, p.Entry)
		}
	}
	return out
}

// Held are those of a company's credits that wait for due dates of orders.
func Held(credits []credit.Credit) (out []schedule.Credit) {
	for _, c := range credits {
		if c.Hold && c.Order != "" {
			out = append(out, c.Credit)
		}
	}
	return out
}

// Explain explains every amount shown for an order: the order itself, its schedule and its
// payoff that day once it is captured, and the merchant's amounts. Each amount appears once,
// in the order of the resources.
func Explain(v Evidence) []Explanation {
	x := newExplainer(v)
	x.orderAmounts()
	x.termsAmounts()
	x.merchantAmounts()
	for _, r := range x.o.Refunds {
		x.refundAmounts(r)
	}
	if x.now != nil {
		x.scheduleAmounts()
		for k := range x.now.Rows {
			x.rowAmounts(k + 1)
		}
		for _, f := range x.now.Fees {
			x.feeAmount(f)
		}
		x.payoffAmounts()
	}
	return x.out
}

// explainer holds the evidence and what is derived from it.
type explainer struct {
	Evidence
	o     *credit.Order
	now   *schedule.Loan // as of that day, nil before capture
	first *schedule.Loan // as captured
	view  schedule.View
	undo  map[string]bool // reversed entries, and their reversals
	at    map[string]int  // index of an entry
	out   []Explanation
}

func newExplainer(v Evidence) *explainer {
	x := &explainer{Evidence: v, o: v.Order, undo: map[string]bool{}, at: map[string]int{}}
	for i, e := range v.Entries {
		x.at[e.ID] = i
		if e.Reverses != "" {
			x.undo[e.ID], x.undo[e.Reverses] = true, true
		}
	}
	if v.Loan == nil {
		return x
	}
	x.now = v.Loan.Standing(v.Credits, v.Day)
	x.view = x.o.View(x.now, v.Day)
	first, err := schedule.New(v.Loan.Key, v.Loan.CapturedAt, v.Loan.Terms)
	if err != nil { // the loan was created with the same terms
		panic(fmt.Sprintf("credit: the loan of %s cannot be made again: %v", v.Loan.Key, err))
	}
	x.first = first
	return x
}

// add appends an explanation. The result is valid until the next call.
func (x *explainer) add(amount string, value money.Amount, rule string, inputs ...Input) *Explanation {
	x.out = append(x.out, Explanation{Amount: amount, Value: value, Rule: rule, Inputs: inputs})
	return &x.out[len(x.out)-1]
}

// The two ways to sum postings.
const (
	debits  = money.Amount(+1)
	credits = money.Amount(-1)
)

// carry sets the postings of an explanation.
func (x *explainer) carry(e *Explanation, side money.Amount, postings []PostingRef) {
	if len(postings) == 0 {
		return
	}
	sum := money.Amount(0)
	for _, p := range postings {
		sum = sum.Add(x.Entries[x.at[p.Entry]].Postings[p.Line].Amount)
	}
	e.Postings, e.Unposted = postings, e.Value.Sub(side*sum)
}

func of(name string, value money.Amount) Input { return Input{name, value.String()} }

func counted(name string, n int) Input { return Input{name, strconv.Itoa(n)} }

func dated(name string, d calendar.Date) Input { return Input{name, d.String()} }

// orderAmounts are an order's top-level amounts.
func (x *explainer) orderAmounts() {
	o := x.o
	switch {
	case o.Captured > 0:
		x.add("amount", o.Amount, "F31", of("captured_amount", o.Captured))
	case o.Reserved > 0:
		x.add("amount", o.Amount, "F26", of("reserved", o.Reserved))
	default:
		x.add("amount", o.Amount, "F30", Input{"asked for by the merchant", o.Amount.String()})
	}
	reserved := x.reservation()
	if o.Parent != "" {
		x.add("authorized_amount", o.Authorized, "F31", Input{"taken from the reservation of", o.Parent})
	} else {
		x.carry(x.add("authorized_amount", o.Authorized, "F26", of("reserved now", o.Reserved)), debits, reserved)
	}
	captured := Input{"authorized_amount", o.Authorized.String()}
	if o.Parent != "" {
		captured = Input{"parent_key", o.Parent}
	}
	e := x.add("captured_amount", o.Captured, "F26", captured)
	if o.Parent != "" {
		e.Rule = "F31"
	}
	if o.Captured > 0 {
		e.Inputs = append(e.Inputs, dated("capture_date", o.CaptureDate))
	}
	x.carry(e, debits, x.lines("ORDER_CAPTURED", x.principalAccount()))
	x.refunded()
	x.add("refundable_amount", o.Captured.Sub(o.Refunded), "F13", of("captured_amount", o.Captured), of("refunded_amount", o.Refunded))
}

// reservation are the lines of the memo account up to the last amount reserved, without the
// one that finally released all of it (OR5, F14).
func (x *explainer) reservation() []PostingRef {
	all := x.picked(x.standing(), func(e *ledger.Entry, p *ledger.Posting) bool { return x.own(p) && p.Account == ledger.Reserved })
	if x.o.Reserved == 0 && len(all) > 0 {
		return all[:len(all)-1]
	}
	return all
}

func (x *explainer) refunded() {
	e := x.add("refunded_amount", x.o.Refunded, "F13")
	var lines []PostingRef
	whole := true
	for _, r := range x.o.Refunds {
		e.Inputs = append(e.Inputs, of("refund "+r.ID, r.Amount))
		these := x.refundLines(r)
		whole = whole && len(these) > 0
		lines = append(lines, these...)
	}
	if whole {
		x.carry(e, x.refundSide(), lines)
	}
}

// termsAmounts are the figures of the terms: those of the capture, or before it those of a
// capture on the day of authorization.
func (x *explainer) termsAmounts() {
	t := x.o.Terms
	if t == nil {
		return
	}
	principal := x.o.Amount
	if x.o.Captured > 0 {
		principal = x.o.Captured
	}
	inputs := []Input{
		{"plan", string(t.Plan)}, of("principal", principal), counted("installments", t.Installments),
		{"annual_rate", t.AnnualRate.String()}, {"monthly_fee_rate", t.MonthlyFeeRate.String()},
	}
	if x.first != nil {
		inputs = append(inputs, of("level payment", x.first.Level))
	}
	e := x.add("terms.finance_charge", t.FinanceCharge, planRule(t.Plan), inputs...)
	x.carry(e, debits, x.lines("FLAT_FEE_BOOKED", ledger.ChargeReceivable))
	x.add("terms.total_of_payments", t.TotalOfPayments, planRule(t.Plan), of("principal", principal), of("terms.finance_charge", t.FinanceCharge))
}

// merchantAmounts are a capture's amounts for the merchant (F32).
func (x *explainer) merchantAmounts() {
	o := x.o
	if o.Captured == 0 || o.Terms.Unfunded {
		return
	}
	e := x.add("merchant.discount", o.Discount, "F32", of("captured_amount", o.Captured), Input{"merchant_discount_rate", o.Terms.DiscountRate.String()})
	if before := o.Servicing.CapturedBefore; before > 0 {
		e.Rule = "F41.10"
		e.Inputs = append(e.Inputs, of("captured in parts before", before))
	}
	x.carry(e, credits, x.lines("ORDER_CAPTURED", ledger.MerchantDiscount))
	e = x.add("merchant.payable", o.Captured.Sub(o.Discount), "F32", of("captured_amount", o.Captured), of("merchant.discount", o.Discount))
	x.carry(e, credits, x.lines("ORDER_CAPTURED", ledger.MerchantPayable))
}
