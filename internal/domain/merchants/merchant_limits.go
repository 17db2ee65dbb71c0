package merchants

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// noteOwed records since when the merchant owes, based on its loaded lines. New debt is
// younger than what was seen before, so between two commands that load the lines the date can
// only be too early.
func noteOwed(d *credit.Draft, merchant string) {
	since := calendar.None
	see := func(l *credit.PayoutLine) {
		if l.Merchant == merchant && l.Kind.Owes() && l.Waits() && l.Amount > 0 && (since == calendar.None || l.Due < since) {
			since = l.Due
		}
	}
	for _, id := range d.State.Waiting[merchant] {
		see(d.Lines.Peek(id))
	}
	for _, l := range d.Changes.Lines {
		see(l)
	}
	if d.Merchants.Peek(merchant).OwedSince != since {
		d.Merchants.Edit(merchant).OwedSince = since
	}
}

// SetMerchantLimits sets both limits of a merchant, 0 meaning the default. Staff give a
// reason. Result is the *Merchant.
type SetMerchantLimits struct {
	Merchant string        `json:"merchant"`
	IfMatch  []string      `json:"if_match,omitzero"` // versions in quotes; nil: any
	Limits   credit.Limits `json:"limits"`
	Reason   string        `json:"reason"`
}

func (SetMerchantLimits) Name() string { return "merchant.limits" }

// Keys requests the merchant.
func (c SetMerchantLimits) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

// Admit hides the merchant from everybody but the operator.
func (c SetMerchantLimits) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c SetMerchantLimits) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	m := s.Merchants[c.Merchant]
	if r := credit.MatchVersion(c.IfMatch, m.Version); r != nil {
		return credit.Changes{}, r
	}
	if r := checkLimits(c.Limits); r != nil {
		return credit.Changes{}, r
	}
	if c.Reason == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("Changing limits requires a reason.")
	}
	if m.Limits == c.Limits {
		return credit.Changes{Result: m}, nil
	}
	d := credit.NewDraft(s, e)
	m = d.Merchants.Edit(c.Merchant)
	m.Limits = c.Limits
	return d.Done(m, false), nil
}

// checkLimits requires that limits are amounts.
func checkLimits(l credit.Limits) *credit.Rejection {
	if l.Exposure < 0 || l.Exposure > credit.Unlimited || l.Due < 0 || l.Due > credit.Unlimited {
		return credit.ValidationFailed.Because(fmt.Sprintf("A limit must be from 0.01 to %s.", credit.Unlimited))
	}
	return nil
}
