package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// disputeDays are the days in which the holder of a card can dispute a charge.
const disputeDays = 120

// Recallable is money that a company has paid and can still call back without its bank or
// its merchant having a say: a card's charge, or a debit of a consumer's account.
type Recallable struct {
	Payment string        `json:"payment"`
	Until   calendar.Date `json:"until"`         // the last day on which it can be called back
	Amount  money.Amount  `json:"amount"`        // of it, what has not paid charge or fees
	Back    money.Amount  `json:"back,omitzero"` // of that, what has gone back to where it came from
	// Withheld: what it has paid does not free the line until then. So what a company can
	// call back never frees more than its line once.
	Withheld bool `json:"withheld,omitzero"`
}

// Callable is what of a payment's money frees a line or may yet free one: not what has paid
// charge and fees other than 1130.
func (p *Payment) Callable() money.Amount {
	sum := p.Amount
	for _, a := range p.Allocations {
		sum = sum.Sub(a.Charge).Sub(a.Fee).Add(a.Other)
	}
	return sum
}

// FinishRecallable brings what the payer can call back in step with what the command has
// changed of payments, and with what of a charge has gone back to its card.
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

// putRecallable puts an entry in the place of the one of the same payment.
func (d *Draft) putRecallable(company int64, next Recallable) {
	if *d.Companies.Peek(company).Recallable(next.Payment) == next {
		return
	}
	c := d.Companies.Edit(company)
	c.Servicing.Recallable = slices.Clone(c.Servicing.Recallable)
	*c.Recallable(next.Payment) = next
}

// Recallable is the entry of a payment in the list, nil if there is none.
func (c *Company) Recallable(payment string) *Recallable {
	i := slices.IndexFunc(c.Servicing.Recallable, func(r Recallable) bool { return r.Payment == payment })
	if i < 0 {
		return nil
	}
	return &c.Servicing.Recallable[i]
}

// Withheld reports whether what a payment has paid of a company's orders does not free its line
// yet: its money is not good, or the payer can call it back and has paid more than the line
// in that way (F24).
func (c *Company) Withheld(payment string) bool {
	if r := c.Recallable(payment); r != nil && r.Withheld {
		return true
	}
	return slices.Contains(c.Servicing.Unripe, payment)
}

// Without is a copy of a list without some of it, nil if nothing is left.
func Without[T any](list []T, out func(T) bool) []T {
	if list = slices.DeleteFunc(slices.Clone(list), out); len(list) == 0 {
		return nil
	}
	return list
}

// SentEarly is money that went back on a day before its debit was final (F41.3).
type SentEarly struct {
	On     calendar.Date `json:"on"`
	Amount money.Amount  `json:"amount"`
}
