package credit

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/money"
)

// SortedOwners sorts owners and removes duplicates.
func SortedOwners(out []LineOwner) []LineOwner {
	slices.SortFunc(out, func(a, b LineOwner) int { return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Merchant, b.Merchant)) })
	return slices.Compact(out)
}

// withHeld adds the payments whose money merchants hold, for the owners whose lines are
// requested: a change on 1210 changes what they hold (F41.4).
func withHeld(k Keys, s *State) Keys {
	held := map[string]bool{}
	for _, of := range k.Lines {
		for _, id := range s.heldBy(of) {
			if !held[id] {
				held[id] = true
				k.Payments = append(slices.Clone(k.Payments), id)
				k.Orders = append(slices.Clone(k.Orders), paidOrders(s.Payments[id])...)
			}
		}
	}
	return k
}

// paidOrders lists the orders that a loaded payment has paid.
func paidOrders(p *Payment) []string {
	var out []string
	if p != nil {
		for _, a := range p.Allocations {
			if !slices.Contains(out, a.Order) {
				out = append(out, a.Order)
			}
		}
	}
	return out
}

// heldBy lists the payments of an order, or of a company's account, whose money merchants
// hold.
func (s *State) heldBy(of string) []string {
	if o := s.Orders[of]; o != nil {
		return o.Servicing.Held
	}
	if company, err := strconv.ParseInt(of, 10, 64); err == nil && s.Companies[company] != nil {
		return s.Companies[company].Servicing.Held
	}
	return nil
}

// HeldOwner is the owner of the 1210 lines for a payment that a merchant holds.
func (d *Draft) HeldOwner(p *Payment) LineOwner {
	if o := d.Orders.Peek(p.Order); o != nil {
		return LineOwner{o.Key, o.Merchant}
	}
	return LineOwner{AccountKey(p.Company), p.Merchant}
}

// finishHeld updates what payments hold to match the command's changes on 1210.
func (d *Draft) finishHeld() {
	var owners []LineOwner
	for _, l := range d.Changes.Lines {
		if l.Kind == LineCollected && l.Company != 0 {
			owners = append(owners, l.Owner())
		}
	}
	for _, p := range d.Changes.Payments {
		if p.FromMerchant && p.Direction == "IN" {
			owners = append(owners, d.HeldOwner(p))
		}
	}
	for _, x := range SortedOwners(owners) {
		if d.Env.asked != nil && slices.Contains(d.Env.asked.Lines, x.Of) { // else it is the merchant's command, and FreeHeld follows
			d.FreeHeld(x)
		}
	}
}

// FreeHeld distributes an owner's open balance on 1210 over its payments: what is covered
// frees their oldest allocations first, across all of them, then their oldest excess.
func (d *Draft) FreeHeld(x LineOwner) {
	pays := d.heldPayments(x)
	held := make([]money.Amount, len(pays))
	covered := -d.openCollected(x)
	for i, p := range pays {
		if p.Status != PaymentReturned {
			held[i] = min(p.Held, d.holdable(p))
		}
		covered = covered.Add(held[i])
	}
	for _, excess := range []bool{false, true} {
		for i, p := range pays {
			part := held[i]
			if !excess {
				part = part.Sub(min(part, p.Unapplied))
			}
			part = max(0, min(part, covered))
			held[i], covered = held[i].Sub(part), covered.Sub(part)
		}
	}
	for i := len(pays) - 1; i >= 0 && covered < 0; i-- { // a payment from before this was tracked
		if pays[i].Status != PaymentReturned {
			part := min(-covered, d.holdable(pays[i]).Sub(held[i]))
			held[i], covered = held[i].Add(part), covered.Add(part)
		}
	}
	for i, p := range pays {
		d.putHeld(p, held[i])
	}
	d.listHeld(x)
	for _, l := range d.LinesOf(x, LineCollected) {
		if !l.NextAt.IsZero() {
			d.Lines.Edit(l.ID).NextAt = time.Time{}
		}
	}
}

// holdable is the most that a merchant may hold of a payment: everything that has not gone
// back. For an unfunded order it is only the excess, including excess that has paid another
// order; what that order itself is owed is the merchant's own (F33).
func (d *Draft) holdable(p *Payment) money.Amount {
	left := p.Refundable()
	if o := d.Orders.Peek(p.Order); o == nil || !o.Terms.Unfunded {
		return left
	}
	excess := p.Unapplied
	for _, a := range p.Allocations {
		if a.Elsewhere {
			excess = excess.Add(a.Principal).Add(a.Charge).Add(a.Fee)
		}
	}
	return min(left, excess)
}

