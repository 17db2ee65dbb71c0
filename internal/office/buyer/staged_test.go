package buyer

import (
	"errors"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/ports/facts/sandbox"
)

// with makes a cart of one item.
func with(sku string) func(*onboarding.CreateCheckout) {
	return func(c *onboarding.CreateCheckout) {
		c.Cart = []credit.CartItem{{SKU: "pump"}, {SKU: sku, Name: "Nothing", Price: 500_00, Quantity: 1}}
	}
}

// A sandbox cart triggers a fault of the decision page, once, or a slow decision. The same
// carts trigger nothing in a live server.
func TestCartsThatBringSomethingAbout(t *testing.T) {
	for _, live := range []bool{false, true} {
		for sku, x := range map[string]struct{ faults, waits bool }{sandbox.FaultSKU: {faults: true}, sandbox.SlowSKU: {waits: true}, "tenor": {}} { // unordered: each by itself
			r := newRig(t)
			c, _ := r.begin(500_00, with(sku))
			other, _ := r.begin(700_00, with(sku))
			s := r.signIn(c.ID, "ana@harbor.example")
			if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
				t.Fatal(err)
			}
			r.Sandbox = !live
			a, err := r.Apply(r.ctx, form("00-0000001"), Through{Merchant: r.merchant, Checkout: c.ID}, "")
			if err != nil {
				t.Fatal(err)
			}
			undecided := func() bool {
				v, err := r.Visit(r.ctx, c.ID)
				if err != nil || v.Application.ID != a.ID {
					t.Fatal(err)
				}
				return v.Application.Status == credit.ApplicationSubmitted
			}
			turn := func(after time.Duration) {
				r.now = r.now.Add(after)
				if err := r.RunDue(r.ctx, "test"); err != nil && !live { // nobody sends its mail
					t.Fatal(err)
				}
			}
			first := undecided()
			turn(sandbox.SlowFor - time.Second)
			later := undecided()
			turn(time.Second)
			if want := x.waits && !live; first != want || later != want || undecided() {
				t.Errorf("live %v, %s: undecided at once %v, a second before its time %v, then %v", live, sku, first, later, undecided())
			}
			for i, y := range []*credit.Checkout{c, c, other, c} {
				want := x.faults && !live && (i == 0 || i == 2)
				if err := r.Stage(y); errors.Is(err, ErrStaged) != want || err != nil && !want {
					t.Errorf("live %v, %s: page %d: %v", live, sku, i+1, err)
				}
			}
		}
	}
}
