package books

import (
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Closing is what closing a month records: the debits of its entries, without memo accounts, and the
// book date of the very first entry, None if there is none. The month is that of its first day.
func Closing(v store.View, month calendar.Date) (debits money.Amount, first calendar.Date, err error) {
	err = store.EachEntryOf(v, store.BookFilter{From: month, To: month.EndOfMonth()}, func(e store.EntryRow) error {
		for _, p := range e.Postings {
			if p.Amount > 0 && !p.Account.Memo() {
				debits = debits.Add(p.Amount)
			}
		}
		return nil
	})
	if err != nil {
		return 0, calendar.None, err
	}
	first, err = FirstBooked(v)
	return debits, first, err
}

// errFirst ends a walk at its first entry.
var errFirst = errors.New("the first entry is enough")

// FirstBooked is the book date of the very first entry, None if there is none.
func FirstBooked(v store.View) (first calendar.Date, err error) {
	first = calendar.None
	err = store.EachEntryOf(v, store.BookFilter{From: calendar.None, To: calendar.None}, func(e store.EntryRow) error {
		first = e.BookDate
		return errFirst
	})
	if errors.Is(err, errFirst) {
		err = nil
	}
	return first, err
}
