package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Answered reports whether the processor has answered to a card transfer. A charge bears
// its reference from then on; a refund bears that of the charge from the start.
func (t *Transfer) Answered() bool {
	if t.Kind == TransferPayment {
		return t.Reference != ""
	}
	return !t.SettledAt.IsZero()
}

// A dispute costs the lender a fee whatever the charge was (F25), and is counted only when it
// comes. So few small charges that merchants ask for stand open to dispute at a time.
const (
	SmallBelow money.Amount = 50_00 // a charge below is small
	MaxSmall   int          = 20
)

// SmallCharge is a small charge of a company's card that a merchant asked for.
type SmallCharge struct {
	Payment string        `json:"payment"`
	Until   calendar.Date `json:"until"` // the last day on which it can be disputed
}

// Open lists the small charges that can still be disputed on a day.
func (u CardUse) Open(today calendar.Date) []SmallCharge {
	return slices.DeleteFunc(slices.Clone(u.Small), func(x SmallCharge) bool { return x.Until < today })
}

// finishSmall notes the small charges that the command has made, and forgets those that did
// not take place. Staff's own are not counted.
func (d *Draft) finishSmall() {
	for _, p := range d.Changes.Payments {
		if !p.Method.Can().Tried || p.Direction != "IN" || p.Amount >= SmallBelow || d.Asker(p) == "" {
			continue
		}
		old, over := d.State.Payments[p.ID], p.Status == PaymentCanceled || p.Status == PaymentFailed
		if over == (old == nil) || over && old.Status == p.Status {
			continue
		}
		u := &d.Companies.Edit(p.Company).Servicing.Cards
		u.Small = slices.DeleteFunc(u.Open(d.Env.Today()), func(x SmallCharge) bool { return x.Payment == p.ID })
		if !over {
			u.Small = append(u.Small, SmallCharge{p.ID, max(p.ScheduledDate, d.Env.Today()).AddDays(disputeDays)})
		}
		if len(u.Small) == 0 {
			u.Small = nil
		}
	}
}

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
