package credit

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// A dispute costs the lender a fee whatever the charge was (F25), and is counted only when it
// comes. So few small charges that merchants ask for stand open to dispute at a time.
const (
	smallCharge money.Amount = 50_00 // a charge below is small
	maxSmall    int          = 20
)

// SmallCharge is a small charge of a company's card that a merchant asked for.
type SmallCharge struct {
	Payment string        `json:"payment"`
	Until   calendar.Date `json:"until"` // the last day on which it can be disputed
}

// open lists the small charges that can still be disputed on a day.
func (u CardUse) open(today calendar.Date) []SmallCharge {
	return slices.DeleteFunc(slices.Clone(u.Small), func(x SmallCharge) bool { return x.Until < today })
}

// tooManySmall answers a merchant that asks for one more small charge of a company's card.
func tooManySmall(x *Company, amount money.Amount, today calendar.Date) *Rejection {
	open := x.Servicing.Cards.open(today)
	if amount >= smallCharge || len(open) < maxSmall {
		return nil
	}
	first := open[0].Until
	for _, c := range open {
		first = min(first, c.Until)
	}
	return TooManyOpenDebits.With(
		fmt.Sprintf("At most %d charges of less than %s of a company's cards can be disputed at a time; the first is final after %s.", maxSmall, smallCharge, first),
		map[string]any{"maximum": maxSmall})
}

// finishSmall notes the small charges that the command has made, and forgets those that did
// not take place. Staff's own are not counted.
func (d *Draft) finishSmall() {
	for _, p := range d.Changes.Payments {
		if !p.Method.Can().Tried || p.Direction != "IN" || p.Amount >= smallCharge || d.asker(p) == "" {
			continue
		}
		old, over := d.State.Payments[p.ID], p.Status == PaymentCanceled || p.Status == PaymentFailed
		if over == (old == nil) || over && old.Status == p.Status {
			continue
		}
		u := &d.Companies.Edit(p.Company).Servicing.Cards
		u.Small = slices.DeleteFunc(u.open(d.Env.Today()), func(x SmallCharge) bool { return x.Payment == p.ID })
		if !over {
			u.Small = append(u.Small, SmallCharge{p.ID, max(p.ScheduledDate, d.Env.Today()).AddDays(disputeDays)})
		}
		if len(u.Small) == 0 {
			u.Small = nil
		}
	}
}
