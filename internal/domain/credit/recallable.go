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

// counts is what the line would lose if a payment were called back: the principal and the
// 1130 that it has paid or may still pay. What has gone back pays nothing.
func (r Recallable) counts() money.Amount { return max(0, r.Amount.Sub(r.Back)) }

// callable is what of a payment's money frees a line or may yet free one: not what has paid
// charge and fees other than 1130.
func (p *Payment) callable() money.Amount {
	sum := p.Amount
	for _, a := range p.Allocations {
		sum = sum.Sub(a.Charge).Sub(a.Fee).Add(a.Other)
	}
	return sum
}

// noteRecallable notes that money has arrived which the payer can call back. It is withheld
// if all such money of the company that frees its line is more than the line, or if the
// company is suspended for lateness: what it had been trusted with is used up.
func (d *Draft) noteRecallable(t *Transfer, p *Payment) {
	until := recallableUntil(t, d.Methods.Peek(t.Method), p.EffectiveDate)
	if until == calendar.None || until < d.Env.Today() {
		return
	}
	c := d.Companies.Edit(p.Company)
	list := without(c.Servicing.Recallable, func(r Recallable) bool { return r.Until < d.Env.Today() && !r.Withheld })
	next := Recallable{Payment: p.ID, Until: until, Amount: p.callable(), Back: t.Back}
	sum := next.counts()
	for _, r := range list {
		if !r.Withheld {
			sum = sum.Add(r.counts())
		}
	}
	next.Withheld = sum > c.Limit || c.lateSuspended()
	c.Servicing.Recallable = append(list, next)
	p.OnHold = d.heldOf(p)
}

// finishRecallable brings what the payer can call back in step with what the command has
// changed of payments, and with what of a charge has gone back to its card.
func (d *Draft) finishRecallable() {
	for _, p := range d.Changes.Payments {
		if r := d.Companies.Peek(p.Company).recallable(p.ID); r != nil {
			next := *r
			if next.Amount = p.callable(); !p.Method.Can().OnCharge {
				next.Back = p.Refunded
			}
			d.putRecallable(p.Company, next)
		}
	}
	for _, t := range d.Changes.Transfers {
		if !t.Rail.Can().OnCharge || t.Kind != TransferPayment {
			continue
		}
		if r := d.Companies.Peek(t.Company).recallable(t.Payment); r != nil {
			next := *r
			next.Back = t.Back
			d.putRecallable(t.Company, next)
		}
	}
}

// putRecallable puts an entry in the place of the one of the same payment.
func (d *Draft) putRecallable(company int64, next Recallable) {
	if *d.Companies.Peek(company).recallable(next.Payment) == next {
		return
	}
	c := d.Companies.Edit(company)
	c.Servicing.Recallable = slices.Clone(c.Servicing.Recallable)
	*c.recallable(next.Payment) = next
}

// sendsTooMuch reports that a company would have got more back than its line of money that it
// can still call back as well: its bank or its card would pay it a second time. Small sums go
// back whatever the line is.
func (c *Company) sendsTooMuch(amount money.Amount, today calendar.Date) bool {
	for _, r := range c.Servicing.Recallable {
		if r.Until >= today {
			amount = amount.Add(r.Back)
		}
	}
	return amount > max(c.Limit, earlyCredit)
}

// recallable is the entry of a payment in the list, nil if there is none.
func (c *Company) recallable(payment string) *Recallable {
	i := slices.IndexFunc(c.Servicing.Recallable, func(r Recallable) bool { return r.Payment == payment })
	if i < 0 {
		return nil
	}
	return &c.Servicing.Recallable[i]
}

// Withheld reports that what a payment has paid of a company's orders does not free its line
// yet: its money is not good, or the payer can call it back and has paid more than the line
// in that way (F24).
func (c *Company) Withheld(payment string) bool {
	if r := c.recallable(payment); r != nil && r.Withheld {
		return true
	}
	return slices.Contains(c.Servicing.Unripe, payment)
}

// forgetRecallable ends the withholding of a payment that cannot be called back any more.
func (d *Draft) forgetRecallable(p *Payment) {
	c := d.Companies.Edit(p.Company)
	c.Servicing.Recallable = without(c.Servicing.Recallable, func(r Recallable) bool { return r.Payment == p.ID && r.Until < d.Env.Today() })
}

// without is a copy of a list without some of it, nil if nothing is left.
func without[T any](list []T, out func(T) bool) []T {
	if list = slices.DeleteFunc(slices.Clone(list), out); len(list) == 0 {
		return nil
	}
	return list
}

// withhold keeps a payment whose money is good from the line until it cannot be called back
// any more, and reports whether it does.
func (d *Draft) withhold(t *Transfer) bool {
	r := d.Companies.Peek(d.Payments.Peek(t.Payment).Company).recallable(t.Payment)
	if r == nil || !r.Withheld || r.Until < d.Env.Today() {
		return false
	}
	t.ReleaseOn = r.Until.AddDays(1)
	t.NextAt = d.Env.Zone.Start(t.ReleaseOn)
	return true
}

// SentEarly is money that went back on a day before its debit was final (F41.3).
type SentEarly struct {
	On     calendar.Date `json:"on"`
	Amount money.Amount  `json:"amount"`
}
