package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
)

// Waits between attempts, doubled each time.
const (
	conflictWait = time.Millisecond
	resolveWait  = 10 * time.Millisecond
	longestWait  = time.Second
	// alarmEvery is how many attempts to resolve a commit pass between alarms: about a
	// minute.
	alarmEvery = 60
)

// errUnresolved ends a batch whose outcome was still unknown when the engine was stopped.
var errUnresolved = errors.New("stopped before the commit was resolved")

// run takes the tickets of a batch through to their answers. Each attempt is a new batch
// with a new identifier, and none begins before the previous one is known to have had no
// effect.
//
// An error means that nothing more may be written now; commands not tried yet get it as
// their answer. If way was canceled before a COMMIT the error is errGaveWay, and the
// tickets wait again.
func (e *Engine) run(ctx, way context.Context, tickets []*Ticket) error {
	wait := time.Duration(0)
	var stored map[*Ticket]bool // those for which some attempt found a stored answer
	for try := 1; len(tickets) > 0; try++ {
		b := newBatch(e, tickets)
		commit, err := e.commit(ctx, way, b)
		if err != nil && !errors.Is(err, errNothing) {
			stored = b.stored(stored)
		}
		switch {
		case commit.Outcome == store.Committed:
			e.answer(b, commit.FirstQ)
			return nil
		case errors.Is(err, errNothing):
			e.answer(b, b.head.Q+1)
			return nil
		case errors.Is(err, errUnresolved):
			e.refuse(tickets, ErrOutcomeUnknown)
			return ErrClosed
		case way.Err() != nil && errors.Is(err, way.Err()):
			for _, t := range slices.Backward(tickets) {
				e.queue.back(t)
			}
			return errGaveWay
		case errors.Is(err, errBroken):
			e.stop(b, tickets)
			return ErrReadOnly
		case errors.Is(err, errAgain):
			tickets = e.without(b, tickets)
			try-- // it removed a command, so this terminates
		case errors.Is(err, store.ErrFenced):
			e.queue.setMode(broken)
			e.refuse(tickets, ErrReadOnly)
			e.cfg.Alarm(Alarm{What: AlarmFenced, Err: err})
			return ErrReadOnly
		case errors.Is(err, store.ErrBehind) && try < maxTries:
			e.stats.conflicts.Add(1)
		case errors.Is(err, store.ErrFull):
			e.queue.setMode(full)
			e.refuse(tickets, ErrReadOnly)
			return ErrReadOnly
		case errors.Is(err, store.ErrRefused), errors.Is(err, store.ErrTaken) && try == maxTries && len(tickets) > 1:
			return e.apart(ctx, b, tickets, err)
		case !retryable(err) || try == maxTries || !e.sleep(ctx, wait):
			e.stats.commitFailed.Add(1)
			e.cfg.Alarm(Alarm{What: AlarmCommit, Err: err})
			e.lose(tickets, stored, err)
			return nil
		default:
			e.stats.conflicts.Add(1)
			wait = min(max(2*wait, conflictWait), longestWait)
		}
	}
	return nil
}

// apart isolates the command whose rows the schema refuses, so that no other suffers for it
// (EN12): nothing of the batch was written, so it is retried in halves, one after the
// other, down to the single command. One culprit among n costs about 2·log n attempts.
func (e *Engine) apart(ctx context.Context, b *batch, tickets []*Ticket, why error) error {
	if len(tickets) == 1 {
		e.stats.commitFailed.Add(1)
		a := Alarm{What: AlarmFault, Err: why}
		if len(b.decided) == 1 {
			a.Changes = b.decided[0].Changes
		}
		_ = b.fault(b.entries[0], a)
		e.without(b, tickets)
		return nil
	}
	half := len(tickets) / 2
	if err := e.run(ctx, context.WithoutCancel(ctx), tickets[:half]); err != nil {
		e.refuse(tickets[half:], err)
		return err
	}
	return e.run(ctx, context.WithoutCancel(ctx), tickets[half:])
}

// commit makes one attempt, unless way is canceled before its COMMIT. It returns Committed,
// or NotCommitted with the reason, or errUnresolved; it resolves unknown outcomes itself.
func (e *Engine) commit(ctx, way context.Context, b *batch) (store.Commit, error) {
	if err := failpoint.Hit(failpoint.BeforeBegin); err != nil {
		return store.Commit{}, err
	}
	commit, err := e.cfg.Backend.Update(way, func(tx store.Tx) error { return b.fill(way, tx) })
	if commit.Outcome == store.Unknown {
		e.stats.commitUnknown.Add(1)
		e.cfg.Alarm(Alarm{What: AlarmUnknown, Err: err})
		return e.resolve(ctx, b.id)
	}
	if commit.Outcome == store.NotCommitted && err == nil {
		err = errors.New("the backend gave no reason")
	}
	return commit, err
}

