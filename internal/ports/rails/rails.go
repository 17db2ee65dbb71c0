// Package rails is how money moves between the lender and others: the content of an instruction
// to a bank or a card processor, and what they report. Its subpackages talk to real ones (ach,
// card) and play them in a sandbox (fake).
//
// A rail decides nothing. Its instructions have been committed before, under an idempotency key;
// what comes back is stored as a notice and becomes a command (EN17).
package rails

import (
	"context"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Account is an account that money comes from or goes to. Number is in the clear: it exists only
// while a file is built or read.
type Account struct {
	Routing     string // nine digits
	Number      string // at most 17 characters
	AccountType string // CHECKING or SAVINGS
	HolderType  string // BUSINESS or CONSUMER
	Name        string // of the holder
	Online      bool   // authorized online, not in writing: WEB instead of PPD for a consumer (F22)
}

// Types of accounts and of their holders.
const (
	Checking = "CHECKING"
	Savings  = "SAVINGS"
	Business = "BUSINESS"
	Consumer = "CONSUMER"
)

// Instruction is one entry of a file: one transfer.
type Instruction struct {
	Transfer    string // of the transfer
	Trace       int64  // 1 to 9,999,999
	Debit       bool   // takes from the account
	Prenote     bool   // no money is moved
	Amount      money.Amount
	Description string        // company entry description: LOAN PYMT, PAYOUT, …
	Settles     calendar.Date // effective entry date
	Account     Account
}

// File is sent to a bank at a cut-off.
type File struct {
	ID           string    // achf_20260213_A: also its name at the bank
	CutOff       time.Time // in the business zone: date and time of the file header
	Modifier     byte      // A to Z, 0 to 9: distinguishes files of one day
	Instructions []Instruction
}

// Bank accepts files and leaves others.
type Bank interface {
	// Send hands a file over. The same name with the same bytes again has no effect.
	Send(ctx context.Context, name string, content []byte) error
	// Fetch lists the files left by the bank, oldest first, each one until Done.
	Fetch(ctx context.Context) ([]Incoming, error)
	Done(ctx context.Context, name string) error
}

// Incoming is a file left by a bank.
type Incoming struct {
	Name    string
	Content []byte
}

// ItemKind is the kind of a bank's message about an entry or a file.
type ItemKind string

// The kinds of items.
const (
	Return ItemKind = "RETURN" // an entry was returned, Code R…
	Change ItemKind = "CHANGE" // notification of change, Code C…
	Ack    ItemKind = "ACK"    // File was accepted
	Reject ItemKind = "REJECT" // File, or an entry of it, was not accepted
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
	Account   Account // as in the return
	Corrected Account // CHANGE: members to use from now on, the others empty
	Cost      money.Amount
}

// Processor charges cards by tokens that it has issued.
type Processor interface {
	// Charge authorizes and captures in one step. The same key again gives the same result as
	// before, and charges nothing.
	Charge(ctx context.Context, key, token string, amount money.Amount) (Charge, error)
	// Refund refunds part of a charge. The same key again changes nothing.
	Refund(ctx context.Context, key, charge string, amount money.Amount) (Charge, error)
	// News lists what the processor has to report since the last Done: payouts of charges with their
	// fees, disputes and their outcome.
	News(ctx context.Context) ([]CardNews, error)
	Done(ctx context.Context, id string) error
}

// Charge is a processor's response.
type Charge struct {
	Approved  bool
	Reference string // the processor's identifier
	Code      string // of a decline
	Message   string
}

// CardNews is a later message from a processor.
type CardNews struct {
	ID        string // unique
	Kind      string // SETTLED, DISPUTE, DISPUTE_WON, REFUND_SETTLED
	Reference string // of the charge
	Key       string // the key of the charge: the transfer
	Cost      money.Amount
	Code      string
	Message   string
	AnswerBy  time.Time // of a DISPUTE: the deadline for a response, zero if the processor names none
}
