package payments

import (
	"cmp"
	"slices"

	"tenor/internal/domain/credit"
)

// Disputed charges (F25, F41.8): so many within so many days stop the cards of a company, or
// the debits of the merchant that asked for them. Each costs the lender a fee.
const (
	maxDisputed  = 3
	disputedDays = 30
)

// StoppedDisputed is why the cards of a company are charged no more.
const StoppedDisputed = "disputed_charges"

// withoutCharge is the use of cards without the dispute of a payment, which was won.
func withoutCharge(u credit.CardUse, payment string) credit.CardUse {
	u.Disputed = slices.DeleteFunc(slices.Clone(u.Disputed), func(x credit.DisputedCharge) bool { return x.Payment == payment })
	if len(u.Disputed) == 0 {
		u.Disputed = nil
	}
	return u
}

// countDisputed counts a charge that is disputed: against the merchant that asked for it, whose
// word alone had autopay make it, or that has added the card to which the company has not
// consented; else against the company,
// whose cards the third in 30 days stops. So nobody stops the cards of a company but itself.
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

// cardsStopped answers who charges a card of a company whose cards have been stopped. Staff
// are not bound.
func cardsStopped(x *credit.Company, by credit.Actor) *credit.Rejection {
	if by.Operator || x.Servicing.Cards.Paused == "" {
		return nil
	}
	return credit.PaymentMethodLocked.Because("Too many charges to the company's cards were disputed. The lender must review this before there are more.")
}
