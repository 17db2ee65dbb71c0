package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// readBook is a book of some orders, with one idle reading session.
func readBook(t *testing.T, orders int) *DB {
	t.Helper()
	db := fresh(t, Options{})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		until(t, "all reading sessions are closed", func() bool { return len(db.slots) == 0 })
	})
	c := credit.Changes{
		Merchants: []*credit.Merchant{{ID: "m", Name: "Shop", Version: 1}},
		Companies: []*credit.Company{{ID: 1, Status: credit.CompanyApproved, Version: 1, CreatedAt: noon(0)}},
	}
	for i := range orders {
		c.Orders = append(c.Orders, orderOf(i, 1))
	}
	update(t, db, store.Committed, apply(next(t, db, 1, c)))
	return db
}

func orderOf(i, version int) *credit.Order {
	return &credit.Order{
		Key: fmt.Sprint("o", i), Company: 1, Merchant: "m", Currency: money.USD, Amount: money.Amount(1000 + i), Status: credit.OrderAuthorized,
		Financing: credit.FinancingNone, CaptureDate: calendar.None, Version: version, CreatedAt: noon(0), MerchantOrderID: `"a"`,
	}
}

// find reads an order.
func find(v store.View, i int) error {
	o, err := store.At(v, store.OrderNoun, fmt.Sprint("o", i), store.Latest)
	if err == nil && (o == nil || o.Amount != money.Amount(1000+i) || o.MerchantOrderID != `"a"`) {
		err = fmt.Errorf("order %d is %+v", i, o)
	}
	return err
}

// idleReader returns the only reading session.
func idleReader(t *testing.T, db *DB) *conn {
	t.Helper()
	if n := len(db.slots); n != 1 {
		t.Fatalf("%d reading sessions", n)
	}
	k := <-db.readers
	db.readers <- k
	return k
}

