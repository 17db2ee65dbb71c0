package sandbox

import (
	"context"
	"errors"
	"testing"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/fake"
)

// still is a clockwork that only moves the clock, and that a test can hold at its stops.
type still struct {
	next []clockwork.Coming
	gate chan struct{} // each stop takes one, if set
	fail error         // of the next move
}

func (s *still) RunDue(context.Context) (clockwork.Report, error) { return clockwork.Report{}, nil }
func (s *still) Next(context.Context) ([]clockwork.Coming, error) { return s.next, nil }

func (s *still) Advance(ctx context.Context, c clockwork.Movable, to time.Time, tell func(clockwork.Progress)) error {
	for day := 1; ; day++ {
		if s.gate != nil {
			select {
			case <-s.gate:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if s.fail != nil {
			return s.fail
		}
		next := c.Now().Add(24 * time.Hour)
		if next.After(to) {
			next = to
		}
		if _, err := c.AdvanceTo(next); err != nil {
			return err
		}
		tell(clockwork.Progress{Now: next, Target: to, DaysDone: day, DaysTotal: 10})
		if next.Equal(to) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

type world struct {
	*Sandbox
	t     *testing.T
	work  *still
	clock *clock.Settable
	db    store.Backend
	zone  calendar.Zone
}

func open(t *testing.T) *world {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, work: &still{}, db: memory.New(), zone: calendar.NewZone(location)}
	w.clock = clock.NewSettable(w.zone.At(calendar.MustParse("2026-01-10"), 9, 0))
	bank, err := OpenBank(t.Context(), w.db, w.zone, w.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Sandbox = New(w.clock, w.work, bank, w.db, w.zone)
	t.Cleanup(w.Close)
	return w
}

func (w *world) state() State {
	w.t.Helper()
	s, err := w.State(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// long is more than any move of a test needs.
const long = time.Minute

func TestAdvance(t *testing.T) {
	w := open(t)
	to := w.clock.Now().Add(10 * 24 * time.Hour)
	if err := w.AdvanceTo(t.Context(), to, long); err != nil {
		t.Fatal(err)
	}
	s := w.state()
	if !s.Now.Equal(to) || s.Advancing || !s.Target.Equal(to) || s.DaysDone != 10 || !s.Frozen || s.Failed != nil {
		t.Errorf("%+v", s)
	}
	for _, x := range []struct {
		to   time.Time
		want error
	}{{to.Add(-time.Second), clock.ErrBackwards}, {to.Add(MaxMove + time.Second), ErrTooFar}} {
		if err := w.AdvanceTo(t.Context(), x.to, long); !errors.Is(err, x.want) {
			t.Errorf("to %s: %v, want %v", x.to, err, x.want)
		}
	}
	if !w.state().Now.Equal(to) {
		t.Error("a refused move has moved the clock")
	}
}

// A long move continues in the background. Meanwhile no other can start; freezing stops it
// where it is.
func TestMoveGoesOn(t *testing.T) {
	w := open(t)
	w.work.gate = make(chan struct{})
	to := w.clock.Now().Add(10 * 24 * time.Hour)
	if err := w.AdvanceTo(t.Context(), to, time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	w.work.gate <- struct{}{}
	w.work.gate <- struct{}{} // the first stop has been reported
	if s := w.state(); !s.Advancing || s.DaysDone < 1 || s.DaysTotal != 10 || !s.Target.Equal(to) {
		t.Errorf("under way: %+v", s)
	}
	if err := w.AdvanceTo(t.Context(), to, long); !errors.Is(err, ErrMoving) {
		t.Errorf("a second move: %v", err)
	}
	if err := w.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := w.state()
	if s.Advancing || !s.Frozen || !s.Now.Before(to) || !errors.Is(s.Failed, context.Canceled) {
		t.Errorf("after the freeze: %+v", s)
	}
	w.work.gate = nil
	if err := w.AdvanceTo(t.Context(), to, long); err != nil || w.state().Failed != nil {
		t.Errorf("the next move: %v, %+v", err, w.state())
	}
}

// A caller that leaves does not end the move.
func TestCallerLeaves(t *testing.T) {
	w := open(t)
	w.work.gate = make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	to := w.clock.Now().Add(24 * time.Hour)
	if err := w.AdvanceTo(ctx, to, long); err != nil {
		t.Fatal(err)
	}
	w.work.gate <- struct{}{}
	for w.state().Advancing {
		time.Sleep(time.Millisecond)
	}
	if s := w.state(); !s.Now.Equal(to) || s.Failed != nil {
		t.Errorf("%+v", s)
	}
}

func TestFailedMove(t *testing.T) {
	w := open(t)
	w.work.fail = errors.New("the database is gone")
	at := w.clock.Now()
	if err := w.AdvanceTo(t.Context(), at.Add(time.Hour), long); !errors.Is(err, w.work.fail) {
		t.Errorf("%v", err)
	}
	if s := w.state(); !errors.Is(s.Failed, w.work.fail) || s.Advancing || !s.Now.Equal(at) {
		t.Errorf("%+v", s)
	}
}

func TestNextEvent(t *testing.T) {
	w := open(t)
	if err := w.AdvanceToNext(t.Context(), long); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing is due: %v", err)
	}
	now := w.clock.Now()
	coming := func(id string, at time.Time) clockwork.Coming {
		return clockwork.Coming{Due: store.Due{ID: id, At: at}, Object: "order"}
	}
	w.work.next = []clockwork.Coming{coming("ord_2", now.Add(3*time.Hour)), coming("ord_1", now.Add(time.Hour))}
	if next := w.state().Next; next == nil || next.ID != "ord_1" {
		t.Errorf("%+v", next)
	}
	if err := w.AdvanceToNext(t.Context(), long); err != nil || !w.state().Now.Equal(now.Add(time.Hour)) {
		t.Errorf("%v, %s", err, w.state().Now)
	}
	w.work.next = []clockwork.Coming{coming("ord_1", now)} // overdue
	if err := w.AdvanceToNext(t.Context(), long); err != nil || !w.state().Now.Equal(now.Add(time.Hour)) {
		t.Errorf("overdue: %v, %s", err, w.state().Now)
	}
	w.clock.Resume() // it advances between any two reads
	if err := w.AdvanceToNext(t.Context(), long); err != nil || w.state().Failed != nil {
		t.Errorf("overdue, and the clock runs: %v, %+v", err, w.state())
	}
}

// A running clock may pass a stop while the move prepares for it: the move continues.
func TestStopIsPassed(t *testing.T) {
	w := open(t)
	w.clock.Resume()
	passed := w.clock.Now().Add(-time.Second)
	if now, err := (stepping{t.Context(), w.Sandbox}).AdvanceTo(passed); err != nil || now.Before(passed.Add(time.Second)) {
		t.Errorf("%v, it shows %s and was at %s", err, now, passed.Add(time.Second))
	}
}

// The clock's time is stored with every operation on it.
func TestKeptClock(t *testing.T) {
	w := open(t)
	kept := func() (time.Time, bool) {
		t.Helper()
		at, frozen, err := KeptClock(t.Context(), w.db)
		if err != nil {
			t.Fatal(err)
		}
		return at, frozen
	}
	if at, _ := kept(); !at.IsZero() {
		t.Errorf("a clock that was never moved was left at %s", at)
	}
	to := w.clock.Now().Add(48 * time.Hour)
	if err := w.AdvanceTo(t.Context(), to, long); err != nil {
		t.Fatal(err)
	}
	if at, frozen := kept(); !at.Equal(to) || !frozen {
		t.Errorf("%s %v", at, frozen)
	}
	if err := w.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if at, frozen := kept(); at.Before(to) || frozen {
		t.Errorf("%s %v", at, frozen)
	}
	if err := w.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, frozen := kept(); !frozen {
		t.Error("the clock runs")
	}
	if err := w.db.PutSetting(t.Context(), clockSetting, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := KeptClock(t.Context(), w.db); err == nil {
		t.Error("a broken setting was read")
	}
}

// The state of the bank and the processor survives a restart.
func TestBankIsKept(t *testing.T) {
	w := open(t)
	ctx := t.Context()
	if err := w.Bank().FailNext(ctx, "R01", ""); err != nil {
		t.Fatal(err)
	}
	if err := w.Bank().FailNext(ctx, "R999", ""); !errors.Is(err, fake.ErrCode) {
		t.Errorf("a code that there is not: %v", err)
	}
	first, err := w.Bank().Cards().Charge(ctx, "trf_1", fake.TokenOK, 104_65)
	if err != nil || !first.Approved {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := OpenBank(ctx, w.db, w.zone, w.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	if string(again.Save()) != string(w.Bank().Save()) {
		t.Error("the bank knows something else after a restart")
	}
	if same, err := again.Cards().Charge(ctx, "trf_1", fake.TokenOK, 104_65); err != nil || same != first {
		t.Errorf("the same key: %+v, %v", same, err)
	}
	if err := w.db.PutSetting(ctx, bankSetting, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenBank(ctx, w.db, w.zone, w.clock.Now); err == nil {
		t.Error("a broken setting was read")
	}
}

// With nothing in transit nothing moves, and a transfer in no file cannot be returned.
func TestNothingOnItsWay(t *testing.T) {
	w := open(t)
	at := w.clock.Now()
	if err := w.Settle(t.Context(), long); err != nil || !w.state().Now.Equal(at) {
		t.Errorf("%v, %s", err, w.state().Now)
	}
	if err := w.ReturnTransfer(t.Context(), "trf_1", "R01"); !errors.Is(err, fake.ErrUnknown) {
		t.Errorf("%v", err)
	}
	if err := w.Bank().Change(t.Context(), "123", "C01"); !errors.Is(err, fake.ErrUnknown) {
		t.Errorf("%v", err)
	}
	if err := w.Bank().Return(t.Context(), 7, "R01"); !errors.Is(err, fake.ErrUnknown) {
		t.Errorf("%v", err)
	}
}
