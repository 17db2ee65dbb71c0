package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
)

// testCouriers does random things with deliveries in the backend and in memory: their
// answers and contents must be equal.
func testCouriers(t *testing.T, b store.Backend) {
	s := seed(t)
	reference := memory.New()
	newPost(t, reference, s)
	r := &rounds{post: newPost(t, b, s), rng: rand.New(rand.NewPCG(s, 8))}
	same(t, dump(t, reference), dump(t, b))
	for _, db := range []store.Backend{reference, b} {
		commit(t, db, batchOf(db, credit.Changes{Clients: []*credit.Client{{ID: "cli", Scopes: []string{"orders:read"}, CreatedAt: wall(0), UpdatedAt: wall(0), Version: 1}}}))
	}
	taken, lost, refused := 0, 0, 0
	for i := range 400 {
		act := r.act()
		want, got := act(reference), act(b)
		if want != got {
			t.Fatalf("act %d answers %q instead of %q", i, got, want)
		}
		switch want {
		case kind(nil):
			taken++
		case store.ErrLeaseLost.Error():
			lost++
		case store.ErrRefused.Error():
			refused++
		}
		if i%40 == 39 {
			same(t, dump(t, reference), dump(t, b))
			attempts, tokens := walkedRest(t, reference)
			gotAttempts, gotTokens := walkedRest(t, b)
			equal(t, "all attempts", attempts, gotAttempts)
			equal(t, "all tokens", tokens, gotTokens)
		}
	}
	t.Logf("%d acts taken, %d under a lost lease, %d refused", taken, lost, refused)
	if taken < 50 || lost == 0 || refused == 0 {
		t.Error("the test is empty")
	}
}

// walkedRest walks over what no list shows.
func walkedRest(t *testing.T, b store.Backend) (attempts []store.Attempt, tokens []store.TokenRow) {
	t.Helper()
	view(t, b, func(v store.View) {
		err := store.Each(v, &store.Attempts, func(a store.Attempt) error { attempts = append(attempts, a); return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Each(v, &store.Tokens, func(x store.TokenRow) error { tokens = append(tokens, x); return nil }); err != nil {
			t.Fatal(err)
		}
	})
	return attempts, tokens
}

// rounds generates the acts of couriers. It knows what it has offered, not what was
// accepted.
type rounds struct {
	*post
	rng    *rand.Rand
	now    int
	made   []store.Delivery
	leases []store.Lease
}

// act generates one act. It returns the result in words.
func (r *rounds) act() func(store.Backend) string {
	ctx := context.Background()
	r.now += r.rng.IntN(5)
	switch r.rng.IntN(10) {
	case 0, 1:
		name, holder, now, until := fmt.Sprint("l", r.rng.IntN(3)), fmt.Sprint("h", r.rng.IntN(2)), wall(r.now), wall(r.now+r.rng.IntN(20))
		r.leases = append(r.leases, store.Lease{Name: name, Holder: holder, Token: 1 + r.rng.Int64N(4)})
		return func(b store.Backend) string {
			l, got, err := b.Lease(ctx, name, holder, now, until)
			return fmt.Sprint(l, got, kind(err))
		}
	case 2:
		l := store.Lease{Name: fmt.Sprint("l", r.rng.IntN(3)), Holder: fmt.Sprint("h", r.rng.IntN(2)), Token: 1 + r.rng.Int64N(4)}
		return func(b store.Backend) string { return kind(b.Release(ctx, l)) }
	case 3:
		before := store.Retention{Tokens: wall(r.now - r.rng.IntN(20)), Deliveries: wall(r.now - r.rng.IntN(40))}
		limit := r.rng.IntN(6)
		return func(b store.Backend) string {
			n, err := b.Purge(ctx, before, limit)
			return fmt.Sprint(n, kind(err))
		}
	case 4:
		token := credit.Token{Client: "cli", ExpiresAt: wall(r.now + r.rng.IntN(30))}
		token.Hash[0] = byte(r.rng.IntN(20))
		if r.rng.IntN(2) == 0 {
			token.RevokedAt = wall(r.now)
		}
		return func(b store.Backend) string {
			batch := batchOf(b, credit.Changes{Tokens: []*credit.Token{&token}})
			_, err := b.Update(ctx, func(tx store.Tx) error { return loadAndApply(tx, batch) })
			return kind(err)
		}
	}
	w := r.work()
	return func(b store.Backend) string { return kind(b.Record(ctx, w)) }
}

// kind is an error without its text.
func kind(err error) string {
	for _, known := range []error{store.ErrLeaseLost, store.ErrRefused} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprint(err)
}

// work generates new deliveries, other states of old ones, attempts and cursors, most of
// them valid.
func (r *rounds) work() store.Work {
	var w store.Work
	for range r.rng.IntN(3) {
		d := r.delivery(r.endpoints[r.rng.IntN(len(r.endpoints))], r.rng.IntN(50))
		if s, found := r.resends[d.Endpoint]; found && r.rng.IntN(3) == 0 {
			d.Resend = s.ID
		}
		r.made = append(r.made, d)
		w.Deliveries = append(w.Deliveries, d)
	}
	for range r.rng.IntN(4) {
		if len(r.made) == 0 {
			break
		}
		d := r.made[max(0, len(r.made)-1-r.rng.IntN(30))]
		d.Attempts, d.CreatedAt = r.rng.IntN(3), wall(r.now)
		if r.rng.IntN(3) == 0 {
			d = finish(d, []store.DeliveryState{store.DeliverySucceeded, store.DeliveryParked, store.DeliveryCanceled}[r.rng.IntN(3)], r.now)
		}
		if slices.ContainsFunc(w.Deliveries, func(x store.Delivery) bool { return x.ID == d.ID }) {
			continue
		}
		w.Deliveries = append(w.Deliveries, d)
		if r.rng.IntN(3) == 0 {
			w.Attempts = append(w.Attempts, store.Attempt{
				Delivery: d.ID, N: 1 + r.rng.IntN(3), At: wall(r.now), Took: time.Duration(r.rng.IntN(5000)), Answer: fmt.Sprint(r.now),
			})
		}
	}
	if r.rng.IntN(10) == 0 {
		d := r.delivery(r.endpoints[0], 0)
		d.Event = "none"
		w.Deliveries = append(w.Deliveries, d)
	}
	if x := r.endpoints[r.rng.IntN(3)]; r.rng.IntN(4) == 0 {
		w.Cursors = append(w.Cursors, store.Cursor{Endpoint: x.ID, Place: store.Place{Q: int64(r.now), N: r.rng.IntN(3)}, Resend: int64(r.now)})
	}
	if len(r.leases) > 0 && r.rng.IntN(3) == 0 {
		w.Leases = slices.Clone(r.leases[len(r.leases)-1:])
	}
	return w
}
