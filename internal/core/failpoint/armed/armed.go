// Package armed stops a process at the points of package failpoint. Only tests link it, and
// the program that the build tag failpoint makes. A specification names what happens where:
//
//	TENOR_FAILPOINTS='before-commit=kill@3;after-load=sleep:200ms'
//
// Each part is point=action or point=action@N: the action happens on the Nth hit
// of the point, the first one if N is left out, and only once. The actions are
// panic, kill (SIGKILL to the own process), sleep:duration and error (Hit returns
// failpoint.ErrInjected).
package armed

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tenor/internal/core/failpoint"
)

// Environment is the variable in which a process finds its specification.
const Environment = "TENOR_FAILPOINTS"

// Points counts the hits of all points of the process and knows what happens at them.
type Points struct {
	mu      sync.Mutex
	actions map[failpoint.Point]action
	hits    map[failpoint.Point]int
}

type action struct {
	at  int // the hit that triggers it
	run func() error
}

// Arm makes the process stop as a specification says, and forgets what it was armed with before.
func Arm(specification string) (*Points, error) {
	p := &Points{actions: map[failpoint.Point]action{}, hits: map[failpoint.Point]int{}}
	for part := range strings.SplitSeq(specification, ";") {
		if part == "" {
			continue
		}
		name, what, found := strings.Cut(part, "=")
		a, err := parse(name, what)
		if !found || err != nil {
			return nil, fmt.Errorf("failpoint %q: want point=action@n: %w", part, err)
		}
		p.actions[failpoint.Point(name)] = a
	}
	failpoint.Install(p.hit)
	return p, nil
}

// Disarm makes the process stop nowhere.
func Disarm() { failpoint.Install(nil) }

// hit counts a hit of the point and runs the action the point is armed with.
func (p *Points) hit(at failpoint.Point) error {
	p.mu.Lock()
	p.hits[at]++
	a, ok := p.actions[at]
	due := ok && p.hits[at] == a.at
	p.mu.Unlock()
	if !due {
		return nil
	}
	return a.run()
}

// Hits returns how often the point has been hit.
func (p *Points) Hits(at failpoint.Point) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits[at]
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
		return action{n, func() error { return fmt.Errorf("%s: %w", name, failpoint.ErrInjected) }}, nil
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
