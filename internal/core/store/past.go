package store

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// LoansAt returns a company's loans as they stood on a business date, from what had been
// recorded by an instant. Only current loans are stored; their past follows from their
// money events (F34). If payments have tied a company's orders together, those are replayed
// together.
func LoansAt(v View, company *credit.Company, orders []string, at time.Time, day calendar.Date) (map[string]*schedule.Loan, error) {
	state, account := credit.NewState(), CompanyKey(company.ID)
	groups := [][]string{}
	if company.JointReplay {
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

// gone reports whether an event no longer counted at an instant, although no other event cancels it:
// the return of a dispute that was won, or a refund that did not arrive (F16, F36). What was withdrawn
// before instants were stored counts as never recorded; of refunds, those are marked as returned
// although no return names their payment.
func gone(e credit.MoneyEvent, t time.Time, returned map[string]bool) bool {
	if e.GoneAt != 0 {
		return e.GoneAt <= t.UnixMicro()
	}
	return e.Returned && (e.Kind == schedule.EventReturn || e.Kind == schedule.EventPaymentRefund && !returned[e.Payment])
}

// eventsUntil returns the money events of histories that were recorded by an instant, each
// once, in order of recording, and as they counted then: an event that the reversal of a
// charge-off has redated since keeps its earlier date.
func eventsUntil(state *credit.State, keys []string, t time.Time) []schedule.Event {
	var events []schedule.Event
	var later []credit.MoneyEvent
	seen, returned := map[string]bool{}, map[string]bool{}
	for _, key := range keys {
		for _, e := range state.History[key] {
			returned[e.Payment] = returned[e.Payment] || e.Kind == schedule.EventReturn
		}
	}
	for _, key := range keys {
		for _, e := range state.History[key] {
			switch {
			case seen[e.ID]:
				continue
			case e.At.After(t):
				later = append(later, e)
			case gone(e, t, returned):
			default:
				events = append(events, e.Event)
			}
			seen[e.ID] = true
		}
	}
	slices.SortStableFunc(events, func(a, b schedule.Event) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(later, func(a, b credit.MoneyEvent) int { return cmp.Compare(b.Seq, a.Seq) }) // the first after the instant counts
	for _, e := range later {
		for _, was := range e.Redated {
			if at := slices.IndexFunc(events, func(x schedule.Event) bool { return x.ID == was.ID }); at >= 0 {
				events[at].Date, events[at].Scope = was.Date, was.Scope
			}
		}
	}
	return events
}
