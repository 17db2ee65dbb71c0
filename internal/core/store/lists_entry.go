package store

import "tenor/internal/domain/calendar"

// EntryFilter narrows reads of entries.
type EntryFilter struct {
	BookFilter
	// Order selects, instead, the whole entries with a posting on an order.
	Order string
}

// EachEntry calls fn with all entries, in order of posting.
func EachEntry(v View, fn func(EntryRow) error) error {
	return v.Entries(EntryFilter{BookFilter: BookFilter{From: calendar.None, To: calendar.None}}, fn)
}

// EachEntryOf calls fn with the entries that match the filter, in order of posting. With a
// company or a merchant, an entry comes with only its lines, and is omitted if it has none.
func EachEntryOf(v View, f BookFilter, fn func(EntryRow) error) error {
	return v.Entries(EntryFilter{BookFilter: f}, fn)
}

// EntriesOf lists the entries with a posting on the order, in order of posting.
func EntriesOf(v View, order string) (out []EntryRow, err error) {
	err = v.Entries(EntryFilter{BookFilter: BookFilter{From: calendar.None, To: calendar.None}, Order: order}, func(e EntryRow) error {
		out = append(out, e)
		return nil
	})
	return out, err
}
