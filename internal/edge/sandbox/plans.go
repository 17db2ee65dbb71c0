package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/office/clockwork"
)

// Plan is something that a sandbox will do to a company at its time, as a person would: a
// ready company that is suspended thirty days later.
type Plan struct {
	At      time.Time `json:"at"`
	Company int64     `json:"company"`
}

// Plans is a Clockwork that also carries out plans, each at its instant of the business
// clock while the clock is moved. They are stored in the database, and are not part of what
// is due next: the books know nothing of them.
type Plans struct {
	Clockwork
	db   Settings
	zone calendar.Zone
	act  func(ctx context.Context, p Plan) error

	mu sync.Mutex // guards the stored state
}

// WithPlans lets a clockwork carry out plans with act.
func WithPlans(work Clockwork, db Settings, zone calendar.Zone, act func(context.Context, Plan) error) *Plans {
	return &Plans{Clockwork: work, db: db, zone: zone, act: act}
}

const plansSetting = "sandbox/plans"

// Add stores a plan.
func (x *Plans) Add(ctx context.Context, p Plan) error {
	return x.change(ctx, func(list []Plan) []Plan { return append(list, p) })
}

// change replaces the stored plans, which are in chronological order.
func (x *Plans) change(ctx context.Context, fn func([]Plan) []Plan) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	list, err := x.list(ctx)
	if err != nil {
		return err
	}
	list = fn(list)
	slices.SortStableFunc(list, func(a, b Plan) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Company, b.Company)) })
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return x.db.PutSetting(ctx, plansSetting, text)
}

func (x *Plans) list(ctx context.Context) ([]Plan, error) {
	text, found, err := store.Setting(ctx, x.db, plansSetting)
	if err != nil || !found {
		return nil, err
	}
	var list []Plan
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("sandbox: read the plans: %w", err)
	}
	return list, nil
}

// Advance is Clockwork's: a move that passes a plan stops there, carries it out, and
// continues.
func (x *Plans) Advance(ctx context.Context, c clockwork.Movable, to time.Time, tell func(clockwork.Progress)) error {
	start := c.Now()
	whole := func(p clockwork.Progress) {
		p.Target, p.DaysDone, p.DaysTotal = to, x.days(start, p.Now), x.days(start, to)
		tell(p)
	}
	for {
		list, err := x.list(ctx)
		if err != nil {
			return err
		}
		if len(list) == 0 || list[0].At.After(to) {
			return x.Clockwork.Advance(ctx, c, to, whole)
		}
		next := list[0]
		if now := c.Now(); next.At.After(now) {
			if err := x.Clockwork.Advance(ctx, c, next.At, whole); err != nil {
				return err
			}
		}
		if err := x.act(ctx, next); err != nil {
			return fmt.Errorf("sandbox: plan for company %d: %w", next.Company, err)
		}
		if err := x.change(ctx, func(list []Plan) []Plan { return slices.DeleteFunc(list, func(p Plan) bool { return p == next }) }); err != nil {
			return err
		}
	}
}

func (x *Plans) days(from, to time.Time) int { return x.zone.Date(from).DaysUntil(x.zone.Date(to)) }

// A sandbox's clock is what clockworks move.
var _ clockwork.Movable = (*clock.Settable)(nil)
