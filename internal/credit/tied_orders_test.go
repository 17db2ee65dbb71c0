package credit

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// F37 for orders that a payment of the company has tied together: days that are made up
// for give the same books by value date as days that were served in time. The totals
// agree; the months do not.
func TestTiedOrdersServedLate(t *testing.T) {
	for _, x := range []struct {
		name string
		several
	}{
		// Order 0 is served to today first. The late fee of order 1 on 25 May is then replayed
		// to today, which posts the charge of June to October; so the income that non-accrual
		// takes back on 15 May is 96.00 instead of 36.00.
		{"a flat fee of which a part was prepaid", several{plans: []int{1, 9}, captured: []int{0, 4}, last: 450, deeds: []deed{
			{day: 18, order: -1, amount: 130003}}}},
		// The payment is recorded 300 days late. Order 0 is served and replayed first, with it
		// order 1; the daily runs of order 1 are then skipped until the day of the recording,
		// on which all its late fees fall.
		{"a payment that is recorded late", several{plans: []int{3, 6}, captured: []int{0, 4}, last: 450, deeds: []deed{
			{day: 18, order: -1, amount: 100}, {day: 21, late: 300, order: 0, amount: 60004}}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := x.several
			s.settings = marketSettings
			late := s
			s.daily = true
			a, keys := s.live(t)
			b, others := late.live(t)
			if diff := gocmp.Diff(sumsOf(a, keys), sumsOf(b, others)); diff != "" {
				t.Errorf("figures (-served daily +in the end):\n%s", diff)
			}
			if diff := gocmp.Diff(byValueDate(a, keys), byValueDate(b, others)); diff != "" {
				t.Errorf("books by value date (-served daily +in the end):\n%s", diff)
			}
		})
	}
}
