package sim

import (
	"bytes"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
)

// A seed determines the run: the same state, events, answers and choices (T5).
func TestSeedIsTheRun(t *testing.T) {
	for _, seed := range seedsOf(t, 8) {
		var first Trace
		for again := range 2 {
			source := NewRand(seed)
			r, err := NewRun(memory.New(), source, 3)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Drive(80); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			x := TraceOf(t, r, source, AnswersOf(r.Books))
			if again == 0 {
				first = x
			} else if x != first {
				t.Fatalf("seed %d: the second run differs:\n%+v\n%+v", seed, first, x)
			}
		}
	}
}

// Two seeds give two different runs; this shows that TestSeedIsTheRun can fail.
func TestSeedsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(3) {
		r, err := NewRun(memory.New(), NewRand(seed), 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Drive(20); err != nil {
			t.Fatal(err)
		}
		seen[TraceOf(t, r, NewRand(0), nil).state] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 seeds gave %d states", len(seen))
	}
}

// The same log through memory, SQLite and PostgreSQL ends in the same rows, the same bytes and
// the same commit sequences (T36). It runs until every kind of command has succeeded at least
// once.
func TestBackendsAgree(t *testing.T) {
	seed := SeedOf(t)
	r, err := NewRun(memory.New(), NewRand(seed), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Drive(40); err != nil {
		t.Fatal(err)
	}
	if err := r.Complete(200); err != nil {
		t.Fatal(err)
	}
	t.Run("sqlite", func(t *testing.T) { agrees(t, seed, r, OpenSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { agrees(t, seed, r, OpenPostgres(t)) })
	t.Logf("%d requests, %d commits", len(r.Log), r.Books.Seq)
}

func agrees(t *testing.T, seed uint64, r *Run, db store.Backend) {
	other, err := NewRun(db, NewRand(seed), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Repeat(r.Log); err != nil {
		t.Fatal(err)
	}
	if other.Books, err = ReadBooks(db); err != nil {
		t.Fatal(err)
	}
	if want, got := AnswersOf(r.Books), AnswersOf(other.Books); !bytes.Equal(want, got) {
		t.Errorf("stored answers differ:\nmemory %s\nhere   %s", want, got)
	}
	SameDump(t, r.World.DB, db)
	if err := other.Books.Check(); err != nil {
		t.Error(err)
	}
}
