package credit

import (
	"fmt"

	"tenor/internal/calendar"
	"tenor/internal/ledger"
	"tenor/internal/money"
)

// MoveFunding records cash that the lender puts in, or with a negative amount takes
// out (3000). Result is the ledger.Entry.
type MoveFunding struct {
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

// Name is the command's word in the audit log.
func (MoveFunding) Name() string { return "books.fund" }

// Keys asks for nothing.
func (MoveFunding) Keys(*State, Env) Keys { return Keys{} }

func (MoveFunding) admit(*State, Env) *Rejection { return nil }

func (c MoveFunding) decide(s *State, e Env) (Changes, *Rejection) {
	if c.Amount == 0 || c.Amount > money.Max || c.Amount < -money.Max || c.Reference == "" {
		return Changes{}, ValidationFailed.because("Funding needs an amount and a reference.")
	}
	event := "LENDER_FUNDED"
	if c.Amount < 0 {
		event = "LENDER_WITHDREW"
	}
	d := newDraft(s, e)
	d.entry(event, c.Reference, e.Today(), ledger.Posting{Account: ledger.Cash, Amount: c.Amount},
		ledger.Posting{Account: ledger.LenderFunding, Amount: -c.Amount})
	return d.done(d.c.Entries[0], true), nil
}

// ClosePeriod closes a month of the books that has ended. Entries are booked on the
// day of their commit, which never goes back, so nothing is booked in it any more
// (LG7). Result is the *Period.
type ClosePeriod struct {
	Month  calendar.Date `json:"month"`  // its first day
	Debits money.Amount  `json:"debits"` // of the month, as the closer has read them
}

// Name is the command's word in the audit log.
func (ClosePeriod) Name() string { return "books.close" }

// Keys asks whether the month is closed.
func (c ClosePeriod) Keys(*State, Env) Keys { return Keys{Periods: []calendar.Date{c.Month}} }

func (ClosePeriod) admit(*State, Env) *Rejection { return nil }

func (c ClosePeriod) decide(s *State, e Env) (Changes, *Rejection) {
	if !firstOfMonth(c.Month) || c.Debits < 0 {
		return Changes{}, ValidationFailed.because("A period is named by the first day of its month.")
	}
	old := s.Periods[c.Month]
	switch {
	case old != nil && old.Debits == c.Debits:
		return Changes{Result: old}, nil
	case old != nil:
		return Changes{}, PeriodClosed.with("The month has been closed with other debits.", map[string]any{"debits": old.Debits})
	case c.Month.EndOfMonth() >= e.Today():
		return Changes{}, PeriodClosed.because(fmt.Sprintf("The month ends on %s.", c.Month.EndOfMonth()))
	}
	d := newDraft(s, e)
	p := &Period{Month: c.Month, ClosedAt: e.Now, Debits: c.Debits}
	d.c.Periods = append(d.c.Periods, p)
	return d.done(p, true), nil
}

func firstOfMonth(d calendar.Date) bool {
	if d == calendar.None {
		return false
	}
	_, _, day := d.Civil()
	return day == 1
}
