package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tenor/internal/core/clock"
)

// Snapshots are listed newest first, are found by their identifier, and exist once they
// are whole.
func TestSnapshots(t *testing.T) {
	dir := t.TempDir()
	s := OpenSnapshots(dir)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("before the first: %v, %v", list, err)
	}
	at := time.Date(2026, 1, 10, 14, 0, 0, 0, time.UTC)
	write := func(text string) func(context.Context, string) error {
		return func(_ context.Context, path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	first, err := s.Take(t.Context(), Snapshot{Name: "first", CreatedAt: at, Clock: at.Add(time.Hour)}, write("one"))
	if err != nil || !snapshotID.MatchString(first.ID) || first.Size != 3 {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := s.Take(t.Context(), Snapshot{CreatedAt: at.Add(time.Minute), Clock: at}, write("second"))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is full")
	if _, err := s.Take(t.Context(), Snapshot{CreatedAt: at}, func(ctx context.Context, path string) error {
		return errors.Join(write("ha")(ctx, path), broken)
	}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if list, err := s.List(); err != nil || len(list) != 2 || list[0] != second || list[1] != first {
		t.Errorf("%+v, %v", list, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*")); len(files) != 4 {
		t.Errorf("there are %v", files)
	}
	if x, err := s.Find(first.ID); err != nil || x != first {
		t.Errorf("%+v, %v", x, err)
	}
	for _, id := range []string{"", "snp_", "../" + first.ID, newSnapshotID(at)} {
		if _, err := s.Find(id); !errors.Is(err, ErrNoSnapshot) {
			t.Errorf("%q: %v", id, err)
		}
	}
	to := filepath.Join(dir, "copy")
	if err := s.Copy(second.ID, to); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "second" {
		t.Errorf("%s, %v", b, err)
	}
	if s.Copy(second.ID, to) == nil {
		t.Error("a copy was written over a file")
	}
}

// What copies the database finds the clock written down, and no move under way; what
// draws identifiers finds it standing still.
func TestKeepAndStill(t *testing.T) {
	w := open(t)
	if err := w.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	at, err := w.Keep(t.Context())
	kept, frozen, keptErr := KeptClock(t.Context(), w.db)
	if err != nil || keptErr != nil || frozen || kept.Before(at) || kept.Sub(at) > long {
		t.Errorf("kept %s, %v of %s: %v, %v", kept, frozen, at, err, keptErr)
	}
	for _, before := range []bool{false, true} {
		if before {
			w.clock.Freeze()
		}
		err := w.Still(t.Context(), func() error {
			if !w.clock.Frozen() {
				t.Error("it runs")
			}
			return clock.ErrBackwards
		})
		if !errors.Is(err, clock.ErrBackwards) || w.clock.Frozen() != before {
			t.Errorf("afterwards: %v, frozen %v, before %v", err, w.clock.Frozen(), before)
		}
	}
	w.work.gate = make(chan struct{})
	if err := w.AdvanceTo(t.Context(), w.clock.Now().Add(24*time.Hour), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Keep(t.Context()); !errors.Is(err, ErrMoving) {
		t.Errorf("%v", err)
	}
	if err := w.Still(t.Context(), func() error { return nil }); !errors.Is(err, ErrMoving) {
		t.Errorf("%v", err)
	}
}

// A move until an event ends at MaxWait if there is none, and says so; one that reaches
// what it is for has not failed, and is as long as it went.
func TestUntil(t *testing.T) {
	w := open(t)
	from := w.clock.Now()
	if err := w.AdvanceUntil(t.Context(), Awaited{Type: "payment.succeeded"}, long); !errors.Is(err, ErrNoEvent) || !w.clock.Now().Equal(from.Add(MaxWait)) {
		t.Errorf("%v, %s", err, w.clock.Now())
	}
	if s := w.state(); s.Advancing || !errors.Is(s.Failed, ErrNoEvent) {
		t.Errorf("%+v", s)
	}
	from = w.clock.Now()
	stops := 0
	if err := w.await(t.Context(), long, move{to: from.Add(MaxWait), reached: func(context.Context) (bool, error) { stops++; return stops == 3, nil }}); err != nil {
		t.Fatal(err)
	}
	if s := w.state(); stops != 3 || s.Failed != nil || !s.Now.Equal(from.Add(3*24*time.Hour)) || !s.Target.Equal(s.Now) || s.DaysDone != s.DaysTotal {
		t.Errorf("%d stops: %+v", stops, s)
	}
	gone := errors.New("the database is gone")
	if err := w.await(t.Context(), long, move{to: from.Add(MaxWait), reached: func(context.Context) (bool, error) { return false, gone }}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}
