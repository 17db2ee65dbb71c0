package engine

import "time"

// Background commands (Request.Background) are those that nobody waits for: the
// clockwork's. They share the writer with callers by these rules:
//
//   - They wait in a queue of their own, of BackgroundQueue places. However many there
//     are, they take no place from callers, and callers are refused no earlier (P9).
//   - A batch takes callers' commands first. Beside k of them it holds k/8 background
//     commands at most, one at least.
//   - A batch of background commands alone is kept short: a caller who comes meanwhile
//     has to wait for its end. While callers are about it is to take as long as their
//     own batches do, so that a caller waits about once more than usual; otherwise
//     aloneTarget. How many commands that is the engine learns from how long batches
//     take.
//   - They are not starved: of a batch that callers would fill an eighth is theirs, and
//     if a batch is too small for that, one batch in maxPassed has one.
//
// They are taken in the order in which they came. A caller's command may overtake one:
// what is decided depends on the state that it finds, as it does between any two lanes.

// BackgroundQueue is how many background commands wait at most; one more gets
// ErrOverloaded. It is two full batches: one that is being written, and the next.
const BackgroundQueue = 2 * MaxBatch

const (
	// backgroundShare is the share of a batch with callers' commands that background
	// commands may have, as one in so many.
	backgroundShare = 8
	// maxPassed is how many batches in a row may leave background commands waiting.
	maxPassed = 8

	// callersStay is for how long callers count as about after the last one was served.
	callersStay = time.Second
	// aloneTarget is how long a batch is to take when no callers are about. Longer
	// batches save little: a commit costs a few milliseconds.
	aloneTarget = 30 * time.Millisecond
	// The bounds of how long a batch is to take when callers are about. Below the lower
	// one the commit would be most of it; above the upper one it is a caller who pays for
	// a slow disk twice.
	leastBeside = 3 * time.Millisecond
	mostBeside  = 10 * time.Millisecond
	// firstBudget is how many commands the first batch holds, before anything is known.
	firstBudget = 8
)

// pace says how many background commands a batch takes. Only the writer uses it.
type pace struct {
	wall   func() time.Time
	served time.Time     // when a batch with callers' commands last ended
	usual  time.Duration // what such a batch takes, smoothed

	beside, alone budget // while callers are about, and otherwise
	used          *budget
}

// budget is how many commands a batch should hold, to take as long as it is to take.
type budget struct{ commands float64 }

func newPace(wall func() time.Time) pace {
	return pace{wall: wall, beside: budget{firstBudget}, alone: budget{firstBudget}}
}

// room is how many background commands the next batch takes beside so many of callers.
func (p *pace) room(callers int) int {
	p.used = nil
	switch {
	case callers > 0:
		return max(1, callers/backgroundShare)
	case p.about():
		p.used = &p.beside
	default:
		p.used = &p.alone
	}
	return int(p.used.commands)
}

// about reports whether callers are about.
func (p *pace) about() bool { return !p.served.IsZero() && p.wall().Sub(p.served) < callersStay }

// took learns from a batch that has ended.
func (p *pace) took(callers, background int, d time.Duration) {
	switch {
	case callers > 0:
		p.served = p.wall()
		p.usual += (d - p.usual) / 4
	case p.used == &p.beside:
		p.beside.learn(background, d, min(max(p.usual, leastBeside), mostBeside))
	case p.used == &p.alone:
		p.alone.learn(background, d, aloneTarget)
	}
}

// learn brings the budget nearer to the target, by a factor of two at most: a batch
// that met a stall says little about the next. One that was not full says nothing
// about a fuller one.
func (b *budget) learn(commands int, took, target time.Duration) {
	factor := float64(target) / float64(max(took, 1))
	if factor > 1 && commands < int(b.commands) {
		return
	}
	b.commands = min(max(b.commands*min(max(factor, 0.5), 2), 1), MaxBatch)
}
