//go:build failpoint

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Enabled reports whether the points are compiled in.
const Enabled = true

// armed is what the process was told to do. Only this test build has it.
var armed = struct {
	sync.Mutex
	environment sync.Once
	actions     map[Point]action
	hits        map[Point]int
}{actions: map[Point]action{}, hits: map[Point]int{}}

type action struct {
	at  int // the hit that triggers it
	run func() error
}

// Hit counts a hit of the point and runs the action the point is armed with.
func Hit(p Point) error {
	armed.environment.Do(func() {
		if err := Set(os.Getenv("TENOR_FAILPOINTS")); err != nil {
			panic(err) // a crash test that arms nothing would pass without testing
		}
	})
	armed.Lock()
	armed.hits[p]++
	a, ok := armed.actions[p]
	due := ok && armed.hits[p] == a.at
	armed.Unlock()
	if !due {
		return nil
	}
	return a.run()
}

// Hits returns how often the point has been hit since it was last armed.
func Hits(p Point) int {
	armed.Lock()
	defer armed.Unlock()
	return armed.hits[p]
}

// Set arms the points of a specification in addition to those already armed, and restarts
// their hit counts at 0.
func Set(specification string) error {
	for part := range strings.SplitSeq(specification, ";") {
		if part == "" {
			continue
		}
		name, what, found := strings.Cut(part, "=")
		a, err := parse(name, what)
		if !found || err != nil {
			return fmt.Errorf("failpoint %q: want point=action@n: %w", part, err)
		}
		armed.Lock()
		armed.actions[Point(name)], armed.hits[Point(name)] = a, 0
		armed.Unlock()
	}
	return nil
}

// Clear disarms every point and forgets all hits.
func Clear() {
	armed.Lock()
	defer armed.Unlock()
	clear(armed.actions)
	clear(armed.hits)
}

func parse(name, what string) (action, error) {
	what, count, counted := strings.Cut(what, "@")
	n := 1
	if counted {
		var err error
		if n, err = strconv.Atoi(count); err != nil || n < 1 {
			return action{}, fmt.Errorf("count %q", count)
		}
	}
	what, argument, _ := strings.Cut(what, ":")
	switch what {
	case "panic":
		return action{n, func() error { panic("failpoint " + name) }}, nil
	case "kill":
		return action{n, kill}, nil
	case "error":
		return action{n, func() error { return fmt.Errorf("%s: %w", name, ErrInjected) }}, nil
	case "sleep":
		d, err := time.ParseDuration(argument)
		return action{n, func() error { time.Sleep(d); return nil }}, err
	}
	return action{}, fmt.Errorf("action %q", what)
}

// kill stops the process as kill -9 does: nothing deferred runs, nothing is flushed.
func kill() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill self: %w", err)
	}
	select {} // the signal is on its way
}
