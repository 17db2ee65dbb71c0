// Package storetest is the contract of a store.Backend. Every backend's test calls Conform:
// all backends pass the same tests, and their content is compared, table by table, with the
// memory backend's after the same batches.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// Conform tests a backend. open returns an empty one; the test closes it.
func Conform(t *testing.T, open func(*testing.T) store.Backend) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, store.Backend)
		long bool // slow and single-threaded: skipped by -short under the race detector
	}{
		{"empty", testEmpty, false},
		{"difference", testDifference, true},
		{"every field", testEveryField, true},
		{"every field of rails", testEveryRailField, true},
		{"history", testHistory, true},
		{"chain", testChain, false},
		{"answers", testAnswers, false},
		{"claims", testClaims, false},
		{"constraints", testConstraints, false},
		{"nothing", testNothing, false},
		{"resolve", testResolve, false},
		{"lists", testLists, true},
		{"orders by status", testOrdersByStatus, true},
		{"what reports read", testReports, true},
		{"the oldest first", testOldest, true},
		{"briefs", testBriefs, true},
		{"rails", testRails, true},
		{"waiting lines", testWaiting, false},
		{"what is there once", testOnce, false},
		{"notices that are kept", testKeptNotices, false},
		{"records", testRecords, false},
		{"due records", testDueRecords, false},
		{"due mails", testDueMails, false},
		{"scratch", testScratch, false},
		{"request log", testRequests, false},
		{"books", testBooks, true},
		{"exchange", testExchange, false},
		{"review", testReview, false},
		{"reconciliation", testReconciliation, true},
		{"trace numbers", testTraces, false},
		{"difference of exchanges", testExchanges, true},
		{"events", testEvents, false},
		{"entries and balances", testEntries, false},
		{"past due", testPastDue, true},
		{"walks", testWalks, true},
		{"outbox", testOutbox, false},
		{"audit log", testAudits, false},
		{"signed heads", testHeads, false},
		{"envelopes", testEnvelopes, false},
		{"access", testAccess, false},
		{"clients", testClients, false},
		{"endpoints", testEndpoints, false},
		{"streams", testStreams, true},
		{"resends", testResends, false},
		{"leases", testLeases, false},
		{"fencing", testFencing, false},
		{"deliveries", testDeliveries, false},
		{"work recorded twice", testRecordedTwice, false},
		{"work that is refused", testRefusedWork, false},
		{"purge", testPurge, false},
		{"difference of couriers", testCouriers, true},
		{"snapshots", testSnapshots, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("one goroutine does it")
			}
			b := open(t)
			defer func() {
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}()
			c.run(t, b)
		})
	}
}

// seed logs the seed of a random test before anything can fail.
func seed(t *testing.T) uint64 {
	s := rand.Uint64() % 1_000_000
	t.Logf("seed %d", s)
	return s
}

// commit writes a batch as the engine does: it first loads what the batch needs.
func commit(t *testing.T, b store.Backend, batch store.Batch) store.Commit {
	t.Helper()
	c, err := b.Update(context.Background(), func(tx store.Tx) error { return loadAndApply(tx, batch) })
	if err != nil || c.Outcome != store.Committed {
		t.Fatalf("commit: %+v, %v", c, err)
	}
	return c
}

// loadAndApply does what an engine does: a backend may infer from the load whether a record
// is new.
func loadAndApply(tx store.Tx, batch store.Batch) error {
	if _, err := tx.Load(credit.NewState(), keysOf(batch), nil); err != nil {
		return err
	}
	return tx.Apply(batch)
}

// refuse expects that a batch is not committed, and leaves nothing.
func refuse(t *testing.T, b store.Backend, batch store.Batch) error {
	t.Helper()
	before := dump(t, b)
	c, err := b.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) })
	if err == nil || c.Outcome != store.NotCommitted {
		t.Fatalf("a wrong batch ended %+v, %v", c, err)
	}
	same(t, before, dump(t, b))
	return err
}

