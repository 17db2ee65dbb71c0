package httpapi

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

// asOfQuery is embedded in the parameters of a read that can be asked for the past.
type asOfQuery struct {
	AsOf *values.AsOf `query:"as_of" doc:"Answer as of this past instant or business date (end of day)." example:"2026-03-31"`
}

// moment is when a read is answered for: now, or in the past after commit q.
type moment struct {
	past bool
	at   time.Time     // of the past
	day  calendar.Date // business date
	q    int64         // last commit; store.Latest for now
}

// readAt is read for a moment. The past has one answer, whenever it is asked for
// (TM3): the state at the last commit that was made at or before the instant.
func (s *Service) readAt(c *rest.Call, asOf *values.AsOf, fn func(store.View, moment) (rest.Answer, error)) (rest.Answer, error) {
	if asOf == nil {
		return s.read(c, func(v store.View) (rest.Answer, error) { return fn(v, moment{day: s.today(), q: store.Latest}) })
	}
	t, err := s.past(*asOf)
	if err != nil {
		return rest.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(c.Context(), readTimeout)
	defer cancel()
	a, final, err := s.readPast(ctx, t, false, fn)
	if err != nil || final {
		return a, err
	}
	if err := engine.Settle(ctx, s.Submit); err != nil {
		return rest.Answer{}, failure(err)
	}
	a, _, err = s.readPast(ctx, t, true, fn)
	return a, err
}

// past is the instant that as_of means. It must be over: what is committed now may
// still be dated with the present instant.
func (s *Service) past(asOf values.AsOf) (time.Time, error) {
	t := asOf.Instant
	if asOf.Date != calendar.None {
		t = s.Zone.Start(asOf.Date + 1).Add(-time.Microsecond)
	}
	if !t.Before(s.Now().UTC().Truncate(time.Microsecond)) {
		return time.Time{}, rest.InvalidParameter("as_of", "The instant, or the end of the date, must be in the past; today's business date is "+s.today().String()+".")
	}
	return t, nil
}

// readPast reads the state at the last commit made at or before t. It is final once
// a later batch has been committed, since time never goes back in the order of
// commits (TM1), or if the caller knows that nothing is under way that could be
// dated so early; else it does not read.
func (s *Service) readPast(ctx context.Context, t time.Time, settled bool, fn func(store.View, moment) (rest.Answer, error)) (a rest.Answer, final bool, err error) {
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
		a, err = fn(v, moment{past: true, at: t, day: s.Zone.Date(t), q: q})
		a.AsOfSeq = q
		return err
	})
	return a, final, err
}

// orderAt reads an order that the caller may see, as it stood at a moment.
func orderAt(c *rest.Call, v store.View, key string, m moment) (*credit.Order, error) {
	o, err := store.At(v, store.OrderNoun, key, m.q)
	if err != nil {
		return nil, err
	}
	return o, mayRead(c, o)
}

// companyAt reads a company that the caller may see, as it stood at a moment. It is
// shown to a merchant that is linked to it, and was linked then.
func companyAt(c *rest.Call, v store.View, id int64, m moment) (*credit.Company, error) {
	now, err := store.At(v, store.CompanyNoun, id, store.Latest)
	if err != nil {
		return nil, err
	}
	if err := mayReadCompany(c, now); err != nil || !m.past {
		return now, err
	}
	then, err := store.At(v, store.CompanyNoun, id, m.q)
	if err != nil {
		return nil, err
	}
	return then, mayReadCompany(c, then)
}

// mayReadCompany answers 404 for a company that is not there, 403 for one that is not
// linked to the caller's merchant.
func mayReadCompany(c *rest.Call, x *credit.Company) error {
	switch {
	case x == nil:
		return rest.NotFound()
	case !c.Principal.Operator && !x.IsLinked(c.Principal.Tenant):
		return rest.NewProblem("company_not_linked", "The company is not linked to the merchant.")
	}
	return nil
}

// scheduleAt is the schedule of an order as it stood then. Loans are kept as they are
// now; what they were follows from their money events (F34).
func (s *Service) scheduleAt(v store.View, o *credit.Order, m moment) (resource.Schedule, error) {
	company, err := store.At(v, store.CompanyNoun, o.Company, m.q)
	if err != nil {
		return resource.Schedule{}, err
	}
	if !o.CapturedAt.IsZero() {
		loans, err := store.LoansAt(v, company, []string{o.Key}, m.at, m.day)
		if err != nil {
			return resource.Schedule{}, err
		}
		return resource.NewSchedule(o, loans[o.Key], m.day), nil
	}
	if o.Status == credit.OrderCanceled {
		return resource.NewCanceledSchedule(o), nil
	}
	// A version of a program is never in force on the day on which it was made.
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Merchants: []string{o.Merchant}}); err != nil {
		return resource.Schedule{}, err
	}
	state.Companies[o.Company] = company
	return estimated(state, o, m.day)
}

// accountAt replays all loans of a company up to a moment.
func accountAt(v store.View, company *credit.Company, m moment) (map[string]*schedule.Loan, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Accounts: []int64{company.ID}}); err != nil {
		return nil, err
	}
	if !m.past { // what is on its way counts until now
		m.at = timeless()
	}
	return store.LoansAt(v, company, state.Accounts[company.ID], m.at, m.day)
}

// timeless is after every instant.
func timeless() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// latenessAt is what a company owed late then.
func latenessAt(v store.View, company *credit.Company, m moment) (resource.Lateness, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Accounts: []int64{company.ID}}); err != nil {
		return resource.Lateness{}, err
	}
	loans, err := store.LoansAt(v, company, state.Accounts[company.ID], m.at, m.day)
	if err != nil {
		return resource.Lateness{}, err
	}
	var sum resource.Lateness
	for key, l := range loans {
		if l.View(m.day).PastDue == 0 {
			continue
		}
		o, err := store.At(v, store.OrderNoun, key, m.q)
		if err != nil {
			return resource.Lateness{}, err
		}
		if o != nil {
			addLate(&sum, o, l, m.day)
		}
	}
	return sum, nil
}
