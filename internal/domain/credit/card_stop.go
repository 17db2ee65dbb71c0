package credit

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
)

// Disputed charges (F25, F41.8): so many within so many days stop the cards of a company, or
// the debits of the merchant that asked for them. Each costs the lender a fee.
const (
	maxDisputed  = 3
	disputedDays = 30
)

// StoppedDisputed is why the cards of a company are charged no more.
const StoppedDisputed = "disputed_charges"

// CardUse is what disputes say of a company's cards.
type CardUse struct {
	Disputed []DisputedCharge `json:"disputed,omitzero"` // of the last 30 days, and not won
	// Paused is why no card is charged but by staff, until a person of the lender lets it; ""
	// if they are. It has the name of autopay's, by which the companies are listed that wait
	// for a person.
	Paused string `json:"paused,omitzero"`
	// Small are the small charges that merchants asked for, while they can be disputed.
	Small []SmallCharge `json:"small,omitzero"`
}

// DisputedCharge is a payment by card that its holder has disputed.
type DisputedCharge struct {
	On      calendar.Date `json:"on"`
	Payment string        `json:"payment"`
}

// without is the use of cards without the dispute of a payment, which was won.
func (u CardUse) without(payment string) CardUse {
	u.Disputed = slices.DeleteFunc(slices.Clone(u.Disputed), func(x DisputedCharge) bool { return x.Payment == payment })
	if len(u.Disputed) == 0 {
		u.Disputed = nil
	}
	return u
}

// countDisputed counts a charge that is disputed: against the merchant that asked for it, whose
// word alone had autopay make it, or that has added the card to which the company has not
// consented; else against the company,
// whose cards the third in 30 days stops. So nobody stops the cards of a company but itself.
func (d *Draft) countDisputed(t *Transfer, p *Payment) {
	if merchant := cmp.Or(d.Methods.Peek(t.Method).blamed(), d.asker(p)); merchant != "" {
		d.blame(t, merchant)
		return
	}
	today := d.Env.Today()
	u := &d.Companies.Edit(p.Company).Servicing.Cards
	u.Disputed = append(slices.DeleteFunc(u.without(p.ID).Disputed, func(x DisputedCharge) bool { return x.On.DaysUntil(today) > disputedDays }),
		DisputedCharge{On: today, Payment: p.ID})
	if len(u.Disputed) >= maxDisputed {
		u.Paused = StoppedDisputed
	}
}

// awaitsRelease reports that autopay of an order waits for the release of its company's cards. A
// closed company is not released any more.
func (d *Draft) awaitsRelease(o *Order) bool {
	c := d.Companies.Peek(o.Company)
	m := d.Methods.Peek(c.AutopayOf(o.Merchant).Method)
	return c.Servicing.Cards.Paused != "" && c.Status != CompanyClosed && m != nil && m.Type.Can().Tried
}

// releaseCards lets a company's cards be charged again, and autopay collect what fell due
// meanwhile. Whoever trusts the company again does so.
func (d *Draft) releaseCards(x *Company) {
	u := &x.Servicing.Cards
	if u.Disputed = nil; u.Paused != "" {
		u.Paused = ""
		d.recollectAll(x.ID, "")
	}
}

// cardsStopped answers who charges a card of a company whose cards have been stopped. Staff
// are not bound.
func cardsStopped(x *Company, by Actor) *Rejection {
	if by.Operator || x.Servicing.Cards.Paused == "" {
		return nil
	}
	return PaymentMethodLocked.Because("Too many charges to the company's cards were disputed. The lender must review this before there are more.")
}
