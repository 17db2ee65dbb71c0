package credit_test

import (
	"slices"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// Two captures of one batch have the same instant. The company's account lists them in load
// order, whichever came first. Otherwise a later command of the batch, such as one choosing
// the order that owes, would depend on the batch.
func TestAccountKeepsOrder(t *testing.T) {
	for _, keys := range [][]string{{"ord_A", "ord_B"}, {"ord_B", "ord_A"}} {
		s := credit.NewState()
		s.Accounts[7] = nil
		for _, key := range append([]string{"ord_Z"}, keys...) {
			at := int64(20)
			if key == "ord_Z" {
				at = 10
			}
			s.Apply(credit.Changes{
				Orders: []*credit.Order{{Key: key, Company: 7}},
				Loans:  []*schedule.Loan{{Key: key, CapturedAt: at}},
			})
		}
		if want := []string{"ord_Z", "ord_A", "ord_B"}; !slices.Equal(s.Accounts[7], want) {
			t.Errorf("captured as %v, the account is %v", keys, s.Accounts[7])
		}
	}
}
