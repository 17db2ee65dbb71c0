package credit

import (
	"cmp"
	"math/big"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// TheLender returns the lender's record, or its initial value if none is stored.
func (s *State) TheLender() *Lender {
	if x := s.Lenders[TheLender]; x != nil {
		return x
	}
	return &Lender{ID: TheLender, ProvisionFrom: calendar.None, ProvisionedThrough: calendar.None, ClosedTo: calendar.None}
}

// Lender returns the lender's record, for changing.
func (d *Draft) Lender() *Lender {
	if d.Lenders.Peek(TheLender) != nil {
		return d.Lenders.Edit(TheLender)
	}
	x := *d.State.TheLender()
	x.UpdatedAt, x.Version = d.Env.Now, 1
	return d.Lenders.Add(TheLender, &x)
}

// Allowance is the balance of the allowance.
func (d *Draft) Allowance() money.Amount {
	if x := d.Lenders.Peek(TheLender); x != nil {
		return x.Allowance
	}
	return 0
}

// finishAllowance applies the effect of a command's entries on the allowance. It also tracks
// the part that was booked in a later month than the next month end to be provided for, which
// that provision must leave out.
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

// move records what was booked in a month after the next one to be provided for.
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

// SignedOn is how papers were signed at the end of a day's month: the current setting if the
// month is not over or nothing has changed since.
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

// providedFor reports whether an entry belongs to a month end's provision.
func providedFor(e *ledger.Entry) bool { return e.Event == EntryProvided || e.Event == EntryReleased }

// Target is the required allowance for principal by bucket: the exact sum of principal times
// rate, rounded once (F0, F17).
func (s *LenderSettings) Target(principal map[Bucket]money.Amount) money.Amount {
	sum := new(big.Rat)
	for _, b := range Buckets() {
		part := big.NewRat(int64(s.ProvisionRates[b]), money.RateScale)
		sum.Add(sum, part.Mul(part, new(big.Rat).SetInt64(int64(principal[b]))))
	}
	return money.HalfUp(sum)
}

// NextProvision is the next month end to be provided for, None if the lender never set a rate.
func (x *Lender) NextProvision() calendar.Date {
	switch {
	case x.ProvisionFrom == calendar.None:
		return calendar.None
	case x.ProvisionedThrough == calendar.None:
		return x.ProvisionFrom.EndOfMonth()
	}
	return (x.ProvisionedThrough + 1).EndOfMonth()
}

// Retention is how long personal data is kept. Zero means the default of each.
//
// The settings in force when something is checked decide. A longer time, from the day it is
// set, keeps everything that still exists. A shorter one applies to what is decided from then
// on; what exists already is erased on the day planned for it.
type Retention struct {
	Drafts            int `json:"draft_days,omitzero"`              // what was typed and never sent
	Documents         int `json:"document_months,omitzero"`         // uploads, after the decision
	Applications      int `json:"application_months,omitzero"`      // what was stated about people, after the decision
	Prequalifications int `json:"prequalification_months,omitzero"` // after the answer
	Owners            int `json:"owner_months,omitzero"`            // of an approved company, after it is closed
}

// UsualRetention is the default retention.
func UsualRetention() Retention {
	return Retention{Drafts: 30, Documents: 12, Applications: 25, Prequalifications: 12, Owners: 60}
}

// On returns the times with those set in x replacing them.
func (r Retention) On(x Retention) Retention {
	return Retention{
		Drafts: cmp.Or(x.Drafts, r.Drafts), Documents: cmp.Or(x.Documents, r.Documents), Applications: cmp.Or(x.Applications, r.Applications),
		Prequalifications: cmp.Or(x.Prequalifications, r.Prequalifications), Owners: cmp.Or(x.Owners, r.Owners),
	}
}

// Kept is how long personal data is kept.
func (s *LenderSettings) Kept() Retention { return UsualRetention().On(s.Retention) }
