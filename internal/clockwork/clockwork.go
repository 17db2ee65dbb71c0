// Package clockwork does what time alone brings: it finds objects whose instant has
// come, from indexed rows, and submits the commands that serve them. It carries files
// to banks and brings back what they say.
//
// It decides nothing. Whatever a command of it does, the command does once, however
// often it is submitted: a scheduler can be killed anywhere, can be late for days, and
// two of them on one database do no harm (TM2). A lease only saves them from doing the
// same work twice. Nothing is scanned that is not due, and no other writer waits for
// it: there is no nightly lock.
package clockwork

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tenor/internal/books"
	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/rails"
	"tenor/internal/rails/ach"
	"tenor/internal/store"
)

// Config is what a scheduler works with. Backend, Submit, Now and Zone are needed.
type Config struct {
	Backend store.Backend
	Submit  engine.Submitter
	Now     func() time.Time // business time
	Wall    func() time.Time // security time: leases. Nil: time.Now
	Zone    calendar.Zone
	Node    string // names this process in leases
	Alone   bool   // no other process can have this database: no leases

	Bank   rails.Bank // nil: no files are made or read
	Origin ach.Origin
	Cards  rails.Processor // nil: charges wait
	// Open opens a sealed account number; Seal seals one that a bank has corrected and
	// Fingerprint is its blind index.
	Open        func(sealed []byte, about string) ([]byte, error)
	Seal        func(plain []byte, about string) []byte
	Fingerprint func(routing, number string) string

	Poll time.Duration // between two looks; 0: a second
	Log  *slog.Logger  // nil: none
}

// Scheduler is the clockwork of one process.
type Scheduler struct {
	cfg    Config
	one    sync.Mutex           // one turn at a time: a sandbox's clock may be moved while Run looks
	looked int64                // commit sequence up to which the bank's lines were matched; under one
	cut    map[string]time.Time // files of the bank that end too soon, and when they were first seen; under one
}

// New makes a scheduler. Run or Turn starts its work.
func New(c Config) (*Scheduler, error) {
	if c.Backend == nil || c.Submit == nil || c.Now == nil {
		return nil, errors.New("clockwork: a backend, a submitter and a clock are needed")
	}
	if c.Poll == 0 {
		c.Poll = time.Second
	}
	if c.Wall == nil {
		c.Wall = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Scheduler{cfg: c, cut: map[string]time.Time{}}, nil
}

// leaseName is the duty of which one scheduler at a time has the lease; leaseTime is
// how long it lasts without a sign of life.
const (
	leaseName = "clockwork"
	leaseTime = 30 * time.Second
)

// Run works until the context ends. Failures are logged, and what they left undone is
// found again by the next look.
func (s *Scheduler) Run(ctx context.Context) error {
	ticker := time.NewTicker(s.cfg.Poll)
	defer ticker.Stop()
	for {
		if err := s.look(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Log.Error("clockwork", "error", err)
		}
		select {
		case <-ctx.Done():
			return s.leave()
		case <-ticker.C:
		}
	}
}

// look takes a turn if this process has the duty.
func (s *Scheduler) look(ctx context.Context) error {
	if !s.cfg.Alone {
		now := s.cfg.Wall()
		if _, ours, err := s.cfg.Backend.Lease(ctx, leaseName, s.cfg.Node, now, now.Add(leaseTime)); err != nil || !ours {
			return err
		}
	}
	_, err := s.Turn(ctx)
	return err
}

// leave gives the duty back, so that another process need not wait for its end.
func (s *Scheduler) leave() error {
	if s.cfg.Alone {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	now := s.cfg.Wall()
	l, ours, err := s.cfg.Backend.Lease(ctx, leaseName, s.cfg.Node, now, now.Add(leaseTime))
	if err != nil || !ours {
		return err
	}
	return s.cfg.Backend.Release(ctx, l)
}

// Report is what a turn has done.
type Report struct {
	Orders, Transfers, Payouts, Files, Notices, Charges int
	Stuck                                               int // objects whose command changed nothing, or was refused
}

func (r *Report) add(o Report) {
	r.Orders += o.Orders
	r.Transfers += o.Transfers
	r.Payouts += o.Payouts
	r.Files += o.Files
	r.Notices += o.Notices
	r.Charges += o.Charges
	r.Stuck += o.Stuck
}

// Idle reports that there was nothing to do.
func (r Report) Idle() bool { return r == Report{} }

// Turn does everything that is due now, until nothing is: what a step brings up for
// the same instant, the next one does.
func (s *Scheduler) Turn(ctx context.Context) (Report, error) {
	s.one.Lock()
	defer s.one.Unlock()
	var all Report
	t := &turn{s: s, now: s.cfg.Now(), seen: map[string]time.Time{}}
	for round := range maxRounds {
		r, err := t.round(ctx)
		all.add(r)
		if err == nil && r.Orders+r.Transfers+r.Payouts+r.Files+r.Notices+r.Charges == 0 {
			return all, t.reconcile(ctx)
		}
		if err != nil {
			return all, err
		}
		if round == maxRounds-1 {
			return all, fmt.Errorf("clockwork: still something due after %d rounds", maxRounds)
		}
	}
	return all, nil
}

// reconcile matches open lines of the bank's statement with what has been booked since
// the last look (PO6). Most of the time nothing is open, or nothing is new.
func (t *turn) reconcile(ctx context.Context) error {
	b := t.s.cfg.Backend
	open, err := b.BankLines(ctx, true, store.Page{Limit: 1})
	if err != nil || len(open) == 0 {
		return err
	}
	seen := int64(0)
	if err := b.View(ctx, func(v store.View) error { seen = v.Seq(); return nil }); err != nil || seen == t.s.looked {
		return err
	}
	if _, err := books.Match(ctx, b, t.now, t.s.cfg.Zone.Date(t.now), "system", func() (seed [16]byte) {
		_, _ = rand.Read(seed[:]) // it never fails
		return seed
	}); err != nil {
		return fmt.Errorf("match lines of the bank: %w", err)
	}
	t.s.looked = seen
	return nil
}

// maxRounds bounds a turn. Work for one instant is done in a handful of rounds; more
// is an object that brings itself up for ever, which is a bug.
const maxRounds = 50

// turn is one turn's work.
type turn struct {
	s    *Scheduler
	now  time.Time
	seen map[string]time.Time // due instant for which an object has been served: once a turn for each
}

// round does each kind of work once. The order is that of a business day: what falls
// due, what settles and is sent, whom we pay, what goes into a file, what comes back.
func (t *turn) round(ctx context.Context) (Report, error) {
	var r Report
	for _, work := range []func(context.Context, *Report) error{t.orders, t.transfers, t.payouts, t.clawbacks, t.charges, t.files, t.inbox, t.notices} {
		if err := work(ctx, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// submit sends a command as the system.
func (t *turn) submit(ctx context.Context, c credit.Command, encode func(credit.Changes, *credit.Rejection) engine.Response) (engine.Result, error) {
	r := engine.Request{Command: c, Actor: credit.Actor{Client: "system", Operator: true}, Encode: encode}
	if _, err := rand.Read(r.Seed[:]); err != nil {
		return engine.Result{}, err
	}
	return t.s.cfg.Submit.Submit(ctx, r)
}
