package credit

import "slices"

// CheckoutPlace is the one place that a merchant has for its CHECKOUT endpoint, beside
// those for endpoints of its own: a checkout is not refused because these are taken.
func CheckoutPlace(merchant string) Claim {
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
