// Package webhook sends events to the endpoints that merchants have registered for them
// (docs/guides/webhooks.md; EV2–EV6, EN16, EN17).
//
// An event is a row of the database, written with its cause. Everything needed to deliver
// it is in the database:
//
//	round    the clerk reads the events after each endpoint's cursor, checks in the
//	         endpoint's history whether it was subscribed at that commit, and writes
//	         deliveries and cursor in one transaction (stream.go, clerk.go)
//	queue    the desk keeps deliveries in lanes, one for each object: only the first
//	         of a lane is attempted (queue.go, desk.go)
//	gate     an endpoint gets as many concurrent attempts as it can take; a failing
//	         one gets single probes (gate.go)
//	attempt  a worker signs the stored bytes and posts them (attempt.go)
//	settle   the result is kept, retried later, or parked, and recorded with others
//	         in the next round (settle.go)
//
// A process that dies between attempt and record sends again: delivery is at least once.
// Identifiers of deliveries are computed, so that creating them twice changes nothing.
// Several processes may serve one database: endpoints are spread over duties, and each duty
// is leased to one process (lease.go). Order does not depend on the lease: a later event of
// an object is sent only after its predecessor was accepted or parked, whoever sends it.
//
// A Sender decides nothing about money. It submits its only change as a command: an
// endpoint that answers 410 is disabled.
package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/ports/outbound"
)

// Backend is the part of store.Backend that a Sender needs.
type Backend interface {
	store.Viewer
	store.Duties
	store.Courier
}

// Config configures a Sender. Backend, Submit and Open are required.
type Config struct {
	Backend Backend
	// Submit accepts a Sender's only command: to disable an endpoint.
	Submit engine.Submitter
	// Open decrypts what was sealed with the deployment's key; about is what the value is
	// bound to.
	Open func(sealed []byte, about string) ([]byte, error)
	// Client connects to endpoints. Nil: one of package outbound, according to Sandbox. It
	// never follows redirects, whatever its own setting, and has a timeout.
	Client *http.Client
	// Node names this process in leases.
	Node string
	// Now is the wall clock, the machine's if nil.
	Now func() time.Time
	// Log receives failures that are not a receiver's; nil: none.
	Log *slog.Logger
	// Sandbox allows private targets, and stores their answers (A54).
	Sandbox bool
	// Rules are where else events may go, if Client is nil.
	Rules outbound.Rules
	// Alone means that no other process can have this database open, as with SQLite: no
	// leases are needed.
	Alone bool
	// Workers is the number of concurrent attempts, 256 if 0.
	Workers int
	// Poll is how often the database is polled without notification, 200 ms if 0.
	Poll time.Duration
	// Lease is how long a duty is leased, 15 s if 0; it is renewed three times as often.
	Lease time.Duration
	// Grace is how long attempts in progress may take at the end, 5 s if 0.
	Grace time.Duration
	// Keep is how long finished deliveries are kept, 30 days if 0.
	Keep time.Duration
}

// Sender delivers the events of a database.
type Sender struct {
	cfg     Config
	client  *http.Client
	timeout time.Duration // of an attempt
	holder  string        // of leases: unique to this process
	stats   counters

	news    chan struct{} // something was committed
	jobs    chan job
	results chan result
	rounds  chan round
	closed  chan outcome      // outcome of a round
	leases  chan holding      // the keeper's latest news
	drained chan []drained    // duties that may be given back
	recheck chan struct{}     // check leases now
	gone    chan goneEndpoint // to be disabled
	hurries chan hurry        // deliveries that should not wait
}

// New returns a Sender, which does nothing before Run.
func New(cfg Config) (*Sender, error) {
	if cfg.Backend == nil || cfg.Submit == nil || cfg.Open == nil {
		return nil, errors.New("webhook: the configuration lacks Backend, Submit or Open")
	}
	cfg.defaults()
	s := &Sender{
		cfg: cfg, holder: cfg.Node,
		news: make(chan struct{}, 1), jobs: make(chan job, cfg.Workers), results: make(chan result, cfg.Workers),
		rounds: make(chan round, 1), closed: make(chan outcome, 1), leases: make(chan holding, 1), drained: make(chan []drained, 1),
		recheck: make(chan struct{}, 1), gone: make(chan goneEndpoint), hurries: make(chan hurry),
	}
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	s.holder += "#" + hex.EncodeToString(nonce[:])
	client := *cfg.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	// The timeout goes into the context: a client with a timeout of its own starts a
	// goroutine for each request.
	s.timeout, client.Timeout = cmp.Or(client.Timeout, outbound.Timeout), 0
	s.client = &client
	return s, nil
}

func (c *Config) defaults() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&c.Poll, 200*time.Millisecond)
	set(&c.Lease, 15*time.Second)
	set(&c.Grace, 5*time.Second)
	set(&c.Keep, 30*24*time.Hour)
	if c.Workers == 0 {
		c.Workers = 256
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Client == nil {
		c.Rules.AllowPrivate = c.Sandbox
		c.Client = outbound.NewClient(outbound.Config{Rules: c.Rules, Idle: 2 * c.Workers})
	}
}

// now is the wall clock in UTC, in the stored precision.
func (s *Sender) now() time.Time { return s.cfg.Now().UTC().Round(0).Truncate(time.Microsecond) }

// Notify signals that something was committed, so that it need not wait for the next poll.
// It never blocks, and nothing depends on it (EN17).
func (s *Sender) Notify() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// Run delivers until the context ends. Then it starts nothing, waits Grace for attempts in
// progress, records them and gives its leases back; what was cut short stays PENDING. It is
// called once.
func (s *Sender) Run(ctx context.Context) error {
	// The parts stop one after the other, not all at once: attempts in progress must be
	// recorded under a lease that is still held.
	work, cutShort := context.WithCancel(context.WithoutCancel(ctx))
	defer cutShort()
	keep, stopKeeper := context.WithCancel(context.WithoutCancel(ctx))
	defer stopKeeper()
	var workers, others sync.WaitGroup
	for range s.cfg.Workers {
		workers.Go(func() {
			for j := range s.jobs {
				s.results <- s.attempt(work, j)
			}
		})
	}
	others.Go(func() { newClerk(s).run(context.WithoutCancel(ctx)) })
	others.Go(func() { s.chores(keep) })
	var keeper sync.WaitGroup
	keeper.Go(func() { newKeeper(s).run(keep) })

	newDesk(s).run(ctx, cutShort)

	close(s.jobs)
	workers.Wait()
	close(s.rounds)
	stopKeeper()
	keeper.Wait()
	others.Wait()
	s.client.CloseIdleConnections()
	return nil
}
