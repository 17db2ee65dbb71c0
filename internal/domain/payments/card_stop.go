package payments

import (
	"cmp"
	"slices"

	"tenor/internal/domain/credit"
)

// Disputed charges (F25, F41.8): this many within this many days stop the cards of a company,
// or the debits of the merchant that requested them. Each costs the lender a fee.
const (
	maxDisputed  = 3
	disputedDays = 30
)

// StoppedDisputed is why a company's cards can no longer be charged.
const StoppedDisputed = "disputed_charges"

// withoutCharge returns the card history without the dispute of a payment, which was won.
func withoutCharge(u credit.CardUse, payment string) credit.CardUse {
	u.Disputed = slices.DeleteFunc(slices.Clone(u.Disputed), func(x credit.DisputedCharge) bool { return x.Payment == payment })
	if len(u.Disputed) == 0 {
		u.Disputed = nil
	}
	return u
}

// countDisputed counts a disputed charge against the merchant that requested it, on whose word
// alone autopay made it, or that added the card without the company's consent; else against
// the company, whose cards the third in 30 days stops. So nobody but the company itself can
// get its cards stopped.
func countDisputed(d *credit.Draft, t *credit.Transfer, p *credit.Payment) {
	if merchant := cmp.Or(blamed(d.Methods.Peek(t.Method)), d.Asker(p)); merchant != "" {
		blame(d, t, merchant)
		return
	}
	today := d.Env.Today()
	u := &d.Companies.Edit(p.Company).Servicing.Cards
	u.Disputed = append(slices.DeleteFunc(withoutCharge(*u, p.ID).Disputed, func(x credit.DisputedCharge) bool { return x.On.DaysUntil(today) > disputedDays }),
		credit.DisputedCharge{On: today, Payment: p.ID})
	if len(u.Disputed) >= maxDisputed {
		u.Paused = StoppedDisputed
	}
}

// cardsStopped rejects charges to a company whose cards have been stopped, except by staff.
func cardsStopped(x *credit.Company, by credit.Actor) *credit.Rejection {
	if by.Operator || x.Servicing.Cards.Paused == "" {
		return nil
	}
	return credit.PaymentMethodLocked.Because("Too many charges to the company's cards were disputed. The lender must review this before there are more.")
}
