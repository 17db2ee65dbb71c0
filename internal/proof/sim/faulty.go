package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
)

// Crash is the value a Faulty backend panics with when the process dies. The driver of the engine
// recovers from it, drops the engine and starts another.
type Crash struct{ Where string }

func (c Crash) String() string { return "crash " + c.Where }

// Mix says how often each fault happens, in thousandths of all commits. Each seed generates its
// own.
type Mix struct {
	NotCommitted, Conflict, UnknownApplied, UnknownLost, Full, CrashBefore, CrashAfter, CrashResolving int
}

// DrawMix generates a mix in which some faults are frequent and some are absent.
func DrawMix(s Source) Mix {
	often := func(most int) int {
		if Chance(s, 40) {
			return 0
		}
		return s.Intn(most + 1)
	}
	return Mix{often(80), often(80), often(80), often(80), often(15), often(30), often(30), often(300)}
}

// Errors of a Faulty backend.
var (
	ErrRefused = errors.New("sim: connection refused")
	ErrCut     = errors.New("sim: connection lost")
)

// conflicted is a serialization failure: the batch is retried at once.
type conflicted struct{}

func (conflicted) Error() string { return "sim: serialization failure" }

// Retryable marks the error as retryable for the engine.
func (conflicted) Retryable() bool { return true }

// Faulty is a backend whose commits fail by script. Reads never fail.
type Faulty struct {
	store.Backend
	Source Source
	Mix    Mix
	Clock  *Clock

	// Unheard lists commits whose callers died with the process.
	Unheard []store.Commit
	Counts  map[string]int // faults by kind

	fullUntil time.Time
	doubts    int           // how often Resolve still fails
	applied   *store.Commit // the last commit whose caller does not know about it
}

// NewFaulty wraps a backend.
func NewFaulty(db store.Backend, s Source, m Mix) *Faulty {
	return &Faulty{Backend: db, Source: s, Mix: m, Counts: map[string]int{}}
}

// Heal ends all faults.
func (f *Faulty) Heal() { f.Mix, f.fullUntil, f.doubts = Mix{}, time.Time{}, 0 }

// Update implements store.Backend.
func (f *Faulty) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	if f.full() {
		return store.Commit{}, fmt.Errorf("update: %w", store.ErrFull)
	}
	switch f.draw() {
	case "not committed":
		return f.dropped(ctx, fn, store.NotCommitted, ErrRefused)
	case "conflict":
		return f.dropped(ctx, fn, store.NotCommitted, conflicted{})
	case "unknown lost":
		f.doubts = f.Source.Intn(3)
		return f.dropped(ctx, fn, store.Unknown, ErrCut)
	case "full":
		f.fullUntil = f.Clock.Now().Add(time.Duration(1+f.Source.Intn(90)) * time.Second)
		return f.dropped(ctx, fn, store.NotCommitted, fmt.Errorf("update: %w", store.ErrFull))
	case "crash before":
		if c, err := f.dropped(ctx, fn, store.NotCommitted, ErrCut); !errors.Is(err, ErrCut) {
			return c, err
		}
		panic(Crash{"before the writes"})
	case "crash after":
		c, err := f.Backend.Update(ctx, fn)
		if c.Outcome != store.Committed {
			return c, err
		}
		f.Unheard = append(f.Unheard, c)
		panic(Crash{"after the commit"})
	case "unknown applied":
		c, err := f.Backend.Update(ctx, fn)
		if c.Outcome != store.Committed {
			return c, err
		}
		f.applied, f.doubts = &c, f.Source.Intn(3)
		return store.Commit{Outcome: store.Unknown}, ErrCut
	}
	return f.Backend.Update(ctx, fn)
}

// draw decides the outcome of the next commit.
func (f *Faulty) draw() string {
	n := f.Source.Intn(1000)
	for _, x := range []struct {
		name string
		per  int
	}{
		{"not committed", f.Mix.NotCommitted}, {"conflict", f.Mix.Conflict}, {"unknown applied", f.Mix.UnknownApplied},
		{"unknown lost", f.Mix.UnknownLost}, {"full", f.Mix.Full}, {"crash before", f.Mix.CrashBefore}, {"crash after", f.Mix.CrashAfter},
	} {
		if n -= x.per; n < 0 {
			f.Counts[x.name]++
			return x.name
		}
	}
	return ""
}

// dropped runs a transaction to its end and discards it.
func (f *Faulty) dropped(ctx context.Context, fn func(store.Tx) error, o store.Outcome, reason error) (store.Commit, error) {
	_, err := f.Backend.Update(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return reason
	})
	if !errors.Is(err, reason) {
		return store.Commit{}, err // the caller's own
	}
	return store.Commit{Outcome: o}, reason
}

func (f *Faulty) full() bool { return !f.fullUntil.IsZero() && f.Clock.Now().Before(f.fullUntil) }

// Resolve implements store.Backend. It may fail a few times first, and the process may die
// meanwhile.
func (f *Faulty) Resolve(ctx context.Context, batch store.BatchID) (store.Commit, error) {
	if f.Source.Intn(1000) < f.Mix.CrashResolving {
		if f.applied != nil {
			f.Unheard, f.applied = append(f.Unheard, *f.applied), nil
		}
		f.Counts["crash resolving"]++
		panic(Crash{"while a commit was unknown"})
	}
	if f.doubts > 0 {
		f.doubts--
		return store.Commit{Outcome: store.Unknown}, ErrCut
	}
	f.applied = nil
	return f.Backend.Resolve(ctx, batch)
}

// PutSetting implements store.Backend: the probe of a full database.
func (f *Faulty) PutSetting(ctx context.Context, name string, value []byte) error {
	if f.full() {
		return fmt.Errorf("put setting: %w", store.ErrFull)
	}
	return f.Backend.PutSetting(ctx, name, value)
}