// keysOf returns what a batch's commands touch.
func keysOf(batch store.Batch) credit.Keys {
	var k credit.Keys
	for _, d := range batch.Decided {
		for _, x := range d.Changes.Companies {
			k.Companies = append(k.Companies, x.ID)
		}
		for _, x := range d.Changes.Orders {
			k.Orders = append(k.Orders, x.Key)
		}
		for _, x := range d.Changes.Loans {
			k.Orders = append(k.Orders, x.Key)
		}
		for _, x := range d.Changes.Payments {
			k.Payments = append(k.Payments, x.ID)
			if x.Order != "" {
				k.Orders = append(k.Orders, x.Order)
			}
		}
		for _, x := range d.Changes.Clients {
			k.Clients = append(k.Clients, x.ID)
		}
		for _, x := range d.Changes.Tokens {
			k.Tokens = append(k.Tokens, x.Key())
		}
		for _, x := range d.Changes.Endpoints {
			k.Endpoints = append(k.Endpoints, x.ID)
		}
		railKeys(&k, d.Changes)
	}
	return k
}

// railKeys adds what a command touches of rails, payouts and the books.
func railKeys(k *credit.Keys, c credit.Changes) {
	for _, x := range c.Methods {
		k.Methods = append(k.Methods, x.ID)
	}
	for _, x := range c.Transfers {
		k.Transfers, k.Ended = append(k.Transfers, x.ID), append(k.Ended, x.ID)
	}
	for _, x := range c.Payouts {
		k.Payouts, k.Waiting = append(k.Payouts, x.ID), append(k.Waiting, x.Merchant)
	}
	for _, x := range c.Lines {
		k.Lines = append(k.Lines, x.Of())
	}
	for _, x := range c.Notices {
		k.Notices = append(k.Notices, x.ID)
	}
	for _, x := range c.Periods {
		k.Periods = append(k.Periods, x.Month)
	}
	for _, x := range c.Lenders {
		k.Lenders = append(k.Lenders, x.ID)
	}
	for _, x := range c.Screenings {
		k.Screenings = append(k.Screenings, x.ID)
	}
	for _, x := range c.Receipts {
		k.Receipts = append(k.Receipts, x.ID)
	}
}

func view(t *testing.T, b store.Backend, fn func(store.View)) {
	t.Helper()
	if err := b.View(context.Background(), func(v store.View) error { fn(v); return nil }); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func dump(t *testing.T, b store.Backend) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := store.WriteDump(context.Background(), b, &w); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// same compares two dumps and shows the first lines that differ.
func same(t *testing.T, want, got []byte) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	a, b := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	table, shown := "", 0
	for i := range max(len(a), len(b)) {
		var x, y []byte
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if bytes.HasPrefix(x, []byte("== ")) {
			table = string(bytes.Fields(x)[1])
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s:\nwant %s\n got %s", table, x, y)
			if shown++; shown == 3 {
				t.FailNow()
			}
		}
	}
	t.FailNow()
}

// equal compares records; a nil slice or map is equal to an empty one.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func testEmpty(t *testing.T, b store.Backend) {
	c, err := b.Update(context.Background(), func(tx store.Tx) error {
		head := must(tx.Head())(t)
		if head.Q != 0 || !head.At.IsZero() || head.Hash != [32]byte{} {
			t.Errorf("head of an empty store: %+v", head)
		}
		s := credit.NewState()
		keys := credit.Keys{
			Merchants: []string{"m"}, Companies: []int64{1}, Orders: []string{"o"}, Payments: []string{"p"}, Invoices: []string{"i"},
			Claims: []credit.Claim{{Kind: credit.ClaimExternalID, Name: "x"}}, History: []string{"o"}, Accounts: []int64{1},
			Clients: []string{"c"}, Tokens: []string{strings.Repeat("ab", 32)}, Endpoints: []string{"e"}, Methods: []string{"m"}, Transfers: []string{"t"}, Payouts: []string{"p"},
			Lines: []string{"o", "1"}, Waiting: []string{"m"}, Ended: []string{"t"}, Notices: []string{"n"}, Periods: []calendar.Date{20_423},
			Lenders: []string{credit.TheLender}, Screenings: []string{"s"}, Receipts: []string{"r"},
			Positions: []string{"m"},
		}
		if _, err := tx.Load(s, keys, nil); err != nil {
			t.Error(err)
		}
		// A key that does not exist is present with nothing.
		if n := len(s.Merchants) + len(s.Companies) + len(s.Orders) + len(s.Loans) + len(s.Payments) + len(s.Invoices) +
			len(s.Claims) + len(s.History) + len(s.Accounts) + len(s.Credits) + len(s.Clients) + len(s.Tokens) + len(s.Endpoints) +
			len(s.Methods) + len(s.Transfers) + len(s.Payouts) + len(s.OrderLines) + len(s.Waiting) + len(s.Ended) + len(s.Notices) + len(s.Periods) +
			len(s.Lenders) + len(s.Screenings) + len(s.Receipts) + len(s.Positions); n != 26 {
			t.Errorf("%d keys are marked as loaded instead of 26", n)
		}
		return nil
	})
	if err != nil || c.Outcome != store.NotCommitted {
		t.Errorf("an Update that applies nothing ended %+v, %v", c, err)
	}
	view(t, b, func(v store.View) {
		if v.Seq() != 0 || len(must(store.ListOrders(v, store.OrderFilter{}, store.Page{Limit: 5}))(t)) != 0 {
			t.Error("an empty store shows something")
		}
	})
}

