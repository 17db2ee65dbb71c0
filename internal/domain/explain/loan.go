package explain

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// scheduleAmounts are a schedule's top-level sums.
func (x *explainer) scheduleAmounts() {
	v, plan := x.view, planRule(x.now.Terms.Plan)
	e := x.add("schedule.principal", v.Principal, plan, of("captured_amount", x.o.Captured))
	lines := x.lines("ORDER_CAPTURED", x.principalAccount())
	if x.now.Refunded != 0 {
		e.Rule, e.Inputs = "F13", append(e.Inputs, of("principal refunded", x.now.Refunded))
		x.effects(func(e *credit.MoneyEvent, p *credit.Posted) {
			if p.Effect.Kind == schedule.EffectRefunded {
				lines = append(lines, x.picked(p.Entries, x.on(x.principalOn(e, &p.Effect)))...)
			}
		})
	}
	x.carry(e, debits, lines)
	x.add("schedule.finance_charge", v.Charge, x.chargeRule(), of("as captured", x.o.Terms.FinanceCharge))
	x.add("schedule.total_amount", v.TotalAmount, plan, of("schedule.principal", v.Principal), of("schedule.finance_charge", v.Charge), of("fees", v.Fees))
	e = x.add("schedule.total_paid", v.TotalPaid, "F12", x.sources(func(schedule.Part) bool { return true })...)
	x.carry(e, credits, x.paidLines(func(int) bool { return true }))
	x.add("schedule.remaining_balance", v.Remaining, "F12", of("schedule.total_amount", v.TotalAmount), of("schedule.total_paid", v.TotalPaid))
	x.add("schedule.past_due_amount", v.PastDue, "F10", dated("on", x.Day), counted("days past due", v.DPD))
	e = x.add("schedule.next_due_amount", v.NextDueAmount, "F12")
	if v.NextDueDate != calendar.None {
		e.Inputs = []Input{dated("next_due_date", v.NextDueDate)}
	}
}

// chargeRule is the rule of the schedule's charge: the plan's as long as it is unchanged.
func (x *explainer) chargeRule() string {
	for k := range x.now.Rows {
		if x.now.Rows[k].Charge != x.first.Rows[k].Charge {
			return x.tailRule()
		}
	}
	return planRule(x.now.Terms.Plan)
}

// tailRule is the rule that changes installments after capture.
func (x *explainer) tailRule() string {
	switch {
	case x.now.ChargedOff:
		return "F17"
	case x.now.Terms.Plan != schedule.FlatFee:
		return "F9"
	case x.now.Refunded != 0:
		return "F13"
	}
	return "F8"
}

// rowAmounts are the amounts of one installment.
func (x *explainer) rowAmounts(k int) {
	v, row := &x.view.Rows[k-1], &x.now.Rows[k-1]
	name := func(member string) string { return fmt.Sprintf("schedule.installments[%d].%s", k, member) }
	x.add(name("amount"), v.Amount, planRule(x.now.Terms.Plan), of("principal", v.Principal), of("finance_charge", v.Charge))
	rule, inputs := x.principalOfRow(k)
	x.add(name("principal"), v.Principal, rule, inputs...)
	rule, inputs = x.chargeOfRow(k)
	x.add(name("finance_charge"), v.Charge, rule, inputs...)
	if stored := x.Loan.Rows[k-1].Recognised; stored != 0 {
		e := x.add(name("finance_charge_earned"), stored, "F7", x.earnedFrom(k)...)
		if !x.wasNotAccruing() {
			x.carry(e, credits, x.accruals(k))
		}
	}
	x.rowFees(k, v, name)
	on := func(part schedule.Part) bool { return part.Installment == k }
	e := x.add(name("amount_paid"), v.Paid, "F12", x.sources(on)...)
	x.carry(e, credits, x.paidLines(func(n int) bool { return n == k }))
	x.add(name("amount_outstanding"), v.Outstanding, "F12", of("amount", v.Amount), of("fees", v.Fees), of("amount_paid", v.Paid))
	later := []Input{}
	for _, r := range x.now.Rows[row.Number:] {
		later = append(later, of(fmt.Sprintf("principal of installment %d", r.Number), r.Principal))
	}
	x.add(name("remaining_balance"), v.Remaining, planRule(x.now.Terms.Plan), later...)
}

func (x *explainer) rowFees(k int, v *schedule.RowView, name func(string) string) {
	e := x.add(name("fees"), v.Fees, "F10")
	var lines []PostingRef
	whole := true
	for _, f := range x.now.Fees {
		if f.Installment != k {
			continue
		}
		e.Rule = feeRule(f.Kind)
		e.Inputs = append(e.Inputs, of("fee "+f.ID, f.Amount))
		these := x.feeLines(f)
		whole = whole && len(these) > 0
		lines = append(lines, these...)
	}
	if whole {
		x.carry(e, debits, lines)
	}
}

