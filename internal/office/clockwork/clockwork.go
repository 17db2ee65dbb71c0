// Package clockwork does what time alone makes due: it finds objects whose instant has
// come, from indexed rows, and submits the commands that serve them. It exchanges files
// with banks.
//
// It decides nothing. Each of its commands takes effect once, however often it is
// submitted: a scheduler can be killed anywhere, can be late for days, and two of them on
// one database do no harm (TM2). A lease only saves them from doing the same work twice.
// Nothing is scanned that is not due, and no other writer waits for it: there is no nightly
// lock.
package clockwork

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/books"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/screening"
)

// Backend is the part of store.Backend that a scheduler needs.
type Backend interface {
	store.Viewer
	store.Registry
	store.Duties
	store.Banking
	store.Reconciliation
}

// Config configures a scheduler. Backend, Submit, Now and Zone are required.
type Config struct {
	Backend Backend
	Submit  engine.Submitter
	Now     func() time.Time // business time
	Wall    func() time.Time // security time, for leases. Nil: time.Now
	Zone    calendar.Zone
	Node    string // names this process in leases
	Alone   bool   // no other process can use this database: no leases

	Bank   rails.Bank // nil: no files are made or read
	Origin ach.Origin
	Silent bool            // the bank does not acknowledge files: a missing answer is not reported
	Cards  rails.Processor // nil: charges wait
	// Open decrypts an account; Seal encrypts one that a bank has corrected and Fingerprint
	// is its blind index.
	Open        func(sealed []byte, about string) ([]byte, error)
	Seal        func(plain []byte, about string) []byte
	Fingerprint func(routing, number string) string

	Sanctions *screening.List // to screen names against; nil: nobody is screened

	// Worked receives each piece of work as soon as it is done, Ran a whole turn with its
	// error when it has ended. They must be fast and may be nil.
	Worked func(Report)
	Ran    func(all Report, took time.Duration, err error)

	// Seed generates the seed of a command, randomly if nil. InFlight is how many commands
	// wait in the engine at once, 0: inFlight. With deterministic seeds and one command at
	// a time, replaying a turn does the same.
	Seed     func() [16]byte
	InFlight int
	// Ahead reads what commands need before they are submitted, in parallel with the
	// writer. It is for a database whose writer reads the disk itself and blocks all others
	// meanwhile.
	Ahead bool

	Poll time.Duration // interval; 0: a second
	Log  *slog.Logger  // nil: none
}

// Scheduler is the clockwork of one process.
type Scheduler struct {
	cfg    Config
	one    sync.Mutex           // one turn at a time: a sandbox's clock may be moved while Run works
	looked int64                // commit sequence up to which bank lines were matched; guarded by one
	stated calendar.Date        // last day of the month whose statements this process has announced; guarded by one
	cut    map[string]time.Time // truncated bank files, and when they were first seen; guarded by one
	// token identifies this scheduler: of two that find an alarm, one reports it.
	token string
}

// New makes a scheduler. Run, Poll or RunDue starts its work.
func New(c Config) (*Scheduler, error) {
	if c.Backend == nil || c.Submit == nil || c.Now == nil {
		return nil, errors.New("clockwork: a backend, a submitter and a clock are required")
	}
	if c.Poll == 0 {
		c.Poll = time.Second
	}
	if c.Wall == nil {
		c.Wall = time.Now
	}
	if c.Seed == nil {
		c.Seed = randomSeed
	}
	if c.InFlight == 0 {
		c.InFlight = inFlight
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Worked == nil {
		c.Worked = func(Report) {}
	}
	if c.Ran == nil {
		c.Ran = func(Report, time.Duration, error) {}
	}
	return &Scheduler{cfg: c, cut: map[string]time.Time{}, token: token(c.Seed())}, nil
}

// token identifies a scheduler.
func token(seed [16]byte) string { return hex.EncodeToString(seed[:]) }

func randomSeed() (seed [16]byte) {
	_, _ = rand.Read(seed[:]) // never fails
	return seed
}

// leaseName is the duty that one scheduler at a time has leased; leaseTime is how long the
// lease lasts without renewal.
const (
	leaseName = "clockwork"
	leaseTime = 30 * time.Second
)

// Run works until the context ends. Failures are logged, and the next poll finds what they
// left undone.
func (s *Scheduler) Run(ctx context.Context) error {
	ticker := time.NewTicker(s.cfg.Poll)
	defer ticker.Stop()
	for {
		if err := s.Poll(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Log.Error("clockwork", "error", err)
		}
		select {
		case <-ctx.Done():
			return s.leave()
		case <-ticker.C:
		}
	}
}

// Poll takes a turn if this process has the duty, and does nothing if another has it.
func (s *Scheduler) Poll(ctx context.Context) error {
	if !s.cfg.Alone {
		now := s.cfg.Wall()
		if _, ours, err := s.cfg.Backend.Lease(ctx, leaseName, s.cfg.Node, now, now.Add(leaseTime)); err != nil || !ours {
			return err
		}
	}
	_, err := s.RunDue(ctx)
	return err
}

// leave releases the duty, so that another process need not wait for the lease to expire.
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
	Orders, Credits, Transfers, Payouts, Files, Notices, Charges int
	Buyers                                                       int // checkouts and applications served, and companies told about a statement
	Held                                                         int // owners of money held by merchants, whose covered part was freed (F41.4)
	Provisions                                                   int // month ends provided for
	Screenings                                                   int // names that resemble a listed one
	Stuck                                                        int // objects that were served, or refused, and are still due
}

