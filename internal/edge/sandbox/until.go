package sandbox

import (
	"context"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// MaxWait is how far the clock is moved for an event: longer than anything takes that time
// alone triggers.
const MaxWait = 400 * 24 * time.Hour

// Awaited is an event to move the clock for.
type Awaited struct {
	Type     credit.EventType
	Merchant string       // of a merchant, "" for any
	After    *store.Place // after this place; nil: after everything that exists when the move begins
}

// AdvanceUntil moves the clock stop by stop until an event occurs, and waits for the end of
// the move as AdvanceTo does. An event that already exists ends the move before the clock
// moves. If none occurs within MaxWait the clock stops there, and the move has failed with
// ErrNoEvent.
func (s *Sandbox) AdvanceUntil(ctx context.Context, x Awaited, wait time.Duration) error {
	if x.After == nil {
		last, err := s.lastEvent(ctx)
		if err != nil {
			return err
		}
		x.After = &last
	}
	seen := *x.After
	return s.await(ctx, wait, move{to: s.clock.Now().Add(MaxWait), reached: func(ctx context.Context) (found bool, err error) {
		err = s.db.View(ctx, func(v store.View) error {
			for {
				rows, err := store.Stream(v, x.Merchant, seen, eventsAtOnce)
				if err != nil {
					return err
				}
				for _, r := range rows {
					seen = store.Place{Q: r.Q, N: r.N}
					found = found || r.Type == x.Type
				}
				if len(rows) < eventsAtOnce {
					return nil
				}
			}
		})
		return found, err
	}})
}

// eventsAtOnce is how many events are read together.
const eventsAtOnce = 500

// lastEvent is the place after everything that has happened.
func (s *Sandbox) lastEvent(ctx context.Context) (at store.Place, err error) {
	err = s.db.View(ctx, func(v store.View) error {
		at = store.Place{Q: v.Seq(), N: lastOfCommit}
		return nil
	})
	return at, err
}

// lastOfCommit is above the number of any event of a commit.
const lastOfCommit = 1 << 30
