// Package sandbox is what can be controlled in a sandbox: the business clock and the bank.
// A live server has none of it.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/office/clockwork"
)

// Clockwork moves the clock stop by stop (clockwork.Scheduler).
type Clockwork interface {
	Advance(ctx context.Context, c clockwork.Movable, to time.Time, tell func(clockwork.Progress)) error
	Next(ctx context.Context) ([]clockwork.Coming, error)
	RunDue(ctx context.Context) (clockwork.Report, error)
}

// Sandbox moves a clock and a bank. It is safe for concurrent use.
type Sandbox struct {
	clock *clock.Settable
	work  Clockwork
	bank  *Bank
	db    Settings
	zone  calendar.Zone

	mu       sync.Mutex
	progress clockwork.Progress
	done     chan struct{} // of the current move, nil if there is none
	failed   error         // of the last move
	stop     context.CancelFunc
}

// New makes the controls of a sandbox. Close must be called before the database is closed.
func New(c *clock.Settable, work Clockwork, bank *Bank, db Settings, zone calendar.Zone) *Sandbox {
	return &Sandbox{clock: c, work: work, bank: bank, db: db, zone: zone}
}

// Errors of a move. One into the past is clock.ErrBackwards.
var (
	// ErrMoving means that another move is in progress.
	ErrMoving = errors.New("sandbox: the clock is being moved")
	// ErrTooFar means that a move is longer than MaxMove.
	ErrTooFar = errors.New("sandbox: the move is too long")
	// ErrNothing means that time alone changes nothing anymore.
	ErrNothing = errors.New("sandbox: nothing more is due")
	// ErrNoEvent means that no event of a type was emitted within MaxWait.
	ErrNoEvent = errors.New("sandbox: no such event was emitted")
)

// MaxMove is the maximum length of a move: days are played one by one.
const MaxMove = 5 * 366 * 24 * time.Hour

// State is the state of the clock.
type State struct {
	Now       time.Time
	Frozen    bool
	Advancing bool
	Target    time.Time // of the last move, zero before the first
	DaysDone  int
	DaysTotal int
	Next      *clockwork.Coming // what is due first, nil if nothing
	Failed    error             // of the last move
}

