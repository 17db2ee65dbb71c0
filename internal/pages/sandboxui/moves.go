package sandboxui

import (
	"sync"
	"time"
)

// move is a span of business time over which the clock was moved.
type move struct{ From, To time.Time }

// Days returns the length of the move in days, at least one.
func (m move) Days() int { return max(int(m.To.Sub(m.From)+12*time.Hour)/int(24*time.Hour), 1) }

// watch notices that a clock was moved, by whoever: between two looks more business time has
// passed than real time.
type watch struct {
	mu     sync.Mutex
	seen   time.Time // business time at the last look; zero: none yet
	wall   time.Time // wall-clock time of that
	moving bool      // the clock was moving then
	last   move      // zero: none noticed
}

// slack is how much the two times may differ without the clock having been moved.
const slack = time.Minute

// look records the clock's time. If it is earlier than before, the sandbox was reset.
func (w *watch) look(c Clock, wall time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch more := c.Now.Sub(w.seen) - wall.Sub(w.wall); {
	case w.seen.IsZero():
	case c.Now.Before(w.seen):
		w.last = move{}
	case w.moving && w.last.To.Equal(w.seen):
		w.last.To = c.Now
	case more > slack:
		w.last = move{w.seen, c.Now}
	}
	w.seen, w.wall, w.moving = c.Now, wall, c.Advancing
}

// moved returns the last move noticed.
func (w *watch) moved() (move, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, !w.last.To.IsZero()
}
