package compliance

import (
	"fmt"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// MoveFunding records cash that the lender puts in or, with a negative amount, takes out
// (3000). Result is the ledger.Entry.
type MoveFunding struct {
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

func (MoveFunding) Name() string { return "books.fund" }

// Keys requests nothing.
func (MoveFunding) Keys(*credit.State, credit.Env) credit.Keys { return credit.Keys{} }

func (MoveFunding) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c MoveFunding) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if c.Amount == 0 || c.Amount > money.Max || c.Amount < -money.Max || c.Reference == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("Funding needs an amount and a reference.")
	}
	event := "LENDER_FUNDED"
	if c.Amount < 0 {
		event = "LENDER_WITHDREW"
	}
	d := credit.NewDraft(s, e)
	d.Entry(event, c.Reference, e.Today(), ledger.Posting{Account: ledger.Cash, Amount: c.Amount},
		ledger.Posting{Account: ledger.LenderFunding, Amount: -c.Amount})
	return d.Done(d.Changes.Entries[0], true), nil
}

// ClosePeriod closes a month of the books that has ended. Entries are booked on the day of
// their commit, which never goes back, so nothing is booked in it afterwards (LG7). Months are
// closed in order, starting with that of the first entry. Result is the *Period.
type ClosePeriod struct {
	Month  calendar.Date `json:"month"`  // its first day
	Debits money.Amount  `json:"debits"` // of the month, as read by the closer
	First  calendar.Date `json:"first"`  // book date of the very first entry, as read by the closer; None if there is none
	// ReadAt is when the closer started reading: a read before the end of the month may be
	// incomplete. Zero: after the end of the month.
	ReadAt time.Time `json:"read_at,omitzero"`
}

func (ClosePeriod) Name() string { return "books.close" }

// Keys requests the month's period and the lender.
func (c ClosePeriod) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Periods: []calendar.Date{c.Month}, Lenders: []string{credit.TheLender}}
}

func (ClosePeriod) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c ClosePeriod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if !firstOfMonth(c.Month) || c.Debits < 0 {
		return credit.Changes{}, credit.ValidationFailed.Because("A period must be given as the first day of its month.")
	}
	old := s.Periods[c.Month]
	switch {
	case old != nil && old.Debits == c.Debits:
		return credit.Changes{Result: old}, nil
	case old != nil:
		return credit.Changes{}, credit.PeriodClosed.With("The month was closed with different debits.", map[string]any{"debits": old.Debits})
	case c.Month.EndOfMonth() >= e.Today() || !c.ReadAt.IsZero() && c.Month.EndOfMonth() >= e.Zone.Date(c.ReadAt):
		return credit.Changes{}, credit.PeriodClosed.Because(fmt.Sprintf("The month ends on %s.", c.Month.EndOfMonth()))
	}
	if next := c.next(s.TheLender()); next != c.Month {
		return credit.Changes{}, credit.PeriodClosed.With("Months must be closed in order.", map[string]any{"next": next.String()[:7]})
	}
	d := credit.NewDraft(s, e)
	p := &credit.Period{Month: c.Month, ClosedAt: e.Now, Debits: c.Debits}
	d.Changes.Periods = append(d.Changes.Periods, p)
	d.Lender().ClosedTo = c.Month.EndOfMonth()
	return d.Done(p, true), nil
}

// next is the next month to close. If none is closed yet, it is that of the first entry; books
// without an entry may start with any month.
func (c ClosePeriod) next(x *credit.Lender) calendar.Date {
	switch {
	case x.ClosedTo != calendar.None:
		return x.ClosedTo + 1
	case c.First != calendar.None:
		return c.First.StartOfMonth()
	}
	return c.Month
}

func firstOfMonth(d calendar.Date) bool {
	return d != calendar.None && d == d.StartOfMonth()
}