// TestReadTrips counts what a lone reader costs: one round trip, whatever it reads first.
func TestReadTrips(t *testing.T) {
	db := readBook(t, 2)
	k := idleReader(t, db)
	for name, c := range map[string]struct {
		steps int
		read  func(store.View) error
	}{
		"order":    {2, func(v store.View) error { return find(v, 0) }},
		"schedule": {5, func(v store.View) error { return v.Load(credit.NewState(), credit.Keys{Orders: []string{"o0"}}) }},
		"page": {2, func(v store.View) error {
			_, err := store.ListPayments(v, store.PaymentFilter{Merchant: "m", Company: 1, From: calendar.None, To: calendar.None}, store.Page{Limit: 20})
			return err
		}},
		"nothing": {1, func(store.View) error { return nil }},
	} {
		steps, trips := k.steps, k.trips
		if err := db.Glance(t.Context(), func(v store.View) error {
			err := c.read(v)
			if v.Seq() != 1 {
				t.Errorf("%s: after commit %d", name, v.Seq())
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if k.steps-steps != c.steps || k.trips-trips != 1 {
			t.Errorf("%s: %d statements in %d round trips, want %d in 1", name, k.steps-steps, k.trips-trips, c.steps)
		}
	}
}

// together holds readers back until all wait, and then lets them read.
func together(t *testing.T, db *DB, readers ...func() error) []error {
	t.Helper()
	db.board.mu.Lock()
	db.board.out++ // as if another's pipeline were out
	db.board.mu.Unlock()
	errs := make([]error, len(readers))
	var all sync.WaitGroup
	for i, read := range readers {
		all.Go(func() { errs[i] = read() })
		until(t, "one more waits", func() bool { return waitingIn(db) == i+1 })
	}
	db.serve()
	all.Wait()
	until(t, "the session is idle", func() bool { return len(db.readers) == len(db.slots) })
	return errs
}

func waitingIn(db *DB) int {
	db.board.mu.Lock()
	defer db.board.mu.Unlock()
	return len(db.board.waiting)
}

func outOf(db *DB) int {
	db.board.mu.Lock()
	defer db.board.mu.Unlock()
	return db.board.out
}

func until(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after a minute: %s", what)
		}
	}
}

// glance returns a reader.
func glance(ctx context.Context, db *DB, fn func(store.View) error) func() error {
	return func() error { return db.Glance(ctx, fn) }
}

// sleeps is a small read that takes some time.
func sleeps(v store.View, d time.Duration) error {
	return v.(*view).run(&call{sql: "SELECT pg_sleep(" + fmt.Sprint(d.Seconds()) + ")", small: true})
}

// TestReadTogether has 64 readers wait at once: one round trip serves all, each record is
// read once, and each reader gets its own.
func TestReadTogether(t *testing.T) {
	db := readBook(t, 32)
	k := idleReader(t, db)
	var readers []func() error
	for i := range most {
		readers = append(readers, glance(t.Context(), db, func(v store.View) error {
			if i%4 == 3 { // with what an order has beside it, and one that does not exist
				s := credit.NewState()
				err := v.Load(s, credit.Keys{Orders: []string{fmt.Sprint("o", i/2), "none"}})
				if o := s.Orders[fmt.Sprint("o", i/2)]; o == nil || o.Amount != money.Amount(1000+i/2) || s.Orders["none"] != nil || len(s.Orders) != 2 {
					err = fmt.Errorf("reader %d got %v, %v", i, s.Orders, err)
				}
				return err
			}
			if v.Seq() != 1 {
				return fmt.Errorf("reader %d read after commit %d", i, v.Seq())
			}
			return find(v, i/2)
		}))
	}
	steps, trips := k.steps, k.trips
	if err := errors.Join(together(t, db, readers...)...); err != nil {
		t.Fatal(err)
	}
	// Those who began with the number of the commit read a second time.
	if further := most - most/4; k.trips-trips != 1+further || k.steps-steps != 5+further {
		t.Errorf("%d statements in %d round trips", k.steps-steps, k.trips-trips)
	}
	steps, trips = k.steps, k.trips
	for i := range readers {
		readers[i] = glance(t.Context(), db, func(v store.View) error { return find(v, i/2) })
	}
	if err := errors.Join(together(t, db, readers...)...); err != nil {
		t.Fatal(err)
	}
	if k.trips-trips != 1 || k.steps-steps != 2 {
		t.Errorf("%d readers cost %d statements in %d round trips, want 2 in 1", most, k.steps-steps, k.trips-trips)
	}
}

// TestReadTogetherOneSnapshot changes an order between the reads of those who share a
// snapshot: they see what it was, and who comes later sees what it is.
func TestReadTogetherOneSnapshot(t *testing.T) {
	db := readBook(t, 2)
	var read sync.WaitGroup
	read.Add(3)
	changed := make(chan struct{})
	twice := func(v store.View) error {
		err := find(v, 0)
		read.Done()
		<-changed
		if seq := v.Seq(); seq != 1 {
			err = errors.Join(err, fmt.Errorf("after commit %d", seq))
		}
		var versions []int
		err = errors.Join(err, v.List(store.Query{From: store.OrderNoun, Order: []string{"order_key"}, Limit: 10}, func(row any) error {
			versions = append(versions, row.(*store.OrderRow).Version)
			return nil
		}))
		h, e := v.Head()
		if err = errors.Join(err, e, find(v, 1)); !slices.Equal(versions, []int{1, 1}) || h.Q != 1 {
			err = errors.Join(err, fmt.Errorf("versions %v at %d", versions, h.Q))
		}
		return err
	}
	go func() {
		defer close(changed)
		read.Wait()
		update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Orders: []*credit.Order{orderOf(0, 2)}})))
	}()
	lone := make(chan error)
	go func() { lone <- db.Glance(t.Context(), twice) }()
	until(t, "the lone reader has read", func() bool { return len(db.readers) == 0 && outOf(db) == 0 }) // whoever is out serves who waits
	errs := together(t, db, glance(t.Context(), db, twice), glance(t.Context(), db, twice))
	if err := errors.Join(append(errs, <-lone)...); err != nil {
		t.Error(err)
	}
	if err := db.Glance(t.Context(), func(v store.View) error {
		o, err := store.At(v, store.OrderNoun, "o0", store.Latest)
		if err == nil && (o.Version != 2 || v.Seq() != 2) {
			t.Errorf("version %d at %d", o.Version, v.Seq())
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestReadTogetherLeaves lets readers leave: before the pipeline is out, while it is out,
// and in the middle of their own reads. Nobody else notices.
func TestReadTogetherLeaves(t *testing.T) {
	db := readBook(t, 3)
	db.board.out++ // as if another's pipeline were out
	early, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- db.Glance(early, func(v store.View) error { return find(v, 0) }) }()
	until(t, "it waits", func() bool { return waitingIn(db) == 1 })
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) || waitingIn(db) != 0 {
		t.Errorf("it left: %v, and %d wait", err, waitingIn(db))
	}
	db.board.out--
	out, leaveOut := context.WithCancel(t.Context())
	panics := func() (err error) {
		defer func() { err = fmt.Errorf("panic: %v", recover()) }()
		return db.Glance(t.Context(), func(v store.View) error {
			return v.List(store.Query{From: store.OrderNoun, Order: []string{"order_key"}, Limit: 10}, func(any) error { panic("a bug") })
		})
	}
	errs := together(t, db,
		glance(out, db, func(v store.View) error { return sleeps(v, 200*time.Millisecond) }),
		glance(t.Context(), db, func(v store.View) error { err := find(v, 1); leaveOut(); return err }),
		panics,
		glance(t.Context(), db, func(v store.View) error { return errors.Join(find(v, 2), sleeps(v, 0), find(v, 1)) }),
	)
	for i, want := range []string{"context canceled", "<nil>", "panic: a bug", "<nil>"} {
		if got := fmt.Sprint(errs[i]); got != want {
			t.Errorf("reader %d: %s, want %s", i, got, want)
		}
	}
	if n := len(db.slots); n != 1 {
		t.Errorf("%d sessions", n)
	}
	all, leaveAll := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, leaveAll)
	begin := time.Now()
	gone := together(t, db, glance(all, db, func(v store.View) error { return sleeps(v, 30*time.Second) }),
		glance(all, db, func(v store.View) error { return sleeps(v, 0) }))
	if took := time.Since(begin); !errors.Is(gone[0], context.Canceled) || !errors.Is(gone[1], context.Canceled) || took > 20*time.Second {
		t.Errorf("all left: %v after %v", gone, took)
	}
	if err := db.Glance(t.Context(), func(v store.View) error { return find(v, 0) }); err != nil {
		t.Error(err)
	}
}

