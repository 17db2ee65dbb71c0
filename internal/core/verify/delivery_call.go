package verify

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/returnurl"
)

// readCalls notes which checkouts are called after their acceptance, and where.
func (c *courier) readCalls() error {
	return store.EachRecord(c.view, credit.NounCheckout, func(r credit.Record) error {
		if x := r.(*credit.Checkout); x.CompleteURL != "" {
			c.calls[x.ID] = returnurl.Expand(x.CompleteURL, returnurl.Values{OrderKey: x.Of, CheckoutID: x.ID})
		}
		return c.ctx.Err()
	})
}

// wants reports whether an endpoint is sent an event: one of kind CHECKOUT only those of
// checkouts that have an order_complete_url.
func (c *courier) wants(h history, e *store.EventRow) bool {
	return h.wants(e) && (h.now().Kind != credit.EndpointCheckout || c.calls[e.Object.ID] != "")
}

// callOf is the address that a delivery of an event has for itself, "" if its endpoint has.
func (c *courier) callOf(h history, e *store.EventRow) string {
	if h.now().Kind != credit.EndpointCheckout {
		return ""
	}
	return c.calls[e.Object.ID]
}
