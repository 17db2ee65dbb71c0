package schedule

import "slices"

// chargeOff ends a loan's accrual and its fees (F17). Earned charge is recognized and stays
// owed; an unearned fee is rebated. What is then unpaid is the effect. From here on all rows
// count as due, with unchanged due dates.
func (p *Portfolio) chargeOff(e Event) []Effect {
	l := p.mustLoan(e.ID, e.Order)
	if l.ChargedOff {
		return nil
	}
	out := l.recogniseBy(l.earned(), e.ID, e.Date)
	if l.flat() && l.running() != nil {
		out = append(out, p.closeFlat(l, e.ID, e.Date, nil)...)
	}
	l.freeze()
	l.settle(e.Date)
	return append(out, Effect{Kind: EffectChargedOff, Cause: e.ID, Date: e.Date, Order: l.Key, Parts: l.unpaidParts()})
}

// freeze makes all rows due, with the charge that has been earned and no more.
func (l *Loan) freeze() {
	if !l.flat() && l.running() != nil {
		left := l.accrued()
		for k := l.Current; k <= len(l.Rows); k++ {
			row := &l.Rows[k-1]
			row.Charge = row.PaidCharge + left
			if row.Target != 0 {
				row.Charge = min(row.Charge, row.Target-row.Principal)
			}
			left -= row.Charge - row.PaidCharge
		}
	}
	l.Carried, l.Slices, l.Earned, l.Prepaid = 0, 0, 0, nil
	l.Current, l.ChargedOff = len(l.Rows)+1, true
}

// unpaidParts lists everything that is unpaid.
func (l *Loan) unpaidParts() []Part {
	all := &funds{left: l.UnpaidFees()}
	for i := range l.Rows {
		all.left = all.left.Add(l.Rows[i].Unpaid())
	}
	all.payDue([]*Loan{l.Clone()})
	slices.SortStableFunc(all.parts, func(a, b Part) int { return rank(a.Item) - rank(b.Item) })
	return all.parts
}

// rank sorts fees before charge and principal.
func rank(i Item) int {
	if i == ItemFee || i == ItemOther {
		return 0
	}
	return 1
}

// byChargeOff separates charged-off loans from the others.
func byChargeOff(loans []*Loan) (open, lost []*Loan) {
	for _, l := range loans {
		if l.ChargedOff {
			lost = append(lost, l)
		} else {
			open = append(open, l)
		}
	}
	return open, lost
}

// recover pays charged-off loans in order of capture: principal first, then charge, then fees
// (F17).
func (u *funds) recover(loans []*Loan) {
	for _, l := range loans {
		for i := range l.Rows {
			row := &l.Rows[i]
			x := min(u.left, row.Principal-row.PaidPrincipal)
			row.PaidPrincipal += x
			u.spend(Part{l.Key, ItemPrincipal, i + 1, "", x, true})
		}
		for i := range l.Rows {
			row := &l.Rows[i]
			x := min(u.left, row.Charge-row.PaidCharge)
			row.PaidCharge += x
			u.spend(Part{l.Key, ItemCharge, i + 1, "", x, true})
		}
		paid := len(u.parts)
		for i := range l.Fees {
			u.payFee(l, i)
		}
		for i := range u.parts[paid:] {
			u.parts[paid+i].Lost = true
		}
	}
}

// payOrder pays what is due on one loan, charged off or not.
func (u *funds) payOrder(l *Loan) {
	open, lost := byChargeOff([]*Loan{l})
	u.payDue(open)
	u.recover(lost)
}
