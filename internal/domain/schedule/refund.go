package schedule

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// refund applies a merchant's refund (F13): principal from the last row
// backwards, flat fee rebate, then the excess pays earned charge and fees and
// the rest becomes credit.
func (p *Portfolio) refund(e Event) []Effect {
	l := p.mustLoan(e.ID, e.Order)
	var out []Effect
	if e.WaiveCharge && l.flat() {
		l.Earned, l.EarnedFrom = 0, l.AsOf // what was earned is rebated with the rest
		out = l.unrecognise(e.ID, e.Date)
	}
	unpaid := l.UnpaidPrincipal()
	parts := l.reducePrincipal(min(e.Amount, unpaid))
	applied := partsTotal(parts)
	l.Refunded += applied
	var rebated []Effect
	if l.flat() {
		rebate, back := l.rebateFor(applied, unpaid)
		rebated = p.rebate(l, e.ID, e.Date, rebate, back, nil)
	}
	if l.flat() || l.notDue() == 0 {
		out = append(out, l.recogniseBy(l.earned(), e.ID, e.Date)...)
	}
	if e.WaiveCharge && !l.flat() {
		out = append(out, l.waiveAccrued(e)...)
	}
	u := &funds{source: e.ID, date: e.Date, left: e.Amount - applied}
	u.payOrder(l)
	u.payFuture([]*Loan{l})
	before, after := p.finish(l, e.ID, e.Date, nil)
	out = append(out, before...)
	shares := p.free(l.Key, u.left)
	out = append(out, Effect{Kind: EffectRefunded, Cause: e.ID, Date: e.Date, Source: e.ID, Order: l.Key,
		Parts: append(parts, u.parts...), Credit: u.left, Shares: shares})
	if !e.ExternalExcess {
		for _, s := range shares {
			if u.left -= s.Amount; !s.Held {
				p.addCredit(Credit{Source: CreditSource(e.ID, s.Payment), Order: l.Key, Date: e.Date, Amount: s.Amount})
			}
		}
		p.addCredit(Credit{Source: e.ID, Order: l.Key, Date: e.Date, Amount: u.left})
	}
	return append(append(out, rebated...), after...)
}

// free determines whose money a refund's excess is: the latest payments that paid the order's
// principal, each up to what no earlier refund has freed (F13.4).
func (p *Portfolio) free(order string, excess money.Amount) []Share {
	var out []Share
	for i := len(p.Applied) - 1; i >= 0 && excess > 0; i-- {
		a := &p.Applied[i]
		_, payment := SourceParts(a.Source)
		paid := money.Amount(0)
		for _, part := range a.Parts {
			if part.Order == order && part.Item == ItemPrincipal {
				paid += part.Amount
			}
		}
		freed := a.freedOn(order)
		x := min(excess, paid-*freed)
		if p.Room != nil {
			x = min(x, p.Room[payment])
		}
		if x <= 0 {
			continue
		}
		if p.Room != nil {
			p.Room[payment] -= x
		}
		*freed += x
		excess -= x
		if k := slices.IndexFunc(out, func(s Share) bool { return s.Payment == payment }); k >= 0 {
			out[k].Amount += x // its money came by two ways
			continue
		}
		out = append(out, Share{Payment: payment, Amount: x, Held: p.held(payment)})
	}
	return out
}

// held reports whether a merchant holds or held a payment's money.
func (p *Portfolio) held(payment string) bool {
	return slices.ContainsFunc(p.Applied, func(a Applied) bool { return a.Source == payment && a.Held })
}

// reducePrincipal takes principal off, last row first: rows not yet due before overdue ones
// (F13.2).
func (l *Loan) reducePrincipal(left money.Amount) []Part {
	var parts []Part
	for k := len(l.Rows); k >= 1 && left > 0; k-- {
		row := &l.Rows[k-1]
		x := min(left, row.Principal-row.PaidPrincipal)
		if x == 0 {
			continue
		}
		row.Principal -= x
		left -= x
		parts = append(parts, Part{l.Key, ItemPrincipal, k, "", x, l.ChargedOff})
	}
	return parts
}

// waiveAccrued waives the charge of the running period (F13.7).
func (l *Loan) waiveAccrued(e Event) []Effect {
	x := l.accrued()
	if x == 0 {
		return nil
	}
	l.Carried -= x
	l.Waived += x
	return []Effect{{Kind: EffectWaived, Cause: e.ID, Date: e.Date, Order: l.Key, Parts: []Part{{l.Key, ItemCharge, l.Current, "", x, false}}}}
}