// TestReadTogetherFaults has one reader send what the server refuses, and another time the
// connection lost: the others get their answers.
func TestReadTogetherFaults(t *testing.T) {
	db := readBook(t, 2)
	order := func(i int) func() error {
		return glance(t.Context(), db, func(v store.View) error {
			err := find(v, i)
			if further := find(v, 1-i); further != nil && !errors.Is(further, store.ErrUnreachable) { // they may have to try again
				err = errors.Join(err, further)
			}
			return err
		})
	}
	bad := glance(t.Context(), db, func(v store.View) error {
		err := v.(*view).run(&call{sql: "SELECT 1 / (SELECT 0)", small: true})
		if after := find(v, 0); after == nil {
			t.Error("the snapshot goes on after an error")
		}
		return err
	})
	errs := together(t, db, bad, order(0), order(1))
	if errs[0] == nil || errors.Is(errs[0], store.ErrUnreachable) || errs[1] != nil || errs[2] != nil {
		t.Errorf("an error of one: %v", errs)
	}
	unsound := glance(t.Context(), db, func(v store.View) error {
		_, err := store.At(v, store.OrderNoun, "o\x00", store.Latest)
		return err
	})
	if unsound() == nil {
		t.Error("the server takes a zero in a text")
	}
	for range len(db.readers) {
		k := <-db.readers
		_ = k.net.Close()
		db.readers <- k
	}
	if err := errors.Join(together(t, db, order(0), order(1))...); err != nil {
		t.Errorf("connection lost: %v", err)
	}
}

// TestReadTogetherAfterCommit reads after each acknowledged commit, beside others who read
// all the time.
func TestReadTogetherAfterCommit(t *testing.T) {
	db := readBook(t, 2)
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	for range 8 {
		others.Go(func() {
			for ctx.Err() == nil {
				if err := db.Glance(ctx, func(v store.View) error { return find(v, 1) }); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for version := 2; version < 60; version++ {
		update(t, db, store.Committed, apply(next(t, db, byte(version), credit.Changes{Orders: []*credit.Order{orderOf(0, version)}})))
		var now sync.WaitGroup
		for range 4 {
			now.Go(func() {
				if err := db.Glance(ctx, func(v store.View) error {
					o, err := store.At(v, store.OrderNoun, "o0", store.Latest)
					if err == nil && (o.Version != version || v.Seq() != int64(version)) {
						t.Errorf("version %d at %d after commit %d", o.Version, v.Seq(), version)
					}
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		}
		now.Wait()
	}
	stop()
	others.Wait()
}
