package credit

import "slices"

// checkoutPlace is the one place that a merchant has for its CHECKOUT endpoint, beside
// those for endpoints of its own: a checkout is not refused because these are taken.
func checkoutPlace(merchant string) Claim {
	return Claim{Kind: ClaimEndpointPlace, Scope: merchant, Name: "checkout"}
}

// Aimed reports that an endpoint is sent what its kind says, where its kind says.
func (x *Endpoint) Aimed() bool {
	switch x.Kind {
	case EndpointOwn:
		return x.URL != ""
	case EndpointCheckout:
		return x.URL == "" && slices.Equal(x.EventTypes, []EventType{CheckoutAcceptedEvent})
	}
	return false
}

// endpointKeys asks for what a checkout with an order_complete_url may have to make.
func (c CreateCheckout) endpointKeys(merchant string) Keys {
	if c.CompleteURL == "" {
		return Keys{}
	}
	return Keys{Claims: []Claim{checkoutPlace(merchant)}, Endpoints: []string{c.Endpoint}}
}

// signed asks for a signing secret where the checkout's order_complete_url is to be called.
func (c CreateCheckout) signed(s *State) *Rejection {
	switch {
	case c.CompleteURL == "":
	case len(c.Sealed) == 0 || !EndpointShaped(c.Endpoint) || s.Endpoints[c.Endpoint] != nil:
		return ValidationFailed.Because("Calls to an order_complete_url need a signing secret.")
	}
	return nil
}

// callsFrom makes the merchant's CHECKOUT endpoint with the first checkout that has an
// order_complete_url, in the same commit: no call of it is without a secret that signs it.
func (c CreateCheckout) callsFrom(d *Draft, merchant string) {
	place := checkoutPlace(merchant)
	if c.CompleteURL == "" || d.State.Claims[place] != "" {
		return
	}
	x := &Endpoint{
		ID: c.Endpoint, Merchant: merchant, Kind: EndpointCheckout, EventTypes: []EventType{CheckoutAcceptedEvent}, Enabled: true,
		Secrets: []EndpointSecret{{Sealed: c.Sealed}}, CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1,
	}
	d.Endpoints.Add(x.ID, x)
	d.Claim(place, x.ID)
}
