package credit

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// TheLender is the lender as it stands in a state: as it begins, if nothing of it has
// been stored.
func (s *State) TheLender() *Lender {
	if x := s.Lenders[TheLender]; x != nil {
		return x
	}
	return &Lender{ID: TheLender, ProvisionFrom: calendar.None, ProvisionedThrough: calendar.None, ClosedTo: calendar.None}
}

// Lender is the lender's record, to be changed.
func (d *Draft) Lender() *Lender {
	if d.Lenders.Peek(TheLender) != nil {
		return d.Lenders.Edit(TheLender)
	}
	x := *d.State.TheLender()
	x.UpdatedAt, x.Version = d.Env.Now, 1
	return d.Lenders.Add(TheLender, &x)
}

// allowance is what the allowance holds.
func (d *Draft) allowance() money.Amount {
	if x := d.Lenders.Peek(TheLender); x != nil {
		return x.Allowance
	}
	return 0
}

// finishAllowance keeps of a command's entries what they make of the allowance, and of
// those that a month end to be provided for must leave out when they were booked.
func (d *Draft) finishAllowance() {
	moved := allowanceMoved(d.Changes.Entries)
	if moved == 0 {
		return
	}
	x := d.Lender()
	x.Allowance = d.allowance().Add(moved)
	provided := slices.DeleteFunc(slices.Clone(d.Changes.Entries), func(e ledger.Entry) bool { return !providedFor(&e) })
	x.move(d.Env.Today().EndOfMonth(), moved.Sub(allowanceMoved(provided)))
}

// move keeps what was booked in a month that comes after the next one to be provided for.
func (x *Lender) move(month calendar.Date, amount money.Amount) {
	if next := x.NextProvision(); amount == 0 || next == calendar.None || month <= next {
		return
	}
	x.Moved = slices.Clone(x.Moved)
	if last := len(x.Moved) - 1; last >= 0 && x.Moved[last].Month == month {
		x.Moved[last].Amount = x.Moved[last].Amount.Add(amount)
		return
	}
	x.Moved = append(x.Moved, AllowanceMove{month, amount})
}

// movedSince is what was booked after a month end.
func (x *Lender) movedSince(end calendar.Date) money.Amount {
	sum := money.Amount(0)
	for _, m := range x.Moved {
		if m.Month > end {
			sum = sum.Add(m.Amount)
		}
	}
	return sum
}

// allowanceMoved is what entries add to the allowance.
func allowanceMoved(entries []ledger.Entry) money.Amount {
	sum := money.Amount(0)
	for i := range entries {
		for _, p := range entries[i].Postings {
			if p.Account == ledger.Allowance {
				sum = sum.Sub(p.Amount)
			}
		}
	}
	return sum
}

// lender asks that the lender's record follows the books: the allowance is what has been
// posted, and no month comes before one that was provided for or closed already.
func (k *checker) lender() error {
	old, now := k.s.TheLender(), k.s.TheLender()
	if len(k.c.Lenders) > 0 {
		now = k.c.Lenders[len(k.c.Lenders)-1]
	}
	switch {
	case now.Allowance.Sub(old.Allowance) != allowanceMoved(k.c.Entries):
		return violated("LG3", "the allowance goes from %s to %s, postings say %s", old.Allowance, now.Allowance, allowanceMoved(k.c.Entries))
	case now.ProvisionedThrough < old.ProvisionedThrough || now.ClosedTo < old.ClosedTo:
		return violated("LG7", "provided for goes back from %s to %s, closed from %s to %s", old.ProvisionedThrough, now.ProvisionedThrough, old.ClosedTo, now.ClosedTo)
	}
	return nil
}

// SetLender changes the lender's settings. Members that are nil stay as they are, and what
// is set to what it is already changes nothing. Result is the *Lender.
type SetLender struct {
	IfMatch        []string              `json:"if_match"`
	ProvisionRates map[Bucket]money.Rate `json:"provision_rates"`     // of these buckets; those of others stay
	DropRates      []Bucket              `json:"drop_rates,omitzero"` // buckets that have none any more
	Creditor       *Party                `json:"creditor"`            // Party{}: none
	Contact        *string               `json:"contact,omitzero"`    // "": none
	Regulator      *Party                `json:"regulator"`
	VerifyAccounts *VerifyPolicy         `json:"verify_accounts,omitzero"`
	CoolingOff     *int                  `json:"cooling_off_days,omitzero"`
	Retention      *Retention            `json:"retention,omitzero"` // times that are 0 stay as they are
}

