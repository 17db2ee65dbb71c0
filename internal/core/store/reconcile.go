package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Reconciliation compares the bank's statement of account 1000 with the books (PO6). None
// of it is a decision: it moves no money, and every match can be undone.
type Reconciliation interface {
	// PutBankLines adds bank statement lines, initially open; existing ones, by id, stay as
	// they are. It returns how many are new.
	PutBankLines(ctx context.Context, lines []BankLine) (int, error)
	// PutMatches stores matches, all or nothing. ErrRefused if a line or an entry does not
	// exist, an entry is not on 1000, BankMatch.Check fails, or the sums of the two sides
	// differ from the amount; ErrTaken if a line or an entry is in another match, or the
	// match's id is taken.
	PutMatches(ctx context.Context, list []BankMatch) error
	// UndoMatch reopens the lines and entries of a match. ErrRefused if it does not exist
	// or is already undone.
	UndoMatch(ctx context.Context, id, by string, at time.Time) error
	// AssignLine and AssignEntry record the owner of a line, or of an entry on 1000, and a
	// note. ErrRefused if it does not exist.
	AssignLine(ctx context.Context, id, owner, note string) error
	AssignEntry(ctx context.Context, entry, owner, note string) error
}

// CashFilter narrows reads of account 1000. Dates are book dates, both included; None:
// open.
type CashFilter struct {
	From, To calendar.Date
	Open     bool // only unmatched entries
}

// BankLine is one line of the bank's statement of account 1000.
type BankLine struct {
	ID        string
	Date      calendar.Date
	Amount    money.Amount // + in, − out
	Reference string
	Match     string // its match, "" while open
	Owner     string // who handles it, "" if nobody was named
	Note      string
}

// MatchRule is the reason for a match.
type MatchRule string

// The rules of matching, strongest first.
const (
	MatchReference MatchRule = "REFERENCE" // the line names the entry's transfer, trace or reference
	MatchBatch     MatchRule = "BATCH"     // the bank booked a batch as one amount
	MatchAmount    MatchRule = "AMOUNT"    // the only entry of this amount around the date
	MatchByHand    MatchRule = "BY_HAND"
)

// BankMatch states that bank lines and entries on 1000 are the same money: both have the
// same sum. One of the two lists may be empty if the other sums to 0.00: a bank error and
// its correction.
type BankMatch struct {
	ID      string // mtc_…
	Rule    MatchRule
	Lines   []string
	Entries []string
	Amount  money.Amount // of either side
	Note    string
	MadeAt  time.Time
	MadeBy  string

	UndoneAt time.Time // zero while the match is in effect
	UndoneBy string
}

// Check refuses a match that has fewer than two members or names one twice.
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

// CashItem is reconciliation data about an entry on 1000, kept outside the books.
type CashItem struct {
	Entry string
	Match string // "" while open
	Owner string
	Note  string
}

// CashRow is an entry on 1000 with its reconciliation data.
type CashRow struct {
	Entry   string
	Q       int64
	Date    calendar.Date // book date
	Event   string
	Cause   string
	Payment string       // whose money it is, "" for none
	Amount  money.Amount // sum of its lines on 1000
	Match   string
	Owner   string
	Note    string
}
