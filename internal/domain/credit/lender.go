package credit

import (
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