func (SetLender) Name() string { return "lender.set" }

// Keys asks for the lender.
func (SetLender) Keys(*State, Env) Keys { return Keys{Lenders: []string{TheLender}} }

func (SetLender) Admit(*State, Env) *Rejection { return nil }

func (c SetLender) Decide(s *State, e Env) (Changes, *Rejection) {
	old, badRate := s.TheLender(), ValidationFailed.Because("A provision rate must be from 0 to 1 and belong to one of the buckets.")
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	for b, rate := range c.ProvisionRates { // unordered: each is looked at alone
		if !slices.Contains(Buckets(), b) || rate < 0 || rate > money.RateScale {
			return Changes{}, badRate
		}
	}
	if slices.ContainsFunc(c.DropRates, func(b Bucket) bool { return !slices.Contains(Buckets(), b) }) {
		return Changes{}, badRate
	}
	switch days := c.CoolingOff; {
	case c.VerifyAccounts != nil && *c.VerifyAccounts != VerifyAlways && *c.VerifyAccounts != VerifyNever:
		return Changes{}, ValidationFailed.Because("verify_accounts must be always or never.")
	case days != nil && (*days < 1 || *days > maxCoolingOff):
		return Changes{}, ValidationFailed.Because(fmt.Sprintf("cooling_off_days must be from 1 to %d.", maxCoolingOff))
	}
	settings := c.on(old.Settings)
	if kept := settings.Kept(); c.Retention != nil {
		if r := kept.check(); r != nil {
			return Changes{}, r
		}
	}
	if settings.equal(&old.Settings) {
		return Changes{Result: old}, nil
	}
	settings.since(&old.Settings, e.Today())
	d := NewDraft(s, e)
	x := d.Lender()
	x.Settings = settings
	if x.ProvisionFrom == calendar.None && len(settings.ProvisionRates) > 0 {
		x.ProvisionFrom = e.Today()
	}
	return d.Done(x, false), nil
}

// on is the settings after the change.
func (c SetLender) on(x LenderSettings) LenderSettings {
	rates := maps.Clone(x.ProvisionRates)
	if rates == nil {
		rates = map[Bucket]money.Rate{}
	}
	maps.Copy(rates, c.ProvisionRates)
	for _, b := range c.DropRates {
		delete(rates, b)
	}
	x.ProvisionRates = rates
	for _, p := range []struct{ to, value *Party }{{&x.Creditor, c.Creditor}, {&x.Regulator, c.Regulator}} {
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
		x.Retention = x.Retention.on(*c.Retention)
	}
	return x
}

// since keeps how papers were signed before a change of this day. What is changed again
// within a month was never that of a month end.
func (s *LenderSettings) since(old *LenderSettings, today calendar.Date) {
	if s.Creditor == old.Creditor && s.Contact == old.Contact {
		return
	}
	through := today.AddMonths(-1).EndOfMonth()
	if n := len(old.Past); n == 0 || old.Past[n-1].Through < through {
		s.Past = append(slices.Clone(old.Past), Signature{through, old.Creditor, old.Contact})
	}
}

// SignedOn is how papers were signed at the end of the month of a day: as is set now, if
// the month is not over or nothing has been changed since.
func (s *LenderSettings) SignedOn(day calendar.Date) Signature {
	end := day.EndOfMonth()
	for _, x := range s.Past {
		if end <= x.Through {
			return x
		}
	}
	return Signature{end, s.Creditor, s.Contact}
}

func (s *LenderSettings) equal(x *LenderSettings) bool {
	return maps.Equal(s.ProvisionRates, x.ProvisionRates) && s.Creditor == x.Creditor && s.Contact == x.Contact && s.Regulator == x.Regulator &&
		s.Policy() == x.Policy() && s.CoolingOffDays() == x.CoolingOffDays() && s.Kept() == x.Kept()
}
