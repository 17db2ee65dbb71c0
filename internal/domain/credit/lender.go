package credit

import (
	"cmp"
	"math/big"
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

// Allowance is what the allowance holds.
func (d *Draft) Allowance() money.Amount {
	if x := d.Lenders.Peek(TheLender); x != nil {
		return x.Allowance
	}
	return 0
}

// finishAllowance keeps of a command's entries what they make of the allowance, and of
// those that a month end to be provided for must leave out when they were booked.
func (d *Draft) finishAllowance() {
	moved := AllowanceMoved(d.Changes.Entries)
	if moved == 0 {
		return
	}
	x := d.Lender()
	x.Allowance = d.Allowance().Add(moved)
	provided := slices.DeleteFunc(slices.Clone(d.Changes.Entries), func(e ledger.Entry) bool { return !providedFor(&e) })
	x.move(d.Env.Today().EndOfMonth(), moved.Sub(AllowanceMoved(provided)))
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

// AllowanceMoved is what entries add to the allowance.
func AllowanceMoved(entries []ledger.Entry) money.Amount {
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

// The events of a month end's provision (F39).
const (
	EntryProvided = "PROVISION_MADE"
	EntryReleased = "PROVISION_RELEASED"
)

// providedFor reports whether an entry is one of a month end's provision.
func providedFor(e *ledger.Entry) bool { return e.Event == EntryProvided || e.Event == EntryReleased }

// Target is what the allowance should hold for principal in buckets: the exact sum of
// principal times rate, rounded once (F0, F17).
func (s *LenderSettings) Target(principal map[Bucket]money.Amount) money.Amount {
	sum := new(big.Rat)
	for _, b := range Buckets() {
		part := big.NewRat(int64(s.ProvisionRates[b]), money.RateScale)
		sum.Add(sum, part.Mul(part, new(big.Rat).SetInt64(int64(principal[b]))))
	}
	return money.HalfUp(sum)
}

// NextProvision is the next month end to be provided for, None while the lender has
// never set a rate.
func (x *Lender) NextProvision() calendar.Date {
	switch {
	case x.ProvisionFrom == calendar.None:
		return calendar.None
	case x.ProvisionedThrough == calendar.None:
		return x.ProvisionFrom.EndOfMonth()
	}
	return (x.ProvisionedThrough + 1).EndOfMonth()
}

// Retention is for how long what is personal is kept. Zero is the usual time of each.
//
// The settings that hold when something is looked at decide: a longer time keeps all that is
// still there, from the day on which it is set; a shorter one erases what is decided from
// then on that much sooner, and what is there already on the day that was planned for it.
type Retention struct {
	Drafts            int `json:"draft_days,omitzero"`              // what was typed and not sent
	Documents         int `json:"document_months,omitzero"`         // uploads, after the decision
	Applications      int `json:"application_months,omitzero"`      // what was said of people, after the decision
	Prequalifications int `json:"prequalification_months,omitzero"` // after the answer
	Owners            int `json:"owner_months,omitzero"`            // of an approved company, after it is closed
}

// UsualRetention is what holds unless the lender sets something else.
func UsualRetention() Retention {
	return Retention{Drafts: 30, Documents: 12, Applications: 25, Prequalifications: 12, Owners: 60}
}

// On is the times with what is set of x in their place.
func (r Retention) On(x Retention) Retention {
	return Retention{
		Drafts: cmp.Or(x.Drafts, r.Drafts), Documents: cmp.Or(x.Documents, r.Documents), Applications: cmp.Or(x.Applications, r.Applications),
		Prequalifications: cmp.Or(x.Prequalifications, r.Prequalifications), Owners: cmp.Or(x.Owners, r.Owners),
	}
}

// Kept is for how long what is personal is kept.
func (s *LenderSettings) Kept() Retention { return UsualRetention().On(s.Retention) }
