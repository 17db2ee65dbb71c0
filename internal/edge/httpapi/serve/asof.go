package serve

import (
	"context"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

// AsOfQuery is embedded in the parameters of a read that can be asked for the past.
type AsOfQuery struct {
	AsOf *values.AsOf `query:"as_of" doc:"Answer as of this past instant or business date (end of day)." example:"2026-03-31"`
}

// Moment is when a read is answered for: now, or in the past after commit q.
type Moment struct {
	Past bool
	At   time.Time     // for the past
	Day  calendar.Date // business date
	Q    int64         // last commit; store.Latest for now
}

// ReadAt is Read for a moment. The past has one answer, whenever it is requested (TM3): the
// state at the last commit made at or before the instant.
func (s *Service) ReadAt(c *rest.Call, asOf *values.AsOf, fn func(store.View, Moment) (rest.Answer, error)) (rest.Answer, error) {
	if asOf == nil {
		return s.Read(c, func(v store.View) (rest.Answer, error) { return fn(v, Moment{Day: s.Today(), Q: store.Latest}) })
	}
	t, err := s.past(*asOf)
	if err != nil {
		return rest.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(c.Context(), ReadTimeout)
	defer cancel()
	a, final, err := s.readPast(ctx, t, false, fn)
	if err != nil || final {
		return a, err
	}
	if err := engine.Settle(ctx, s.Submit); err != nil {
		return rest.Answer{}, Failure(err)
	}
	a, _, err = s.readPast(ctx, t, true, fn)
	return a, err
}

// past is the instant that as_of means. It must be over: a commit in progress may still be
// dated with the present instant.
func (s *Service) past(asOf values.AsOf) (time.Time, error) {
	t := asOf.Instant
	if asOf.Date != calendar.None {
		t = s.Zone.Start(asOf.Date + 1).Add(-time.Microsecond)
	}
	if !t.Before(s.Now().UTC().Truncate(time.Microsecond)) {
		return time.Time{}, rest.InvalidParameter("as_of", "The instant, or the end of the date, must be in the past; today's business date is "+s.Today().String()+".")
	}
	return t, nil
}

// readPast reads the state at the last commit made at or before t. It is final once a later
// batch has been committed, since time never goes back in commit order (TM1), or if the
// caller knows that nothing in progress could be dated so early; otherwise it does not
// read.
func (s *Service) readPast(ctx context.Context, t time.Time, settled bool, fn func(store.View, Moment) (rest.Answer, error)) (a rest.Answer, final bool, err error) {
	err = s.Store.View(ctx, func(v store.View) error {
		head, err := v.Head()
		if err != nil {
			return err
		}
		if final = settled || head.At.After(t); !final {
			return nil
		}
		q, err := store.SeqAt(v, t)
		if err != nil {
			return err
		}
		a, err = fn(v, Moment{Past: true, At: t, Day: s.Zone.Date(t), Q: q})
		a.AsOfSeq = q
		return err
	})
	return a, final, err
}

// ScheduleAt is the schedule of an order as it stood then. Only current loans are stored;
// their past follows from their money events (F34).
func (s *Service) ScheduleAt(v store.View, o *credit.Order, m Moment) (resource.Schedule, error) {
	company, err := store.At(v, store.CompanyNoun, o.Company, m.Q)
	if err != nil {
		return resource.Schedule{}, err
	}
	if !o.CapturedAt.IsZero() {
		loans, err := store.LoansAt(v, company, []string{o.Key}, m.At, m.Day)
		if err != nil {
			return resource.Schedule{}, err
		}
		return resource.NewSchedule(o, loans[o.Key], m.Day), nil
	}
	if o.Status == credit.OrderCanceled {
		return resource.NewCanceledSchedule(o), nil
	}
	// A version of a program is never in force on the day of its creation.
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Merchants: []string{o.Merchant}}); err != nil {
		return resource.Schedule{}, err
	}
	state.Companies[o.Company] = company
	return Estimated(state, o, m.Day)
}

// AccountAt replays all loans of a company up to a moment.
func AccountAt(v store.View, company *credit.Company, m Moment) (map[string]*schedule.Loan, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Accounts: []int64{company.ID}}); err != nil {
		return nil, err
	}
	if !m.Past { // what is in transit counts until now
		m.At = timeless()
	}
	return store.LoansAt(v, company, state.Accounts[company.ID], m.At, m.Day)
}

// timeless is after every instant.
func timeless() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// LatenessAt is what a company had past due then.
func LatenessAt(v store.View, company *credit.Company, m Moment) (resource.Lateness, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Accounts: []int64{company.ID}}); err != nil {
		return resource.Lateness{}, err
	}
	loans, err := store.LoansAt(v, company, state.Accounts[company.ID], m.At, m.Day)
	if err != nil {
		return resource.Lateness{}, err
	}
	var sum resource.Lateness
	for key, l := range loans {
		if l.View(m.Day).PastDue == 0 {
			continue
		}
		o, err := store.At(v, store.OrderNoun, key, m.Q)
		if err != nil {
			return resource.Lateness{}, err
		}
		if o != nil {
			addLate(&sum, o, l, m.Day)
		}
	}
	return sum, nil
}
