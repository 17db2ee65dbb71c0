package rest

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"tenor/internal/edge/throttle"
)

// Principal is the API client that a token stands for.
type Principal struct {
	ClientID string
	Tenant   string   // on whose behalf it calls; empty for the operator
	Operator bool     // over all tenants
	Scopes   []string // of the token, never more than the client's

	RatePerMinute int // 0: the default of 600
	Burst         int // 0: the default of 100
}

// Authenticator verifies access tokens. It gets only the SHA-256 of a token; it must look
// it up by that hash and compare in constant time, and return false in the same way for a
// token that is unknown, expired, revoked or of another environment. An error means that it
// could not decide, and is answered with 503.
type Authenticator interface {
	Authenticate(ctx context.Context, tokenHash [32]byte) (Principal, bool, error)
}

// bearerToken reads the only Authorization header: the scheme Bearer in any case, spaces,
// and a token of 1 to 512 visible ASCII characters. Tokens in the query or the body are
// ignored.
func bearerToken(h http.Header) (string, bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > 512 || !visibleASCII(token) {
		return "", false
	}
	return token, true
}

// authenticate is the first stage of the precedence. Every 401 is identical. An address
// with too many failures gets 429 for a failing request, until it has waited. A valid token
// is never turned away because of invalid ones: it is still looked up, in a pool with few
// places for such addresses.
func (a *API) authenticate(c *Call) *Problem {
	token, ok := bearerToken(c.Request.Header)
	hash := sha256.Sum256([]byte(token))
	now, from := a.config.Now(), throttle.AddressKey(c.Address)
	wait := a.guard.failures.Wait(from, now)
	if !ok {
		return a.unproven(from, now, wait)
	}
	pool, who, patient := a.guard.strangers, "address:"+from, patience
	proven := a.guard.proven.has(hash)
	switch {
	case proven:
		pool, who, patient = a.guard.lookups, string(hash[:]), 0
	case wait > 0:
		pool = a.guard.suspects
	}
	if !pool.EnterWithin(c.Context(), who, patient) {
		return Unavailable(CodeOverloaded, 0)
	}
	p, ok, err := a.config.Authenticator.Authenticate(c.Context(), hash)
	pool.Leave(who)
	switch {
	case err != nil:
		a.config.Log.Error("authenticate", "request_id", c.RequestID, "error", err.Error())
		return Unavailable(CodeOverloaded, 0)
	case !ok:
		if proven {
			a.guard.proven.forget(hash)
		}
		return a.unproven(from, now, wait)
	}
	c.Principal = p
	if !proven {
		a.guard.proven.add(hash)
	}
	return nil
}

// unproven refuses a request without a valid token. wait is positive after too many
// failures from the address.
func (a *API) unproven(from string, now time.Time, wait time.Duration) *Problem {
	if wait > 0 {
		return limited(wait)
	}
	a.guard.failures.Count(from, now)
	return &Problem{Code: CodeUnauthorized}
}

// authorize is the scope stage.
func (c *Contract) authorize(op *Operation, p Principal) *Problem {
	for _, scope := range op.Scopes {
		if !c.Allows(p, scope) {
			return &Problem{Code: CodeScope, Detail: "The operation requires the scope " + scope + "."}
		}
	}
	if op.TenantOnly && p.Tenant == "" {
		return &Problem{Code: CodeScope, Detail: "The operation requires a " + c.Tenant + "'s token."}
	}
	return nil
}
