package store

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/schedule"
)

// LoansAt are loans of a company as they stood on a business date, of what had been
// recorded by an instant. Loans are kept as they are now; what they were follows from
// their money events (F34). Orders of a company whose payments have tied them together
// are replayed together.
func LoansAt(v View, company *credit.Company, orders []string, at time.Time, day calendar.Date) (map[string]*schedule.Loan, error) {
	state, account := credit.NewState(), CompanyKey(company.ID)
	groups := [][]string{}
	if company.Shared {
		if err := v.Load(state, credit.Keys{Accounts: []int64{company.ID}}); err != nil {
			return nil, err
		}
		groups = append(groups, append([]string{account}, state.Accounts[company.ID]...))
	} else {
		for _, key := range orders {
			groups = append(groups, []string{key})
		}
	}
	loans := map[string]*schedule.Loan{}
	if err := v.Load(state, credit.Keys{History: slices.Concat(groups...)}); err != nil {
		return nil, err
	}
	for _, keys := range groups {
		p, _ := schedule.Replay(eventsUntil(state, keys, at), day)
		for _, l := range p.Loans {
			loans[l.Key] = l
		}
	}
	return loans, nil
}

// eventsUntil are the money events of histories that were recorded by an instant,
// each once, in order of recording.
func eventsUntil(state *credit.State, keys []string, t time.Time) []schedule.Event {
	var events []schedule.Event
	seen := map[string]bool{}
	for _, key := range keys {
		for _, e := range state.History[key] {
			if !seen[e.ID] && !e.At.After(t) {
				seen[e.ID] = true
				events = append(events, e.Event)
			}
		}
	}
	slices.SortStableFunc(events, func(a, b schedule.Event) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
	return events
}
