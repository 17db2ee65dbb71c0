package credit_test

import (
	"slices"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// An event that a replay moved away from an order is still in that order's history, as in a
// database, and every later change of it shows there: also from a command of the same batch,
// and also if it had moved before the batch.
func TestAnEventThatHasLeftAHistory(t *testing.T) {
	const company = 7
	moved := func(touches ...string) credit.MoneyEvent {
		return credit.MoneyEvent{Event: schedule.Event{ID: "rfd_1", Kind: schedule.EventPaymentRefund}, Company: company, Touches: touches}
	}
	other := credit.MoneyEvent{Event: schedule.Event{ID: "pay_2"}, Company: company, Touches: []string{"b"}}
	s := credit.NewState()
	s.Accounts[company] = []string{"a", "b", "c"}
	s.History = map[string][]credit.MoneyEvent{credit.AccountKey(company): {moved("a")}, "a": {moved("a")}, "b": {moved("a"), other}, "c": nil}
	back := moved("a", "c")
	back.Returned = true
	s.Apply(credit.Changes{Money: []credit.MoneyEvent{back}})
	for key, want := range map[string][]string{credit.AccountKey(company): {"rfd_1"}, "a": {"rfd_1"}, "b": {"rfd_1", "pay_2"}, "c": {"rfd_1"}} {
		var got []string
		for _, e := range s.History[key] {
			got = append(got, e.ID)
			if e.Returned != (e.ID == "rfd_1") {
				t.Errorf("%s shows %s as it was", key, e.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the history of %s: %v, want %v", key, got, want)
		}
	}
}
