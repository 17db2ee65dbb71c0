package schedule

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// unearned is the fee of FLAT_FEE that is not yet earned, paid or not.
func (l *Loan) unearned() money.Amount {
	row := l.running()
	if row == nil {
		return 0
	}
	sum := row.Charge - l.earned()
	for i := l.Current; i < len(l.Rows); i++ {
		sum += l.Rows[i].Charge
	}
	return sum
}

// flatCharge is fee earned to date less fee paid to date; negative if fee was paid before it
// was earned.
func (l *Loan) flatCharge() money.Amount {
	sum := -l.unearned()
	for i := range l.Rows {
		sum += l.Rows[i].Charge - l.Rows[i].PaidCharge
	}
	return sum
}

// flatPayoff is F8 for FLAT_FEE, without late fees. It falls by one cent for each cent paid.
func (l *Loan) flatPayoff() money.Amount { return l.UnpaidPrincipal() + l.flatCharge() }

// closeFlat ends a flat fee at payoff: the unearned fee is rebated, the prepaid part of it
// pays open charge and principal, and any surplus becomes credit of its source (F8, F36).
// Prepaid money of u itself is reused at once, without passing through credit.
func (p *Portfolio) closeFlat(l *Loan, cause string, date calendar.Date, u *funds) []Effect {
	earned, total := l.earned(), l.unearned()
	var back []Prepaid
	for k := len(l.Rows); k >= l.Current; k-- {
		l.Rows[k-1].Charge = 0
		if k == l.Current {
			l.Rows[k-1].Charge = earned
		}
		back = append(back, l.giveBack(k)...)
	}
	l.Earned, l.EarnedFrom = earned, l.AsOf
	slices.Reverse(back)
	out := p.rebate(l, cause, date, total, back, u)
	for len(back) > 0 {
		source := back[0].Source
		again := &funds{source: source, date: date}
		rest := back[:0:0]
		for _, b := range back {
			if b.Source == source {
				again.left += b.Amount
			} else {
				rest = append(rest, b)
			}
		}
		back = rest
		for k := 1; k <= len(l.Rows); k++ {
			again.payOpen(l, k)
		}
		out = append(out, p.useAgain(l, cause, again, u)...)
	}
	return out
}

// useAgain books what reused rebate money has paid.
func (p *Portfolio) useAgain(l *Loan, cause string, again, u *funds) []Effect {
	if u != nil && again.source == u.source {
		for _, part := range again.parts {
			u.parts = mergePart(u.parts, part)
		}
		u.left += again.left
		return nil
	}
	spent := partsTotal(again.parts)
	if spent == 0 {
		return nil
	}
	p.takeCredit(again.source, spent)
	a := p.applied(again.source)
	a.Parts = append(a.Parts, again.parts...)
	return []Effect{{Kind: EffectCreditApplied, Cause: cause, Date: again.date, Source: again.source, Order: l.Key, Parts: again.parts}}
}

// payOpen pays what is open on a row of a closed flat fee.
func (u *funds) payOpen(l *Loan, k int) {
	row := &l.Rows[k-1]
	x := min(u.left, row.Charge-row.PaidCharge)
	row.PaidCharge += x
	if k >= l.Current && x > 0 {
		l.Prepaid = append(l.Prepaid, Prepaid{u.source, k, x})
	}
	u.spend(Part{l.Key, ItemCharge, k, "", x, false})
	x = min(u.left, row.Principal-row.PaidPrincipal)
	row.PaidPrincipal += x
	u.spend(Part{l.Key, ItemPrincipal, k, "", x, false})
}

// giveBack takes back what was paid on a row above its charge, latest money first.
func (l *Loan) giveBack(k int) []Prepaid {
	row := &l.Rows[k-1]
	var back []Prepaid
	for i := len(l.Prepaid) - 1; i >= 0 && row.PaidCharge > row.Charge; i-- {
		if l.Prepaid[i].Installment != k {
			continue
		}
		x := min(l.Prepaid[i].Amount, row.PaidCharge-row.Charge)
		row.PaidCharge -= x
		back = append(back, Prepaid{l.Prepaid[i].Source, k, x})
		if l.Prepaid[i].Amount -= x; l.Prepaid[i].Amount == 0 {
			l.dropPrepaid(i)
		}
	}
	return back
}

// rebate books a rebate of total: parts that had been paid become credit of their sources, the
// rest was never paid. Money of u itself is removed from its parts instead.
func (p *Portfolio) rebate(l *Loan, cause string, date calendar.Date, total money.Amount, back []Prepaid, u *funds) []Effect {
	var paid []Effect
	for _, b := range back {
		part := Part{l.Key, ItemCharge, b.Installment, "", b.Amount, false}
		if u != nil && b.Source == u.source {
			own := Applied{Parts: u.parts}
			own.take(part)
			u.parts = own.Parts
			continue
		}
		total -= b.Amount
		p.addCredit(Credit{Source: b.Source, Order: l.Key, Date: date, Amount: b.Amount})
		p.applied(b.Source).take(part)
		paid = append(paid, Effect{Kind: EffectRebated, Cause: cause, Date: date, Source: b.Source, Order: l.Key,
			Parts: []Part{part}, Credit: b.Amount})
	}
	if total == 0 {
		return paid
	}
	return append([]Effect{{Kind: EffectRebated, Cause: cause, Date: date, Order: l.Key, Amount: total}}, paid...)
}

// rebateFor takes the fee that a merchant refund frees out of the rows (F13.3): rows before
// the last one that keeps principal keep their parts, that row takes the rest, and any
// shortfall reduces the rows before it. It returns the rebate and the prepaid part of it.
func (l *Loan) rebateFor(applied, unpaid money.Amount) (money.Amount, []Prepaid) {
	if l.running() == nil || unpaid == 0 {
		return 0, nil
	}
	earned, unearned := l.earned(), l.unearned()
	rebate := money.MulDiv(unearned, int64(applied), int64(unpaid))
	l.Rows[l.Current-1].Charge -= earned // from here on rows hold unearned parts only
	last := l.Current
	for k := l.Current; k <= len(l.Rows); k++ {
		if l.Rows[k-1].Principal > 0 {
			last = k
		}
	}
	rest := unearned - rebate
	for k := l.Current; k < last; k++ {
		rest -= l.Rows[k-1].Charge
	}
	for k := len(l.Rows); k >= last; k-- {
		l.Rows[k-1].Charge = 0
	}
	l.Rows[last-1].Charge = max(0, rest)
	for k := last - 1; k >= l.Current && rest < 0; k-- {
		cut := min(-rest, l.Rows[k-1].Charge)
		l.Rows[k-1].Charge -= cut
		rest += cut
	}
	l.Rows[l.Current-1].Charge += earned
	l.Earned, l.EarnedFrom = earned, l.AsOf
	var back []Prepaid
	for k := len(l.Rows); k >= l.Current; k-- {
		back = append(back, l.giveBack(k)...)
	}
	return rebate, back
}

// mergePart adds a part to the line of the same item, or as a new line.
func mergePart(parts []Part, part Part) []Part {
	for i := range parts {
		same := parts[i]
		same.Amount = part.Amount
		if same == part {
			parts[i].Amount += part.Amount
			return parts
		}
	}
	return append(parts, part)
}
