package storetest

import (
	"errors"
	"fmt"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// walkRails walks over all records in order of their ids.
func walkRails(t *testing.T, w *World, v store.View) {
	t.Helper()
	var last string
	count := 0
	next := func(id string, want, got any) error {
		if id <= last {
			return fmt.Errorf("%s comes after %s", id, last)
		}
		last = id
		count++
		equal(t, "record "+id, want, got)
		return nil
	}
	err := store.EachOf(v, store.MethodNoun, func(x *credit.PaymentMethod) error { return next(x.ID, w.State.Methods[x.ID], x) })
	last = ""
	err = errors.Join(err, store.EachOf(v, store.TransferNoun, func(x *credit.Transfer) error { return next(x.ID, w.State.Transfers[x.ID], x) }))
	last = ""
	err = errors.Join(err, store.EachOf(v, store.PayoutNoun, func(x *credit.Payout) error { return next(x.ID, w.State.Payouts[x.ID], x) }))
	last = ""
	err = errors.Join(err, store.EachOf(v, store.PayoutLineNoun, func(x *credit.PayoutLine) error { return next(x.ID, w.State.Lines[x.ID], x) }))
	last = ""
	err = errors.Join(err, store.EachOf(v, store.NoticeNoun, func(x *credit.Notice) error { return next(x.ID, w.State.Notices[x.ID], x) }))
	last = ""
	err = errors.Join(err, store.EachOf(v, store.ScreeningNoun, func(x *credit.Screening) error { return next(x.ID, w.State.Screenings[x.ID], x) }))
	last = ""
	err = errors.Join(err, store.EachOf(v, store.ReceiptNoun, func(x *credit.Receipt) error { return next(x.ID, w.State.Receipts[x.ID], x) }))
	if want := records(w); err != nil || count != want || want == 0 {
		t.Errorf("the walks have seen %d records of %d: %v", count, want, err)
	}
}

// records is the number of rail records in a world.
func records(w *World) int {
	return len(w.methods) + len(w.transfers) + len(w.payouts) + len(w.lines) + len(w.notices) + len(w.screenings) + len(w.receipts)
}
