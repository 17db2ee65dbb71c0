//go:build unix

package outage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// fate is what a client knows about an order that it requested.
type fate int

const (
	unanswered fate = iota // no response, or an unknown outcome
	acked                  // reported done
	refused                // reported not done
)

// op is an order requested by a client. Its amount is unique, so that the books show whether it
// exists once, twice or not at all; only the Idempotency-Key prevents duplicates, and some have
// not even that.
type op struct {
	amount  money.Amount
	key     string // "" for one without Idempotency-Key
	company int64

	fate   fate
	answer engine.Response // if acknowledged
	err    error           // why not
	took   time.Duration   // of the first call
}

// ledger is the client's own memory of its requests and their responses.
type ledger struct {
	mu  sync.Mutex
	ops []*op
}

// intend records an order before it is requested.
func (s *site) intend(keyed bool) *op {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.ops) + 1
	o := &op{amount: money.Amount(1000 + n), company: s.companies[n%len(s.companies)]}
	if keyed {
		o.key = fmt.Sprintf("key-%d", n)
	}
	s.ops = append(s.ops, o)
	return o
}

// call requests the order from a node and records the response.
func (s *site) call(ctx context.Context, n *node, o *op) {
	begin := time.Now()
	r, err := s.submit(ctx, n, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	o.took = time.Since(begin)
	o.record(r, err)
}

func (o *op) record(r engine.Result, err error) {
	o.err = err
	switch {
	case err == nil && r.Status == 201:
		o.fate, o.answer = acked, r.Response
	case err == nil:
		o.fate, o.err = refused, fmt.Errorf("%d %s", r.Status, r.Body)
	case errors.Is(err, engine.ErrOutcomeUnknown), errors.Is(err, engine.ErrKeyInUse):
		o.fate = unanswered
	default:
		o.fate = refused // all others mean that nothing happened
	}
}

// acknowledged returns the number of orders reported done.
func (s *site) acknowledged() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.ops {
		if o.fate == acked {
			n++
		}
	}
	return n
}

func (s *site) submit(ctx context.Context, n *node, o *op) (engine.Result, error) {
	r := engine.Request{
		Command: lending.CreateOrder{Company: o.company, Amount: o.amount, Installments: 3, Authorize: true},
		Actor:   credit.Actor{Client: "cli_outage", Merchant: s.merchant, RequestID: "req_outage", Key: o.key},
		// The same request under the same key, every time.
		RequestHash: sha256.Sum256([]byte(o.amount.String())),
		Encode: func(c credit.Changes, x *credit.Rejection) engine.Response {
			if x != nil {
				return engine.Response{Status: x.Status, Body: []byte(x.Code)}
			}
			return engine.Response{Status: 201, Body: []byte(c.Result.(*credit.Order).Key)}
		},
	}
	_, _ = rand.Read(r.Seed[:]) // never fails
	return n.Submit(ctx, r)
}

// one requests one order and requires that it exists soon.
func (s *site) one(t testing.TB, n *node, keyed bool) *op {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	o := s.intend(keyed)
	s.call(ctx, n, o)
	if o.fate != acked {
		t.Errorf("order of %s: %v", o.amount, o.err)
	}
	if o.took > wellWithin {
		t.Errorf("order of %s took %v", o.amount, o.took)
	}
	return o
}

// several requests n orders concurrently, every fourth without a key, and returns when all were
// answered.
func (s *site) several(ctx context.Context, n *node, count int) []*op {
	ops := make([]*op, count)
	var all sync.WaitGroup
	for i := range ops {
		ops[i] = s.intend(i%4 != 3)
		all.Go(func() { s.call(ctx, n, ops[i]) })
	}
	all.Wait()
	return ops
}

// well retries until the node commits, and returns how long that took. What was refused meanwhile
// stays in the ledger.
func (s *site) well(t testing.TB, n *node) time.Duration {
	t.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 2*wellWithin)
	defer cancel()
	for {
		o := s.intend(true)
		s.call(ctx, n, o)
		took := time.Since(begin)
		switch {
		case took > wellWithin:
			t.Fatalf("no order went through within %v: %v", took, o.err)
		case o.fate == acked:
			return took
		}
	}
}

// replay retries everything with a key: what was unanswered or refused must succeed now, what was
// acknowledged must be replayed with the same bytes.
func (s *site) replay(t testing.TB, n *node) {
	t.Helper()
	room := make(chan struct{}, 16)
	var all sync.WaitGroup
	for _, o := range slices.Clone(s.ops) {
		if o.key == "" {
			continue
		}
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			r, err := s.submit(ctx, n, o)
			switch {
			case err != nil || r.Status != 201:
				t.Errorf("key %s again: %d %s, %v", o.key, r.Status, r.Body, err)
			case o.fate == acked && (!r.Replayed || string(r.Body) != string(o.answer.Body)):
				t.Errorf("key %s was answered %s, now %s, replayed %v", o.key, o.answer.Body, r.Body, r.Replayed)
			default:
				o.record(r, err)
			}
		})
	}
	all.Wait()
}

// compared is the result of comparing the books with a ledger.
type compared struct {
	acked  int
	lost   []string // acknowledged, but missing
	twice  []string
	ghosts []string // refused, but existing, or never requested
}

// compare compares the books, order by order, with what the clients know.
func (s *site) compare(t testing.TB) (c compared) {
	t.Helper()
	there := map[money.Amount][]string{}
	for _, row := range s.query(t, "SELECT amount, order_key FROM orders") {
		amount := money.Amount(row[0].(int64))
		there[amount] = append(there[amount], row[1].(string))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.ops {
		found := there[o.amount]
		delete(there, o.amount)
		what := fmt.Sprintf("order of %s, key %q, told %q %v: found %q", o.amount, o.key, o.answer.Body, o.err, found)
		if o.fate == acked {
			c.acked++
		}
		switch {
		case len(found) > 1:
			c.twice = append(c.twice, what)
		case o.fate == acked && (len(found) == 0 || found[0] != string(o.answer.Body)):
			c.lost = append(c.lost, what)
		case o.fate == refused && len(found) > 0:
			c.ghosts = append(c.ghosts, what)
		}
	}
	for amount, found := range there {
		c.ghosts = append(c.ghosts, fmt.Sprintf("orders of %s that nobody asked for: %q", amount, found))
	}
	return c
}

// settle ends a story: no response is wrong, everything with a key gets its response, and the
// books are right.
func (s *site) settle(t testing.TB, n *node) compared {
	t.Helper()
	s.wantSound(t, "before the replay")
	s.replay(t, n)
	c := s.wantSound(t, "after the replay")
	for _, o := range s.ops {
		if o.key != "" && o.fate != acked {
			t.Errorf("key %s has no answer: %v", o.key, o.err)
		}
	}
	n.wantNoCancel(t)
	s.verify(t)
	return c
}

// wantSound fails for every wrong response.
func (s *site) wantSound(t testing.TB, when string) compared {
	t.Helper()
	c := s.compare(t)
	for _, x := range []struct {
		what  string
		found []string
	}{{"lost", c.lost}, {"executed twice", c.twice}, {"there, but should not be", c.ghosts}} {
		if len(x.found) > 0 {
			t.Errorf("%s: %d %s: %q", when, len(x.found), x.what, x.found[:min(3, len(x.found))])
		}
	}
	return c
}
