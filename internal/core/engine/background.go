package engine

import (
	"context"
	"errors"
	"time"
)

// Background commands (Request.Background) are those that nobody waits for: the
// clockwork's. They share the writer with callers by these rules:
//
//   - They wait in a queue of their own with BackgroundQueue places. However many there
//     are, they take no place from callers, and callers are refused no earlier (P9).
//   - A batch takes callers' commands first. Next to k of them it takes at most k/8
//     background commands.
//   - A batch of only background commands is kept short, because a caller who arrives
//     meanwhile waits for its end. While callers are active its target is twice the
//     duration of their own batches; otherwise aloneTarget. Twice, because most of a batch
//     with one caller's command is its commit: with the same target a background batch
//     would hold one command too, and a slow disk would stop the day. The engine learns
//     from batch durations how many commands that is; leastBudget at least.
//   - A batch of only background commands gives way: if a caller arrives before its
//     COMMIT, it is rolled back as if it had never begun, and its commands return to the
//     front of their queue. So a caller does not wait for all of it. A COMMIT is never
//     interrupted.
//   - After a batch of only background commands, while callers are active, the writer rests
//     for one and a quarter times the batch's duration. It occupies a processor whether or
//     not it has the database, and on a two-processor machine reads wait for it too. An
//     arriving caller ends the rest, and none of it is made up later. So while callers
//     read, the background gets somewhat less than half of the writer's time, and a caller
//     often finds the writer free.
//   - The backend learns that a batch is background work while callers are active, so that
//     its follow-up work comes in small pieces (store.Batch.Background).
//   - Background commands are not starved: they get an eighth of a batch that callers would
//     fill, and if a batch is too small for that, or there are too few callers, one batch
//     in maxPassed takes one. After maxGaveWay batches in a row that gave way the next one
//     does not.
//
// They are taken in order of arrival. A caller's command may overtake one: a decision
// depends on the state it finds, as between any two lanes.

// BackgroundQueue is how many background commands can wait; one more gets ErrOverloaded. It
// is two full batches: one being written, and the next.
const BackgroundQueue = 2 * MaxBatch

const (
	// backgroundShare limits background commands to one in so many of the callers' commands
	// in a batch.
	backgroundShare = 8
	// maxPassed is how many batches in a row may leave background commands waiting.
	maxPassed = 8

	// maxGaveWay is how many batches in a row may give way to callers.
	maxGaveWay = 3

	// callersStay is how long callers count as active after the last one was served.
	callersStay = time.Second
	// aloneTarget is the target duration of a batch when no callers are active. Longer
	// batches save little: a commit costs a few milliseconds.
	aloneTarget = 30 * time.Millisecond
	// Bounds of the target duration of a batch while callers are active.
	leastBeside = 3 * time.Millisecond
	mostBeside  = 60 * time.Millisecond
	// leastBudget is the minimum number of commands in a batch if as many wait, however
	// long batches take.
	leastBudget = 4
	// firstBudget is the size of the first batch, before anything is measured.
	firstBudget = 8
)

// pace decides how many background commands a batch takes. Only the writer uses it.
type pace struct {
	wall   func() time.Time
	served time.Time     // when a batch with callers' commands last ended
	usual  time.Duration // duration of such a batch, smoothed

	beside, alone budget // while callers are active, and otherwise
	used          *budget

	gaveWay int           // batches in a row that gave way
	rest    time.Duration // that the writer owes callers after the last batch
}

// errGaveWay is the error of a background batch that was abandoned for a caller.
var errGaveWay = errors.New("interrupted for a caller")

// way returns the context in which the writer's next batch runs until its COMMIT; call end
// after that. Neither callers nor the engine cancel it (EN6), with one exception: a batch
// without callers' commands is canceled as soon as a caller waits.
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

// budget is how many commands a batch should hold to meet its target duration.
type budget struct{ commands float64 }

func newPace(wall func() time.Time) pace {
	return pace{wall: wall, beside: budget{firstBudget}, alone: budget{firstBudget}}
}

// room returns how many background commands the next batch takes next to so many callers'
// commands.
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

// about reports whether callers are active.
func (p *pace) about() bool { return !p.served.IsZero() && p.wall().Sub(p.served) < callersStay }

// besideCallers reports whether the current batch is background work while callers are
// active.
func (p *pace) besideCallers() bool { return p.used == &p.beside }

// took learns from a finished batch.
func (p *pace) took(callers, background int, d time.Duration) {
	if callers == 0 {
		p.gaveWay = 0
	}
	p.rest = 0
	switch {
	case callers > 0:
		p.served = p.wall()
		p.usual += min((d-p.usual)/4, p.usual/16+time.Millisecond/16) // a stall is not typical
	case p.used == &p.beside:
		p.beside.learn(background, d, min(max(2*p.usual, leastBeside), mostBeside))
		p.rest = min(d+d/4, mostBeside) // resting for a stall helps nobody
	case p.used == &p.alone:
		p.alone.learn(background, d, aloneTarget)
	}
}

// learn moves the budget toward the target: down by at most half, because a batch that met
// a stall says little about the next, and up by a quarter, because a caller pays for too
// much. A batch that was not full says nothing about a fuller one.
func (b *budget) learn(commands int, took, target time.Duration) {
	factor := float64(target) / float64(max(took, 1))
	if factor > 1 && commands < int(b.commands) {
		return
	}
	b.commands = min(max(b.commands*min(max(factor, 0.5), 1.25), leastBudget), MaxBatch)
}

// rest leaves the processor to callers after a background batch. It ends as soon as one of
// them waits for the writer, or the engine closes.
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
		case <-e.queue.wake: // it may be a background command
		}
	}
}
