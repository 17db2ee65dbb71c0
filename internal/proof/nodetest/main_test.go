//go:build linux

package nodetest

import (
	"flag"
	"os"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the business zone

	"tenor/internal/domain/calendar"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// Parameters of the tests, with every change and at night.
var (
	seedFlag       = flag.Uint64("seed", 0, "seed of the random choices; 0: always the same, or in a night a new one, which is printed")
	roundsFlag     = flag.Int("rounds", suite.By(1, 50), "rounds of the races")
	cyclesFlag     = flag.Int("cycles", suite.By(3, 200), "cycles of kill -9")
	operationsFlag = flag.Int("operations", suite.By(400, 20_000), "operations of the one order of things")
	keysFlag       = flag.Int("keys", suite.By(15, 1000), "keys of the storm")
	callersFlag    = flag.Int("callers", suite.By(10, 50), "callers of each key at each node")
	dealsFlag      = flag.Int("deals", suite.By(4, 100), "orders of each shop behind a bad network")
	sendingFlag    = flag.Duration("sending", suite.By(800*time.Millisecond, time.Minute), "how long orders are written whose events are sent")
)

func TestMain(m *testing.M) {
	flag.Parse()
	stop := pgtest.Shared()
	code := proctest.Main(m)
	stop()
	os.Exit(code)
}

// seed returns the seed of a random test and prints how to reproduce it.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = suite.By(1, uint64(time.Now().UnixNano()))
	}
	t.Logf("seed %d; again: go test ./internal/proof/nodetest -run '^%s$' -seed %d", s, t.Name(), s)
	return s
}

// withinOneDay waits for the next business day if the current one ends within a minute or two:
// the shops' arithmetic assumes a single day.
func withinOneDay(t *testing.T) {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	zone := calendar.NewZone(location)
	for end := zone.Date(time.Now().Add(2 * time.Minute)); zone.Date(time.Now()) != end; {
		time.Sleep(time.Second)
	}
}

// figures are durations of which a test prints quantiles.
type figures []time.Duration

// quantile returns the smallest duration that a percentage, above zero, do not exceed; 0 if there
// are none.
func (f figures) quantile(percent int) time.Duration {
	if len(f) == 0 {
		return 0
	}
	slices.Sort(f)
	return f[(len(f)*percent+99)/100-1].Round(time.Millisecond)
}
