package sim

import (
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// checkSeed runs a rapid property from a seed, the given number of times.
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

// drawn is a Source controlled by rapid, so that failures are shrunk.
type drawn struct{ t *rapid.T }

func (d drawn) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }
