package onboarding

import "tenor/internal/domain/credit"

// endpointKeys requests what a checkout with an order_complete_url may have to create.
func (c CreateCheckout) endpointKeys(merchant string) credit.Keys {
	if c.CompleteURL == "" {
		return credit.Keys{}
	}
	return credit.Keys{Claims: []credit.Claim{credit.CheckoutPlace(merchant)}, Endpoints: []string{c.Endpoint}}
}

// signed requires a signing secret if the checkout has an order_complete_url.
func (c CreateCheckout) signed(s *credit.State) *credit.Rejection {
	switch {
	case c.CompleteURL == "":
	case len(c.Sealed) == 0 || !credit.EndpointShaped(c.Endpoint) || s.Endpoints[c.Endpoint] != nil:
		return credit.ValidationFailed.Because("Calls to an order_complete_url need a signing secret.")
	}
	return nil
}

// callsFrom creates the merchant's CHECKOUT endpoint with the first checkout that has an
// order_complete_url, in the same commit: no call is ever made without a signing secret.
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