// testDifference commits random batches into the backend and into memory. What a
// transaction loads must be the current world, and all tables must be equal.
func testDifference(t *testing.T, b store.Backend) {
	w, reference := NewWorld(seed(t)), memory.New()
	seen := map[string]bool{}
	missing := func() []string {
		return slices.DeleteFunc([]string{
			"client.create", "client.roll", "client.revoke", "token.issue", "token.revoke", "webhook.create", "webhook.update", "webhook.rotate", "webhook.test",
			"webhook.delete", "webhook.resend", "payment_method.add", "payment_method.update", "transfer.create", "transfer.move", "line.add",
			"line.update", "payout.run", "payout.move", "notice.create", "notice.send", "books.close", "order.service", "merchant.account",
			"company.credit",
		}, func(name string) bool { return seen[name] })
	}
	defer func() {
		for _, name := range missing() {
			t.Errorf("%s has never changed anything", name)
		}
	}()
	for i := 0; i < 150 || i < 600 && len(missing()) > 0; i++ {
		batch := w.Batch(1 + i%40)
		for _, d := range batch.Decided {
			seen[d.Audit.Command] = seen[d.Audit.Command] || !d.Changes.Empty()
		}
		first := commit(t, reference, batch)
		equal(t, "commit", first, commit(t, b, batch))
		if i%15 != 0 && i != 149 {
			continue
		}
		same(t, dump(t, reference), dump(t, b))
		loaded := credit.NewState()
		view(t, b, func(v store.View) {
			if err := v.Load(loaded, w.keys()); err != nil {
				t.Fatal(err)
			}
		})
		equal(t, "loaded state", w.State, loaded)
	}
}

// testHistory reads every order and company as it stood after each batch.
func testHistory(t *testing.T, b store.Backend) {
	type past struct {
		q     int64
		state credit.State
	}
	w := NewWorld(seed(t))
	var moments []past
	for range 25 {
		batch := w.Batch(12)
		c := commit(t, b, batch)
		q := c.FirstQ + int64(len(batch.Decided)) - 1
		s := credit.NewState()
		view(t, b, func(v store.View) {
			if err := v.Load(s, w.keys()); err != nil {
				t.Fatal(err)
			}
			if got := must(store.SeqAt(v, batch.At))(t); got != q {
				t.Errorf("commit at %s is %d instead of %d", batch.At, got, q)
			}
			if got := must(store.SeqAt(v, batch.At.Add(-1000)))(t); got != c.FirstQ-1 {
				t.Errorf("commit before %s is %d instead of %d", batch.At, got, c.FirstQ-1)
			}
		})
		moments = append(moments, past{q, *s})
	}
	moments = append(moments, past{store.Latest, moments[len(moments)-1].state})
	view(t, b, func(v store.View) {
		for _, m := range moments {
			for _, key := range w.orders {
				equal(t, fmt.Sprintf("order %s after commit %d", key, m.q), m.state.Orders[key], must(store.At(v, store.OrderNoun, key, m.q))(t))
			}
			for _, id := range w.companies {
				equal(t, fmt.Sprintf("company %d after commit %d", id, m.q), m.state.Companies[id], must(store.At(v, store.CompanyNoun, id, m.q))(t))
			}
		}
	})
}