// principalOfRow explains an installment's principal: by its plan if it is as captured, else
// by what changed it.
func (x *explainer) principalOfRow(k int) (string, []Input) {
	row, first, n := x.now.Rows[k-1], x.first.Rows[k-1], len(x.now.Rows)
	plan := planRule(x.now.Terms.Plan)
	if row.Principal != first.Principal {
		rule := "F9"
		if x.takenOff(k) || x.now.Terms.Plan == schedule.FlatFee && !x.reamortized() {
			rule = "F13"
		}
		return rule, append(asCaptured(first.Principal, row), x.changes(k)...)
	}
	if k == n {
		return plan, []Input{of("principal", x.now.Terms.Principal), of("principal of the installments before", x.now.Terms.Principal.Sub(first.Principal))}
	}
	if x.now.Terms.Plan == schedule.FlatFee {
		return plan, []Input{of("principal", x.now.Terms.Principal), counted("installments", n)}
	}
	return plan, []Input{of("bound of the installment", first.Target), of("finance_charge", first.Charge)}
}

// asCaptured returns the inputs of an amount that has changed: its original value, and its
// installment's bound (F9).
func asCaptured(was money.Amount, row schedule.Row) []Input {
	inputs := []Input{of("as captured", was)}
	if row.Target != 0 {
		inputs = append(inputs, of("bound of the installment", row.Target))
	}
	return inputs
}

// takenOff reports whether a refund took principal off an installment.
func (x *explainer) takenOff(k int) bool {
	found := false
	x.effects(func(_ *credit.MoneyEvent, p *credit.Posted) {
		if p.Effect.Kind == schedule.EffectRefunded {
			found = found || slices.ContainsFunc(schedule.PrincipalOf(p.Effect.Parts), func(part schedule.Part) bool { return part.Installment == k })
		}
	})
	return found
}

// chargeOfRow does the same for an installment's charge.
func (x *explainer) chargeOfRow(k int) (string, []Input) {
	row, first, t := x.now.Rows[k-1], x.first.Rows[k-1], x.now.Terms
	if row.Charge != first.Charge {
		return x.tailRule(), append(asCaptured(first.Charge, row), x.changes(k)...)
	}
	balance := money.Amount(0)
	for _, r := range x.first.Rows[k-1:] {
		balance = balance.Add(r.Principal)
	}
	switch t.Plan {
	case schedule.Amortized:
		inputs := []Input{of("balance before", balance), {"annual_rate", t.AnnualRate.String()}, {"day_count", dayCountOf(t)}}
		if k == 1 && t.DueDay > 0 {
			return "F6", append(inputs, dated("capture_date", t.CaptureDate), dated("due_date", first.DueDate))
		}
		return "F1", inputs
	case schedule.FlatFee:
		return "F2", []Input{
			of("principal", t.Principal), {"monthly_fee_rate", t.MonthlyFeeRate.String()}, counted("installments", t.Installments),
			of("level payment", x.first.Level), of("principal of the installment", first.Principal),
		}
	}
	return "F3", nil
}

func dayCountOf(t schedule.Terms) string {
	if t.DayCount == "" {
		return string(schedule.WholeMonth)
	}
	return string(t.DayCount)
}

// changes lists what changed installments from number k on: decisions by staff, refunds, money
// that came before its installment was due, and money that went back.
func (x *explainer) changes(k int) []Input {
	out := x.revisions(k)
	due := x.now.Rows[k-1].DueDate
	x.effects(func(e *credit.MoneyEvent, p *credit.Posted) {
		f := &p.Effect
		what, sum := "", money.Amount(0)
		for _, part := range f.Parts {
			if part.Order != x.o.Key || part.Item != schedule.ItemPrincipal && part.Item != schedule.ItemCharge {
				continue
			}
			early := f.Date < x.now.Rows[part.Installment-1].DueDate
			switch {
			case f.Kind == schedule.EffectRefunded && part.Item == schedule.ItemPrincipal:
				what, sum = "principal refunded", sum.Add(part.Amount)
			case f.Kind == schedule.EffectReopened:
				what, sum = "opened again", sum.Add(part.Amount)
			case (f.Kind == schedule.EffectApplied || f.Kind == schedule.EffectCreditApplied) && early:
				what, sum = "paid early", sum.Add(part.Amount)
			}
		}
		if f.Kind == schedule.EffectRebated {
			what, sum = "fee not earned", f.Amount.Add(f.Credit)
		}
		if what != "" && f.Date <= due {
			out = append(out, Input{fmt.Sprintf("%s on %s by %s", what, f.Date, e.ID), sum.String()})
		}
	})
	return out
}

// wasNotAccruing reports whether part of a flat fee was earned in nonaccrual: it is income
// when paid, and no line carries a period's earnings (F18).
func (x *explainer) wasNotAccruing() bool {
	return x.now.Terms.Plan == schedule.FlatFee && len(x.lines("NONACCRUAL_BEGUN", ledger.UnearnedCharge)) > 0
}

