package webhook

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strconv"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

const (
	submitTimeout = 10 * time.Second
	submitAgain   = 5 * time.Second // after a failure
	// purgeAfter and purgeEvery schedule the deletion of old data: soon after the start,
	// and then repeatedly.
	purgeAfter = time.Minute
	purgeEvery = time.Hour
	// purgeRows is how many rows are deleted at a time, with a pause: others write too.
	purgeRows  = 500
	purgePause = 100 * time.Millisecond
	// keepTokens is how long an ended token is kept.
	keepTokens = 24 * time.Hour
)

// goneEndpoint is an endpoint that answered 410, as it was at the time.
type goneEndpoint struct {
	id      string
	version int
}

// chores does what is not urgent: it disables endpoints and deletes old data.
func (s *Sender) chores(ctx context.Context) {
	purge := time.NewTimer(purgeAfter)
	defer purge.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case g := <-s.gone:
			for !s.disable(ctx, g) && wait(ctx, submitAgain) {
			}
		case <-purge.C:
			s.purge(ctx)
			purge.Reset(purgeEvery)
		}
	}
}

// disable submits the command for a 410. If the endpoint has changed since, its new URL has
// not answered 410, and nothing happens. False: retry. The desk learns of it like any
// change of an endpoint.
func (s *Sender) disable(ctx context.Context, g goneEndpoint) bool {
	ctx, cancel := context.WithTimeout(ctx, submitTimeout)
	defer cancel()
	r := engine.Request{
		Command: access.UpdateEndpoint{Endpoint: g.id, IfMatch: []string{`"` + strconv.Itoa(g.version) + `"`}, Gone: true},
		Actor:   credit.Actor{Client: "system", Operator: true},
	}
	_, _ = rand.Read(r.Seed[:]) // never fails
	result, err := s.cfg.Submit.Submit(ctx, r)
	switch {
	case err != nil:
		s.cfg.Log.Warn("webhook: cannot disable an endpoint that answered 410", slog.String("endpoint", g.id), slog.Any("error", err))
		return false
	case result.Rejection != nil:
		s.cfg.Log.Info("webhook: endpoint that answered 410 was changed in the meantime", slog.String("endpoint", g.id))
	default:
		s.cfg.Log.Info("webhook: endpoint answered 410 and was disabled", slog.String("endpoint", g.id))
	}
	return true
}

// purge deletes old deliveries and tokens. One process per hour does it.
func (s *Sender) purge(ctx context.Context) {
	now := s.now()
	if !s.cfg.Alone {
		if _, ok, err := s.cfg.Backend.Lease(ctx, "webhook/purge", s.holder, now, now.Add(purgeEvery)); !ok || err != nil {
			return
		}
	}
	before := store.Retention{Tokens: now.Add(-keepTokens), Deliveries: now.Add(-s.cfg.Keep)}
	for {
		n, err := s.cfg.Backend.Purge(ctx, before, purgeRows)
		if err != nil {
			s.cfg.Log.Warn("webhook: delete old rows", slog.Any("error", err))
			return
		}
		if n < purgeRows { // fewer than that of either kind
			return
		}
		if !wait(ctx, purgePause) {
			return
		}
	}
}

// wait returns false if the context ends before the time is over.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
