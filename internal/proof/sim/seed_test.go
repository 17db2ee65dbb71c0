package sim

import (
	"bufio"
	"flag"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/proof/suite"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0 takes always the same, and draws one in a night")

// seedOf prints the seed that a test starts from and how to have it again (EN23).
func seedOf(t testing.TB) uint64 {
	t.Helper()
	return seedOr(t, suite.By(1, uint64(time.Now().UnixNano())%1_000_000_007))
}

// seedOr is the same with a seed that is used if none is given.
func seedOr(t testing.TB, seed uint64) uint64 {
	t.Helper()
	if *seedFlag != 0 {
		seed = *seedFlag
	}
	t.Logf("seed %d", seed)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("replay: go test ./internal/proof/sim -run '^%s$' -seed %d", t.Name(), seed)
		}
	})
	return seed
}

// lives is how many of n seeds a test lives through: some with every change, which are
// the same ones each time and go on until each situation has been reached, and in a night
// many more, which it draws.
func lives(n int) int { return suite.By((n+3)/4, 10*n) }

// seedsOf are the seeds of a test: those that failed once, then some from the one that it
// starts from, of which n says how many.
func seedsOf(t testing.TB, n int) []uint64 {
	t.Helper()
	first := seedOf(t)
	seeds := kept(t, t.Name())
	for i := range lives(n) {
		seeds = append(seeds, first+uint64(i))
	}
	return seeds
}

// seedsUntil are the seeds of a test that must come through some situations: those of
// seedsOf, and then more of them, up to twenty times as many, until it has. No number of
// them is sure to be enough.
func seedsUntil(t testing.TB, n int, enough func() bool) iter.Seq[uint64] {
	t.Helper()
	return seedsFrom(t, seedOf(t), n, enough)
}

// seedsFrom are the same from a first one on.
func seedsFrom(t testing.TB, first uint64, n int, enough func() bool) iter.Seq[uint64] {
	t.Helper()
	return func(yield func(uint64) bool) {
		for _, seed := range kept(t, t.Name()) {
			if !yield(seed) {
				return
			}
		}
		for i := 0; i < lives(n) || i < 20*n && !enough(); i++ {
			if !yield(first + uint64(i)) {
				return
			}
		}
	}
}

// kept are the seeds that have failed once, by test.
func kept(t testing.TB, test string) []uint64 {
	t.Helper()
	f, err := os.Open("testdata/seeds.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var seeds []uint64
	for s := bufio.NewScanner(f); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		seed, err := strconv.ParseUint(words[1], 10, 64)
		if len(words) != 2 || err != nil {
			t.Fatalf("testdata/seeds.txt: %q is not a test and a seed", line)
		}
		if words[0] == test {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// checkSeed runs a property of rapid from a seed, so many times.
func checkSeed(t *testing.T, seed uint64, times, steps int, property func(*rapid.T)) {
	t.Helper()
	for name, value := range map[string]string{
		"rapid.seed": fmt.Sprint(seed), "rapid.checks": fmt.Sprint(times), "rapid.steps": fmt.Sprint(steps), "rapid.nofailfile": "true", "rapid.shrinktime": "10s",
	} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, property)
}

// drawn is a Source that rapid rules, so that what fails is made small.
type drawn struct{ t *rapid.T }

func (d drawn) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }
