package schedule

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// funds is money of one source being allocated to items.
type funds struct {
	source string
	date   calendar.Date
	left   money.Amount
	parts  []Part
}

// pay allocates a payment by the waterfall (F12): earmarked items, due items, then future rows
// unless the excess is held; the rest becomes credit (F36).
func (p *Portfolio) pay(e Event) []Effect {
	u := &funds{source: e.ID, date: e.Date, left: e.Amount}
	loans := p.scope(e)
	for _, ref := range e.Earmark {
		if l := p.Loan(ref.Order); l != nil && !l.ChargedOff {
			u.payRef(l, ref)
		}
	}
	open, lost := byChargeOff(loans)
	u.payDue(open)
	u.recover(lost)
	if !e.Hold {
		u.payFuture(open)
	}
	var before, after []Effect
	for _, l := range p.Loans {
		if slices.ContainsFunc(u.parts, func(part Part) bool { return part.Order == l.Key }) {
			first, then := p.finish(l, e.ID, e.Date, u)
			before, after = append(before, first...), append(after, then...)
		}
	}
	p.addCredit(Credit{Source: e.ID, Order: e.Order, Date: e.Date, Amount: u.left, Hold: e.Hold && e.Order != ""})
	if len(u.parts) > 0 || e.Held {
		p.Applied = append(p.Applied, Applied{Source: e.ID, Parts: slices.Clone(u.parts), Held: e.Held})
	}
	applied := Effect{Kind: EffectApplied, Cause: e.ID, Date: e.Date, Source: e.ID, Order: e.Order, Parts: u.parts, Credit: u.left}
	return append(append(before, applied), after...)
}

// scope is the loans that a payment may pay, in capture order.
func (p *Portfolio) scope(e Event) []*Loan {
	if e.Order != "" {
		return []*Loan{p.mustLoan(e.ID, e.Order)}
	}
	if e.Scope == nil {
		return p.Loans
	}
	in := make(map[string]bool, len(e.Scope)) // a company may have thousands of orders
	for _, key := range e.Scope {
		in[key] = true
	}
	var loans []*Loan
	for _, l := range p.Loans {
		if in[l.Key] {
			loans = append(loans, l)
		}
	}
	return loans
}

// useHeld lets held credit of an order pay what is due on it, oldest first (F36).
func (p *Portfolio) useHeld(l *Loan, date calendar.Date) []Effect {
	var out []Effect
	for i := 0; i < len(p.Credits); {
		c := p.Credits[i]
		u := &funds{source: c.Source, date: date, left: c.Amount}
		if c.Hold && c.Order == l.Key {
			u.payOrder(l)
		}
		if len(u.parts) == 0 {
			i++
			continue
		}
		p.takeCredit(c.Source, partsTotal(u.parts))
		a := p.applied(c.Source)
		a.Parts = append(a.Parts, u.parts...)
		out = append(out, Effect{Kind: EffectCreditApplied, Cause: c.Source, Date: date, Source: c.Source, Order: l.Key, Parts: u.parts})
		before, after := p.finish(l, c.Source, date, nil)
		out = append(append(out, before...), after...)
		if u.left > 0 {
			i++ // else its entry is gone
		}
	}
	return out
}

// useCredit lets credit of a source pay the items of an order that the event names, as far as
// the credit goes and the items are unpaid (F36). A charged-off loan is skipped.
func (p *Portfolio) useCredit(e Event) []Effect {
	l := p.mustLoan(e.ID, e.Order)
	i := slices.IndexFunc(p.Credits, func(c Credit) bool { return c.Source == e.Payment })
	if i < 0 || l.ChargedOff {
		return nil
	}
	u := &funds{source: e.Payment, date: e.Date, left: min(e.Amount, p.Credits[i].Amount)}
	for _, ref := range e.Earmark {
		u.payRef(l, ref)
	}
	if len(u.parts) == 0 {
		return nil
	}
	p.takeCredit(e.Payment, partsTotal(u.parts))
	a := p.applied(e.Payment)
	a.Parts = append(a.Parts, u.parts...)
	used := Effect{Kind: EffectCreditApplied, Cause: e.ID, Date: e.Date, Source: e.Payment, Order: l.Key, Parts: u.parts}
	before, after := p.finish(l, e.ID, e.Date, nil)
	return append(append(before, used), after...)
}

// finish settles a loan whose items u has paid (u may be nil), recognizes charge that was paid
// early (F7) and closes a flat fee whose payoff is covered (F8). It returns the effects before
// and after that of the payment itself.
func (p *Portfolio) finish(l *Loan, cause string, date calendar.Date, u *funds) (before, after []Effect) {
	charge := -l.Carried
	if l.flat() {
		charge = 0
		if l.unearned() > 0 && l.flatPayoff() <= 0 {
			charge = l.earned()
			after = p.closeFlat(l, cause, date, u)
		}
	}
	before = l.recogniseBy(charge, cause, date)
	l.settle(date)
	return before, after
}

