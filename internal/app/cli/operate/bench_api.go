package operate

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
)

// apiForBench returns the API as tenor serve runs it, without pages and probes, for a lender in
// the benchmark's own process. Cursors are valid only that long.
func apiForBench(zone calendar.Zone, wall func() time.Time) func(store.Backend, engine.Submitter, func() time.Time) (*http.Server, error) {
	return func(db store.Backend, submit engine.Submitter, now func() time.Time) (*http.Server, error) {
		log := slog.New(slog.DiscardHandler)
		tokens := auth.NewAuthenticator(db, wall)
		half, other := node.RandomSeed(), node.RandomSeed()
		service := &serve.Service{
			Submit: submit, Store: db, Zone: zone, Now: now, Seed: node.RandomSeed, OAuth: auth.NewServer(db, submit, tokens, wall),
		}
		api, err := httpapi.New(rest.Config{
			BaseURL: "http://localhost", Authenticator: node.Authenticator{Authenticator: tokens}, CursorKey: slices.Concat(half[:], other[:]), Log: log, Now: wall,
		}, httpapi.Table(service))
		if err != nil {
			return nil, err
		}
		handler := api.Handler()
		return rest.NewServer("", handler, log).Server, nil
	}
}
