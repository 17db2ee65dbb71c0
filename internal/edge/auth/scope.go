package auth

import (
	"fmt"
	"slices"

	"tenor/internal/domain/access"
)

// Sandbox is the scope that moves the clock and makes the bank fail. It exists only in
// sandbox mode.
const Sandbox = access.ScopeSandbox

// Scopes returns every scope that a client may hold: a merchant's client, or the
// operator's.
func Scopes(operator, sandbox bool) []string {
	list := access.MerchantScopes()
	if operator {
		list = access.OperatorScopes()
	}
	if sandbox {
		list = append(list, Sandbox)
	}
	return list
}

// usual returns the default scopes of a client: all that it may hold, and for the
// operator's the wide ones instead of their parts.
func usual(operator, sandbox bool) []string {
	list := access.MerchantScopes()
	if operator {
		list = access.WideScopes()
	}
	if sandbox {
		list = append(list, Sandbox)
	}
	return list
}

// UnknownScopeError means that a scope was requested that a client of that kind cannot
// hold.
type UnknownScopeError struct {
	Scope   string
	Allowed []string
}

func (e *UnknownScopeError) Error() string {
	return fmt.Sprintf("scope %q is not one of %v", e.Scope, e.Allowed)
}

// subset checks that every requested scope is allowed (operator:write includes its parts),
// and returns them sorted and without duplicates. The error is an *UnknownScopeError.
func subset(wanted, allowed []string) ([]string, error) {
	for _, s := range wanted {
		if !access.Holds(allowed, s) {
			return nil, &UnknownScopeError{Scope: s, Allowed: allowed}
		}
	}
	out := slices.Clone(wanted)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// common returns the scopes in both lists: a token never holds more than its client
// currently holds.
func common(token, client []string) []string {
	out := make([]string, 0, len(token))
	for _, s := range token {
		if access.Holds(client, s) {
			out = append(out, s)
		}
	}
	return out
}
