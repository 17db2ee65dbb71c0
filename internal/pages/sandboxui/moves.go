package sandboxui

import (
	"sync"
	"time"
)

// move is a stretch of business time that the clock was taken over.
type move struct{ From, To time.Time }

// Days are the days that it took, at least one.
func (m move) Days() int { return max(int(m.To.Sub(m.From)+12*time.Hour)/int(24*time.Hour), 1) }

// watch notices that a clock was moved, whoever moved it: between two looks more business
// time has passed than time.
type watch struct {
	mu     sync.Mutex
	seen   time.Time // business time at the last look; zero: nobody has looked
	wall   time.Time // and the time
	moving bool      // the clock was being moved then
	last   move      // zero: none was noticed
}

// slack is how much the two times may differ although the clock was not moved.
const slack = time.Minute

// look notes what the clock shows. A clock that stands before what it has shown is another
// sandbox's: it was reset.
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

// moved is the last move that was noticed.
func (w *watch) moved() (move, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, !w.last.To.IsZero()
}
