package credit

import (
	"tenor/internal/calendar"
	"tenor/internal/money"
)

// MoveFunding records cash that the lender puts in, or with a negative amount takes out (3000).
type MoveFunding struct {
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

// Name is the command's word in the audit log.
func (MoveFunding) Name() string { return "books.fund" }

// Keys is not there yet.
func (MoveFunding) Keys(*State, Env) Keys { return Keys{} }

func (MoveFunding) admit(*State, Env) *Rejection { return pending() }

func (MoveFunding) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// ClosePeriod closes a month of the books that has ended.
type ClosePeriod struct {
	Month  calendar.Date `json:"month"`  // its first day
	Debits money.Amount  `json:"debits"` // of the month, as the closer has read them
}

// Name is the command's word in the audit log.
func (ClosePeriod) Name() string { return "books.close" }

// Keys is not there yet.
func (ClosePeriod) Keys(*State, Env) Keys { return Keys{} }

func (ClosePeriod) admit(*State, Env) *Rejection { return pending() }

func (ClosePeriod) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
