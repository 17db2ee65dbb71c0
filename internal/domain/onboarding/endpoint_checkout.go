package onboarding

import "tenor/internal/domain/credit"

// endpointKeys asks for what a checkout with an order_complete_url may have to make.
func (c CreateCheckout) endpointKeys(merchant string) credit.Keys {
	if c.CompleteURL == "" {
		return credit.Keys{}
	}
	return credit.Keys{Claims: []credit.Claim{credit.CheckoutPlace(merchant)}, Endpoints: []string{c.Endpoint}}
}

// signed asks for a signing secret where the checkout's order_complete_url is to be called.
func (c CreateCheckout) signed(s *credit.State) *credit.Rejection {
	switch {
	case c.CompleteURL == "":
	case len(c.Sealed) == 0 || !credit.EndpointShaped(c.Endpoint) || s.Endpoints[c.Endpoint] != nil:
		return credit.ValidationFailed.Because("Calls to an order_complete_url need a signing secret.")
	}
	return nil
}

// callsFrom makes the merchant's CHECKOUT endpoint with the first checkout that has an
// order_complete_url, in the same commit: no call of it is without a secret that signs it.
func (c CreateCheckout) callsFrom(d *credit.Draft, merchant string) {
	place := credit.CheckoutPlace(merchant)
	if c.CompleteURL == "" || d.State.Claims[place] != "" {
		return
	}
	x := &credit.Endpoint{
		ID: c.Endpoint, Merchant: merchant, Kind: credit.EndpointCheckout, EventTypes: []credit.EventType{credit.CheckoutAcceptedEvent}, Enabled: true,
		Secrets: []credit.EndpointSecret{{Sealed: c.Sealed}}, CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1,
	}
	d.Endpoints.Add(x.ID, x)
	d.Claim(place, x.ID)
}
