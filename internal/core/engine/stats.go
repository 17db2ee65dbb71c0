package engine

import (
	"errors"
	"sync/atomic"
)

// counters are written by the engine and read by Stats.
type counters struct {
	batches, taken, background, decided, rejected, notAdmitted, replayed, dryRuns, deferred, gaveWay atomic.Int64
	overloaded, readOnly, expired, keyReused, keyInUse, outcomeUnknown, internal                     atomic.Int64
	commitUnknown, commitResolved, commitFailed, conflicts, checksFailed, largestBatch               atomic.Int64
}

// Stats are the engine's counts since its start, for metrics.
type Stats struct {
	QueueDepth int // callers' commands waiting now
	QueueLimit int
	// BackgroundDepth is the number of background commands waiting now.
	BackgroundDepth int

	Batches      int64 // taken by the writer
	Taken        int64 // commands in them; divided by Batches it is the mean batch size
	Background   int64 // of these, background commands
	LargestBatch int64
	GaveWay      int64 // background batches abandoned because a caller arrived
	Decided      int64 // accepted or refused with a commit sequence
	Rejected     int64 // of these, refused
	NotAdmitted  int64 // refused by existence or link
	Replayed     int64
	DryRuns      int64
	Deferred     int64 // put back because a neighbor changed what they need

	Overloaded     int64 // refusals of Submit, by error
	ReadOnly       int64
	Expired        int64
	KeyReused      int64
	KeyInUse       int64
	OutcomeUnknown int64
	Internal       int64

	CommitUnknown  int64 // commits whose outcome was unknown at first
	CommitResolved int64 // of these, resolved
	CommitFailed   int64 // batches abandoned without effect
	Conflicts      int64 // batches decided again
	ChecksFailed   int64
}

// Stats returns the counts; each is exact, but together they are not a snapshot.
func (e *Engine) Stats() Stats {
	c := &e.stats
	callers, background := e.queue.length()
	return Stats{
		QueueDepth: callers, QueueLimit: e.cfg.Queue, BackgroundDepth: background, Background: c.background.Load(),
		Batches: c.batches.Load(), Taken: c.taken.Load(), LargestBatch: c.largestBatch.Load(),
		Decided: c.decided.Load(), Rejected: c.rejected.Load(), NotAdmitted: c.notAdmitted.Load(),
		GaveWay: c.gaveWay.Load(), Replayed: c.replayed.Load(), DryRuns: c.dryRuns.Load(), Deferred: c.deferred.Load(),
		Overloaded: c.overloaded.Load(), ReadOnly: c.readOnly.Load(), Expired: c.expired.Load(),
		KeyReused: c.keyReused.Load(), KeyInUse: c.keyInUse.Load(), OutcomeUnknown: c.outcomeUnknown.Load(),
		Internal: c.internal.Load(), CommitUnknown: c.commitUnknown.Load(), CommitResolved: c.commitResolved.Load(),
		CommitFailed: c.commitFailed.Load(), Conflicts: c.conflicts.Load(), ChecksFailed: c.checksFailed.Load(),
	}
}

func (c *counters) batch(size, background int) {
	c.batches.Add(1)
	c.taken.Add(int64(size))
	c.background.Add(int64(background))
	if n := int64(size); n > c.largestBatch.Load() { // one writer
		c.largestBatch.Store(n)
	}
}

// refused counts a request that ended in an error.
func (c *counters) refused(err error) {
	for _, r := range []struct {
		err error
		n   *atomic.Int64
	}{
		{ErrOverloaded, &c.overloaded}, {ErrReadOnly, &c.readOnly}, {ErrExpired, &c.expired},
		{ErrKeyReused, &c.keyReused}, {ErrKeyInUse, &c.keyInUse}, {ErrOutcomeUnknown, &c.outcomeUnknown},
		{ErrInternal, &c.internal},
	} {
		if errors.Is(err, r.err) {
			r.n.Add(1)
			return
		}
	}
}
