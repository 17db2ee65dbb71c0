package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
)

// trace is what a run leaves behind: everything stored, everything told, every
// answer, and where its source of choices stands.
type trace struct {
	state, events, answers string
	next                   uint64
}

func traceOf(t *testing.T, r *Run, source *Rand, answers []byte) trace {
	t.Helper()
	state, err := Hash(r.World.DB)
	if err != nil {
		t.Fatal(err)
	}
	events := sha256.New()
	for _, e := range r.Books.Events {
		fmt.Fprintf(events, "%d %d %s\n", e.Q, e.N, e.Payload)
	}
	sum := sha256.Sum256(answers)
	return trace{state, hex.EncodeToString(events.Sum(nil)), hex.EncodeToString(sum[:]), source.Uint64()}
}

// answersOf are the bodies of all stored answers, in order of their commits.
func answersOf(b *Books) []byte {
	var all []string
	for k, a := range b.Answers {
		all = append(all, fmt.Sprintf("%08d %s %s %d %s %s %s", a.Q, k.Client, k.Key, a.Status, a.Location, a.ETag, a.Body))
	}
	slices.Sort(all)
	return fmt.Append(nil, all)
}

// A seed means one run: the same state, events, answers and choices (T5).
func TestSeedIsTheRun(t *testing.T) {
	for _, seed := range seedsOf(t, 8) {
		var first trace
		for again := range 2 {
			source := NewRand(seed)
			r, err := NewRun(memory.New(), source, 3)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Drive(80); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			x := traceOf(t, r, source, answersOf(r.Books))
			if again == 0 {
				first = x
			} else if x != first {
				t.Fatalf("seed %d: the second run differs:\n%+v\n%+v", seed, first, x)
			}
		}
	}
}

// Two seeds are two runs, so that TestSeedIsTheRun can fail.
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
		seen[traceOf(t, r, NewRand(0), nil).state] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 seeds gave %d states", len(seen))
	}
}

// The same log through memory, SQLite and PostgreSQL ends in the same rows, the
// same bytes and the same commit sequences (T36). It goes on until every kind of
// command has succeeded at least once.
func TestBackendsAgree(t *testing.T) {
	seed := seedOf(t)
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
	t.Run("sqlite", func(t *testing.T) { agrees(t, seed, r, openSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { agrees(t, seed, r, openPostgres(t)) })
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
	if want, got := answersOf(r.Books), answersOf(other.Books); !bytes.Equal(want, got) {
		t.Errorf("stored answers differ:\nmemory %s\nhere   %s", want, got)
	}
	sameDump(t, r.World.DB, db)
	if err := other.Books.Check(); err != nil {
		t.Error(err)
	}
}

// sameDump compares two dumps line by line and shows the first difference.
func sameDump(t *testing.T, a, b store.Backend) {
	t.Helper()
	var x, y bytes.Buffer
	if err := store.WriteDump(t.Context(), a, &x); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteDump(t.Context(), b, &y); err != nil {
		t.Fatal(err)
	}
	want, got := bytes.Split(x.Bytes(), []byte("\n")), bytes.Split(y.Bytes(), []byte("\n"))
	for i := range min(len(want), len(got)) {
		if !bytes.Equal(want[i], got[i]) {
			t.Fatalf("dumps differ in line %d:\n%s\n%s", i+1, want[i], got[i])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("dumps of %d and %d lines", len(want), len(got))
	}
}