// State returns the clock's state.
func (s *Sandbox) State(ctx context.Context) (State, error) {
	next, err := s.next(ctx)
	if err != nil {
		return State{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{
		Now: s.clock.Now(), Frozen: s.clock.Frozen(), Advancing: s.done != nil, Next: next,
		Target: s.progress.Target, DaysDone: s.progress.DaysDone, DaysTotal: s.progress.DaysTotal, Failed: s.failed,
	}, nil
}

func (s *Sandbox) next(ctx context.Context) (*clockwork.Coming, error) {
	list, err := s.work.Next(ctx)
	if err != nil {
		return nil, err
	}
	var first *clockwork.Coming
	for i := range list {
		if first == nil || list[i].At.Before(first.At) {
			first = &list[i]
		}
	}
	return first, nil
}

// AdvanceTo moves the clock forward, day by day, and waits for the end of the move for at
// most wait: after that the move continues, and State reports its progress.
func (s *Sandbox) AdvanceTo(ctx context.Context, to time.Time, wait time.Duration) error {
	return s.await(ctx, wait, move{to: to})
}

// await starts a move and waits for its end.
func (s *Sandbox) await(ctx context.Context, wait time.Duration, m move) error {
	done, err := s.begin(m)
	if err != nil {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.failed
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// AdvanceToNext moves the clock to the instant at which something is next due, or by only a
// moment if something is already due.
func (s *Sandbox) AdvanceToNext(ctx context.Context, wait time.Duration) error {
	next, err := s.next(ctx)
	if err != nil {
		return err
	}
	if next == nil {
		return ErrNothing
	}
	return s.await(ctx, wait, move{to: next.At, late: true})
}

// move is a movement of the clock.
type move struct {
	to   time.Time
	late bool // a clock that is past to need not move: no ErrBackwards
	// reached reports after each stop whether that is far enough; nil: only to is.
	reached func(context.Context) (bool, error)
}

// begin starts a move that outlives its caller.
func (s *Sandbox) begin(m move) (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if m.late && m.to.Before(now) {
		m.to = now
	}
	switch {
	case s.done != nil:
		return nil, ErrMoving
	case m.to.Before(now):
		return nil, fmt.Errorf("%w: it is at %s", clock.ErrBackwards, now.Format(time.RFC3339))
	case m.to.Sub(now) > MaxMove:
		return nil, ErrTooFar
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.done, s.stop, s.failed = done, stop, nil
	s.progress = clockwork.Progress{Now: now, Target: m.to, DaysTotal: s.zone.Date(now).DaysUntil(s.zone.Date(m.to))}
	go func() {
		err := errors.Join(s.advance(ctx, m), s.keepClock(context.Background()))
		stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.failed, s.done = err, nil
		close(done)
	}()
	return done, nil
}

// errReached ends a move before its target: between two stops, after everything of the last
// one was done.
var errReached = errors.New("sandbox: far enough")

// advance performs a move.
func (s *Sandbox) advance(ctx context.Context, m move) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	err := s.work.Advance(ctx, stepping{ctx, s}, m.to, func(p clockwork.Progress) {
		s.mu.Lock()
		s.progress = p
		s.mu.Unlock()
		if m.reached == nil {
			return
		}
		switch reached, err := m.reached(ctx); {
		case err != nil:
			end(err)
		case reached:
			end(errReached)
		}
	})
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errReached):
		s.mu.Lock()
		defer s.mu.Unlock()
		s.progress.Target, s.progress.DaysTotal = s.progress.Now, s.progress.DaysDone
		return nil
	case err == nil && m.reached != nil:
		return ErrNoEvent
	case cause != nil && err != nil:
		return errors.Join(cause, err)
	}
	return err
}

// stepping is the clock of a move. Its target is stored before it moves: a killed sandbox
// does not return to a day before what its bank has said.
type stepping struct {
	ctx context.Context // of the move
	s   *Sandbox
}

// Now implements clockwork.Movable.
func (c stepping) Now() time.Time { return c.s.clock.Now() }

// AdvanceTo implements clockwork.Movable. A running clock may pass a stop by itself while
// that is stored: then it is already there.
func (c stepping) AdvanceTo(t time.Time) (time.Time, error) {
	if err := c.s.keepAt(c.ctx, t); err != nil {
		return c.s.clock.Now(), err
	}
	now, err := c.s.clock.AdvanceTo(t)
	if errors.Is(err, clock.ErrBackwards) {
		return now, nil
	}
	return now, err
}

// Freeze stops the clock, and a move in progress at its next stop.
func (s *Sandbox) Freeze(ctx context.Context) error {
	s.halt()
	s.clock.Freeze()
	return s.keepClock(ctx)
}

// Resume lets the clock run at real speed.
func (s *Sandbox) Resume(ctx context.Context) error {
	s.clock.Resume()
	return s.keepClock(ctx)
}

// Keep stores the clock's time, and returns it, so that a copy of the database has it. A
// move in progress is ErrMoving.
func (s *Sandbox) Keep(ctx context.Context) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		return time.Time{}, ErrMoving
	}
	return s.clock.Now(), s.keepClock(ctx)
}

// Still runs fn while the clock stands still: identifiers derived from the time use one
// instant. A move in progress is ErrMoving.
func (s *Sandbox) Still(ctx context.Context, fn func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		return ErrMoving
	}
	if s.clock.Frozen() {
		return fn()
	}
	s.clock.Freeze()
	defer s.clock.Resume()
	return fn()
}

// Close ends a move in progress.
func (s *Sandbox) Close() { s.halt() }

func (s *Sandbox) halt() {
	s.mu.Lock()
	done, stop := s.done, s.stop
	s.mu.Unlock()
	if done != nil {
		stop()
		<-done
	}
}

// clockSetting stores the clock's time, because it may be ahead of what has been committed.
const clockSetting = "sandbox/clock"

type keptClock struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func (s *Sandbox) keepClock(ctx context.Context) error { return s.keepAt(ctx, s.clock.Now()) }

func (s *Sandbox) keepAt(ctx context.Context, at time.Time) error {
	b, err := json.Marshal(keptClock{at, s.clock.Frozen()})
	if err != nil {
		return err
	}
	return s.db.PutSetting(ctx, clockSetting, b)
}

// KeptClock is a sandbox's stored clock time, zero if it was never moved.
func KeptClock(ctx context.Context, db store.Viewer) (at time.Time, frozen bool, err error) {
	b, found, err := store.Setting(ctx, db, clockSetting)
	if err != nil || !found {
		return time.Time{}, false, err
	}
	var k keptClock
	if err := json.Unmarshal(b, &k); err != nil {
		return time.Time{}, false, fmt.Errorf("sandbox: read the stored clock: %w", err)
	}
	return k.Now, k.Frozen, nil
}
