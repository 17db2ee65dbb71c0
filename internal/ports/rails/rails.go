// Package rails is how money moves between the lender and others: what an
// instruction to a bank or a card processor holds, and what they say. Its
// sub-packages speak to real ones (ach, card) and play them in a sandbox (fake).
//
// A rail decides nothing. What it is told to do has been committed before, under a
// key that makes doing it again harmless; what comes back is kept as a notice and
// becomes a command (EN17).
package rails

import (
	"context"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Account is where money comes from or goes to. Number is in the clear: it lives
// only while a file is made or read.
type Account struct {
	Routing     string // nine digits
	Number      string // at most 17 characters
	AccountType string // CHECKING or SAVINGS
	HolderType  string // BUSINESS or CONSUMER
	Name        string // of the holder
	Online      bool   // authorized online, not in writing: WEB instead of PPD for a consumer (F22)
}

// Types of accounts, and who owns one.
const (
	Checking = "CHECKING"
	Savings  = "SAVINGS"
	Business = "BUSINESS"
	Consumer = "CONSUMER"
)

// Instruction is one entry of a file: one transfer.
type Instruction struct {
	Transfer    string // its id
	Trace       int64  // 1 to 9,999,999
	Debit       bool   // takes from the account
	Prenote     bool   // no money
	Amount      money.Amount
	Description string        // company entry description: LOAN PYMT, PAYOUT, …
	Settles     calendar.Date // effective entry date
	Account     Account
}

// File is what is sent to a bank at a cut-off.
type File struct {
	ID           string    // achf_20260213_A: also its name at the bank
	CutOff       time.Time // in the business zone: date and time of the file header
	Modifier     byte      // A to Z, 0 to 9: distinguishes files of one day
	Instructions []Instruction
}

// Bank takes files and leaves others.
type Bank interface {
	// Send hands a file over. The same name with the same bytes again has no effect.
	Send(ctx context.Context, name string, content []byte) error
	// Fetch lists the files that the bank has left, oldest first, each once until
	// Done.
	Fetch(ctx context.Context) ([]Incoming, error)
	Done(ctx context.Context, name string) error
}

// Incoming is a file that a bank has left.
type Incoming struct {
	Name    string
	Content []byte
}

// ItemKind says what a bank says of an entry or a file.
type ItemKind string

// The kinds of items.
const (
	Return ItemKind = "RETURN" // an entry came back, Code R…
	Change ItemKind = "CHANGE" // notification of change, Code C…
	Ack    ItemKind = "ACK"    // File was accepted
	Reject ItemKind = "REJECT" // File, or an entry of it, was not taken
)

// Item is one thing in an incoming file.
type Item struct {
	ID        string // unique within the name of the file
	Kind      ItemKind
	File      string // ACK, REJECT of a whole file
	Trace     int64  // of the original entry; 0 for a whole file
	Code      string
	Message   string
	Amount    money.Amount
	Debit     bool    // the original entry was a debit
	Account   Account // as the return names it
	Corrected Account // CHANGE: members that are to be used from now on, the others empty
	Cost      money.Amount
}

// Processor charges cards by tokens that it has given.
type Processor interface {
	// Charge authorizes and captures in one step. The same key again answers as
	// before, and charges nothing.
	Charge(ctx context.Context, key, token string, amount money.Amount) (Charge, error)
	// Refund gives back a part of a charge. The same key again changes nothing.
	Refund(ctx context.Context, key, charge string, amount money.Amount) (Charge, error)
	// News lists what the processor has to say since its last Done: payouts of charges
	// with their cost, disputes and their end.
	News(ctx context.Context) ([]CardNews, error)
	Done(ctx context.Context, id string) error
}

// Charge is a processor's answer.
type Charge struct {
	Approved  bool
	Reference string // the processor's identifier
	Code      string // of a decline
	Message   string
}

// CardNews is one thing that a processor says later.
type CardNews struct {
	ID        string // unique
	Kind      string // SETTLED, DISPUTE, DISPUTE_WON, REFUND_SETTLED
	Reference string // of the charge
	Key       string // that the charge was made with: the transfer
	Cost      money.Amount
	Code      string
	Message   string
	AnswerBy  time.Time // of a DISPUTE: until when an answer is taken, zero if the processor does not say
}
