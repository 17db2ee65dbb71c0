package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// item is what lists are compared by: position and record.
type item struct {
	at     time.Time
	id     string
	record any
}

// expected is the list that a plain loop over everything finds.
func expected(all []item, match func(any) bool) []item {
	out := slices.DeleteFunc(slices.Clone(all), func(i item) bool { return !match(i.record) })
	slices.SortFunc(out, func(a, b item) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.id, a.id)) })
	return out
}

// walk reads all pages of a list; all but the last must be full.
func walk(t *testing.T, name string, want []item, read func(store.Page) ([]item, error)) {
	t.Helper()
	for _, limit := range []int{1, 3, 1000} {
		var got []item
		p := store.Page{Limit: limit}
		for range len(want) + 2 {
			list, err := read(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(list) > limit {
				t.Fatalf("%s: a page of %d for a limit of %d", name, len(list), limit)
			}
			got = append(got, list...)
			if len(list) < limit {
				break
			}
			p.AfterAt, p.AfterID = list[limit-1].at, list[limit-1].id
		}
		if len(want) != len(got) {
			t.Fatalf("%s: %d records instead of %d", name, len(got), len(want))
		}
		for i := range want {
			equal(t, name, want[i].record, got[i].record)
		}
	}
}

func items[T any](list []T, at func(T) (time.Time, string)) []item {
	var out []item
	for _, x := range list {
		t, id := at(x)
		out = append(out, item{t, id, x})
	}
	return out
}

func testLists(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	for range 40 {
		commit(t, b, w.Batch(20))
	}
	view(t, b, func(v store.View) {
		listOrders(t, w, v)
		listPayments(t, w, v)
		listInvoices(t, w, v)
		for _, m := range append([]string{""}, w.merchants...) {
			at := func(c *credit.Company) (time.Time, string) { return c.CreatedAt, strconv.FormatInt(c.ID, 10) }
			var all []*credit.Company
			for _, id := range w.companies {
				all = append(all, w.State.Companies[id])
			}
			match := func(x any) bool { return m == "" || slices.Contains(x.(*credit.Company).Linked, m) }
			walk(t, "companies", expected(items(all, at), match), func(p store.Page) ([]item, error) {
				list, err := store.ListCompanies(v, m, p)
				return items(list, at), err
			})
		}
		for _, status := range []credit.CompanyStatus{"", credit.CompanyApproved, credit.CompanyOnHold, "NONE"} {
			at := func(c *credit.Company) (time.Time, string) { return c.CreatedAt, strconv.FormatInt(c.ID, 10) }
			var all []*credit.Company
			for _, id := range w.companies {
				all = append(all, w.State.Companies[id])
			}
			match := func(x any) bool { return status == "" || x.(*credit.Company).Status == status }
			walk(t, "companies with a status", expected(items(all, at), match), func(p store.Page) ([]item, error) {
				list, err := store.ListCompaniesIn(v, status, p)
				return items(list, at), err
			})
		}
		var merchants []*credit.Merchant
		for _, id := range slices.Sorted(slices.Values(w.merchants)) {
			merchants = append(merchants, w.State.Merchants[id])
		}
		equal(t, "merchants", merchants, must(store.AllMerchants(v))(t))
	})
}

func listOrders(t *testing.T, w *World, v store.View) {
	at := func(o *credit.Order) (time.Time, string) { return o.CreatedAt, o.Key }
	var all []*credit.Order
	for _, key := range w.orders {
		all = append(all, w.State.Orders[key])
	}
	some, noDay := pick(w, all), calendar.None
	captured := w.orderIn(credit.OrderCaptured)
	if captured == nil {
		captured = &credit.Order{CaptureDate: 20_000}
	}
	type f = store.OrderFilter
	for name, c := range map[string]struct {
		f     store.OrderFilter
		match func(*credit.Order) bool
	}{
		"all":      {f{CapturedFrom: noDay, CapturedTo: noDay}, func(o *credit.Order) bool { return true }},
		"merchant": {f{Merchant: some.Merchant}, func(o *credit.Order) bool { return o.Merchant == some.Merchant }},
		"merchant order id": {f{Merchant: some.Merchant, MerchantOrderID: some.MerchantOrderID}, func(o *credit.Order) bool {
			return o.Merchant == some.Merchant && (some.MerchantOrderID == "" || o.MerchantOrderID == some.MerchantOrderID)
		}},
		"company":   {f{Company: some.Company}, func(o *credit.Order) bool { return o.Company == some.Company }},
		"status":    {f{Merchant: some.Merchant, Status: some.Status}, func(o *credit.Order) bool { return o.Merchant == some.Merchant && o.Status == some.Status }},
		"financing": {f{Financing: credit.FinancingActive}, func(o *credit.Order) bool { return o.Financing == credit.FinancingActive }},
		"no financing": {f{Merchant: some.Merchant, Financing: credit.FinancingNone}, func(o *credit.Order) bool {
			return o.Merchant == some.Merchant && o.Financing == credit.FinancingNone
		}},
		"created": {f{CreatedFrom: some.CreatedAt, CreatedTo: some.CreatedAt.Add(time.Hour)}, func(o *credit.Order) bool {
			return !o.CreatedAt.Before(some.CreatedAt) && o.CreatedAt.Before(some.CreatedAt.Add(time.Hour))
		}},
		"updated": {f{Merchant: some.Merchant, UpdatedSince: some.UpdatedAt}, func(o *credit.Order) bool {
			return o.Merchant == some.Merchant && !o.UpdatedAt.Before(some.UpdatedAt)
		}},
		"updated of all": {f{UpdatedSince: some.UpdatedAt}, func(o *credit.Order) bool { return !o.UpdatedAt.Before(some.UpdatedAt) }},
		"updated and status": {f{Merchant: some.Merchant, Status: some.Status, UpdatedSince: some.UpdatedAt}, func(o *credit.Order) bool {
			return o.Merchant == some.Merchant && o.Status == some.Status && !o.UpdatedAt.Before(some.UpdatedAt)
		}},
		"captured until": {f{Merchant: captured.Merchant, CapturedFrom: noDay, CapturedTo: captured.CaptureDate}, func(o *credit.Order) bool {
			return o.Merchant == captured.Merchant && o.CaptureDate != noDay && o.CaptureDate <= captured.CaptureDate
		}},
		"captured and company": {f{Company: captured.Company, CapturedFrom: captured.CaptureDate, CapturedTo: noDay}, func(o *credit.Order) bool {
			return o.Company == captured.Company && o.CaptureDate != noDay && o.CaptureDate >= captured.CaptureDate
		}},
		"captured from": {f{CapturedFrom: captured.CaptureDate, CapturedTo: noDay}, func(o *credit.Order) bool {
			return o.CaptureDate != noDay && o.CaptureDate >= captured.CaptureDate
		}},
		"captured on": {f{CapturedFrom: captured.CaptureDate, CapturedTo: captured.CaptureDate}, func(o *credit.Order) bool {
			return o.CaptureDate == captured.CaptureDate
		}},
	} {
		if c.f.CapturedFrom == 0 && c.f.CapturedTo == 0 {
			c.f.CapturedFrom, c.f.CapturedTo = noDay, noDay
		}
		want := expected(items(all, at), func(x any) bool { return c.match(x.(*credit.Order)) })
		walk(t, "orders by "+name, want, func(p store.Page) ([]item, error) {
			list, err := store.ListOrders(v, c.f, p)
			return items(list, at), err
		})
	}
}

func listInvoices(t *testing.T, w *World, v store.View) {
	at := func(i *credit.Invoice) (time.Time, string) { return i.IssuedAt, i.ID }
	var all []*credit.Invoice
	for _, i := range w.State.Invoices {
		all = append(all, i)
	}
	if len(all) == 0 {
		return
	}
	some := all[0]
	type f = store.InvoiceFilter
	for name, c := range map[string]struct {
		f     store.InvoiceFilter
		match func(*credit.Invoice) bool
	}{
		"all":      {f{}, func(i *credit.Invoice) bool { return true }},
		"merchant": {f{Merchant: some.Merchant}, func(i *credit.Invoice) bool { return i.Merchant == some.Merchant }},
		"order":    {f{Order: some.Order}, func(i *credit.Invoice) bool { return i.Order == some.Order }},
		"company":  {f{Company: some.Company}, func(i *credit.Invoice) bool { return i.Company == some.Company }},
		"status":   {f{Status: some.Status}, func(i *credit.Invoice) bool { return i.Status == some.Status }},
	} {
		want := expected(items(all, at), func(x any) bool { return c.match(x.(*credit.Invoice)) })
		walk(t, "invoices by "+name, want, func(p store.Page) ([]item, error) {
			list, err := store.ListInvoices(v, c.f, p)
			return items(list, at), err
		})
	}
}

// testEvents pages through all events and through those of each object.
func testEvents(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	var all []store.EventRow
	for range 15 {
		batch := w.Batch(20)
		c := commit(t, b, batch)
		all = append(all, eventsOf(batch, c.FirstQ)...)
	}
	objects := map[credit.ObjectRef][]store.EventRow{{}: all}
	for _, e := range all {
		objects[e.Object] = append(objects[e.Object], e)
	}
	view(t, b, func(v store.View) {
		for object, want := range objects {
			for _, limit := range []int{1, 7, 10_000} {
				var got []store.EventRow
				f := store.EventFilter{Object: object, Limit: limit}
				for {
					list := must(v.Events(f))(t)
					got = append(got, list...)
					if len(list) < limit {
						break
					}
					f.Behind = list[limit-1].ID
				}
				equal(t, fmt.Sprint("events of ", object), want, got)
			}
		}
	})
}

// eventsOf are the events of a batch as they should be stored.
func eventsOf(batch store.Batch, first int64) []store.EventRow {
	var all []store.EventRow
	for i, d := range batch.Decided {
		for n, e := range d.Changes.Events {
			all = append(all, store.EventRow{
				ID: e.ID, Type: e.Type, Object: e.Object, Sequence: e.Sequence, Q: first + int64(i), N: n, Company: e.Company,
				Merchant: e.Merchant, Readers: e.ReadBy(), At: d.Audit.At, Payload: d.Events[n],
			})
		}
	}
	return all
}

// testEntries recomputes the entries of each order and all balances.
func testEntries(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	var all []store.EntryRow
	balances := map[ledger.BalanceKey]int64{}
	for range 20 {
		batch := w.Batch(20)
		c := commit(t, b, batch)
		for i, d := range batch.Decided {
			for _, e := range d.Changes.Entries {
				all = append(all, store.EntryRow{Entry: e, Q: c.FirstQ + int64(i), At: d.Audit.At})
				for _, p := range e.Postings {
					k := ledger.BalanceKey{Account: p.Account, Dimensions: store.BalanceDimensions(p), Currency: e.Currency}
					balances[k] += int64(p.Amount)
				}
			}
		}
	}
	view(t, b, func(v store.View) {
		for _, key := range w.orders {
			want := slices.DeleteFunc(slices.Clone(all), func(e store.EntryRow) bool {
				return !slices.ContainsFunc(e.Postings, func(p ledger.Posting) bool { return p.Order == key })
			})
			equal(t, "entries of "+key, want, must(store.EntriesOf(v, key))(t))
		}
		got := map[ledger.BalanceKey]int64{}
		if err := store.EachBalance(v, func(k ledger.BalanceKey, n int64) error { got[k] = n; return nil }); err != nil {
			t.Fatal(err)
		}
		equal(t, "balances", balances, got)
		want := [2]int64{}
		for k, n := range balances {
			if k.Account.Memo() {
				want[1] += n
			} else {
				want[0] += n
			}
		}
		books, memo, err := store.Trial(v)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "trial balance", want, [2]int64{books, memo})
		var walked []store.EntryRow
		if err := store.EachEntry(v, func(e store.EntryRow) error { walked = append(walked, e); return nil }); err != nil {
			t.Fatal(err)
		}
		equal(t, "all entries", all, walked)
	})
}

