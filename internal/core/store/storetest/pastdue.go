package storetest

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// testPastDue compares with a plain loop over all loans.
func testPastDue(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	for range 30 {
		commit(t, b, w.Batch(20))
	}
	view(t, b, func(v store.View) {
		for _, company := range w.companies {
			for _, merchant := range append([]string{""}, w.merchants[:2]...) {
				for _, days := range []int{0, 45, 100, 400} {
					day := w.today().AddDays(days)
					want := store.PastDue{Oldest: calendar.None}
					for _, key := range w.State.Accounts[company] {
						if merchant != "" && w.State.Orders[key].Merchant != merchant {
							continue
						}
						for _, r := range w.State.Loans[key].Rows {
							if open := int64(r.Principal + r.Charge - r.PaidPrincipal - r.PaidCharge); open > 0 && r.DueDate < day {
								want.Amount += open
								if want.Oldest == calendar.None || r.DueDate < want.Oldest {
									want.Oldest = r.DueDate
								}
							}
						}
					}
					equal(t, "past due", want, must(store.PastDueOf(v, company, merchant, day))(t))
					sums := must(store.PastDues(v, append([]int64{7, company}, w.companies...), merchant, day))(t)
					if sum, found := sums[company]; found != (want.Amount > 0) || found && sum != want {
						t.Errorf("past due of company %d among others is %v, want %v", company, sum, want)
					}
					if _, found := sums[7]; found {
						t.Error("a company that does not exist owes something")
					}
				}
			}
		}
	})
}
