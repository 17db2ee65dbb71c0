// Package ledger is the double-entry core: the chart of accounts, entries that sum to zero,
// and balances that are purely sums of postings (F39).
//
// Amounts are signed: a debit is positive, a credit negative.
package ledger

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Dimensions identify whose money a posting moves. Empty members do not apply. An account
// together with its dimensions and currency is one balance (LG8).
type Dimensions struct {
	Company     int64  // company id, 0 if none
	Merchant    string // merchant id
	Order       string // order key
	Payment     string // payment id
	Installment int    // row of the order's schedule, 0 if none
}

// Posting is one line of an entry.
type Posting struct {
	Account Account
	Amount  money.Amount // debit positive, credit negative, never zero
	Dimensions
}

// Entry is one balanced record. Entries are never changed; a correction is a new entry that
// Reverses the first with its exact negation.
type Entry struct {
	ID        string
	BookDate  calendar.Date // business date of the commit
	ValueDate calendar.Date // date it counts for, on or before BookDate
	Event     string        // what happened, such as ORDER_CAPTURED
	Cause     string        // id of the object that caused it: payment, refund, order
	Currency  money.Currency
	Reverses  string // id of the reversed entry, "" if none
	Postings  []Posting
}

// Check returns why an entry must not be written: fewer than two postings, no currency, a
// missing date, a value date after the book date, a zero line, an unknown account, or a sum
// that is not zero, in the books or in any memo pair (LG1, LG2, LG7).
func (e Entry) Check() error {
	switch {
	case len(e.Postings) < 2:
		return fmt.Errorf("ledger: entry %s has %d postings", e.ID, len(e.Postings))
	case e.Currency == "":
		return fmt.Errorf("ledger: entry %s has no currency", e.ID)
	case e.BookDate == calendar.None || e.ValueDate == calendar.None:
		return fmt.Errorf("ledger: entry %s has no date", e.ID)
	case e.ValueDate > e.BookDate:
		return fmt.Errorf("ledger: entry %s has value date %s after book date %s", e.ID, e.ValueDate, e.BookDate)
	}
	var sums [1 + memoPairs]money.Amount
	for _, p := range e.Postings {
		if p.Amount == 0 {
			return fmt.Errorf("ledger: entry %s has a zero posting on %d", e.ID, p.Account)
		}
		if p.Account.Name() == "" {
			return fmt.Errorf("ledger: entry %s posts to the unknown account %d", e.ID, p.Account)
		}
		g := p.Account.group()
		sums[g] = sums[g].Add(p.Amount)
	}
	for g, sum := range sums {
		if sum != 0 {
			return fmt.Errorf("ledger: entry %s does not balance: %s in %s", e.ID, sum, groupName(g))
		}
	}
	return nil
}

// Reversal returns the exact negation of the entry, booked on its own date or later for the
// same value date. A reversal is never reversed, because what it took back is posted again
// (LG4). Trying to is a bug, and panics.
func (e Entry) Reversal(id string, book calendar.Date) Entry {
	if e.Reverses != "" {
		panic(fmt.Sprintf("ledger: entry %s is itself a reversal", e.ID))
	}
	r := e
	r.ID, r.BookDate, r.Reverses = id, book, e.ID
	r.Postings = make([]Posting, len(e.Postings))
	for i, p := range e.Postings {
		p.Amount = money.Amount(0).Sub(p.Amount)
		r.Postings[i] = p
	}
	return r
}

// CheckReversals returns an error for the first entry in a list that breaks LG4: one that
// reverses an entry not before it in the list, or a reversal, or one already reversed, or that
// is not the exact negation of what it reverses. Duplicate ids are an error too.
func CheckReversals(entries []Entry) error {
	byID := make(map[string]Entry, len(entries))
	reversed := make(map[string]string)
	for _, e := range entries {
		if _, twice := byID[e.ID]; twice {
			return fmt.Errorf("ledger: two entries have the id %s", e.ID)
		}
		byID[e.ID] = e
		if e.Reverses == "" {
			continue
		}
		original, known := byID[e.Reverses]
		switch other, again := reversed[e.Reverses]; {
		case !known || e.Reverses == e.ID:
			return fmt.Errorf("ledger: entry %s reverses %s, which does not precede it", e.ID, e.Reverses)
		case original.Reverses != "":
			return fmt.Errorf("ledger: entry %s reverses %s, which is itself a reversal", e.ID, e.Reverses)
		case again:
			return fmt.Errorf("ledger: entries %s and %s both reverse %s", other, e.ID, e.Reverses)
		case !e.negates(original):
			return fmt.Errorf("ledger: entry %s is not the exact negation of %s", e.ID, e.Reverses)
		}
		reversed[e.Reverses] = e.ID
	}
	return nil
}

// negates reports whether e takes back every line of the original, in order,
// for the same value date.
func (e Entry) negates(original Entry) bool {
	if e.Currency != original.Currency || e.ValueDate != original.ValueDate || e.BookDate < original.BookDate {
		return false
	}
	return slices.EqualFunc(e.Postings, original.Postings, func(a, b Posting) bool {
		return a.Account == b.Account && a.Dimensions == b.Dimensions && a.Amount == money.Amount(0).Sub(b.Amount)
	})
}
