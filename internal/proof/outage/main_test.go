//go:build unix

package outage

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/domain/calendar"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/suite"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "seed of the random choices; 0: always the same, or in a night a new one, which is printed")
	everyFlag  = flag.Int("every", suite.By(160, 1), "cut connections after every so many bytes; 1: after each")
	cyclesFlag = flag.Int("cycles", suite.By(1, 20), "failovers to a synchronous standby")
	asyncFlag  = flag.Int("async", suite.By(1, 5), "failovers to an asynchronous standby, the control")
)

const (
	// patience only prevents a hang.
	patience = 60 * time.Second
	// wellWithin is when a node must commit again, after a fault has ended. It distinguishes a node
	// that recovers from one that does not, on a machine whose disk may stall for seconds; the
	// actual time is printed.
	wellWithin = 25 * time.Second
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// seeded returns the random numbers of a test and prints how to reproduce them.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = suite.By(1, uint64(time.Now().UnixNano()))
	}
	t.Logf("seed %d; again: go test ./internal/proof/outage -run '^%s$' -seed %d", s, t.Name(), s)
	return rand.New(rand.NewPCG(s, 0))
}

func newYork(t testing.TB) calendar.Zone {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	return calendar.NewZone(location)
}

// eventually waits for something that must happen.
func eventually(t testing.TB, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// await waits for a channel that must be closed.
func await(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("never: %s", what)
	}
}

// quantile returns a quantile of durations, 0 if there are none.
func quantile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)].Round(100 * time.Microsecond)
}
