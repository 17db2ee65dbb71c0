package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/proof/pgtest"
)

// TestStatements counts the statements and the round trips of batches. Neither may grow
// with the number of commands. Of the 25, BEGIN and eight more load, and one is the price
// of the merchants' event streams (event_readers).
func TestStatements(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	a := storetest.NewAuthorizations(t, db, 1000)
	steps, trips := map[int]int{}, map[int]int{}
	for _, size := range []int{1, 64, 512} {
		b, keys := a.Batch(size)
		k := idle(t, db)
		s, n := k.steps, k.trips
		a.Commit(t, db, b, keys)
		steps[size], trips[size] = k.steps-s, k.trips-n
	}
	if steps[1] != steps[64] || steps[64] != steps[512] || steps[512] > 27 {
		t.Errorf("statements by size of batch: %v", steps)
	}
	if trips[1] != 2 || trips[64] != 2 || trips[512] != 2 {
		t.Errorf("round trips by size of batch: %v, want one to load and one to commit", trips)
	}
	t.Logf("%d statements in %d round trips a batch", steps[1], trips[1])
}

// idle returns the only writing connection.
func idle(t *testing.T, db *DB) *conn {
	t.Helper()
	k, err := db.writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db.release(k, false)
	return k
}

// update runs fn in a transaction and checks its outcome.
func update(t *testing.T, db *DB, want store.Outcome, fn func(store.Tx) error) error {
	t.Helper()
	c, err := db.Update(t.Context(), fn)
	if c.Outcome != want {
		t.Fatalf("the update ended %+v, %v", c, err)
	}
	return err
}

// isPassing reports whether the engine would decide the batch again.
func isPassing(err error) bool {
	var p interface{ Retryable() bool }
	return errors.As(err, &p) && p.Retryable()
}

// next is a batch of one command after everything committed.
func next(t *testing.T, db *DB, id byte, c credit.Changes) store.Batch {
	t.Helper()
	var head store.Head
	if err := db.View(t.Context(), func(v store.View) error {
		h, err := v.Head()
		head = h
		return err
	}); err != nil {
		t.Fatal(err)
	}
	at := head.At.Add(time.Second)
	if head.At.IsZero() {
		at = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	}
	b := store.Batch{ID: store.BatchID{id, byte(head.Q)}, Node: "n", Epoch: head.Epoch, At: at, BusinessDate: max(head.BusinessDate, 20_500)}
	d := store.Decided{Changes: c, Audit: store.Audit{At: at, Command: "test", Result: "ok", Payload: []byte("{}")}}
	for range c.Events {
		d.Events = append(d.Events, []byte("{}"))
	}
	b.Decided = []store.Decided{d}
	return b
}

// urlOf is the address of a test's database.
func urlOf(db *DB) string {
	c := db.config
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable&connect_timeout=30", c.User, c.Host, c.Port, c.Database)
}

// secondNode opens the same database as a second node.
func secondNode(t *testing.T, db *DB) *DB {
	t.Helper()
	other, err := Open(t.Context(), urlOf(db), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return other
}

func apply(b store.Batch) func(store.Tx) error { return func(tx store.Tx) error { return tx.Apply(b) } }

// TestUnlockedReads decides a batch on a merchant's programs and on a taken name. Another
// node changes them before the commit, so the batch must be decided again (EN8).
func TestUnlockedReads(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	m := &credit.Merchant{ID: "m", Name: "Shop", Version: 1}
	m2 := *m
	m2.Version = 2
	claim := credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: "m", Name: "PO-1"}
	update(t, db, store.Committed, apply(next(t, db, 1, credit.Changes{
		Merchants: []*credit.Merchant{m}, Claims: map[credit.Claim]string{claim: "ord_1"},
	})))
	load := func(tx store.Tx) error {
		_, err := tx.Load(credit.NewState(), credit.Keys{Merchants: []string{"m"}, Claims: []credit.Claim{claim}}, nil)
		return err
	}
	for name, meanwhile := range map[string]credit.Changes{
		"a program is added":   {Merchants: []*credit.Merchant{&m2}, Programs: []credit.Program{{Merchant: "m", Version: 2}}},
		"the name is released": {Claims: map[credit.Claim]string{claim: ""}},
	} {
		err := update(t, db, store.NotCommitted, func(tx store.Tx) error {
			err := load(tx)
			update(t, other, store.Committed, apply(next(t, other, 3, meanwhile)))
			return errors.Join(err, tx.Apply(next(t, other, 2, credit.Changes{})))
		})
		if !isPassing(err) {
			t.Errorf("%s: %v", name, err)
		}
		// Decided again on the current state, it succeeds.
		b := next(t, db, 4, credit.Changes{})
		update(t, db, store.Committed, func(tx store.Tx) error { return errors.Join(load(tx), tx.Apply(b)) })
	}
}

