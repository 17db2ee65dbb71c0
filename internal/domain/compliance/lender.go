package compliance

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// movedSince is what was booked after a month end.
func movedSince(x *credit.Lender, end calendar.Date) money.Amount {
	sum := money.Amount(0)
	for _, m := range x.Moved {
		if m.Month > end {
			sum = sum.Add(m.Amount)
		}
	}
	return sum
}

// SetLender changes the lender's settings. Nil members stay as they are, and setting a value
// to its current one changes nothing. Result is the *Lender.
type SetLender struct {
	IfMatch        []string                     `json:"if_match"`
	ProvisionRates map[credit.Bucket]money.Rate `json:"provision_rates"`     // of these buckets; others keep theirs
	DropRates      []credit.Bucket              `json:"drop_rates,omitzero"` // buckets whose rate is removed
	Creditor       *credit.Party                `json:"creditor"`            // Party{}: none
	Contact        *string                      `json:"contact,omitzero"`    // "": none
	Regulator      *credit.Party                `json:"regulator"`
	VerifyAccounts *credit.VerifyPolicy         `json:"verify_accounts,omitzero"`
	CoolingOff     *int                         `json:"cooling_off_days,omitzero"`
	Retention      *credit.Retention            `json:"retention,omitzero"` // zero times stay as they are
}

func (SetLender) Name() string { return "lender.set" }

// Keys requests the lender.
func (SetLender) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Lenders: []string{credit.TheLender}}
}

func (SetLender) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c SetLender) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old, badRate := s.TheLender(), credit.ValidationFailed.Because("A provision rate must be from 0 to 1 and belong to one of the buckets.")
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	for b, rate := range c.ProvisionRates { // unordered: each is looked at alone
		if !slices.Contains(credit.Buckets(), b) || rate < 0 || rate > money.RateScale {
			return credit.Changes{}, badRate
		}
	}
	if slices.ContainsFunc(c.DropRates, func(b credit.Bucket) bool { return !slices.Contains(credit.Buckets(), b) }) {
		return credit.Changes{}, badRate
	}
	switch days := c.CoolingOff; {
	case c.VerifyAccounts != nil && *c.VerifyAccounts != credit.VerifyAlways && *c.VerifyAccounts != credit.VerifyNever:
		return credit.Changes{}, credit.ValidationFailed.Because("verify_accounts must be always or never.")
	case days != nil && (*days < 1 || *days > credit.MaxCoolingOff):
		return credit.Changes{}, credit.ValidationFailed.Because(fmt.Sprintf("cooling_off_days must be from 1 to %d.", credit.MaxCoolingOff))
	}
	settings := c.on(old.Settings)
	if kept := settings.Kept(); c.Retention != nil {
		if r := checkRetention(kept); r != nil {
			return credit.Changes{}, r
		}
	}
	if sameSettings(&settings, &old.Settings) {
		return credit.Changes{Result: old}, nil
	}
	keepSignature(&settings, &old.Settings, e.Today())
	d := credit.NewDraft(s, e)
	x := d.Lender()
	x.Settings = settings
	if x.ProvisionFrom == calendar.None && len(settings.ProvisionRates) > 0 {
		x.ProvisionFrom = e.Today()
	}
	return d.Done(x, false), nil
}

// on returns the settings after the change.
func (c SetLender) on(x credit.LenderSettings) credit.LenderSettings {
	rates := maps.Clone(x.ProvisionRates)
	if rates == nil {
		rates = map[credit.Bucket]money.Rate{}
	}
	maps.Copy(rates, c.ProvisionRates)
	for _, b := range c.DropRates {
		delete(rates, b)
	}
	x.ProvisionRates = rates
	for _, p := range []struct{ to, value *credit.Party }{{&x.Creditor, c.Creditor}, {&x.Regulator, c.Regulator}} {
		if p.value != nil {
			*p.to = *p.value
		}
	}
	if c.Contact != nil {
		x.Contact = *c.Contact
	}
	if c.VerifyAccounts != nil {
		x.VerifyAccounts = *c.VerifyAccounts
	}
	if c.CoolingOff != nil {
		x.CoolingOff = *c.CoolingOff
	}
	if c.Retention != nil {
		x.Retention = x.Retention.On(*c.Retention)
	}
	return x
}

// keepSignature saves how papers were signed before a change on this day. A value replaced
// within the same month was never that of a month end.
func keepSignature(s *credit.LenderSettings, old *credit.LenderSettings, today calendar.Date) {
	if s.Creditor == old.Creditor && s.Contact == old.Contact {
		return
	}
	through := today.AddMonths(-1).EndOfMonth()
	if n := len(old.Past); n == 0 || old.Past[n-1].Through < through {
		s.Past = append(slices.Clone(old.Past), credit.Signature{Through: through, Creditor: old.Creditor, Contact: old.Contact})
	}
}

func sameSettings(s *credit.LenderSettings, x *credit.LenderSettings) bool {
	return maps.Equal(s.ProvisionRates, x.ProvisionRates) && s.Creditor == x.Creditor && s.Contact == x.Contact && s.Regulator == x.Regulator &&
		s.Policy() == x.Policy() && s.CoolingOffDays() == x.CoolingOffDays() && s.Kept() == x.Kept()
}
