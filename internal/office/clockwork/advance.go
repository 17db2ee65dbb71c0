package clockwork

import (
	"context"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// Movable is a business clock that can be moved forward (clock.Settable).
type Movable interface {
	Now() time.Time
	AdvanceTo(t time.Time) (time.Time, error)
}

// Progress is how far a clock has been moved.
type Progress struct {
	Now, Target         time.Time
	DaysDone, DaysTotal int
	Done                Report
}

// Advance moves a sandbox's clock to an instant, stop by stop: every midnight, every
// opening and cut-off, and every instant at which an object is due. At each stop it does
// everything that is due, so that days pass in order as they would by themselves. tell is
// called after each stop. On an error the clock stays where it is.
func (s *Scheduler) Advance(ctx context.Context, c Movable, to time.Time, tell func(Progress)) error {
	from := c.Now()
	first, last := s.cfg.Zone.Date(from), s.cfg.Zone.Date(to)
	p := Progress{Target: to, DaysTotal: first.DaysUntil(last)}
	for {
		r, err := s.RunDue(ctx)
		p.Done.add(r)
		if err != nil {
			return fmt.Errorf("advance at %s: %w", c.Now().Format(time.RFC3339), err)
		}
		p.Now, p.DaysDone = c.Now(), first.DaysUntil(s.cfg.Zone.Date(c.Now()))
		if tell != nil {
			tell(p)
		}
		if !c.Now().Before(to) {
			return nil
		}
		if err := ctx.Err(); err != nil { // tell may have canceled the move
			return err
		}
		next, err := s.stop(ctx, c.Now(), to)
		if err != nil {
			return err
		}
		if _, err := c.AdvanceTo(next); err != nil {
			return err
		}
	}
}

// OpeningHour and OpeningMinute are when a bank's day begins: what settles on a day has
// settled by then.
const (
	OpeningHour   = 8
	OpeningMinute = 30
)

// stop returns the next instant after now, at the latest to, at which there may be work.
func (s *Scheduler) stop(ctx context.Context, now, to time.Time) (time.Time, error) {
	next := to
	sooner := func(t time.Time) {
		if t.After(now) && t.Before(next) {
			next = t
		}
	}
	day := s.cfg.Zone.Date(now)
	for _, d := range []calendar.Date{day, day + 1} {
		sooner(s.cfg.Zone.Start(d))
		sooner(s.cfg.Zone.At(d, OpeningHour, OpeningMinute))
		sooner(s.cfg.Zone.At(d, CutOffHour, 0))
	}
	due, err := s.Next(ctx)
	if err != nil {
		return next, err
	}
	for _, x := range due {
		sooner(x.At)
	}
	return next, nil
}

// Coming is an object with the instant at which it is due.
type Coming struct {
	store.Due
	Object string // order, company (its credit), transfer, or held money of an order or a company
}

// Next returns what is due first, or overdue, of each kind of object; empty if time alone
// changes nothing anymore.
func (s *Scheduler) Next(ctx context.Context) ([]Coming, error) {
	var out []Coming
	far := s.cfg.Now().Add(100 * 365 * 24 * time.Hour)
	err := s.cfg.Backend.View(ctx, func(v store.View) error {
		for _, kind := range []struct {
			object string
			list   func(store.View, time.Time, store.Page) ([]store.Due, error)
		}{
			{"order", store.DueOf(store.OrderNoun)}, {"company", store.ListDueCredits}, {"transfer", store.DueOf(store.TransferNoun)}, {"held money", store.ListDueHeld},
		} {
			rows, err := kind.list(v, far, store.Page{Limit: 1})
			if err != nil {
				return fmt.Errorf("clockwork: first due %s: %w", kind.object, err)
			}
			for _, x := range rows {
				out = append(out, Coming{x, kind.object})
			}
		}
		return nil
	})
	return out, err
}

// Status is how far behind the clockwork is.
type Status struct {
	Oldest   time.Time     // since when the oldest work waits, zero if none does
	Lag      time.Duration // of that work, by the business clock
	Payouts  string        // last civil date on which merchants were paid
	Clawback string        // last civil date on which clawbacks were checked
}

// Status reports how much work waits.
func (s *Scheduler) Status(ctx context.Context) (Status, error) {
	var x Status
	due, err := s.Next(ctx)
	if err != nil {
		return x, err
	}
	now := s.cfg.Now()
	for _, d := range due {
		if d.At.Before(now) && (x.Oldest.IsZero() || d.At.Before(x.Oldest)) {
			x.Oldest, x.Lag = d.At, now.Sub(d.At)
		}
	}
	for name, to := range map[string]*string{doneOfPayouts: &x.Payouts, doneOfClawbacks: &x.Clawback} {
		value, _, err := store.Setting(ctx, s.cfg.Backend, name)
		if err != nil {
			return x, err
		}
		*to = string(value)
	}
	return x, nil
}
