package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// disputeDays is how many days a cardholder has to dispute a charge.
const disputeDays = 120

// Recallable is money that a company paid and can still recall without its bank or its
// merchant having a say: a card charge, or a debit of a consumer account.
type Recallable struct {
	Payment string        `json:"payment"`
	Until   calendar.Date `json:"until"`         // last day on which it can be recalled
	Amount  money.Amount  `json:"amount"`        // the part that did not pay charge or fees
	Back    money.Amount  `json:"back,omitzero"` // the part of Amount that was refunded to its source
	// Withheld means that what it paid does not free the line until then, so that what a
	// company can recall never frees more than its line once.
	Withheld bool `json:"withheld,omitzero"`
}

// Callable is the part of a payment's money that frees a line or may yet free one: everything
// except what paid charge and fees other than 1130.
func (p *Payment) Callable() money.Amount {
	sum := p.Amount
	for _, a := range p.Allocations {
		sum = sum.Sub(a.Charge).Sub(a.Fee).Add(a.Other)
	}
	return sum
}

// FinishRecallable updates what the payer can recall to match the command's changes of
// payments, and refunds of a charge to its card.
func (d *Draft) FinishRecallable() {
	for _, p := range d.Changes.Payments {
		if r := d.Companies.Peek(p.Company).Recallable(p.ID); r != nil {
			next := *r
			if next.Amount = p.Callable(); !p.Method.Can().OnCharge {
				next.Back = p.Refunded
			}
			d.putRecallable(p.Company, next)
		}
	}
	for _, t := range d.Changes.Transfers {
		if !t.Rail.Can().OnCharge || t.Kind != TransferPayment {
			continue
		}
		if r := d.Companies.Peek(t.Company).Recallable(t.Payment); r != nil {
			next := *r
			next.Back = t.Back
			d.putRecallable(t.Company, next)
		}
	}
}

// putRecallable replaces the entry of the same payment.
func (d *Draft) putRecallable(company int64, next Recallable) {
	if *d.Companies.Peek(company).Recallable(next.Payment) == next {
		return
	}
	c := d.Companies.Edit(company)
	c.Servicing.Recallable = slices.Clone(c.Servicing.Recallable)
	*c.Recallable(next.Payment) = next
}

// Recallable is the entry of a payment in the list, nil if absent.
func (c *Company) Recallable(payment string) *Recallable {
	i := slices.IndexFunc(c.Servicing.Recallable, func(r Recallable) bool { return r.Payment == payment })
	if i < 0 {
		return nil
	}
	return &c.Servicing.Recallable[i]
}

// Withheld reports whether what a payment paid on a company's orders does not free its line
// yet: its money is not good, or the payer can recall it and has paid more than the line that
// way (F24).
func (c *Company) Withheld(payment string) bool {
	if r := c.Recallable(payment); r != nil && r.Withheld {
		return true
	}
	return slices.Contains(c.Servicing.Unripe, payment)
}

// Without returns a copy of a list without the elements for which out is true, nil if none is
// left.
func Without[T any](list []T, out func(T) bool) []T {
	if list = slices.DeleteFunc(slices.Clone(list), out); len(list) == 0 {
		return nil
	}
	return list
}

// SentEarly is money sent back on a day before its debit was final (F41.3).
type SentEarly struct {
	On     calendar.Date `json:"on"`
	Amount money.Amount  `json:"amount"`
}
