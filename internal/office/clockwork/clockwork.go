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

// Backend is what a scheduler needs of a store.Backend.
type Backend interface {
	store.Viewer
	store.Registry
	store.Duties
	store.Banking
	store.Reconciliation
}

// Config is what a scheduler works with. Backend, Submit, Now and Zone are needed.
type Config struct {
	Backend Backend
	Submit  engine.Submitter
	Now     func() time.Time // business time
	Wall    func() time.Time // security time: leases. Nil: time.Now
	Zone    calendar.Zone
	Node    string // names this process in leases
	Alone   bool   // no other process can have this database: no leases

	Bank   rails.Bank // nil: no files are made or read
	Origin ach.Origin
	Silent bool            // the bank acknowledges no files: a missing answer is not reported
	Cards  rails.Processor // nil: charges wait
	// Open opens a sealed account; Seal seals one that a bank has corrected and Fingerprint
	// is its blind index.
	Open        func(sealed []byte, about string) ([]byte, error)
	Seal        func(plain []byte, about string) []byte
	Fingerprint func(routing, number string) string

	Sanctions *screening.List // with which names are compared; nil: nobody is screened

	// Worked gets each piece of work as soon as it is done, Ran of a whole turn
	// when it has ended, with its error. They must be quick; nil: not called.
	Worked func(Report)
	Ran    func(all Report, took time.Duration, err error)

	// Seed draws the seed of a command, nil: at random. InFlight is how many commands
	// wait in the engine at once, 0: inFlight. With seeds that are ruled and one command
	// at a time a turn does the same whenever it is played again.
	Seed     func() [16]byte
	InFlight int
	// Ahead reads what commands need before they are submitted, beside the writer. It is for
	// a database whose writer reads the disk itself and holds up all others meanwhile.
	Ahead bool

	Poll time.Duration // between two looks; 0: a second
	Log  *slog.Logger  // nil: none
}

// Scheduler is the clockwork of one process.
type Scheduler struct {
	cfg    Config
	one    sync.Mutex           // one turn at a time: a sandbox's clock may be moved while Run looks
	looked int64                // commit sequence up to which the bank's lines were matched; under one
	stated calendar.Date        // last day of the month whose statements this process has told; under one
	cut    map[string]time.Time // files of the bank that end too soon, and when they were first seen; under one
	// token tells this scheduler from every other one: of two that find an alarm, one says it.
	token string
}

// New makes a scheduler. Run or Turn starts its work.
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

// token names a scheduler.
func token(seed [16]byte) string { return hex.EncodeToString(seed[:]) }

func randomSeed() (seed [16]byte) {
	_, _ = rand.Read(seed[:]) // never fails
	return seed
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
	Orders, Credits, Transfers, Payouts, Files, Notices, Charges int
	Buyers                                                       int // checkouts, applications and companies that were told of a statement
	Held                                                         int // owners of money that merchants hold, whose covered part was freed (F41.4)
	Provisions                                                   int // month ends provided for
	Screenings                                                   int // names that resemble a listed one
	Stuck                                                        int // objects that were served, or refused, and are due as before
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

// Idle reports that there was nothing to do.
func (r Report) Idle() bool { return r == Report{} }

// RunDue does everything that is due now, until nothing is: what a step brings up for
// the same instant, the next one does.
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

// reconcile matches open lines of the bank's statement with what has been booked since
// the last look (PO6). Most of the time nothing is open, or nothing is new.
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

// maxRounds bounds a turn. Work for one instant is done in a handful of rounds; more
// is an object that brings itself up for ever, which is a bug.
const maxRounds = 50

// turn is one turn's work.
type turn struct {
	s     *Scheduler
	now   time.Time
	stuck map[string]time.Time // objects that were due as before after they had been served, and for when
	here  map[string]bool      // transfers whose file the bank has not got
	work  Report               // of the kind of work that is being done
	told  Report               // of it, what has been told
}

// round does each kind of work once. The order is that of a business day: what falls
// due, what goes back, what settles and is sent, whom we pay, what goes into a file, what
// comes back. A bank or a processor that cannot be reached holds up nothing but itself:
// its error comes at the end of the round. Any other error ends the round.
func (t *turn) round(ctx context.Context) (Report, error) {
	var all Report
	var outside error
	for _, w := range []struct {
		do      func(context.Context, *Report) error
		outside bool // it talks to somebody else
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

// tell tells what has been done since it was called last.
func (t *turn) tell() {
	w, o := t.work, t.told
	t.told = w
	t.s.cfg.Worked(Report{
		Orders: w.Orders - o.Orders, Transfers: w.Transfers - o.Transfers, Payouts: w.Payouts - o.Payouts, Files: w.Files - o.Files,
		Notices: w.Notices - o.Notices, Charges: w.Charges - o.Charges, Credits: w.Credits - o.Credits, Held: w.Held - o.Held, Buyers: w.Buyers - o.Buyers, Provisions: w.Provisions - o.Provisions,
		Screenings: w.Screenings - o.Screenings, Stuck: w.Stuck - o.Stuck,
	})
}

// submit sends a command as the system. It comes after those of callers.
func (t *turn) submit(ctx context.Context, c credit.Command, encode func(credit.Changes, *credit.Rejection) engine.Response) (engine.Result, error) {
	r := engine.Request{Command: c, Actor: system(), Encode: encode, Background: true}
	r.Seed = t.s.cfg.Seed()
	return t.s.cfg.Submit.Submit(ctx, r)
}

// system is who the clockwork's commands are from.
func system() credit.Actor { return credit.Actor{Client: "system", Operator: true} }
