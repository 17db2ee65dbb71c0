package serve

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// Standing is an order's loan as of today, nil before capture. Money held for the order has
// paid what fell due, as the next command will post it: a buyer whose money is held here is
// not shown as past due (F36, F37).
func (s *Service) Standing(v store.View, state *credit.State, o *credit.Order) (*schedule.Loan, error) {
	l := state.Loans[o.Key]
	if l == nil {
		return nil, nil
	}
	today := s.Today()
	if next := l.Current - 1; next == len(l.Rows) || l.Rows[next].DueDate > today {
		// Held money pays when a row falls due. None has since the loan was written, so two
		// reads to find out whether there is any are not worth it.
		return l.Standing(nil, today), nil
	}
	if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}}); err != nil {
		return nil, err
	}
	return l.Standing(explain.Held(state.Credits[o.Company]), today), nil
}

// Lateness is what a company has past due today. The stored rows tell whether anything
// could be; what is, is shown order by order as in its schedule: with held money, and with
// its relief (F10, F15, F36).
func (s *Service) Lateness(v store.View, x *credit.Company) (resource.Lateness, error) {
	late, err := store.PastDueOf(v, x.ID, "", s.Today())
	if err != nil {
		return resource.Lateness{}, err
	}
	return s.LateBeside(v, x, late)
}

// LateBeside is Lateness where the sum of the stored rows is known.
func (s *Service) LateBeside(v store.View, x *credit.Company, stored store.PastDue) (resource.Lateness, error) {
	var late resource.Lateness
	if stored.Amount == 0 {
		return late, nil
	}
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Companies: []int64{x.ID}}); err != nil {
		return late, err
	}
	credits := explain.Held(state.Credits[x.ID])
	for _, financing := range []credit.FinancingStatus{credit.FinancingActive, credit.FinancingOverdue, credit.FinancingChargedOff} {
		f := store.OrderFilter{Company: x.ID, Financing: financing, CapturedFrom: calendar.None, CapturedTo: calendar.None}
		if err := eachLoan(v, f, func(o *credit.Order, l *schedule.Loan) {
			addLate(&late, o, l.Standing(credits, s.Today()), s.Today())
		}); err != nil {
			return late, err
		}
	}
	return late, nil
}

// loansAtOnce is how many orders are read together.
const loansAtOnce = 200

// eachLoan calls fn with the orders that match a filter and have a loan.
func eachLoan(v store.View, f store.OrderFilter, fn func(*credit.Order, *schedule.Loan)) error {
	page := store.Page{Limit: loansAtOnce}
	for {
		orders, err := store.ListOrders(v, f, page)
		if err != nil {
			return err
		}
		keys := make([]string, len(orders))
		for i, o := range orders {
			keys[i] = o.Key
		}
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Orders: keys}); err != nil {
			return err
		}
		for _, o := range orders {
			if l := state.Loans[o.Key]; l != nil {
				fn(o, l)
			}
		}
		if len(orders) < page.Limit {
			return nil
		}
		last := orders[len(orders)-1]
		page.AfterAt, page.AfterID = last.CreatedAt, last.Key
	}
}

// addLate adds what is past due on an order.
func addLate(sum *resource.Lateness, o *credit.Order, l *schedule.Loan, day calendar.Date) {
	view := o.View(l, day)
	sum.Amount, sum.Days = sum.Amount.Add(view.PastDue), max(sum.Days, view.DPD)
}

// Estimated is the schedule that a capture on a day would make.
func Estimated(state *credit.State, o *credit.Order, day calendar.Date) (resource.Schedule, error) {
	estimate, r := onboarding.Estimate(state, o, day)
	if r != nil {
		return resource.Schedule{}, &rest.Problem{Code: r.Code, Detail: r.Detail, Members: r.Members}
	}
	return resource.NewEstimate(o, estimate, day), nil
}
