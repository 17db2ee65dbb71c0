package onrails

import (
	"bytes"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/proof/sim"
)

// Random commands of rails, payouts and the books through memory, SQLite and PostgreSQL end in
// the same rows, the same bytes and the same commit sequences (T36), with every invariant of the
// books checked after each command. It runs until every kind of command has succeeded at least
// once.
func TestBackendsAgreeOnRails(t *testing.T) {
	seed := sim.SeedOf(t)
	r, err := NewRailRun(memory.New(), sim.NewRand(seed))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Drive(120); err != nil {
		t.Fatal(err)
	}
	if err := r.Complete(1000); err != nil {
		t.Fatal(err)
	}
	t.Run("sqlite", func(t *testing.T) { agreesOnRails(t, seed, r, sim.OpenSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { agreesOnRails(t, seed, r, sim.OpenPostgres(t)) })
	t.Logf("%d requests, %d commits, %v", len(r.Log), r.Books.Seq, r.Accepted)
}

func agreesOnRails(t *testing.T, seed uint64, r *RailRun, db store.Backend) {
	w, err := sim.NewWorld(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := &RailRun{World: w, Source: sim.NewRand(seed)}
	if err := other.Repeat(r.Log); err != nil {
		t.Fatal(err)
	}
	if other.Books, err = sim.ReadBooks(db); err != nil {
		t.Fatal(err)
	}
	if want, got := sim.AnswersOf(r.Books), sim.AnswersOf(other.Books); !bytes.Equal(want, got) {
		t.Errorf("stored answers differ:\nmemory %s\nhere   %s", want, got)
	}
	sim.SameDump(t, r.World.DB, db)
	if err := other.Books.Check(); err != nil {
		t.Error(err)
	}
}

// Long runs on rails, in memory.
func TestRails(t *testing.T) {
	accepted := map[string]int{}
	must := []string{"debit", "return", "approve", "pay merchant", "service order", "service transfer"}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(must), func(kind string) bool { return accepted[kind] > 0 })
	}
	for seed := range sim.SeedsUntil(t, 60, func() bool { return len(missing()) == 0 }) {
		r, err := NewRailRun(memory.New(), sim.NewRand(seed))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Drive(150); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for kind, n := range r.Accepted {
			accepted[kind] += n
		}
	}
	t.Logf("accepted: %v", accepted)
	if list := missing(); len(list) > 0 {
		t.Errorf("never accepted: %q", list)
	}
}
