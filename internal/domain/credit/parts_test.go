package credit_test

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// However an order is split, its parts pay the whole order's discount (F41.10), and there are
// at most 250 of them.
func TestPartsPayTheWholeDiscount(t *testing.T) {
	o := &credit.Order{Terms: &credit.OrderTerms{DiscountRate: money.MustParseRate("0.030000")}}
	sum := money.Amount(0)
	for range 200 { // 200 × 0.16 paid nothing when each part was rounded alone
		sum = sum.Add(o.DiscountOf(16))
		o.Servicing.CapturedBefore = o.Servicing.CapturedBefore.Add(16)
	}
	if sum != 96 {
		t.Errorf("3 %% of 32.00 in 200 parts is %s", sum)
	}
	parent := &credit.Order{Reserved: 1_000_000, Servicing: credit.Servicing{Children: lending.MaxChildren - 1}}
	if r := (lending.CapturePart{Amount: 100}).Sized(parent); r != nil {
		t.Errorf("the last part is refused: %v", r)
	}
	parent.Servicing.Children++
	if r := (lending.CapturePart{Amount: 100}).Sized(parent); r == nil || r.Code != credit.LimitExceeded.Code || r.Members["limit"] != "children" {
		t.Errorf("part %d is answered with %v", lending.MaxChildren+1, r)
	}
}
