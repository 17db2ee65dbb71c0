package permit_test

import (
	"testing"

	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// A limit of nothing makes everything wait; a permission without a limit has none to exceed.
func TestPolicyLimits(t *testing.T) {
	p := permit.Policy{Required: true}
	p.Limits = map[permit.Permission]money.Amount{permit.Refund: 0}
	for _, c := range []struct {
		of    permit.Permission
		cents money.Amount
		g     permit.Grant
		want  bool
	}{
		{permit.Refund, 1, permit.Limit, true}, {permit.Refund, 0, permit.Limit, false}, {permit.Refund, 1, permit.Alone, false},
		{permit.Service, 5_000_00, permit.Limit, false}, {permit.Service, 5_000_01, permit.Limit, true}, {permit.ChargeOff, 0, permit.Second, true},
	} {
		if got := p.Takes(c.of, c.cents, c.g); got != c.want {
			t.Errorf("%s of %d with %s takes two: %v", c.of, c.cents, c.g, got)
		}
	}
}
