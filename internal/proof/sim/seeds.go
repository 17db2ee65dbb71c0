package sim

import (
	"bufio"
	"errors"
	"flag"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/suite"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0 takes always the same, and draws one in a night")

// SeedOf prints the seed that a test starts from and how to use it again (EN23).
func SeedOf(t testing.TB) uint64 {
	t.Helper()
	return SeedOr(t, suite.By(1, uint64(time.Now().UnixNano())%1_000_000_007))
}

// SeedOr is the same with a default seed.
func SeedOr(t testing.TB, seed uint64) uint64 {
	t.Helper()
	if *seedFlag != 0 {
		seed = *seedFlag
	}
	t.Logf("seed %d", seed)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("replay: go test ./internal/proof/sim/... -run '^%s$' -seed %d", t.Name(), seed)
		}
	})
	return seed
}

// Lives returns how many of n seeds a test runs: on every change a few, always the same ones,
// continuing until each situation has been reached; at night many more, generated ones.
func Lives(n int) int { return suite.By((n+7)/8, 10*n) }

// seedsOf returns the seeds of a test: those that failed once, then Lives(n) from SeedOf on.
func seedsOf(t testing.TB, n int) []uint64 {
	t.Helper()
	first := SeedOf(t)
	seeds := Kept(t, t.Name())
	for i := range Lives(n) {
		seeds = append(seeds, first+uint64(i))
	}
	return seeds
}

// SeedsUntil returns the seeds of a test that must reach some situations: those of seedsOf, then
// more, up to twenty times as many, until enough. No fixed number is sure to be enough.
func SeedsUntil(t testing.TB, n int, enough func() bool) iter.Seq[uint64] {
	t.Helper()
	return SeedsFrom(t, SeedOf(t), n, enough)
}

// SeedsFrom is the same from a given first seed; the early ones replace as many at the beginning,
// unless the command line names a seed.
func SeedsFrom(t testing.TB, first uint64, n int, enough func() bool, early ...uint64) iter.Seq[uint64] {
	t.Helper()
	return func(yield func(uint64) bool) {
		for _, seed := range Kept(t, t.Name()) {
			if !yield(seed) {
				return
			}
		}
		for i := 0; i < Lives(n) || i < 20*n && !enough(); i++ {
			seed := first + uint64(i)
			if i < len(early) && *seedFlag == 0 {
				seed = early[i]
			}
			if !yield(seed) {
				return
			}
		}
	}
}

// Kept returns the seeds that have failed once, by test.
func Kept(t testing.TB, test string) []uint64 {
	t.Helper()
	f, err := os.Open("testdata/seeds.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
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