// testWalks counts the results of the walks and checks their order, and ends them with an
// error.
func testWalks(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	var audits []store.Audit
	var batches []store.Batch
	for range 60 { // enough that there is some of each kind
		batch := w.Batch(20)
		commit(t, b, batch)
		batches = append(batches, batch)
		for _, d := range batch.Decided {
			audits = append(audits, d.Audit)
		}
	}
	stop := errors.New("stop")
	view(t, b, func(v store.View) {
		next := int64(3)
		err := store.EachAudit(v, next-1, func(q int64, a store.Audit) error {
			if q != next {
				t.Fatalf("audit row %d instead of %d", q, next)
			}
			equal(t, "audit row", audits[q-1], a)
			next++
			return nil
		})
		if err != nil || next != int64(len(audits))+1 {
			t.Errorf("the audit log ends before %d of %d: %v", next, len(audits), err)
		}
		i := 0
		err = store.EachBatch(v, func(r store.BatchRow) error {
			if want := batches[i]; r.ID != want.ID || r.LastQ-r.FirstQ+1 != int64(len(want.Decided)) || r.Digest != want.Digest ||
				r.Rules != want.Rules || r.Wire != want.Wire || r.Tombstone {
				t.Errorf("batch %d is %+v", i, r)
			}
			i++
			return nil
		})
		if err != nil || i != len(batches) {
			t.Errorf("%d batches of %d: %v", i, len(batches), err)
		}
		err = store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
			equal(t, "order", w.State.Orders[o.Key], o)
			equal(t, "loan", w.State.Loans[o.Key], l)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		var open []credit.Credit
		err = store.EachCredit(v, func(c credit.Credit) error { open = append(open, c); return nil })
		var want []credit.Credit
		for _, id := range slices.Sorted(slices.Values(w.companies)) {
			want = append(want, w.State.Credits[id]...)
		}
		equal(t, "credits", want, open)
		events, claims, answers := 0, 0, 0
		err = errors.Join(err,
			store.EachMoney(v, func(int64, credit.MoneyEvent) error { events++; return nil }),
			store.EachClaim(v, func(c credit.Claim, owner string) error {
				claims++
				equal(t, "claim", w.State.Claims[c], owner)
				return nil
			}),
			store.EachAnswer(v, func(k store.KeyID, a store.Answer) error { answers++; return nil }),
			store.EachOf(v, store.InvoiceNoun, func(i *credit.Invoice) error { equal(t, "invoice", w.State.Invoices[i.ID], i); return nil }),
			store.EachOf(v, store.PaymentNoun, func(p *credit.Payment) error { equal(t, "payment", w.State.Payments[p.ID], p); return nil }),
			store.Each(v, &store.Clients, func(c store.ClientRow) error { equal(t, "client", w.State.Clients[c.ID], c.Client); return nil }),
			store.Each(v, &store.Tokens, func(x store.TokenRow) error { equal(t, "token", w.State.Tokens[x.Key()], x.Token); return nil }),
			store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error { equal(t, "company", w.State.Companies[c.ID], c); return nil }))
		if err != nil || claims == 0 || answers == 0 || events == 0 {
			t.Errorf("%d claims, %d answers, %d money events: %v", claims, answers, events, err)
		}
		walkStored(t, b, v)
		if err := store.Each(v, &store.Events, func(store.EventRow) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("a walk that its function stops: %v", err)
		}
	})
}

// testSnapshots reads while batches are committed: a view's contents must not change, and
// must be of one commit.
func testSnapshots(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	var last []int64
	for range 3 {
		readers.Go(func() {
			for seen := int64(0); ctx.Err() == nil; {
				err := b.View(context.Background(), func(v store.View) error {
					if v.Seq() < seen {
						return fmt.Errorf("commit %d after %d", v.Seq(), seen)
					}
					seen = v.Seq()
					return consistent(v)
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 60 {
		batch := w.Batch(20)
		c := commit(t, b, batch)
		last = append(last, c.FirstQ+int64(len(batch.Decided))-1)
		view(t, b, func(v store.View) { // a read after an answer sees its commit
			if v.Seq() < last[len(last)-1] {
				t.Errorf("a view of commit %d after the answer of %d", v.Seq(), last[len(last)-1])
			}
		})
	}
	cancel()
	readers.Wait()
	view(t, b, func(v store.View) {
		before := v.Seq()
		commit(t, b, w.Batch(5)) // within an open view
		if err := consistent(v); err != nil || v.Seq() != before {
			t.Errorf("an open view moved from %d to %d: %v", before, v.Seq(), err)
		}
	})
}

// consistent checks that everything in a view is of its commit.
func consistent(v store.View) error {
	audits, lines := int64(0), money.Amount(0)
	err := store.EachAudit(v, 0, func(int64, store.Audit) error { audits++; return nil })
	if err != nil || audits != v.Seq() {
		return fmt.Errorf("%d audit rows at commit %d: %w", audits, v.Seq(), err)
	}
	posted := map[ledger.BalanceKey]int64{}
	err = store.EachEntry(v, func(e store.EntryRow) error {
		for _, p := range e.Postings {
			lines += p.Amount
			posted[ledger.BalanceKey{Account: p.Account, Dimensions: store.BalanceDimensions(p), Currency: e.Currency}] += int64(p.Amount)
		}
		return nil
	})
	if err != nil || lines != 0 {
		return fmt.Errorf("postings sum to %d at commit %d: %w", lines, v.Seq(), err)
	}
	return store.EachBalance(v, func(k ledger.BalanceKey, n int64) error {
		if posted[k] != n {
			return fmt.Errorf("balance %v is %d instead of %d at commit %d", k, n, posted[k], v.Seq())
		}
		return nil
	})
}