// enter records the book's epoch at the first batch, and refuses to write in any other:
// what this process knows may come from a past that was undone (EN16).
func (e *Engine) enter(epoch int64) error {
	if e.epoch == 0 {
		e.epoch = epoch
	}
	if e.epoch != epoch {
		return fmt.Errorf("%w: %d, but this process knows %d", store.ErrFenced, epoch, e.epoch)
	}
	return nil
}

// resolve retries until the backend knows the outcome of a batch. Meanwhile nothing is
// written and nobody is answered (EN5).
func (e *Engine) resolve(ctx context.Context, id store.BatchID) (store.Commit, error) {
	for wait, tries := resolveWait, 1; ; wait, tries = min(2*wait, longestWait), tries+1 {
		commit, err := e.cfg.Backend.Resolve(ctx, id)
		if err == nil && commit.Outcome != store.Unknown {
			e.stats.commitResolved.Add(1)
			if commit.Outcome == store.NotCommitted {
				return commit, errLost
			}
			return commit, nil
		}
		if tries%alarmEvery == 0 {
			e.cfg.Alarm(Alarm{What: AlarmUnknown, Err: fmt.Errorf("still unresolved after %d attempts: %w", tries, err)})
		}
		if !e.sleep(ctx, wait) {
			return store.Commit{}, errUnresolved
		}
	}
}

// errLost means that an unknown commit turned out to have had no effect.
var errLost = errors.New("the commit was lost")

// retryable reports whether an uncommitted batch should be decided again at once: after a
// claim went to another node, and after errors with a method Retryable, which are
// serialization failures and deadlocks (EN9).
func retryable(err error) bool {
	if errors.Is(err, errLost) || errors.Is(err, store.ErrTaken) {
		return true
	}
	var r interface{ Retryable() bool }
	return errors.As(err, &r) && r.Retryable()
}

// answer gives every caller of a committed batch its answer. firstQ is the commit sequence
// of the batch's first decision.
func (e *Engine) answer(b *batch, firstQ int64) {
	lost := failpoint.Hit(failpoint.BeforeAnswer)
	e.stats.decided.Add(int64(len(b.decided)))
	for i := len(b.entries) - 1; i >= 0; i-- {
		if b.entries[i].deferred { // backwards, to keep their order
			e.stats.deferred.Add(1)
			e.queue.back(b.entries[i].Ticket)
		}
	}
	for _, x := range b.entries {
		switch {
		case x.deferred:
		case lost != nil:
			e.queue.answer(x.Ticket, Result{}, ErrOutcomeUnknown)
		case x.err != nil:
			e.queue.answer(x.Ticket, Result{}, x.err)
		default:
			e.count(x)
			if x.answer.Q == 0 && !x.absent {
				x.answer.Q = firstQ + int64(x.index)
			}
			e.queue.answer(x.Ticket, x.answer, nil)
		}
		if lost == nil {
			lost = failpoint.Hit(failpoint.BetweenAnswers)
		}
	}
}

func (e *Engine) count(x *entry) {
	switch {
	case x.absent:
		e.stats.notAdmitted.Add(1)
	case x.answer.Replayed:
		e.stats.replayed.Add(1)
	case x.request.DryRun:
		e.stats.dryRuns.Add(1)
	case x.rejected:
		e.stats.rejected.Add(1)
	}
}

// lose answers the tickets of a batch that was not committed and never will be. A ticket
// with a stored answer must not be told that nothing happened: its command was executed,
// and the answer is given once the backend can prove that it is safe.
func (e *Engine) lose(tickets []*Ticket, stored map[*Ticket]bool, err error) {
	for _, t := range tickets {
		if stored[t] {
			e.queue.answer(t, Result{}, ErrOutcomeUnknown)
		} else {
			e.queue.answer(t, Result{}, fmt.Errorf("%w: %w", ErrNotCommitted, err))
		}
	}
}

// refuse answers all tickets with an error.
func (e *Engine) refuse(tickets []*Ticket, err error) {
	for _, t := range tickets {
		e.queue.answer(t, Result{}, err)
	}
}

// without answers the command that broke and returns the others (EN12).
func (e *Engine) without(b *batch, tickets []*Ticket) []*Ticket {
	bad := b.faulty.entry.Ticket
	e.cfg.Alarm(b.faulty.alarm)
	e.queue.answer(bad, Result{}, ErrInternal)
	rest := make([]*Ticket, 0, len(tickets)-1)
	for _, t := range tickets {
		if t != bad {
			rest = append(rest, t)
		}
	}
	return rest
}

// stop ends all writing: a decision contradicts itself, and what follows could make it
// worse. Reads continue. The evidence goes to the alarm (EN12).
func (e *Engine) stop(b *batch, tickets []*Ticket) {
	e.stats.checksFailed.Add(1)
	e.queue.setMode(broken)
	e.refuse(tickets, ErrReadOnly)
	e.cfg.Alarm(b.faulty.alarm)
}
