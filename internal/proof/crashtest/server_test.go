//go:build linux

package crashtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// The recorded server is the same store, engine and API as the program's, with two store options
// that live data must not have: a short WAL, so that a small run contains many checkpoints, and
// synchronous=NORMAL for the control.
const (
	checkpointEnv = "CRASHTEST_CHECKPOINT" // pages
	normalEnv     = "CRASHTEST_NORMAL"     // 1: synchronous=NORMAL

	recordedCompany = 4821073356
	recordedToken   = "shop"
)

// serveRecorded serves the directory named by the environment until SIGTERM.
func serveRecorded() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	pages, err := strconv.Atoi(os.Getenv(checkpointEnv))
	if err != nil {
		return err
	}
	db, err := sqlite.Open(filepath.Join(os.Getenv(serverEnv), "tenor.db"),
		sqlite.Options{AutoCheckpoint: pages, NormalSync: os.Getenv(normalEnv) == "1"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	zone, err := newYork()
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Config{Backend: db, Zone: zone, Now: time.Now, EncodeEvent: encodeEvent, Wire: resource.APIVersion, Node: "crashtest"})
	if err != nil {
		return err
	}
	go e.Run(context.Background())
	merchant, err := furnish(ctx, e)
	if err != nil {
		return err
	}
	service := &serve.Service{Submit: e, Store: db, Zone: zone, Now: time.Now, Seed: drawSeed}
	if err := answerRequests(ctx, service, merchant); err != nil {
		return err
	}
	return e.Close(context.Background())
}

func newYork() (calendar.Zone, error) {
	location, err := time.LoadLocation(calendar.NewYork)
	return calendar.NewZone(location), err
}

func encodeEvent(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
	return resource.EncodeEvent(e, at, by)
}

func drawSeed() (seed [16]byte) {
	_, _ = rand.Read(seed[:])
	return seed
}

// furnish creates the merchant and its company.
func furnish(ctx context.Context, e *engine.Engine) (merchant string, err error) {
	submit := func(cmd credit.Command) (made credit.Changes, err error) {
		result, err := e.Submit(ctx, engine.Request{
			Command: cmd, Actor: credit.Actor{Client: "crashtest", Operator: true}, Seed: drawSeed(),
			Encode: func(c credit.Changes, _ *credit.Rejection) engine.Response {
				made = c
				return engine.Response{Status: 200}
			},
		})
		if err == nil && result.Rejection != nil {
			err = result.Rejection
		}
		return made, err
	}
	made, err := submit(merchants.CreateMerchant{
		Title: "Harbor Supply", Settings: lending.DefaultSettings(), Limits: credit.Limits{Due: credit.Unlimited}, // it never pays anything in
	})
	if err != nil {
		return "", err
	}
	merchant = made.Result.(*credit.Merchant).ID
	_, err = submit(lending.CreateCompany{
		ID: recordedCompany, Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A",
		Limit: money.MustParse("9000000.00"), Merchants: []string{merchant},
	})
	return merchant, err
}

// oneToken accepts a single token.
type oneToken struct{ merchant string }

func (o oneToken) Authenticate(_ context.Context, hash [32]byte) (rest.Principal, bool, error) {
	return rest.Principal{
		ClientID: "cli_shop", Tenant: o.merchant, RatePerMinute: 1e7, Burst: 1e6,
		Scopes: []string{"orders:read", "orders:write", "payments:read", "payments:write", "companies:read"},
	}, hash == sha256.Sum256([]byte(recordedToken)), nil
}

func answerRequests(ctx context.Context, service *serve.Service, merchant string) error {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	api, err := httpapi.New(rest.Config{
		BaseURL: "http://tenor.test", Authenticator: oneToken{merchant}, CursorKey: make([]byte, 32), Log: quiet, Now: time.Now,
	}, httpapi.Table(service))
	if err != nil {
		return err
	}
	handler := api.Handler()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := rest.NewServer("", handler, quiet)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info("serving", "address", l.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return server.Shutdown(context.Background())
	}
}