// TestFirstSettings decides a batch while the lender has no settings, as a notice is sent
// with a copy of them. Another node stores the first ones before the commit: there was no
// row to lock, so the batch must be decided again with the settings (EN8). Once the lender
// exists, its row is locked.
func TestFirstSettings(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	var found *credit.Lender
	load := func(tx store.Tx) error {
		s := credit.NewState()
		_, err := tx.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}, nil)
		found = s.Lenders[credit.TheLender]
		return err
	}
	x := credit.NewState().TheLender()
	x.Version, x.Settings.Contact = 1, "by mail"
	err := update(t, db, store.NotCommitted, func(tx store.Tx) error {
		err := load(tx)
		update(t, other, store.Committed, apply(next(t, other, 1, credit.Changes{Lenders: []*credit.Lender{x}})))
		return errors.Join(err, tx.Apply(next(t, other, 2, credit.Changes{})))
	})
	if found != nil || !isPassing(err) {
		t.Errorf("the batch was decided on %+v and ended with %v", found, err)
	}
	b := next(t, db, 3, credit.Changes{})
	update(t, db, store.Committed, func(tx store.Tx) error { return errors.Join(load(tx), tx.Apply(b)) })
	if found == nil || found.Settings.Contact != "by mail" {
		t.Errorf("decided again, the lender is %+v", found)
	}
}

// TestLocks has two nodes change the same companies, named in opposite order: one waits for
// the other, and neither is aborted. The second one reads what the first one left.
func TestLocks(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	storetest.NewAuthorizations(t, db, 20)
	var ids []int64
	if err := db.View(t.Context(), func(v store.View) error {
		return store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error { ids = append(ids, c.ID); return nil })
	}); err != nil {
		t.Fatal(err)
	}
	back := slices.Clone(ids)
	slices.Reverse(back)
	errs := make(chan error, 2)
	go func() { errs <- touchAll(db, ids, 1) }()
	go func() { errs <- touchAll(other, back, 2) }()
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	err := db.View(t.Context(), func(v store.View) error {
		return store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error {
			if c.Version != 81 {
				t.Errorf("company %d has version %d after 80 changes: some were lost", c.ID, c.Version)
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// touchAll increments the version of all companies, forty times.
func touchAll(db *DB, ids []int64, node byte) error {
	for i := range 40 {
		_, err := db.Update(context.Background(), func(tx store.Tx) error {
			s := credit.NewState()
			if _, err := tx.Load(s, credit.Keys{Companies: ids}, nil); err != nil {
				return err
			}
			var c credit.Changes
			for _, id := range ids {
				x := *s.Companies[id]
				x.Version++
				c.Companies = append(c.Companies, &x)
			}
			h, err := tx.Head()
			if err != nil {
				return err
			}
			return tx.Apply(store.Batch{
				ID: store.BatchID{node, byte(i), 9}, Epoch: h.Epoch, At: h.At, BusinessDate: h.BusinessDate,
				Decided: []store.Decided{{Changes: c, Audit: store.Audit{At: h.At, Command: "test", Result: "ok"}}},
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestBehind commits on two nodes, one of which knows an older state: the one that is
// behind, and one from another epoch, get an error (TM1, EN16).
func TestBehind(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	early := next(t, db, 1, credit.Changes{})
	late := next(t, db, 2, credit.Changes{})
	late.At = early.At.Add(time.Minute)
	update(t, db, store.NotCommitted, func(tx store.Tx) error { _, err := tx.Head(); return err })
	update(t, other, store.Committed, apply(late))
	if err := update(t, db, store.NotCommitted, apply(early)); !errors.Is(err, store.ErrBehind) {
		t.Errorf("a batch of an earlier time: %v", err)
	}
	// Prepared statements stay prepared, however many batches fail.
	update(t, db, store.NotCommitted, apply(early))
	prepared := len(idle(t, db).names)
	for range 5 {
		update(t, db, store.NotCommitted, apply(early))
	}
	if n := len(idle(t, db).names); n != prepared {
		t.Errorf("%d statements are prepared after five batches that failed, %d before", n, prepared)
	}
	now := next(t, db, 3, credit.Changes{})
	if err := other.put(t.Context(), &call{sql: "UPDATE books SET epoch = epoch + 1"}); err != nil {
		t.Fatal(err)
	}
	if err := update(t, db, store.NotCommitted, apply(now)); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a batch of an earlier epoch: %v", err)
	}
}

// TestLonePosting writes a line without its entry: the schema refuses it before COMMIT, so
// the outcome is certain.
func TestLonePosting(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	b := next(t, db, 1, credit.Changes{})
	lone := &call{sql: "INSERT INTO postings VALUES (1, 7, 0, 1000, 5, 1, '', NULL, '', 0)"}
	err := update(t, db, store.NotCommitted, func(x store.Tx) error {
		if err := x.(*tx).read(lone); err != nil {
			return err
		}
		return x.Apply(b)
	})
	if !errors.Is(err, store.ErrRefused) {
		t.Errorf("a line without an entry: %v", err)
	}
	day := calendar.Date(20_500)
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Entries: []ledger.Entry{{
		ID: "e", BookDate: day, ValueDate: day, Currency: money.USD,
		Postings: []ledger.Posting{{Account: ledger.Cash, Amount: 5}, {Account: ledger.Cash, Amount: -5}},
	}}})))
}

// TestLostIdle breaks all connections while they are idle. Reads and small writes do not
// notice; a batch is told to retry, because it may not be repeated here.
func TestLostIdle(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{})
	db, err := Open(t.Context(), c.CreateDatabase(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	read := func() error {
		return db.View(t.Context(), func(v store.View) error { _, err := store.AllMerchants(v); return err })
	}
	load := func(tx store.Tx) error {
		_, err := tx.Load(credit.NewState(), credit.Keys{Companies: []int64{1}}, nil)
		return err
	}
	if err := errors.Join(read(), update(t, db, store.NotCommitted, load), db.PutSetting(t.Context(), "x", nil)); err != nil {
		t.Fatal(err)
	}
	c.Restart(t)
	if err := read(); err != nil {
		t.Errorf("a read after a restart of the server: %v", err)
	}
	c.Restart(t)
	if err := db.PutSetting(t.Context(), "x", []byte("y")); err != nil {
		t.Errorf("a small write after a restart: %v", err)
	}
	c.Restart(t)
	if err := update(t, db, store.NotCommitted, load); !isPassing(err) {
		t.Errorf("a batch on a connection that was lost: %v", err)
	}
	if err := update(t, db, store.NotCommitted, load); err != nil {
		t.Errorf("the next attempt: %v", err)
	}
	c.KillAll(t)
	if err := read(); err == nil {
		t.Error("read from a server that is down")
	}
	if err := update(t, db, store.NotCommitted, load); err == nil {
		t.Error("wrote to a server that is down")
	}
	c.Start(t)
	if err := errors.Join(read(), update(t, db, store.NotCommitted, load)); err != nil {
		t.Errorf("after the server came back: %v", err)
	}
}

// TestEmptyText queries on a connection that has sent no parameter yet: an empty text is
// not NULL.
func TestEmptyText(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	got := ""
	err := db.View(t.Context(), func(v store.View) error {
		return v.(*view).query("SELECT ($1::text IS NULL)::text || ($2::text IS NULL)::text", []store.Value{text(""), {Kind: store.Text, Null: true}},
			func(r *row) error { got = r.text(0); return nil })
	})
	if err != nil || got != "falsetrue" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestLongPipeline sends and receives more than the sockets on the way can hold.
func TestLongPipeline(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	k := idle(t, db)
	long := strings.Repeat("x", 1<<20)
	var calls []*call
	n := 0
	for range 40 {
		calls = append(calls, ask("SELECT $1::text", []store.Value{text(long)}, func(r *row) error { n += len(r.text(0)); return nil }))
	}
	if err := k.run(calls...); err != nil || n != 40<<20 {
		t.Errorf("%d bytes came back, %v", n, err)
	}
}

func BenchmarkAuthorize(b *testing.B) {
	storetest.BenchAuthorize(b, func(tb testing.TB) store.Backend { return fresh(tb, Options{}) })
}

func BenchmarkRead(b *testing.B) {
	storetest.BenchRead(b, func(tb testing.TB) store.Backend { return fresh(tb, Options{}) })
}