// recogniseBy is recognise with its effect.
func (l *Loan) recogniseBy(charge money.Amount, cause string, date calendar.Date) []Effect {
	fresh := l.recognise(charge)
	if fresh == 0 {
		return nil
	}
	return []Effect{{Kind: EffectAccrued, Cause: cause, Date: date, Order: l.Key, Period: l.Current, Amount: fresh}}
}

// unrecognise takes back what a month end has recognized of the running period.
func (l *Loan) unrecognise(cause string, date calendar.Date) []Effect {
	row := l.running()
	if row == nil || row.Recognised == 0 {
		return nil
	}
	back := row.Recognised
	row.Recognised = 0
	return []Effect{{Kind: EffectAccrued, Cause: cause, Date: date, Order: l.Key, Period: l.Current, Amount: -back}}
}

// dueItem is a due fee or row.
type dueItem struct {
	due   calendar.Date
	loan  *Loan
	order int // of the loan among those being paid
	fee   bool
	index int // of the fee or the row
}

// payDue pays due fees and rows in F12's order. Loans must be in capture order.
func (u *funds) payDue(loans []*Loan) {
	if u.left == 0 {
		return
	}
	var items []dueItem
	for order, l := range loans {
		for i, f := range l.Fees {
			if f.Unpaid() > 0 {
				items = append(items, dueItem{f.Date, l, order, true, i})
			}
		}
		for i := range l.Rows[:l.Current-1] {
			if l.Rows[i].Unpaid() > 0 {
				items = append(items, dueItem{l.Rows[i].DueDate, l, order, false, i})
			}
		}
	}
	// Stable: within a loan and a day, fees come before rows, both in their order.
	slices.SortStableFunc(items, func(a, b dueItem) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.order, b.order))
	})
	for _, it := range items {
		if it.fee {
			u.payFee(it.loan, it.index)
		} else {
			u.payRow(it.loan, it.index+1)
		}
	}
}

// payFuture pays rows not yet due, in due date order across all loans (F9).
func (u *funds) payFuture(loans []*Loan) {
	for u.left > 0 {
		var best *Loan
		row := 0
		for _, l := range loans {
			k := l.nextOpen()
			if k > 0 && (best == nil || l.Rows[k-1].DueDate < best.Rows[row-1].DueDate) {
				best, row = l, k
			}
		}
		if best == nil {
			return
		}
		u.payRow(best, row)
	}
}

// nextOpen is the first row not yet due that can take money, 0 if none.
func (l *Loan) nextOpen() int {
	n := len(l.Rows)
	if l.flat() {
		for k := l.Current; k <= n && l.flatPayoff() > 0; k++ {
			if l.Rows[k-1].Unpaid() > 0 {
				return k
			}
		}
		return 0
	}
	for k := l.Current; k <= n && l.accrued()+l.notDue() > 0; k++ {
		if k == n || l.Rows[k-1].Target > l.Rows[k-1].Paid() {
			return k
		}
	}
	return 0
}

func (u *funds) payRef(l *Loan, ref Ref) {
	for i := range l.Fees {
		if ref.Fee != "" && l.Fees[i].ID == ref.Fee {
			u.payFee(l, i)
		}
	}
	if ref.Fee == "" && ref.Installment >= 1 && ref.Installment <= len(l.Rows) {
		u.payRow(l, ref.Installment)
	}
}

func (u *funds) payFee(l *Loan, i int) {
	f := &l.Fees[i]
	x := min(u.left, f.Unpaid())
	f.Paid += x
	u.spend(Part{l.Key, itemOf(f.Kind), f.Installment, f.ID, x, false})
}

// payRow pays the charge of a row, then its principal. A row that is not yet due takes what
// has accrued and then principal until it is full (F9); one of FLAT_FEE takes its own parts,
// but never more than the payoff (F8).
func (u *funds) payRow(l *Loan, k int) {
	row := &l.Rows[k-1]
	charge, principal := row.Charge-row.PaidCharge, row.Principal-row.PaidPrincipal
	future := k >= l.Current
	if l.flat() {
		charge = max(0, min(charge, l.flatPayoff()))
		principal = max(0, min(principal, l.flatPayoff()-charge))
	} else if future {
		charge, principal = l.accrued(), l.notDue()
		if k < len(l.Rows) {
			room := row.Target - row.Paid()
			charge = min(charge, room)
			principal = min(principal, room-charge)
		}
	}
	x := min(u.left, charge)
	row.PaidCharge += x
	switch {
	case future && !l.flat():
		l.Carried -= x
	case future && x > 0:
		l.Prepaid = append(l.Prepaid, Prepaid{u.source, k, x})
	}
	u.spend(Part{l.Key, ItemCharge, k, "", x, false})
	x = min(u.left, principal)
	row.PaidPrincipal += x
	u.spend(Part{l.Key, ItemPrincipal, k, "", x, false})
}

func (u *funds) spend(part Part) {
	if part.Amount == 0 {
		return
	}
	u.left -= part.Amount
	u.parts = append(u.parts, part)
}
