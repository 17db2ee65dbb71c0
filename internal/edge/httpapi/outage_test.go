package httpapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/edge/rest"
)

// away is a database that does not respond.
type away struct{ store.Backend }

func (away) View(context.Context, func(store.View) error) error {
	return fmt.Errorf("view: %w", store.ErrUnreachable)
}

// stuck is an engine whose commit never finishes. It reports the time it is given, and then
// that the time has run out.
type stuck struct{ given chan time.Duration }

func (x stuck) Submit(ctx context.Context, _ engine.Request) (engine.Result, error) {
	until, limited := ctx.Deadline()
	if !limited {
		until = time.Now().Add(time.Hour)
	}
	x.given <- time.Until(until)
	return engine.Result{}, engine.ErrOutcomeUnknown
}

// A read from a database that does not respond is worth retrying: 503, not 500.
func TestReadWithoutDatabase(t *testing.T) {
	s := open(t)
	s.service.Store = away{s.backend}
	r := s.call("shop", "GET", "/v1/order/ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "")
	if r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("answered %d, %q, Retry-After %q", r.status, r.code(), r.header.Get("Retry-After"))
	}
}

// A caller waiting for a commit that never finishes is told so before the connection's own
// deadline (EN5).
func TestWaitForCommitEnds(t *testing.T) {
	s := open(t)
	x := stuck{make(chan time.Duration, 1)}
	s.service.Submit = x
	r := s.call("shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":"10.00"}`, s.company), "Idempotency-Key", "k")
	if r.status != 503 || r.code() != "outcome_unknown" {
		t.Errorf("answered %d, %q", r.status, r.code())
	}
	if given, most := <-x.given, rest.NewServer("", nil, slog.New(slog.DiscardHandler)).WriteTimeout; given >= most {
		t.Errorf("the caller waits %s, and its connection ends after %s", given, most)
	}
}
