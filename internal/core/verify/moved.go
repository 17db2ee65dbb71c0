package verify

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// movedTo is a row of an order that was paid with credit from a source.
type movedTo struct {
	source, order string
	row           int
}

// paidParts sums what was paid of a row.
type paidParts struct{ fee, charge, principal money.Amount }

// noteUse records what a use of credit moved: only that way may money of a payment for one
// order pay another one (F36, PA4).
func (r *run) noteUse(e credit.MoneyEvent) {
	if e.Kind != schedule.EventCreditUse || e.Returned {
		return
	}
	for _, x := range e.Posted {
		f := x.Effect
		if f.Kind != schedule.EffectCreditApplied || f.Source != e.Payment {
			continue
		}
		for _, part := range f.Parts {
			if part.Order != e.Order {
				continue
			}
			at := movedTo{f.Source, part.Order, part.Installment}
			r.moved[at] = r.moved[at].with(part)
		}
	}
}

func (p paidParts) with(x schedule.Part) paidParts {
	switch x.Item {
	case schedule.ItemCharge:
		p.charge = p.charge.Add(x.Amount)
	case schedule.ItemPrincipal:
		p.principal = p.principal.Add(x.Amount)
	default:
		p.fee = p.fee.Add(x.Amount)
	}
	return p
}

// covers reports whether an allocation is within these amounts. It may be less: a refund of
// the payment reopens what it had paid last.
func (p paidParts) covers(a credit.Allocation) bool {
	return a.Fee <= p.fee && a.Charge <= p.charge && a.Principal <= p.principal
}
