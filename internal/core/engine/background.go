package engine

import (
	"context"
	"errors"
	"time"
)

// Background commands (Request.Background) are those that nobody waits for: the
// clockwork's. They share the writer with callers by these rules:
//
//   - They wait in a queue of their own, of BackgroundQueue places. However many there
//     are, they take no place from callers, and callers are refused no earlier (P9).
//   - A batch takes callers' commands first. Beside k of them it holds k/8 background
//     commands at most.
//   - A batch of background commands alone is kept short: a caller who comes meanwhile
//     has to wait for its end. While callers are about it is to take twice as long as
//     their own batches do; otherwise aloneTarget. Twice, because most of a batch with
//     one caller's command is its commit: a batch of the background that took no longer
//     would hold one command, too, and a slow disk would stop the day. How many commands
//     that is the engine learns from how long batches take; leastBudget at least.
//   - A batch of background commands alone gives way: if a caller comes before its
//     COMMIT, it is rolled back as if it had never begun, and its commands wait again, in
//     front. So a caller does not wait for the whole of it. A COMMIT is never given up.
//   - After a batch of background commands alone the writer rests for one and a quarter
//     times as long as that took, while callers are about. It holds a processor whether it has the
//     database or not, and where there are two, reads wait for it, too. A caller who comes
//     ends the rest, and nothing of it is owed later. So the background has somewhat less
//     than half of the writer's time while callers read, and a caller often finds the writer free.
//   - The backend learns that a batch is of the background beside callers, so that what it
//     leaves for later comes in small pieces (store.Batch.Background).
//   - They are not starved: of a batch that callers would fill an eighth is theirs, and
//     if a batch is too small for that, or callers are too few, one batch in maxPassed has
//     one. After maxGaveWay batches in a row that gave way the next one does not.
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

	// maxGaveWay is how many batches in a row may give way to callers.
	maxGaveWay = 3

	// callersStay is for how long callers count as about after the last one was served.
	callersStay = time.Second
	// aloneTarget is how long a batch is to take when no callers are about. Longer
	// batches save little: a commit costs a few milliseconds.
	aloneTarget = 30 * time.Millisecond
	// The bounds of how long a batch is to take when callers are about.
	leastBeside = 3 * time.Millisecond
	mostBeside  = 60 * time.Millisecond
	// leastBudget is how many commands a batch holds at least if as many wait, however
	// long batches take.
	leastBudget = 4
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

	gaveWay int           // batches in a row that gave way
	rest    time.Duration // that the writer owes callers after the last batch
}

// errGaveWay ends a batch of background commands that was given up for a caller.
var errGaveWay = errors.New("interrupted for a caller")

// way is the context in which the writer's next batch runs until its COMMIT; end is
// called when it has. It ends with nothing that callers or the engine do (EN6), but for a
// batch without callers' commands: as soon as a caller waits.
func (e *Engine) way(ctx context.Context, callers int) (way context.Context, end func()) {
	way = context.WithoutCancel(ctx)
	if callers > 0 || e.pace.gaveWay == maxGaveWay {
		return way, func() {}
	}
	way, cancel := context.WithCancel(way)
	e.queue.onCaller(cancel)
	return way, func() {
		e.queue.onCaller(nil)
		cancel()
	}
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
		return callers / backgroundShare
	case p.about():
		p.used = &p.beside
	default:
		p.used = &p.alone
	}
	return int(p.used.commands)
}

// about reports whether callers are about.
func (p *pace) about() bool { return !p.served.IsZero() && p.wall().Sub(p.served) < callersStay }

// besideCallers reports that the batch under way is of the background alone while callers
// are about.
func (p *pace) besideCallers() bool { return p.used == &p.beside }

// took learns from a batch that has ended.
func (p *pace) took(callers, background int, d time.Duration) {
	if callers == 0 {
		p.gaveWay = 0
	}
	p.rest = 0
	switch {
	case callers > 0:
		p.served = p.wall()
		p.usual += min((d-p.usual)/4, p.usual/16+time.Millisecond/16) // a stall is not usual
	case p.used == &p.beside:
		p.beside.learn(background, d, min(max(2*p.usual, leastBeside), mostBeside))
		p.rest = min(d+d/4, mostBeside) // of a stall nobody has anything
	case p.used == &p.alone:
		p.alone.learn(background, d, aloneTarget)
	}
}

// learn brings the budget nearer to the target: down by a half at most, because a batch
// that met a stall says little about the next, and up by a quarter, because a caller pays
// for too much. A batch that was not full says nothing about a fuller one.
func (b *budget) learn(commands int, took, target time.Duration) {
	factor := float64(target) / float64(max(took, 1))
	if factor > 1 && commands < int(b.commands) {
		return
	}
	b.commands = min(max(b.commands*min(max(factor, 0.5), 1.25), leastBudget), MaxBatch)
}

// rest lets callers have the processor after a batch of the background. It ends as soon
// as one of them waits for the writer, or the engine closes.
func (e *Engine) rest(ctx context.Context) {
	e.writer.Lock()
	d := e.pace.rest
	e.pace.rest = 0
	e.writer.Unlock()
	if d == 0 {
		return
	}
	for end := e.cfg.After(d); !e.queue.wanted(); {
		select {
		case <-ctx.Done():
			return
		case <-end:
			return
		case <-e.queue.wake: // it may be one of the background
		}
	}
}
