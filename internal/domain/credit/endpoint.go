package credit

import (
	"fmt"
	"strings"
	"time"

	"tenor/internal/domain/ulid"
)

// MaxEndpoints is the most endpoints that a merchant may have at a time.
const MaxEndpoints = 20

// SigningSecretOf is the context that an endpoint's signing secrets are sealed with, its
// table, row and column: a secret copied to another endpoint does not open.
func SigningSecretOf(endpoint string) string { return "endpoints/" + endpoint + "/secrets" }

// EndpointID generates the identifier of a new endpoint from a seed at an instant of business
// time, so that its secret can be sealed for it in advance.
func EndpointID(seed [16]byte, at time.Time) string {
	g := ulid.StreamAt(seed, at)
	return g.Next(PrefixEndpoint)
}

// EndpointShaped reports whether a text has the form of an endpoint's identifier.
func EndpointShaped(id string) bool {
	drawn, ok := strings.CutPrefix(id, PrefixEndpoint)
	return ok && ulid.Is(drawn)
}

// EndpointPlace is one of a merchant's slots for endpoints. Claiming one bounds their number
// across all nodes.
func EndpointPlace(merchant string, n int) Claim {
	return Claim{Kind: ClaimEndpointPlace, Scope: merchant, Name: fmt.Sprint(n + 1)}
}

// Places are the claims of which an endpoint of this kind holds one.
func (x *Endpoint) Places() []Claim {
	if x.Kind == EndpointCheckout {
		return []Claim{CheckoutPlace(x.Merchant)}
	}
	list := make([]Claim, MaxEndpoints)
	for n := range list {
		list[n] = EndpointPlace(x.Merchant, n)
	}
	return list
}
