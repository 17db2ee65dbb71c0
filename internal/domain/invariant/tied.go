package invariant

import (
	"cmp"
	"maps"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// elsewhere requires that money of a payment for one order pays another only as far as
// recorded uses of its credit have moved it there (F36, PA4). Tied orders are not enough: the
// company's money may then pay any of them, but an order's money may not.
func (k *checker) elsewhere(p *credit.Payment) error {
	if p.Order == "" {
		return nil
	}
	left := paidRows{}
	for _, a := range p.Allocations {
		left.allocate(a, +1)
	}
	if old := k.s.Payments[p.ID]; old != nil {
		for _, a := range old.Allocations {
			left.allocate(a, -1)
		}
	}
	for row, a := range k.movedBy(p.ID) { // unordered: each row by itself
		left.allocate(credit.Allocation{Order: row.order, Installment: row.number, Fee: -a.Fee, Other: -a.Other, Charge: -a.Charge, Principal: -a.Principal}, +1)
	}
	for _, row := range slices.SortedFunc(maps.Keys(left), paidRow.compare) {
		if a := left[row]; row.order != p.Order && *a != (credit.Allocation{}) {
			return violated("PA4", "payment %s of order %s pays fees of %s, charge of %s and principal of %s on row %d of order %s without a recorded use of credit",
				p.ID, p.Order, a.Fee, a.Charge, a.Principal, row.number, row.order)
		}
	}
	return nil
}

// paidRow is a row of an order that money has paid.
type paidRow struct {
	order  string
	number int
}

func (r paidRow) compare(s paidRow) int {
	return cmp.Or(cmp.Compare(r.order, s.order), cmp.Compare(r.number, s.number))
}

// paidRows is what is paid of rows. The allocations name no order and row.
type paidRows map[paidRow]*credit.Allocation

func (x paidRows) at(order string, number int) *credit.Allocation {
	row := paidRow{order, number}
	if x[row] == nil {
		x[row] = &credit.Allocation{}
	}
	return x[row]
}

func (x paidRows) allocate(a credit.Allocation, sign money.Amount) {
	sum := x.at(a.Order, a.Installment)
	sum.Add(schedule.ItemFee, sign*a.Fee.Sub(a.Other))
	sum.Add(schedule.ItemOther, sign*a.Other)
	sum.Add(schedule.ItemCharge, sign*a.Charge)
	sum.Add(schedule.ItemPrincipal, sign*a.Principal)
}

// movedBy is the command's net change of what credit of a source has paid of rows, through its
// money events.
func (k *checker) movedBy(source string) paidRows {
	if k.moved == nil {
		k.moved = map[string]paidRows{}
		for _, e := range k.c.Money {
			if e.Kind != schedule.EventCreditUse && e.Kind != schedule.EventPaymentRefund {
				continue
			}
			k.move(e, +1)
			if old := k.eventBefore(e); old != nil {
				k.move(*old, -1)
			}
		}
	}
	return k.moved[source]
}

// move adds what a use of credit paid on rows, or deducts what a refund took back.
func (k *checker) move(e credit.MoneyEvent, sign money.Amount) {
	if e.Returned {
		return
	}
	for _, x := range e.Posted {
		f := x.Effect
		by := sign
		switch {
		case f.Kind == schedule.EffectReopened:
			by = -sign
		case f.Kind != schedule.EffectCreditApplied || e.Kind != schedule.EventCreditUse || f.Source != e.Payment:
			continue
		}
		if k.moved[f.Source] == nil {
			k.moved[f.Source] = paidRows{}
		}
		for _, part := range f.Parts {
			if by == sign && part.Order != e.Order {
				continue // an event moves nothing to an order that it does not name
			}
			k.moved[f.Source].at(part.Order, part.Installment).Add(part.Item, by*part.Amount)
		}
	}
}

// eventBefore is a money event before the command, nil if it is new.
func (k *checker) eventBefore(e credit.MoneyEvent) *credit.MoneyEvent {
	for _, key := range e.Touches {
		for i, old := range k.s.History[key] {
			if old.ID == e.ID {
				return &k.s.History[key][i]
			}
		}
	}
	return nil
}
