package access

import (
	"slices"
	"strings"

	"tenor/internal/domain/permit"
)

// Scopes of the lender's clients. Every operation of the lender requires one of them.
const (
	// ScopeRead reads everything, across all merchants.
	ScopeRead = "operator:read"
	// ScopeWrite is the wide one: it includes the six below.
	ScopeWrite = "operator:write"
	// ScopeCompanies changes companies: links, lines, tiers, status, screenings, notices
	// and payment methods.
	ScopeCompanies = "companies:manage"
	// ScopeMoney moves money: orders, payments, refunds, payouts and where they go,
	// charge-offs and waivers.
	ScopeMoney = "money:manage"
	// ScopeClients manages which programs may call.
	ScopeClients = "clients:manage"
	// ScopeBooks keeps the books and bank data: bank lines, matches, receipts, transfers and
	// months.
	ScopeBooks = "books:manage"
	// ScopeSettings changes the settings of the lender and its merchants: settings, programs,
	// limits, webhooks.
	ScopeSettings = "settings:manage"
	// ScopeApprovals decides on what others have requested, together with the scope of the act.
	ScopeApprovals = "approvals:manage"
)

// ScopeSandbox moves the clock and makes the bank fail. It exists only in sandbox mode.
const ScopeSandbox = "sandbox"

// MerchantScopes returns what a merchant's client may hold, in the order of the contract.
func MerchantScopes() []string {
	return []string{
		"orders:read", "orders:write", "payments:read", "payments:write", "companies:read", "companies:write",
		"checkout:write", "applications:read", "applications:write", "invoices:read", "payouts:read",
		"events:read", "webhooks:read", "webhooks:write", "reports:read",
	}
}

// OperatorScopes returns what the lender's client may hold.
func OperatorScopes() []string { return append(WideScopes(), ManageScopes()...) }

// WideScopes are the two that together allow everything: the default for a client of the
// lender.
func WideScopes() []string { return []string{ScopeRead, ScopeWrite} }

// ManageScopes are the parts of operator:write.
func ManageScopes() []string {
	return []string{ScopeCompanies, ScopeMoney, ScopeClients, ScopeBooks, ScopeSettings, ScopeApprovals}
}

// Holds reports whether somebody with these scopes holds that one too: operator:write includes
// each of its parts. The parts together do not include it, so that nobody gets by accident
// what is added to it later.
func Holds(held []string, scope string) bool {
	return slices.Contains(held, scope) || slices.Contains(ManageScopes(), scope) && slices.Contains(held, ScopeWrite)
}

// OperatorMay reports whether the lender's client with these scopes may do what requires that
// one. operator:read includes every read scope of merchants, and each of their write scopes is
// included in one of the manage scopes.
func OperatorMay(held []string, scope string) bool {
	if Holds(held, scope) {
		return true
	}
	switch scope {
	case "companies:write", "applications:write":
		return Holds(held, ScopeCompanies)
	case "orders:write", "payments:write", "checkout:write":
		return Holds(held, ScopeMoney)
	case "webhooks:write":
		return Holds(held, ScopeSettings)
	}
	return strings.HasSuffix(scope, ":read") && slices.Contains(held, ScopeRead)
}

// Beyond is the first scope of a client that somebody with the held ones may not give, "" if
// none. Nil held is the program itself, which has no limits. Merchants' scopes are below the
// lender's: whoever may give any may give them.
func Beyond(held, given []string) string {
	if held == nil {
		return ""
	}
	for _, s := range given {
		if !slices.Contains(MerchantScopes(), s) && !Holds(held, s) {
			return s
		}
	}
	return ""
}

// scopesOf returns every scope that a command may give to a client. The edge knows whether the
// deployment is a sandbox, and offers the sandbox scope only there.
func scopesOf(merchant string) []string {
	if merchant == "" {
		return append(OperatorScopes(), ScopeSandbox)
	}
	return append(MerchantScopes(), ScopeSandbox)
}

// ForeignScope returns the first scope that a client of the merchant cannot hold.
func ForeignScope(merchant string, scopes []string) (string, bool) {
	allowed := scopesOf(merchant)
	for _, s := range scopes {
		if !slices.Contains(allowed, s) {
			return s, true
		}
	}
	return "", false
}

// ScopeOf is the scope that a client of the operator takes to decide on an act with a permission;
// "": only staff decide on it.
func ScopeOf(p permit.Permission) string {
	switch p {
	case permit.DecideCredit, permit.HoldCompanies:
		return ScopeCompanies
	case permit.Refund, permit.Service, permit.ChargeOff, permit.CancelOrders, permit.CaptureOrders, permit.HoldPayouts, permit.ReleasePayout:
		return ScopeMoney
	case permit.LiveClients:
		return ScopeClients
	case permit.MatchBank, permit.Post:
		return ScopeBooks
	case permit.Settings:
		return ScopeSettings
	}
	return ""
}
