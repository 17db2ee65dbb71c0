package credit

import "slices"

// ScopeSandbox moves the clock and makes the bank fail. It exists in sandbox mode
// only.
const ScopeSandbox = "sandbox"

// MerchantScopes returns what a merchant's client may hold, in the order of the
// contract (product: Authentication).
func MerchantScopes() []string {
	return []string{
		"orders:read", "orders:write", "payments:read", "payments:write", "companies:read", "companies:write",
		"checkout:write", "applications:read", "applications:write", "invoices:read", "payouts:read",
		"events:read", "webhooks:read", "webhooks:write", "reports:read",
	}
}

// OperatorScopes returns what the lender's client may hold. They stand for every
// read and write scope, over all merchants.
func OperatorScopes() []string { return []string{"operator:read", "operator:write"} }

// scopesOf returns every scope that a client may be given by a command. Whether the
// deployment is a sandbox is for the edge to know, which offers that scope there only.
func scopesOf(merchant string) []string {
	if merchant == "" {
		return append(OperatorScopes(), ScopeSandbox)
	}
	return append(MerchantScopes(), ScopeSandbox)
}

// foreignScope returns the first scope that a client of the merchant cannot hold.
func foreignScope(merchant string, scopes []string) (string, bool) {
	allowed := scopesOf(merchant)
	for _, s := range scopes {
		if !slices.Contains(allowed, s) {
			return s, true
		}
	}
	return "", false
}
