package thief

import (
	"flag"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store/memory"
	"tenor/internal/core/verify"
	"tenor/internal/domain/access"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/suite"
)

var (
	thiefSeed  = flag.Uint64("thief.seed", 0, "plays this seed alone; 0: the usual ones")
	thiefSeeds = flag.Int("thief.seeds", suite.By(10, 100), "how many gangs TestThief lets work")
	thiefSteps = flag.Int("thief.steps", 220, "how many things each of them does")
)

// A gang tries every call that its tokens allow, for months of business time, and the lender
// loses nothing. A seed that finds a way is printed, with the shortest run found that does the
// same.
//
// A longer night: go test ./internal/proof/thief -run TestThief -thief.seeds 2000 -thief.steps 600
// -timeout 0
func TestThief(t *testing.T) {
	first, n := uint64(1), *thiefSeeds
	if *thiefSeed != 0 {
		first, n = *thiefSeed, 1
	}
	total := map[string]map[bool]int{}
	for seed := range n {
		steps := stepsOf(first+uint64(seed), *thiefSteps)
		g := play(t, steps)
		for op, x := range g.calls {
			if total[op] == nil {
				total[op] = map[bool]int{}
			}
			total[op][true] += x[true]
			total[op][false] += x[false]
		}
		if g.w.lost() {
			short := fewest(steps, func(try []uint64) bool {
				g := play(t, try)
				g.w.close()
				return g.w.lost()
			})
			g = play(t, short)
			t.Errorf("seed %d (go test ./internal/proof/thief -run TestThief -thief.seed %d -thief.steps %d): of %d steps %d are enough", first+uint64(seed), first+uint64(seed), *thiefSteps, len(steps), len(short))
			g.w.nothing(t)
			return
		}
		if g.agree(t); t.Failed() {
			t.Fatalf("seed %d (go test ./internal/proof/thief -run TestThief -thief.seed %d -thief.steps %d)", first+uint64(seed), first+uint64(seed), *thiefSteps)
		}
		g.w.close()
	}
	t.Logf("%d gangs: %v", n, total)
	if *thiefSeed != 0 {
		return
	}
	for _, m := range moves() {
		if x := total[m.id]; x[true] == 0 && !slices.Contains(neverAccepted(), m.id) || x[false] == 0 && !slices.Contains(neverRefused(), m.id) {
			t.Errorf("%s: accepted %d times, refused %d times", m.id, x[true], x[false])
			total[m.id] = map[bool]int{true: 1, false: 1} // once
		}
	}
}

// neverRefused lists moves that a gang makes in one way only.
func neverRefused() []string { return []string{"createWebhook", "reconcile"} }

// neverAccepted lists moves for which a gang has nothing: no delivery is made in these worlds.
func neverAccepted() []string { return []string{"redeliver", "replayWebhook"} }

// A gang knows every call that a merchant's token allows and that changes anything: a new one
// must be added to the moves, or this test fails.
func TestMovesAreAll(t *testing.T) {
	w := newWorld(t, "2026-01-05 10:00")
	known := map[string]bool{}
	for _, m := range moves() {
		known[m.id] = true
	}
	for _, op := range w.table {
		if op.Method == http.MethodGet || op.Public || op.Raw != nil || !allowed(op.Scopes) {
			continue
		}
		if !known[op.ID] {
			t.Errorf("no move makes %s (%s %s)", op.ID, op.Method, op.Path)
		}
		delete(known, op.ID)
	}
	for id := range known {
		t.Errorf("%s is no call that a merchant's token allows", id)
	}
}

// allowed reports whether a merchant's token can have these scopes.
func allowed(scopes []string) bool {
	for _, s := range scopes {
		if !slices.Contains(access.MerchantScopes(), s) {
			return false
		}
	}
	return true
}

// stepsOf generates the seeds of a run's steps. Each step depends on its own seed alone, so that
// a run without some of them is much the same.
func stepsOf(seed uint64, n int) []uint64 {
	r := sim.NewRand(seed)
	steps := make([]uint64, n)
	for i := range steps {
		steps[i] = r.Uint64()
	}
	return steps
}

// play lets a gang take these steps, until the lender has lost something.
func play(t *testing.T, steps []uint64) *gang {
	t.Helper()
	g := newGang(newWorld(t, "2026-01-05 10:00"), sim.NewRand(0))
	for _, seed := range steps {
		g.s = sim.NewRand(seed)
		if g.step(); g.w.lost() {
			break
		}
	}
	return g
}

// fewest leaves out steps as long as a condition is true of the rest.
func fewest(steps []uint64, holds func([]uint64) bool) []uint64 {
	for size := len(steps) / 2; size > 0; {
		left := false
		for at := 0; at+size <= len(steps); {
			if try := slices.Concat(steps[:at], steps[at+size:]); holds(try) {
				steps, left = try, true
			} else {
				at += size
			}
		}
		if !left || size > 1 {
			size /= 2
		}
	}
	return steps
}

// agree checks that tenor verify finds no violation in the books.
func (g *gang) agree(t *testing.T) {
	t.Helper()
	r, err := verify.Run(t.Context(), g.w.db, verify.Options{Scratch: memory.Scratch, Zone: g.w.zone, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion, Open: g.w.ring.Open})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations[:min(5, len(r.Violations))] {
		t.Errorf("%s %s: %s\n%s", v.Invariant, v.Object, v.Detail, strings.Join(tail(g.w.log, 40), "\n"))
	}
}

// owed is the unpaid amount of rows.
func owed(rows []schedule.Row) int64 {
	sum := int64(0)
	for _, r := range rows {
		sum += int64(r.Principal + r.Charge - r.PaidPrincipal - r.PaidCharge)
	}
	return sum
}
