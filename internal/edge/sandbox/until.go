package sandbox

import (
	"context"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// MaxWait is how far the clock is moved for an event: longer than anything takes that time
// alone brings.
const MaxWait = 400 * 24 * time.Hour

// Awaited is an event for which the clock is moved.
type Awaited struct {
	Type     credit.EventType
	Merchant string       // that of a merchant, "" of anybody
	After    *store.Place // behind this one; nil: behind all that there are when the move begins
}

// AdvanceUntil moves the clock stop by stop until an event has been made, and waits for
// the end of the move as AdvanceTo does. An event that is there already ends the move
// before the clock goes anywhere. If none comes within MaxWait the clock stands there,
// and the move has failed with ErrNoEvent.
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

// lastEvent is the place behind everything that has happened.
func (s *Sandbox) lastEvent(ctx context.Context) (at store.Place, err error) {
	err = s.db.View(ctx, func(v store.View) error {
		at = store.Place{Q: v.Seq(), N: lastOfCommit}
		return nil
	})
	return at, err
}

// lastOfCommit is above the number of any event of a commit.
const lastOfCommit = 1 << 30