// testChain recomputes the chain of batches and the gapless commit sequence.
func testChain(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	want := [32]byte{}
	next := int64(1)
	for range 5 {
		batch := w.Batch(9)
		if c := commit(t, b, batch); c.FirstQ != next {
			t.Fatalf("batch begins at %d instead of %d", c.FirstQ, next)
		}
		next += int64(len(batch.Decided))
		want = sha256.Sum256(append(want[:], batch.Digest[:]...))
		_, err := b.Update(context.Background(), func(tx store.Tx) error {
			head := must(tx.Head())(t)
			view(t, b, func(v store.View) { equal(t, "head of a view", head, must(v.Head())(t)) })
			equal(t, "head", store.Head{Q: next - 1, Hash: want, At: batch.At, BusinessDate: batch.BusinessDate, Epoch: 1}, head)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// testNothing checks that an error, a panic and a canceled context, wherever they occur,
// leave nothing, and that the next batch succeeds.
func testNothing(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	commit(t, b, w.Batch(20))
	before := dump(t, b)
	batch := w.Batch(20)
	wrong := errors.New("wrong")
	apply := func(tx store.Tx) error { return loadAndApply(tx, batch) }
	if c, err := b.Update(context.Background(), func(tx store.Tx) error { return errors.Join(apply(tx), wrong) }); !errors.Is(err, wrong) ||
		c.Outcome != store.NotCommitted {
		t.Errorf("an Update with an error ended %+v, %v", c, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if c, err := b.Update(ctx, func(tx store.Tx) error { cancel(); return apply(tx) }); !errors.Is(err, context.Canceled) ||
		c.Outcome != store.NotCommitted {
		t.Errorf("an Update whose context ended ended %+v, %v", c, err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		b.Update(context.Background(), func(tx store.Tx) error { apply(tx); panic("bug") })
	}()
	same(t, before, dump(t, b))
	for looks := 0; ; looks++ {
		ctx := &ending{Context: context.Background(), looks: looks, done: make(chan struct{})}
		c, err := b.Update(ctx, apply)
		if c.Outcome == store.Committed && err == nil {
			if looks == 0 {
				t.Error("nobody has looked at the context")
			}
			break
		}
		if c.Outcome != store.NotCommitted || !errors.Is(err, context.Canceled) || looks > 1000 {
			t.Fatalf("a context that ended at look %d: %+v, %v", looks, c, err)
		}
		same(t, before, dump(t, b))
	}
	commit(t, b, w.Batch(20))
}

// ending is a context that ends after a number of checks.
type ending struct {
	context.Context
	looks int
	done  chan struct{}
}

func (c *ending) Done() <-chan struct{} { return c.done }

func (c *ending) Err() error {
	if c.looks--; c.looks >= 0 {
		return nil
	}
	if c.looks == -1 {
		close(c.done)
	}
	return context.Canceled
}

// testResolve bars batches and finds committed ones.
func testResolve(t *testing.T, b store.Backend) {
	ctx := context.Background()
	w := NewWorld(seed(t))
	done := w.Batch(5)
	first := commit(t, b, done)
	if c := must(b.Resolve(ctx, done.ID))(t); c != first {
		t.Errorf("a committed batch resolves to %+v instead of %+v", c, first)
	}
	barred := w.Batch(5)
	for range 2 {
		if c := must(b.Resolve(ctx, barred.ID))(t); c.Outcome != store.NotCommitted {
			t.Errorf("a batch that never came resolves to %+v", c)
		}
	}
	if err := refuse(t, b, barred); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a barred batch: %v", err)
	}
	if err := refuse(t, b, done); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a batch that is there already: %v", err)
	}
	barred.ID[0]++
	commit(t, b, barred)
}