func (r *Report) add(o Report) {
	r.Orders += o.Orders
	r.Credits += o.Credits
	r.Held += o.Held
	r.Buyers += o.Buyers
	r.Transfers += o.Transfers
	r.Payouts += o.Payouts
	r.Files += o.Files
	r.Notices += o.Notices
	r.Charges += o.Charges
	r.Provisions += o.Provisions
	r.Screenings += o.Screenings
	r.Stuck += o.Stuck
}

// Idle reports whether there was nothing to do.
func (r Report) Idle() bool { return r == Report{} }

// RunDue does everything that is due now, until nothing is: what one round makes due at the
// same instant, the next one does.
func (s *Scheduler) RunDue(ctx context.Context) (Report, error) {
	s.one.Lock()
	defer s.one.Unlock()
	begin := s.cfg.Wall()
	all, err := s.turn(ctx)
	s.cfg.Ran(all, s.cfg.Wall().Sub(begin), err)
	return all, err
}

func (s *Scheduler) turn(ctx context.Context) (Report, error) {
	var all Report
	t := &turn{s: s, now: s.cfg.Now(), stuck: map[string]time.Time{}}
	for round := range maxRounds {
		r, err := t.round(ctx)
		all.add(r)
		if err == nil && r.Orders+r.Credits+r.Held+r.Buyers+r.Transfers+r.Payouts+r.Files+r.Notices+r.Charges+r.Provisions == 0 {
			return all, t.reconcile(ctx)
		}
		if err != nil {
			return all, err
		}
		if round == maxRounds-1 {
			return all, fmt.Errorf("clockwork: work is still due after %d rounds", maxRounds)
		}
	}
	return all, nil
}

// reconcile matches open bank lines with what has been booked since the last run (PO6).
// Most of the time nothing is open, or nothing is new.
func (t *turn) reconcile(ctx context.Context) error {
	b := t.s.cfg.Backend
	open, err := store.BankLines(ctx, b, true, store.Page{Limit: 1})
	if err != nil || len(open) == 0 {
		return err
	}
	seen := int64(0)
	if err := b.View(ctx, func(v store.View) error { seen = v.Seq(); return nil }); err != nil || seen == t.s.looked {
		return err
	}
	if _, err := books.Match(ctx, b, t.now, t.s.cfg.Zone.Date(t.now), "system", t.s.cfg.Seed); err != nil {
		return fmt.Errorf("match lines of the bank: %w", err)
	}
	t.s.looked = seen
	return nil
}

// maxRounds bounds a turn. Work for one instant is done in a few rounds; more means an
// object that keeps making itself due, which is a bug.
const maxRounds = 50

// turn is one turn's work.
type turn struct {
	s     *Scheduler
	now   time.Time
	stuck map[string]time.Time // objects that were still due after being served, and for when
	here  map[string]bool      // transfers whose file the bank has not received
	work  Report               // the current kind of work
	told  Report               // the reported part of it
}

// round does each kind of work once, in the order of a business day: what falls due, what
// goes back, what settles and is sent, whom we pay, what goes into a file, what comes back.
// An unreachable bank or processor delays only its own work: its error is returned at the
// end of the round. Any other error ends the round.
func (t *turn) round(ctx context.Context) (Report, error) {
	var all Report
	var outside error
	for _, w := range []struct {
		do      func(context.Context, *Report) error
		outside bool // it talks to another system
	}{
		{t.screen, false}, {t.buyers, false}, {t.orders, false}, {t.statements, false}, {t.credits, false}, {t.provisions, false}, {t.transfers, false}, {t.payouts, false}, {t.clawbacks, false}, {t.held, false}, {t.forget, false},
		{t.charges, true}, {t.files, true}, {t.inbox, true}, {t.notices, false}, {t.alarms, false},
	} {
		t.work, t.told = Report{}, Report{}
		err := w.do(ctx, &t.work)
		t.tell()
		all.add(t.work)
		switch {
		case err != nil && w.outside && ctx.Err() == nil:
			outside = errors.Join(outside, err)
		case err != nil:
			return all, errors.Join(outside, err)
		}
	}
	return all, outside
}

// tell reports what has been done since the last call.
func (t *turn) tell() {
	w, o := t.work, t.told
	t.told = w
	t.s.cfg.Worked(Report{
		Orders: w.Orders - o.Orders, Transfers: w.Transfers - o.Transfers, Payouts: w.Payouts - o.Payouts, Files: w.Files - o.Files,
		Notices: w.Notices - o.Notices, Charges: w.Charges - o.Charges, Credits: w.Credits - o.Credits, Held: w.Held - o.Held, Buyers: w.Buyers - o.Buyers, Provisions: w.Provisions - o.Provisions,
		Screenings: w.Screenings - o.Screenings, Stuck: w.Stuck - o.Stuck,
	})
}

// submit sends a command as the system. It yields to those of callers.
func (t *turn) submit(ctx context.Context, c credit.Command, encode func(credit.Changes, *credit.Rejection) engine.Response) (engine.Result, error) {
	r := engine.Request{Command: c, Actor: system(), Encode: encode, Background: true}
	r.Seed = t.s.cfg.Seed()
	return t.s.cfg.Submit.Submit(ctx, r)
}

// system is the actor of the clockwork's commands.
func system() credit.Actor { return credit.Actor{Client: "system", Operator: true} }
