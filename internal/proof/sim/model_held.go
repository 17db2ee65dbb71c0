package sim

import (
	"slices"
)

// begin notes that money of a source is now being applied to orders.
func (p *funds) begin(source string) {
	p.uses = append(p.uses, used{source, map[string]int64{}})
}

// free says whose money the excess of an order's refund is: that of the latest payments of its
// principal. It stays as credit, except what merchants hold: that goes back through them and is
// not credit (F13.4, F41.4). What no payment paid is credit as well.
func (p *funds) free(e moneyEvent, left int64) {
	for i := len(p.uses) - 1; i >= 0 && left > 0; i-- {
		u := p.uses[i]
		paid := int64(0)
		for _, s := range p.paid[u.source] {
			if s.use == i && s.order == e.order && s.row > 0 {
				paid += s.amount
			}
		}
		x := min(left, paid-u.freed[e.order], p.room[u.source])
		if x <= 0 {
			continue
		}
		u.freed[e.order] += x
		p.room[u.source] -= x
		left -= x
		if !e.external && !p.merchants[u.source] {
			p.keep(credits{e.id, e.order, false, x})
		}
	}
	if !e.external {
		p.keep(credits{e.id, e.order, false, left})
	}
}

// freed is what refunds of orders have freed of a payment's money.
func (p *funds) freed(payment string) int64 {
	sum := int64(0)
	for _, u := range p.uses {
		if u.source == payment {
			for _, x := range u.freed {
				sum += x
			}
		}
	}
	return sum
}

// worked reports whether the model computes what a payment has paid.
func (m *Model) worked(p *payment) bool {
	if p.order == "" {
		return m.allExact(p.company)
	}
	return m.exact(m.order(p.order))
}

// freed is what refunds of orders have freed of a payment's money. It must not go back a second
// time as the payment's (F41.3).
func (m *Model) freed(p *payment) int64 {
	if !m.worked(p) {
		return m.seen.Freed(p.id)
	}
	return m.replay(p.company, m.only(p)).freed(p.id)
}

func (m *Model) only(p *payment) string {
	if m.tied(p.company) {
		return ""
	}
	return p.order
}

// onHold is the principal paid with money that merchants hold. Payouts do not net it here, so it
// is all of it except what has gone back (F41.4).
func (m *Model) onHold(company int64) int64 {
	sum := int64(0)
	for _, id := range m.Payments() {
		p := m.payment(id)
		switch {
		case p.company != company || !p.held || p.returned:
		case p.order != "" && m.order(p.order).term.unfunded: // it does not contain the lender's money
		case !m.worked(p):
			sum += m.seen.OnHold(id)
		default:
			sum += m.heldPrincipal(p)
		}
	}
	return sum
}

// heldPrincipal counts back from the newest share: excess first, then what was paid last.
func (m *Model) heldPrincipal(p *payment) int64 {
	played := m.replay(p.company, m.only(p))
	left := p.amount - p.refunded - played.freed(p.id)
	left -= min(left, played.unapplied(p.id))
	sum := int64(0)
	for _, s := range slices.Backward(played.paid[p.id]) {
		x := min(left, s.amount)
		left -= x
		if s.row > 0 {
			sum += x
		}
	}
	return sum
}
