//go:build unix

package proctest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/edge/resource"
)

// LetOwe lets a merchant owe the lender without a limit (F41.6), for tests in which it collects
// and no payout nets it. No server may have the database open yet.
func LetOwe(ctx context.Context, db store.Backend, merchant string) error {
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Config{
		Backend: db, Zone: calendar.NewZone(location), Now: time.Now, Node: "set-up", EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
	})
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { e.Run(ctx) })
	result, err := e.Submit(ctx, engine.Request{
		Command: merchants.SetMerchantLimits{Merchant: merchant, Limits: credit.Limits{Due: credit.Unlimited}, Reason: "it pays nothing in"},
		Actor:   credit.Actor{Client: "set-up", Operator: true}, Seed: [16]byte{1},
		Encode: func(credit.Changes, *credit.Rejection) engine.Response { return engine.Response{Status: http.StatusOK} },
	})
	if err == nil && result.Rejection != nil {
		err = result.Rejection
	}
	err = errors.Join(err, e.Close(ctx))
	running.Wait()
	return err
}
