package resource_test

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
)

// TestElsewhere: somebody who sees a payment of one order must not learn which other order
// its credit has paid; that may be another merchant's.
func TestElsewhere(t *testing.T) {
	p := resource.NewPayment(&credit.Payment{Order: "ord_a", Allocations: []credit.Allocation{
		{Order: "ord_a", Installment: 1, Principal: 3000}, {Order: "ord_b", Installment: 2, Principal: 500, Elsewhere: true},
	}})
	if own := p.Allocations[0].OrderKey; own == nil || *own != "ord_a" {
		t.Errorf("its own order is %v", own)
	}
	if other := p.Allocations[1]; other.OrderKey != nil || other.Principal != 500 || other.Installment != 2 {
		t.Errorf("the other order is told as %+v", other)
	}
}
