package httpapi

import (
	"slices"
	"sort"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/money"
	"tenor/internal/schedule"
	"tenor/internal/store"
	"tenor/internal/wire"
)

// standing is an order's loan as it stands today, nil before capture. Money that
// is held for the order has paid what fell due, as the next command will post it:
// a buyer whose money lies here is not shown late (F36, F37).
func (s *Service) standing(v store.View, state *credit.State, o *credit.Order) (*schedule.Loan, error) {
	l := state.Loans[o.Key]
	if l == nil {
		return nil, nil
	}
	today := s.today()
	if next := l.Current - 1; next == len(l.Rows) || l.Rows[next].DueDate > today {
		// Held money pays when a row falls due. None has since the loan was written,
		// so it is not worth two reads to know whether there is any.
		return l.Standing(nil, today), nil
	}
	if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}}); err != nil {
		return nil, err
	}
	return l.Standing(held(state.Credits[o.Company]), today), nil
}

// held are the credits that wait for an order's due dates.
func held(credits []credit.Credit) []schedule.Credit {
	var out []schedule.Credit
	for _, c := range credits {
		if c.Hold && c.Order != "" {
			out = append(out, c.Credit)
		}
	}
	return out
}

// lateness is what a company owes late today. The rows as they are stored say it
// for all orders but those for which money is held; these are shown as standing
// does.
func (s *Service) lateness(v store.View, x *credit.Company) (wire.Lateness, error) {
	late, err := v.PastDue(x.ID, "", s.today())
	if err != nil {
		return wire.Lateness{}, err
	}
	return s.lateBeside(v, x, late)
}

// lateBeside is lateness where the sum of the rows as they are stored is known.
func (s *Service) lateBeside(v store.View, x *credit.Company, late store.PastDue) (wire.Lateness, error) {
	stored := lateSum{money.Amount(late.Amount), late.Oldest}
	if stored.amount == 0 {
		return wire.Lateness{}, nil
	}
	if x.Credit == 0 {
		return stored.on(s.today()), nil
	}
	loans, credits, err := heldLoans(v, x.ID)
	if err != nil {
		return wire.Lateness{}, err
	}
	others := stored
	for _, l := range loans {
		others.amount -= lateOf(l, s.today()).amount
	}
	if others.oldest, err = oldestOther(v, x.ID, loans, others.amount, stored.oldest, s.today()); err != nil {
		return wire.Lateness{}, err
	}
	for _, l := range loans {
		others.add(lateOf(l.Standing(credits, s.today()), s.today()))
	}
	return others.on(s.today()), nil
}

// heldLoans are a company's loans for which money is held, with that money.
func heldLoans(v store.View, company int64) ([]*schedule.Loan, []schedule.Credit, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Companies: []int64{company}}); err != nil {
		return nil, nil, err
	}
	credits := held(state.Credits[company])
	var keys []string
	for _, c := range credits {
		keys = append(keys, c.Order)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if err := v.Load(state, credit.Keys{Orders: keys}); err != nil {
		return nil, nil, err
	}
	var loans []*schedule.Loan
	for _, key := range keys {
		if l := state.Loans[key]; l != nil {
			loans = append(loans, l)
		}
	}
	return loans, credits, nil
}

// oldestOther is the oldest late due date of the orders that are not among the
// loans, None if these owe nothing late. The store sums over all orders only, so
// the date is the first one after which there is more than the loans' own.
func oldestOther(v store.View, company int64, loans []*schedule.Loan, amount money.Amount, from, today calendar.Date) (calendar.Date, error) {
	if amount == 0 || len(loans) == 0 {
		if amount == 0 {
			from = calendar.None
		}
		return from, nil
	}
	var failed error
	n := sort.Search(from.DaysUntil(today), func(days int) bool {
		before := from.AddDays(days + 1)
		all, err := v.PastDue(company, "", before)
		if err != nil {
			failed = err
			return true
		}
		sum := money.Amount(all.Amount)
		for _, l := range loans {
			sum -= lateOf(l, before).amount
		}
		return sum > 0
	})
	return from.AddDays(n), failed
}

// lateSum is unpaid charge and principal of late rows with the oldest due date.
type lateSum struct {
	amount money.Amount
	oldest calendar.Date // None if nothing is late
}

func (a *lateSum) add(b lateSum) {
	a.amount = a.amount.Add(b.amount)
	if a.oldest == calendar.None || b.oldest != calendar.None && b.oldest < a.oldest {
		a.oldest = b.oldest
	}
}

func (a lateSum) on(day calendar.Date) wire.Lateness {
	l := wire.Lateness{Amount: a.amount}
	if a.oldest != calendar.None {
		l.Days = a.oldest.DaysUntil(day)
	}
	return l
}

// lateOf sums the rows due before a day as they are, as a store's PastDue does.
func lateOf(l *schedule.Loan, day calendar.Date) lateSum {
	sum := lateSum{oldest: calendar.None}
	for i := range l.Rows {
		if r := &l.Rows[i]; r.DueDate < day && r.Unpaid() > 0 {
			sum.add(lateSum{r.Unpaid(), r.DueDate})
		}
	}
	return sum
}