// accruals are the lines of the charge earned in a period.
func (x *explainer) accruals(k int) []PostingRef {
	return x.picked(x.standing(), func(e *ledger.Entry, p *ledger.Posting) bool {
		return (e.Event == "FINANCE_CHARGE_ACCRUED" || e.Event == "FINANCE_CHARGE_ADJUSTED") && x.own(p) && (p.Account == ledger.ChargeIncome || p.Account == ledger.NonaccrualContra) && p.Installment == k
	})
}

// sources sums by source the money that paid items of the order, less what was taken back.
func (x *explainer) sources(pick func(schedule.Part) bool) []Input {
	var names []string
	sums := map[string]money.Amount{}
	x.effects(func(_ *credit.MoneyEvent, p *credit.Posted) {
		for _, part := range p.Effect.Parts {
			if sign := paying(p.Effect, part); sign != 0 && part.Order == x.o.Key && pick(part) {
				if _, ok := sums[p.Effect.Source]; !ok {
					names = append(names, p.Effect.Source)
				}
				sums[p.Effect.Source] = sums[p.Effect.Source].Add(sign * part.Amount)
			}
		}
	})
	out := make([]Input, 0, len(names))
	for _, n := range names {
		out = append(out, of("money of "+n, sums[n]))
	}
	return out
}

// paying is +1 for a part that pays an item, −1 for one that takes money back, 0 for neither.
func paying(f schedule.Effect, part schedule.Part) money.Amount {
	switch f.Kind {
	case schedule.EffectApplied, schedule.EffectCreditApplied:
		return +1
	case schedule.EffectRefunded:
		if part.Item != schedule.ItemPrincipal {
			return +1
		}
	case schedule.EffectReopened:
		return -1
	case schedule.EffectRebated:
		if f.Source != "" {
			return -1
		}
	}
	return 0
}

// paidLines are the lines of what was paid on installments. Prepaid fee that was given back is
// on the account of unearned fee.
func (x *explainer) paidLines(pick func(installment int) bool) []PostingRef {
	var out []PostingRef
	x.effects(func(e *credit.MoneyEvent, p *credit.Posted) {
		accounts := x.items()
		switch f := p.Effect; {
		case f.Kind == schedule.EffectRebated && f.Source != "" && len(f.Parts) > 0 && f.Parts[0].Order == x.o.Key && pick(f.Parts[0].Installment):
			out = append(out, x.picked(p.Entries, x.on(ledger.UnearnedCharge))...)
			return
		case f.Kind == schedule.EffectRefunded:
			accounts = x.restOn(e, &f)
		case f.Kind != schedule.EffectApplied && f.Kind != schedule.EffectCreditApplied && f.Kind != schedule.EffectReopened:
			return
		}
		out = append(out, x.picked(p.Entries, func(_ *ledger.Entry, l *ledger.Posting) bool {
			return x.own(l) && slices.Contains(accounts, l.Account) && pick(l.Installment)
		})...)
	})
	return out
}

// payoffAmounts are what pays off the order that day (F8).
func (x *explainer) payoffAmounts() {
	q := x.now.Payoff(x.Day)
	charge := q.Total.Sub(q.Principal).Sub(q.Fees)
	on := dated("on", x.Day)
	x.add("payoff.amount", q.Total, "F8", on, of("payoff.principal", q.Principal), of("payoff.finance_charge", charge), of("payoff.fees", q.Fees))
	x.carry(x.add("payoff.principal", q.Principal, "F8", on), debits, x.unpaidPrincipal())
	due := money.Amount(0)
	for _, r := range x.now.Rows[:min(x.now.Current-1, len(x.now.Rows))] {
		due = due.Add(r.Charge).Sub(r.PaidCharge)
	}
	x.add("payoff.finance_charge", charge, "F8", on, of("unpaid charge of installments that are due", due),
		of("earned since, less what was paid of it", charge.Sub(due)))
	e := x.add("payoff.fees", q.Fees, "F8", on)
	if !x.unfunded() && !x.now.ChargedOff {
		x.carry(e, debits, x.balance(ledger.FeesReceivable, ledger.OtherReceivable))
	}
	x.add("payoff.per_diem", q.PerDiem, "F8", of("principal not yet due", notDue(x.now)), Input{"annual_rate", x.now.Terms.AnnualRate.String()})
}

// unpaidPrincipal are the lines that add up to the unpaid principal: for a charged-off order,
// what the allowance took and recovered.
func (x *explainer) unpaidPrincipal() []PostingRef {
	if !x.now.ChargedOff {
		return x.balance(x.principalAccount())
	}
	return x.picked(x.standing(), func(e *ledger.Entry, p *ledger.Posting) bool {
		return x.own(p) && p.Account == ledger.Allowance && e.Event != credit.EntryAllowanceRaised
	})
}

// notDue is principal that is unpaid and not yet due (F7).
func notDue(l *schedule.Loan) money.Amount {
	sum := money.Amount(0)
	for i := l.Current - 1; i < len(l.Rows); i++ {
		sum = sum.Add(l.Rows[i].Principal).Sub(l.Rows[i].PaidPrincipal)
	}
	return sum
}
