package verify

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/returnurl"
)

// readCalls records which checkouts are called after their acceptance, and where.
func (c *courier) readCalls() error {
	return store.EachRecord(c.view, credit.NounCheckout, func(r credit.Record) error {
		if x := r.(*credit.Checkout); x.CompleteURL != "" {
			c.calls[x.ID] = returnurl.Expand(x.CompleteURL, returnurl.Values{OrderKey: x.Of, CheckoutID: x.ID})
		}
		return c.ctx.Err()
	})
}

// wants reports whether an endpoint gets an event: one of kind CHECKOUT gets only those of
// checkouts that have an order_complete_url.
func (c *courier) wants(h history, e *store.EventRow) bool {
	return h.wants(e) && (h.now().Kind != credit.EndpointCheckout || c.calls[e.Object.ID] != "")
}

// callOf returns a delivery's own URL, "" if it uses its endpoint's.
func (c *courier) callOf(h history, e *store.EventRow) string {
	if h.now().Kind != credit.EndpointCheckout {
		return ""
	}
	return c.calls[e.Object.ID]
}
