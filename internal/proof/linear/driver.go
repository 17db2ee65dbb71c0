package linear

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Driver is a number of clients that send mixed operations on few companies, so that credit lines
// fill up to the cent and everybody competes for the same orders. It knows only the servers'
// addresses: a test may kill and restart them meanwhile.
//
// The lines should be a few dozen times Unit. The merchant's program must offer one installment
// (NET30) for orders from 1.00, and accept orders without hosted checkout.
type Driver struct {
	// Bases are the nodes, "http://127.0.0.1:4100". Clients use them in turn.
	Bases []string
	// Token is an access token with the scopes orders:read, orders:write,
	// payments:write and companies:read.
	Token string
	// Second is a token of another API client of the same merchant, "" for none. Half of the clients
	// then use it, with the same keys for other requests: a key belongs to its API client (ID1).
	Second string
	// Companies are IDs of companies linked to the merchant.
	Companies []string
	// Seed determines the random choices; the timing depends on the machine.
	Seed uint64
	// Clients is how many run concurrently, 8 if 0. CrossCheck supports at most 16.
	Clients int
	// Operations is approximately how many calls Run makes, 0: until its context ends. Calls that
	// find no server do not count, so the context should have a deadline.
	Operations int
	// Timeout bounds the wait for one response, 10 s if 0. After it the call is unanswered.
	Timeout time.Duration
	// Unit is the step of most amounts in cents, 10,000 if 0.
	Unit int64
	// SetLimit changes a company's limit to an amount in cents, under a key, as the operator; nil:
	// limits are not changed. The reply has the Commit-Seq and the company's body. An error means an
	// unanswered call.
	SetLimit func(ctx context.Context, company, key string, cents int64) (Reply, error)
}

const defaultUnit = 10_000

func (d *Driver) clients() int { return cmp.Or(d.Clients, 8) }

// Initial reads the lines before a run: nobody else may write to the companies meanwhile.
// Existing orders are accepted and never touched.
func (d *Driver) Initial(ctx context.Context) (Initial, error) {
	s, err := d.sender(nil)
	if err != nil {
		return Initial{}, err
	}
	defer s.http.CloseIdleConnections()
	initial := Initial{Lines: map[string]Line{}}
	for i, id := range d.Companies {
		a, err := s.look(ctx, Request{Op: ReadCompany, Company: id})
		v := a.View
		switch {
		case err != nil:
			return Initial{}, fmt.Errorf("linear: company %s: %w", id, err)
		case a.Status != http.StatusOK:
			return Initial{}, fmt.Errorf("linear: company %s: %d %s", id, a.Status, a.Code)
		case i > 0 && a.Seq != initial.Seq:
			return Initial{}, fmt.Errorf("linear: somebody writes: sequence %d, then %d", initial.Seq, a.Seq)
		case v.OnHold != 0 || v.Status != "APPROVED":
			return Initial{}, fmt.Errorf("linear: company %s is %s with %d cents on hold: the model knows neither", id, v.Status, v.OnHold)
		}
		initial.Seq = a.Seq
		initial.Lines[id] = Line{v.Limit, v.Reserved, v.Outstanding, v.Credit}
	}
	return initial, nil
}

// Run drives until the operations are made or the context ends. It waits for calls in flight.
// Lost connections and unavailable servers are not errors: they are recorded as unanswered, and
// most are eventually retried under their key.
func (d *Driver) Run(ctx context.Context, rec *Recorder) error {
	s, err := d.sender(rec)
	if err != nil {
		return err
	}
	defer s.http.CloseIdleConnections()
	shared := newPool(d)
	var all sync.WaitGroup
	for n := range d.clients() {
		c := &client{sender: s, pool: shared, number: n, random: rand.New(rand.NewPCG(d.Seed, uint64(n)))}
		all.Go(func() { c.run(ctx) })
	}
	all.Wait()
	return nil
}

// Resolve retries every write without a definite response, under its key, until it has one (e).
// If the context ends first, it returns an error that wraps the context's.
func (d *Driver) Resolve(ctx context.Context, rec *Recorder) error {
	s, err := d.sender(rec)
	if err != nil {
		return err
	}
	defer s.http.CloseIdleConnections()
	h := rec.History()
	open := make(chan Call)
	var failed atomic.Int64
	var all sync.WaitGroup
	for range d.clients() {
		all.Go(func() {
			for c := range open {
				for wait := (pause{}); !s.call(ctx, c.Client, s.base(), c.Request); {
					if !wait.over(ctx) {
						failed.Add(1)
						break
					}
				}
			}
		})
	}
	for _, i := range h.unresolved() {
		open <- h[i]
	}
	close(open)
	all.Wait()
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("linear: %d writes are unresolved: %w", n, context.Cause(ctx))
	}
	return nil
}
