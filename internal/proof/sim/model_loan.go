package sim

import ()

// unpaidPrincipal is what is still owed of the financed amount.
func (l *loan) unpaidPrincipal() int64 {
	sum := int64(0)
	for _, r := range l.rows {
		sum += r.principal - r.paid
	}
	return sum
}

// unpaid is everything owed.
func (l *loan) unpaid() int64 {
	sum := l.unpaidPrincipal()
	for _, d := range l.owed {
		sum += d.amount - d.paid
	}
	return sum
}

// future is the unpaid principal of rows that are not due.
func (l *loan) future() int64 {
	sum := int64(0)
	for _, r := range l.rows[l.cur:] {
		sum += r.principal - r.paid
	}
	return sum
}

// open is the first future row that can take money, −1 if there is none.
func (l *loan) open() int {
	if l.future() == 0 {
		return -1
	}
	for k := l.cur; k < len(l.rows); k++ {
		if k == len(l.rows)-1 || l.rows[k].paid < l.rows[k].target {
			return k
		}
	}
	return -1
}

// spread distributes the principal that is not due over the future rows, each filled up to its
// level payment, the last with the rest (F9).
func (l *loan) spread() {
	left := l.future()
	for k := l.cur; k < len(l.rows); k++ {
		r := &l.rows[k]
		x := left
		if k < len(l.rows)-1 {
			x = min(x, r.target-r.paid)
		}
		r.principal = r.paid + x
		left -= x
	}
}

// keep adds money that had nothing to pay.
func (p *funds) keep(c credits) {
	if c.amount > 0 {
		p.credits = append(p.credits, &c)
	}
}

// refund takes principal off, the last row first. What exceeds all that is owed pays debts of the
// order, and the rest is credit, or the merchant's if the merchant holds the buyer's money (F13,
// F33).
func (p *funds) refund(e moneyEvent) {
	l, left := p.loan(e.order), e.amount
	for k := len(l.rows) - 1; k >= 0; k-- {
		r := &l.rows[k]
		x := min(left, r.principal-r.paid)
		r.principal -= x
		left -= x
	}
	l.spread()
	left = p.payDue([]*loan{l}, e.id, left)
	p.free(e, left)
}

// refundPayment takes a payment's own credit, then its newest shares, which become owed again.
// What is then still missing is owed at once (F35, F16).
func (p *funds) refundPayment(e moneyEvent) {
	left := e.amount
	for _, c := range p.credits {
		if c.source == e.payment {
			x := min(left, c.amount)
			c.amount -= x
			left -= x
		}
	}
	shares := p.paid[e.payment]
	for i := len(shares) - 1; i >= 0 && left > 0; i-- {
		s := &shares[i]
		x := min(left, s.amount)
		if s.row > 0 {
			x = max(0, min(x, p.kept(e.payment, s.order)))
		}
		s.amount -= x
		left -= x
		l := p.loan(s.order)
		if s.row > 0 {
			l.rows[s.row-1].paid -= x
		}
		for j := range l.owed {
			if s.row == 0 && l.owed[j].id == s.debt {
				l.owed[j].paid -= x
			}
		}
		l.spread()
	}
	if left > 0 {
		p.assess(e, left)
	}
}

// kept is what a payment has paid of an order's principal and no refund of the order has freed:
// only that can become owed again (F41.3).
func (p *funds) kept(payment, order string) int64 {
	sum := int64(0)
	for _, s := range p.paid[payment] {
		if s.order == order && s.row > 0 {
			sum += s.amount
		}
	}
	for _, u := range p.uses {
		if u.source == payment {
			sum -= u.freed[order]
		}
	}
	return sum
}

// assess makes money that left the house a debt of the event's order.
func (p *funds) assess(e moneyEvent, amount int64) {
	l := p.loan(e.order)
	l.owed = append(l.owed, debt{e.id, e.day, amount, 0})
	p.useHeld(l)
}

func (p *funds) loan(key string) *loan {
	for _, l := range p.loans {
		if l.key == key {
			return l
		}
	}
	return nil
}

// unapplied is what is left of a source as credit, of all sources for "".
func (p *funds) unapplied(source string) int64 {
	sum := int64(0)
	for _, c := range p.credits {
		if source == "" || c.source == source {
			sum += c.amount
		}
	}
	return sum
}
