package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Answered reports whether the processor has answered a card transfer. A charge has the
// processor's reference from then on; a refund has that of its charge from the start.
func (t *Transfer) Answered() bool {
	if t.Kind == TransferPayment {
		return t.Reference != ""
	}
	return !t.SettledAt.IsZero()
}

// A dispute costs the lender a fee however small the charge (F25), and the fee is known only
// when the dispute arrives. So only a few small charges requested by merchants may be open to
// dispute at a time.
const (
	SmallBelow money.Amount = 50_00 // a charge below this is small
	MaxSmall   int          = 20
)

// SmallCharge is a small charge to a company's card that a merchant requested.
type SmallCharge struct {
	Payment string        `json:"payment"`
	Until   calendar.Date `json:"until"` // last day on which it can be disputed
}

// Open lists the small charges that can still be disputed on a day.
func (u CardUse) Open(today calendar.Date) []SmallCharge {
	return slices.DeleteFunc(slices.Clone(u.Small), func(x SmallCharge) bool { return x.Until < today })
}

// finishSmall records the small charges that the command made and drops those that did not
// take place. Charges made by staff are not counted.
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

// CardUse is a company's history of card disputes.
type CardUse struct {
	Disputed []DisputedCharge `json:"disputed,omitzero"` // of the last 30 days, and not won
	// Paused is why only staff may charge the company's cards until a person at the lender
	// releases them; "" if they are not paused. It has the same name as autopay's field, which
	// is used to list the companies that wait for a person.
	Paused string `json:"paused,omitzero"`
	// Small are the small charges requested by merchants that can still be disputed.
	Small []SmallCharge `json:"small,omitzero"`
}

// DisputedCharge is a card payment that the cardholder disputed.
type DisputedCharge struct {
	On      calendar.Date `json:"on"`
	Payment string        `json:"payment"`
}
