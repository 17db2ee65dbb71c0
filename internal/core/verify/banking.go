package verify

import (
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// contents sums up a file's entries.
type contents struct {
	traces          []int64
	debits, credits money.Amount
}

// exchanged compares files with their entries, entries with transfers, closed notices with
// their subjects, and matched bank lines with the books (PA2, PO5, PO6). What a bank sent
// can be compared with nothing else.
func exchanged(r *run) error {
	files := map[string]*contents{}
	if err := store.Each(r.view, &store.BankEntries, func(e store.BankEntry) error {
		r.checkFileEntry(e, files)
		return r.each(0)
	}); err != nil {
		return err
	}
	if err := store.Each(r.view, &store.BankFiles, func(f store.BankFile) error {
		r.checkFile(f, files[f.ID])
		delete(files, f.ID)
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(files)) {
		r.broken("PO5", "file "+id, "has %d entries but does not exist", len(files[id].traces))
	}
	for _, id := range slices.Sorted(maps.Keys(r.transfers)) {
		if t := r.transfers[id]; t.filed != t.inFile {
			r.broken("PO5", "transfer "+id, "is marked as filed: %t, is in a file: %t", t.filed, t.inFile)
		}
	}
	if err := store.Each(r.view, &store.BankNotices, func(n store.BankNotice) error {
		r.checkBankNotice(n)
		return r.each(0)
	}); err != nil {
		return err
	}
	return r.reconciled()
}

func (r *run) checkFileEntry(e store.BankEntry, files map[string]*contents) {
	object, t := "transfer "+e.Transfer, r.transfers[e.Transfer]
	if files[e.File] == nil {
		files[e.File] = &contents{}
	}
	f := files[e.File]
	f.traces = append(f.traces, e.Trace)
	if t == nil || t.rail != credit.ACH || t.status == credit.TransferQueued || t.status == credit.TransferCanceled {
		r.broken("PO5", object, "is in file %s but was not sent by ACH", e.File)
		return
	}
	t.inFile = true
	if t.debit {
		f.debits = f.debits.Add(t.amount)
	} else {
		f.credits = f.credits.Add(t.amount)
	}
}

// checkFile checks that a file contains what it claims, with consecutive trace numbers.
func (r *run) checkFile(f store.BankFile, c *contents) {
	object := "file " + f.ID
	if c == nil {
		c = &contents{}
	}
	if f.Entries != len(c.traces) || f.Entries == 0 {
		r.broken("PO5", object, "records %d entries, but has %d", f.Entries, len(c.traces))
	}
	r.equal("PO5", object, "its debits", f.Debits, c.debits)
	r.equal("PO5", object, "its credits", f.Credits, c.credits)
	want := map[int64]bool{}
	for i := range f.Entries {
		want[store.NextTrace(f.FirstTrace-1, i+1)] = true
	}
	for _, x := range c.traces {
		if !want[x] {
			r.broken("PO5", object, "has an entry with trace number %d, which is not one of its %d from %d", x, f.Entries, f.FirstTrace)
		}
		delete(want, x)
	}
	if f.CreatedAt.Before(f.CutOff) || f.MovedAt.Before(f.CreatedAt.Add(-clocksApart)) {
		r.broken("PO5", object, "for the cut-off %s was created at %s and moved at %s", stamp(f.CutOff), stamp(f.CreatedAt), stamp(f.MovedAt))
	}
}

// clocksApart is how far the clocks of two nodes may differ: one node makes a file, another
// may send it. A clock manually set to the wrong hour does not damage the books.
const clocksApart = 2 * time.Hour

// checkBankNotice checks that the effect of a closed notice happened: after a return or a
// rejection the transfer is returned, or failed if it had not settled (PA2).
func (r *run) checkBankNotice(n store.BankNotice) {
	object := "notice " + n.ID + " of " + string(n.Rail)
	if n.ClosedAt.IsZero() != (n.Result == "") {
		r.broken("PA2", object, "was processed at %q with the result %q", stamp(n.ClosedAt), n.Result)
	}
	if n.ReviewedAt.IsZero() != (n.ReviewedBy == "" && n.ReviewNote == "") || !n.ReviewedAt.IsZero() && (!n.Left() || n.ReviewedBy == "" || n.ReviewNote == "") {
		r.broken("PA2", object, "has the result %q and was reviewed at %q by %q: %q", n.Result, stamp(n.ReviewedAt), n.ReviewedBy, n.ReviewNote)
	}
	if n.Transfer == "" {
		if n.Result == store.NoticeDone && n.Kind != "ACK" && n.Kind != "REJECT" { // about a file
			r.broken("PA2", object, "was processed without a transfer")
		}
		return
	}
	t := r.transfers[n.Transfer]
	if t == nil || t.rail != n.Rail {
		r.broken("PA2", object, "is about transfer %s, which is not on its rail", n.Transfer)
		return
	}
	if n.Result != store.NoticeDone && n.Result != store.NoticeLate {
		return
	}
	ok := true
	switch {
	case n.Kind == "RETURN", n.Kind == "REJECT":
		ok = t.status == credit.TransferReturned || t.status == credit.TransferFailed
	case n.Kind == "SETTLED" && n.Rail == credit.Card:
		ok = t.settled
	}
	if !ok {
		r.broken("PA2", object, "%s was processed, but transfer %s is %s", n.Kind, n.Transfer, t.status)
	}
}
