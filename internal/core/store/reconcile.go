package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Reconciliation holds the bank's statement of account 1000 against the books (PO6).
// Nothing of it is a decision: no money moves by it, and every match can be undone.
type Reconciliation interface {
	// PutBankLines adds lines of the bank's statement, which are open at first; those
	// that are there already, by id, stay. It returns how many are new.
	PutBankLines(ctx context.Context, lines []BankLine) (int, error)
	// PutMatches says what lines are, all or nothing. ErrRefused if a line or an entry
	// is not there, an entry is not on 1000, BankMatch.Check fails, or the sums of
	// the two sides differ from the amount; ErrTaken if a line or an entry is in
	// another match, or the match's id is taken.
	PutMatches(ctx context.Context, list []BankMatch) error
	// UndoMatch opens the lines and entries of a match again. ErrRefused if there is
	// none, or if it is undone already.
	UndoMatch(ctx context.Context, id, by string, at time.Time) error
	// AssignLine and AssignEntry say who sees to a line, or to an entry on 1000, and
	// what is known of it. ErrRefused if it is not there.
	AssignLine(ctx context.Context, id, owner, note string) error
	AssignEntry(ctx context.Context, entry, owner, note string) error
}

// CashFilter narrows what is read of account 1000. Dates are book dates, both
// included; None: open.
type CashFilter struct {
	From, To calendar.Date
	Open     bool // only what is in no match
}

// BankLine is one line of the bank's statement of account 1000.
type BankLine struct {
	ID        string
	Date      calendar.Date
	Amount    money.Amount // + in, − out
	Reference string
	Match     string // what it was found to be, "" while open
	Owner     string // who sees to it, "" if nobody was named
	Note      string
}

// MatchRule says why a line was matched.
type MatchRule string

// The rules of matching, from the strongest on.
const (
	MatchReference MatchRule = "REFERENCE" // the line names the entry's transfer, trace or reference
	MatchBatch     MatchRule = "BATCH"     // the bank has booked a batch as one amount
	MatchAmount    MatchRule = "AMOUNT"    // the only entry of this amount around the day
	MatchByHand    MatchRule = "BY_HAND"
)

// BankMatch says that lines of the bank and entries on 1000 are the same money: the sum
// of the lines is that of the entries. One of the two lists may be empty, if the other
// one comes to 0.00: a mistake of the bank and its correction.
type BankMatch struct {
	ID      string // mtc_…
	Rule    MatchRule
	Lines   []string
	Entries []string
	Amount  money.Amount // of either side
	Note    string
	MadeAt  time.Time
	MadeBy  string

	UndoneAt time.Time // zero while it holds
	UndoneBy string
}

// Check refuses a match of fewer than two members, or that names one twice.
func (m *BankMatch) Check() error {
	for _, list := range [][]string{m.Lines, m.Entries} {
		sorted := slices.Sorted(slices.Values(list))
		if len(slices.Compact(sorted)) != len(list) {
			return fmt.Errorf("%w: match %s has duplicate members", ErrRefused, m.ID)
		}
	}
	if len(m.Lines)+len(m.Entries) < 2 {
		return fmt.Errorf("%w: match %s has fewer than two members", ErrRefused, m.ID)
	}
	return nil
}

// CashItem is what is known of an entry on 1000 beside the books.
type CashItem struct {
	Entry string
	Match string // "" while open
	Owner string
	Note  string
}

// CashRow is an entry on 1000 with what is known of it.
type CashRow struct {
	Entry   string
	Q       int64
	Date    calendar.Date // booked on
	Event   string
	Cause   string
	Payment string       // whose money it is, "" of no payment
	Amount  money.Amount // sum of its lines on 1000
	Match   string
	Owner   string
	Note    string
}