// openCollected is what a merchant holds according to an owner's lines.
func (d *Draft) openCollected(x LineOwner) money.Amount {
	sum := money.Amount(0)
	for _, l := range d.LinesOf(x, LineCollected) {
		if l.Waits() {
			sum = sum.Add(l.Amount)
		}
	}
	return sum
}

// heldPayments lists an owner's payments whose money a merchant may hold, oldest first.
func (d *Draft) heldPayments(x LineOwner) []*Payment {
	var out []*Payment
	for _, id := range d.heldIDs(x.Of) {
		if p := d.Payments.Peek(id); d.HeldOwner(p) == x {
			out = append(out, p)
		}
	}
	for _, p := range d.Changes.Payments {
		if p.FromMerchant && p.Direction == "IN" && d.HeldOwner(p) == x && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Payment) int {
		return cmp.Or(cmp.Compare(a.EffectiveDate, b.EffectiveDate), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// heldIDs is heldBy in the draft.
func (d *Draft) heldIDs(of string) []string {
	if o := d.Orders.Peek(of); o != nil {
		return o.Servicing.Held
	}
	company, _ := strconv.ParseInt(of, 10, 64)
	return d.Companies.Peek(company).Servicing.Held
}

// putHeld records what a merchant holds of a payment, and the resulting hold. Credit that is
// now covered gets its send date like any other (F36).
func (d *Draft) putHeld(p *Payment, held money.Amount) {
	before := min(p.Held, p.Unapplied)
	next := *p
	next.Held = held
	onHold := next.HeldPrincipal()
	if p.Held == held && p.OnHold == onHold {
		return
	}
	p = d.Payments.Edit(p.ID)
	p.Held, p.OnHold = held, onHold
	if min(held, p.Unapplied) < before {
		d.creditFreed(p)
	}
}

// creditFreed gives a payment's credit its send date once the merchant has paid it in.
func (d *Draft) creditFreed(p *Payment) {
	for _, x := range d.Credits(p.Company) {
		if x.Source == p.ID && x.Waits == CreditHeldByMerchant {
			x.Waits, x.NextAt = "", Later(d.SendsAt(x), d.Env.Now)
			d.PutCredit(x)
		}
	}
}

// listHeld updates an owner's list of payments with held money.
func (d *Draft) listHeld(x LineOwner) {
	var list []string
	for _, id := range d.heldIDs(x.Of) {
		if p := d.Payments.Peek(id); d.HeldOwner(p) != x || p.Held > 0 {
			list = append(list, id)
		}
	}
	for _, p := range d.Changes.Payments {
		if p.FromMerchant && p.Held > 0 && d.HeldOwner(p) == x && !slices.Contains(list, p.ID) {
			list = append(list, p.ID)
		}
	}
	if slices.Equal(list, d.heldIDs(x.Of)) {
		return
	}
	if d.Orders.Peek(x.Of) != nil {
		d.Orders.Edit(x.Of).Servicing.Held = list
		return
	}
	company, _ := strconv.ParseInt(x.Of, 10, 64)
	d.Companies.Edit(company).Servicing.Held = list
}

// HeldPrincipal is the part of a payment that pays principal and 1130 and is still held by a
// merchant. Excess is covered last, before it what the excess paid on other orders, before
// that the newest allocations (F41.4).
func (p *Payment) HeldPrincipal() money.Amount {
	left, sum := p.Held.Sub(min(p.Held, p.Unapplied)), money.Amount(0)
	for _, elsewhere := range []bool{true, false} {
		for _, a := range slices.Backward(p.Allocations) {
			if a.Elsewhere != elsewhere {
				continue
			}
			principal := min(left, a.OnLine())
			left, sum = left.Sub(principal), sum.Add(principal)
			left = left.Sub(min(left, a.Charge.Add(a.Fee.Sub(a.Other))))
		}
	}
	return sum
}

// HeldExcess is the part of a payment's credit that a merchant still holds.
func (p *Payment) HeldExcess() money.Amount { return min(p.Held, p.Unapplied) }

// OnLine is what an allocation frees of the line: principal, and what was owed on 1130
// (F41.7).
func (a Allocation) OnLine() money.Amount { return a.Principal.Add(a.Other) }

// Principal is what a payment pays of the amounts that use the line.
func (p *Payment) Principal() money.Amount {
	sum := money.Amount(0)
	for _, a := range p.Allocations {
		sum = sum.Add(a.OnLine())
	}
	return sum
}
