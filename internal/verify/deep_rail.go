package verify

import (
	"cmp"
	"maps"
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/store"
)

// loadLines has the lists of lines of whatever a command makes loaded, as an engine
// would have them whole before it decides on them.
func (w *judge) loadLines(c credit.Changes) {
	whole := func(key string) {
		if _, ok := w.state.OrderLines[key]; !ok {
			w.state.OrderLines[key] = nil
		}
	}
	for _, x := range c.Companies {
		whole(store.CompanyKey(x.ID))
	}
	for _, o := range c.Orders {
		whole(o.Key)
	}
	for _, l := range c.Lines {
		whole(l.Of())
	}
}

// loadPositions has the positions of the merchants that a command posts for loaded.
func (w *judge) loadPositions(c credit.Changes) {
	for _, e := range c.Entries {
		for _, x := range credit.Moved(e) {
			if _, ok := w.state.Positions[x.Merchant]; !ok {
				w.state.Positions[x.Merchant] = nil
			}
		}
	}
}

// loadWaiting loads what waits for merchants as an engine does: the first of each side
// as the batch has found them, then what the batch has written since.
func (w *judge) loadWaiting(merchants []string) {
	for _, m := range merchants {
		if _, ok := w.state.Waiting[m]; ok {
			continue
		}
		ids := slices.SortedFunc(maps.Keys(w.waiting[m]), func(a, b string) int {
			return cmp.Or(cmp.Compare(w.state.Lines[a].Due, w.state.Lines[b].Due), cmp.Compare(a, b))
		})
		lines := make([]*credit.PayoutLine, len(ids))
		for i, id := range ids {
			lines[i] = w.state.Lines[id]
		}
		w.state.Waiting[m] = ids[:0]
		for _, l := range credit.FirstLines(lines) {
			w.state.Waiting[m] = append(w.state.Waiting[m], l.ID)
		}
		for _, l := range w.lines {
			if l.Merchant == m {
				w.state.Apply(credit.Changes{Lines: []*credit.PayoutLine{w.state.Lines[l.ID]}})
			}
		}
	}
}

// loadEnded loads the lines that debits of merchants have ended. It looks through all, for
// few debits come back.
func (w *judge) loadEnded(debits []string) {
	for _, t := range debits {
		if _, ok := w.state.Ended[t]; ok {
			continue
		}
		w.state.Ended[t] = nil
		for _, l := range w.state.Lines {
			if l.Payout == t {
				w.state.Apply(credit.Changes{Lines: []*credit.PayoutLine{l}})
			}
		}
	}
}

// unloadWaiting ends a batch: the next one finds what is stored then.
func (w *judge) unloadWaiting() {
	for _, l := range w.lines {
		if w.waiting[l.Merchant] == nil {
			w.waiting[l.Merchant] = map[string]bool{}
		}
		if w.state.Lines[l.ID].Payout == "" {
			w.waiting[l.Merchant][l.ID] = true
		} else {
			delete(w.waiting[l.Merchant], l.ID)
		}
	}
	w.lines = nil
	clear(w.state.Waiting)
	clear(w.state.Ended)
}

// compareRails compares what belongs to rails, payouts and the books.
func (w *judge) compareRails() error {
	for _, check := range []func() error{w.compareMethods, w.compareTransfers, w.comparePayouts, w.compareLines, w.compareNotices, w.comparePeriods,
		w.compareLender, w.compareScreenings, w.compareReceipts, w.compareRecords} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// compareAll compares the records of a noun with those that the audit log makes. row
// makes the stored row of a record.
func compareAll[R, T any](w *judge, noun string, t *store.Table[R], each func(func(*T) error) error, want map[string]*T, id func(*T) string, row func(*T) R) error {
	seen := map[string]bool{}
	err := each(func(x *T) error {
		key := id(x)
		seen[key] = true
		var made *R
		if y := want[key]; y != nil {
			r := row(y)
			made = &r
		}
		compareRecord(w, noun+" "+key, t, row(x), made)
		return w.ctx.Err()
	})
	missing(w, noun, want, seen)
	return err
}

func (w *judge) compareMethods() error {
	return compareAll(w, "payment method", &store.PaymentMethods, w.view.EachMethod, w.state.Methods,
		func(x *credit.PaymentMethod) string { return x.ID }, func(x *credit.PaymentMethod) store.MethodRow { return store.MethodRow{PaymentMethod: x} })
}

// compareTransfers leaves out whether a transfer stands in a file: no command says so.
func (w *judge) compareTransfers() error {
	each := func(fn func(*credit.Transfer) error) error {
		return w.view.EachTransfer(func(t *credit.Transfer, _ bool) error { return fn(t) })
	}
	return compareAll(w, "transfer", &store.Transfers, each, w.state.Transfers,
		func(x *credit.Transfer) string { return x.ID }, func(x *credit.Transfer) store.TransferRow { return store.TransferRow{Transfer: x} })
}

func (w *judge) comparePayouts() error {
	return compareAll(w, "payout", &store.Payouts, w.view.EachPayout, w.state.Payouts,
		func(x *credit.Payout) string { return x.ID }, func(x *credit.Payout) store.PayoutRow { return store.PayoutRow{Payout: x} })
}

func (w *judge) compareLines() error {
	return compareAll(w, "payout line", &store.PayoutLines, w.view.EachPayoutLine, w.state.Lines,
		func(x *credit.PayoutLine) string { return x.ID }, func(x *credit.PayoutLine) store.LineRow { return store.LineRow{PayoutLine: x, Of: x.Of()} })
}

func (w *judge) compareNotices() error {
	return compareAll(w, "notice", &store.Notices, w.view.EachNotice, w.state.Notices,
		func(x *credit.Notice) string { return x.ID }, func(x *credit.Notice) store.NoticeRow { return store.NoticeRow{Notice: x} })
}

func (w *judge) comparePeriods() error {
	seen := map[calendar.Date]bool{}
	for _, x := range w.periods {
		seen[x.Month] = true
		var want *store.PeriodRow
		if y := w.state.Periods[x.Month]; y != nil {
			want = &store.PeriodRow{Period: y}
		}
		compareRecord(w, "period "+x.Month.String(), &store.Periods, store.PeriodRow{Period: x}, want)
	}
	missing(w, "period", w.state.Periods, seen)
	return w.ctx.Err()
}
