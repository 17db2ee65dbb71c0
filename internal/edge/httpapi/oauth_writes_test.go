package httpapi_test

import (
	"context"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/edge/auth"
)

// closed accepts no commands.
type closed struct{ why error }

func (c closed) Submit(context.Context, engine.Request) (engine.Result, error) {
	return engine.Result{}, c.why
}

// While nothing can be written no tokens are issued, and the client is told when to retry.
func TestTokensWaitForWrites(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, "")
	grant := func() reply {
		return h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret))
	}
	token := grant().text("access_token")
	open := h.service.OAuth
	for _, why := range []error{engine.ErrReadOnly, engine.ErrOverloaded, engine.ErrOutcomeUnknown, engine.ErrNotCommitted, engine.ErrClosed} {
		h.service.OAuth = auth.NewServer(h.backend, closed{why}, nil, h.now)
		r := grant()
		if r.status != 503 || r.text("error") != "temporarily_unavailable" || r.header.Get("Retry-After") == "" {
			t.Errorf("%v: %d %s", why, r.status, r.raw)
		}
		if r := h.form("/oauth/revoke", "token="+token, "Authorization", basic(id, secret)); r.status != 503 || r.header.Get("Retry-After") == "" {
			t.Errorf("revoke, %v: %d %s", why, r.status, r.raw)
		}
	}
	h.service.OAuth = open
	if r := grant(); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.raw)
	}
}
