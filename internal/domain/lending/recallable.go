package lending

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// counts is what the line would lose if a payment were recalled: the principal and the 1130
// that it paid or may still pay. What has gone back pays nothing.
func counts(r credit.Recallable) money.Amount { return max(0, r.Amount.Sub(r.Back)) }

// NoteRecallable records that money has arrived which the payer can recall. It is withheld if
// all such money of the company that frees its line exceeds the line, or if the company is
// suspended for lateness: that trust is used up.
func NoteRecallable(d *credit.Draft, t *credit.Transfer, p *credit.Payment) {
	until := recallableUntil(t, d.Methods.Peek(t.Method), p.EffectiveDate)
	if until == calendar.None || until < d.Env.Today() {
		return
	}
	c := d.Companies.Edit(p.Company)
	list := credit.Without(c.Servicing.Recallable, func(r credit.Recallable) bool { return r.Until < d.Env.Today() && !r.Withheld })
	next := credit.Recallable{Payment: p.ID, Until: until, Amount: p.Callable(), Back: t.Back}
	sum := counts(next)
	for _, r := range list {
		if !r.Withheld {
			sum = sum.Add(counts(r))
		}
	}
	next.Withheld = sum > c.Limit || c.LateSuspended()
	c.Servicing.Recallable = append(list, next)
	p.OnHold = heldOf(d, p)
}

// SendsTooMuch reports whether a company would have been sent back more than its line of money
// that it can also still recall: its bank or card would pay it a second time. Small sums go
// back regardless of the line.
func SendsTooMuch(c *credit.Company, amount money.Amount, today calendar.Date) bool {
	for _, r := range c.Servicing.Recallable {
		if r.Until >= today {
			amount = amount.Add(r.Back)
		}
	}
	return amount > max(c.Limit, EarlyCredit)
}

// forgetRecallable ends the withholding of a payment that can no longer be recalled.
func forgetRecallable(d *credit.Draft, p *credit.Payment) {
	c := d.Companies.Edit(p.Company)
	c.Servicing.Recallable = credit.Without(c.Servicing.Recallable, func(r credit.Recallable) bool { return r.Payment == p.ID && r.Until < d.Env.Today() })
}

// Withhold keeps a payment whose money is good from freeing the line until it can no longer be
// recalled, and reports whether it does.
func Withhold(d *credit.Draft, t *credit.Transfer) bool {
	r := d.Companies.Peek(d.Payments.Peek(t.Payment).Company).Recallable(t.Payment)
	if r == nil || !r.Withheld || r.Until < d.Env.Today() {
		return false
	}
	t.ReleaseOn = r.Until.AddDays(1)
	t.NextAt = d.Env.Zone.Start(t.ReleaseOn)
	return true
}

// recallableUntil is the last day on which the payer can recall a payment's money, None if
// only a bank can, within the days of good funds.
func recallableUntil(t *credit.Transfer, m *credit.PaymentMethod, arrived calendar.Date) calendar.Date {
	if days := t.Rail.Can().Dispute; days > 0 {
		return arrived.AddDays(days)
	}
	return credit.ReturnableUntil(t, m)
}