// refundPayment gives money of a payment back (F35): first its unapplied part, then its
// allocations in reverse order, which reopen. If a replay has made a credit smaller than what
// was sent back, the difference is a receivable due at once (F16).
func (p *Portfolio) refundPayment(e Event) []Effect {
	credit := p.takeCredit(e.Payment, e.Amount)
	left := e.Amount - credit
	var parts []Part
	if left > 0 {
		a := p.applied(e.Payment)
		for i := len(a.Parts) - 1; i >= 0 && left > 0; i-- {
			part := a.Parts[i]
			part.Amount, part.Lost = min(left, a.reopens(i, parts)), p.mustLoan(e.ID, part.Order).ChargedOff
			if part.Amount == 0 {
				continue // a refund of the order has freed it: its principal is not owed again (F41.3)
			}
			left -= part.Amount
			parts = append(parts, part)
		}
		for _, part := range parts {
			a.take(part)
		}
	}
	for _, part := range parts {
		p.mustLoan(e.ID, part.Order).reopen(e.Payment, part)
	}
	var before, out []Effect
	if left < e.Amount {
		out = append(out, Effect{Kind: EffectReopened, Cause: e.ID, Date: e.Date, Source: e.Payment, Order: e.Order, Parts: parts, Credit: credit})
	}
	for _, l := range p.Loans {
		if slices.ContainsFunc(parts, func(part Part) bool { return part.Order == l.Key }) {
			first, then := p.finish(l, e.ID, e.Date, nil)
			before, out = append(before, first...), append(out, then...)
		}
	}
	out = append(before, out...)
	if left > 0 {
		short := Event{ID: e.ID, Order: e.Order, Date: e.Date, Amount: left}
		out = append(out, p.assess(short, OtherReceivable, e.ID)...)
	}
	return out
}

// reopens is how much of a part may be owed again, after the parts already reopened: of
// principal no more than refunds of its order have left of the source's.
func (a *Applied) reopens(i int, taken []Part) money.Amount {
	part := a.Parts[i]
	if part.Item != ItemPrincipal {
		return part.Amount
	}
	room := -*a.freedOn(part.Order)
	for _, x := range a.Parts {
		if x.Order == part.Order && x.Item == ItemPrincipal {
			room += x.Amount
		}
	}
	for _, x := range taken {
		if x.Order == part.Order && x.Item == ItemPrincipal {
			room -= x.Amount
		}
	}
	return max(0, min(part.Amount, room))
}

// reopen makes a part unpaid again. Charge of a row that is not yet due counts as accrued and
// unpaid again, and its principal accrues from now on.
func (l *Loan) reopen(source string, part Part) {
	if part.Item == ItemFee || part.Item == ItemOther {
		l.fee(part.Fee).Paid -= part.Amount
		return
	}
	row := &l.Rows[part.Installment-1]
	if part.Item == ItemPrincipal {
		row.PaidPrincipal -= part.Amount
		return
	}
	row.PaidCharge -= part.Amount
	if part.Installment < l.Current {
		return
	}
	if !l.flat() {
		l.Carried += part.Amount
		return
	}
	for i := len(l.Prepaid) - 1; i >= 0 && part.Amount > 0; i-- {
		if l.Prepaid[i].Source != source || l.Prepaid[i].Installment != part.Installment {
			continue
		}
		x := min(part.Amount, l.Prepaid[i].Amount)
		part.Amount -= x
		if l.Prepaid[i].Amount -= x; l.Prepaid[i].Amount == 0 {
			l.dropPrepaid(i)
		}
	}
}

// LateFee is the fee for a row that is late on the day of a run (F10): a share
// of its unpaid charge and principal, at most cap, none within the grace days.
func LateFee(unpaid money.Amount, due, run calendar.Date, rate money.Rate, cap money.Amount, grace int) money.Amount {
	if unpaid <= 0 || due.DaysUntil(run) <= grace {
		return 0
	}
	return min(rate.Of(unpaid), cap)
}

// Collection is the day on which a row is collected: its due date or the next
// banking day (F5).
func Collection(due calendar.Date) calendar.Date { return due.NextBankingDay() }
