package webhook

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/returnurl"
)

// originGone is why a checkout's URL is not called.
const originGone = "The origin of the checkout's order_complete_url is no longer registered."

// call is the destination of a CHECKOUT endpoint's event.
type call struct {
	url     string // "" if the checkout has no order_complete_url
	problem string // why it must not be called; "" if it may
}

// caller finds the URLs to call for events' checkouts, in one database snapshot.
type caller struct {
	view    store.View
	sandbox bool
}

// of returns the URL to call for an event's checkout. A merchant's URL is checked again
// against the currently registered origins: a removed one gets nothing.
func (c caller) of(e store.EventRow) (call, error) {
	s := credit.NewState()
	if err := c.view.Load(s, credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounCheckout, ID: e.Object.ID}}}); err != nil {
		return call{}, fmt.Errorf("checkout of event %s: %w", e.ID, err)
	}
	x := s.Checkout(e.Object.ID)
	if x == nil || x.CompleteURL == "" {
		return call{}, nil
	}
	to := call{url: returnurl.Expand(x.CompleteURL, returnurl.Values{OrderKey: x.Of, CheckoutID: x.ID})}
	rules := returnurl.Rules{Sandbox: c.sandbox}
	if !c.sandbox {
		if err := c.view.Load(s, credit.Keys{Merchants: []string{x.Merchant}}); err != nil {
			return call{}, fmt.Errorf("merchant of checkout %s: %w", x.ID, err)
		}
		if m := s.Merchants[x.Merchant]; m != nil {
			rules.Origins = m.Shop.Origins
		}
	}
	if returnurl.Check(x.CompleteURL, rules) != nil {
		to.problem = originGone
	}
	return to, nil
}
