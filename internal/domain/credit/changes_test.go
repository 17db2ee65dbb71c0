package credit

import (
	"slices"
	"testing"

	"tenor/internal/domain/schedule"
)

// An event that a replay has moved away from an order is still in that order's history, as it
// is in a database, and every later change of it is seen there: also by a command of the same
// batch, and also if it had moved before the batch.
func TestAnEventThatHasLeftAHistory(t *testing.T) {
	const company = 7
	moved := func(touches ...string) MoneyEvent {
		return MoneyEvent{Event: schedule.Event{ID: "rfd_1", Kind: schedule.EventPaymentRefund}, Company: company, Touches: touches}
	}
	other := MoneyEvent{Event: schedule.Event{ID: "pay_2"}, Company: company, Touches: []string{"b"}}
	s := NewState()
	s.Accounts[company] = []string{"a", "b", "c"}
	s.History = map[string][]MoneyEvent{accountKey(company): {moved("a")}, "a": {moved("a")}, "b": {moved("a"), other}, "c": nil}
	back := moved("a", "c")
	back.Returned = true
	s.Apply(Changes{Money: []MoneyEvent{back}})
	for key, want := range map[string][]string{accountKey(company): {"rfd_1"}, "a": {"rfd_1"}, "b": {"rfd_1", "pay_2"}, "c": {"rfd_1"}} {
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
