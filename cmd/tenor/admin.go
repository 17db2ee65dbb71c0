package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tenor/client"
	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/screening"
	"tenor/internal/wire"
)

// settleTimeout is how long the lender's commands wait for the database.
const settleTimeout = 30 * time.Second

// lender is a change that only the lender may make. It asks a server, or opens the
// data itself if a database is named: a flag counts before the environment. A data
// directory must not be held by a server; PostgreSQL takes several writers.
type lender struct {
	change
	databaseFlags
	why       string          // reason for the audit log
	sanctions *screening.List // with which a live database compares new names; nil: the next server does
}

// place is the database that is named, nil if a server is to be asked.
func (l *lender) place(a *app) (*place, error) {
	at, err := l.instead(a)
	if err != nil || at == nil {
		return nil, err
	}
	if l.DryRun || l.RetryLast || l.IdempotencyKey != "" {
		return nil, &failure{
			code: exitUsage, text: "--dry-run, --idempotency-key and --retry-last need a server",
			hint: "With a database named, the command decides by itself: leave them out, or name a server with --url.",
		}
	}
	return at, nil
}

// instead is the database that is to be opened instead of asking a server, nil if
// none is.
func (f *databaseFlags) instead(a *app) (*place, error) {
	if f.given["url"] {
		if f.given["data"] || f.given["database"] {
			return nil, &failure{code: exitUsage, text: "--url cannot be used together with --data or --database", hint: "Ask a server, or open the data: one of them."}
		}
		return nil, nil
	}
	return f.where(a)
}

// decide has a command decided in a database, and prints what came of it as a
// server's answer is printed.
func decide[T any](ctx context.Context, a *app, l *lender, at *place, create bool, n noun[T], cmd credit.Command, resource func(any) any, say func(*T) string) error {
	made, err := l.settle(ctx, a, at, create, cmd)
	if err != nil {
		return err
	}
	body, err := wire.Encode(resource(made))
	if err != nil {
		return err
	}
	x := new(T)
	if err := json.Unmarshal(body, x); err != nil {
		return fmt.Errorf("read what was made: %w", err)
	}
	return l.done(a, client.Response{Body: body}, n.key(x), n.row(x), say(x))
}

// open opens the database to decide on it; with create a live one is made.
func (l *lender) open(ctx context.Context, a *app, at *place, create bool) (*node, error) {
	m, err := l.modeOf(ctx, at)
	// A database that is empty or says nothing was left by one that was stopped
	// while it made it; openNode refuses it if it holds anything.
	if create && (errors.Is(err, errNoDatabase) || errors.Is(err, errNoMode)) {
		l.say(a, "New live database in %s.", at)
		m, err = live, nil
	}
	if err != nil {
		return nil, err
	}
	c := nodeConfig{place: at, mode: m, wall: a.wall, log: quietLog(a.err), clock: wallClock, sanctions: l.sanctions}
	if m == sandbox {
		c.clock = keptClock(a.wall)
	}
	return openNode(ctx, c)
}

// modeOf asks the database what it is for, and lets go of it again.
func (l *lender) modeOf(ctx context.Context, at *place) (m mode, err error) {
	db, err := at.share(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return modeOf(ctx, db)
}

// settle has one command decided and returns what came of it.
func (l *lender) settle(ctx context.Context, a *app, at *place, create bool, cmd credit.Command) (result any, err error) {
	n, err := l.open(ctx, a, at, create)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	bounded, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	made, err := n.decided(bounded, engine.Request{Command: cmd, Actor: credit.Actor{Client: "tenor", Operator: true}, Seed: randomSeed(), Reason: l.why})
	if ctx.Err() != nil {
		return nil, err
	}
	return made.Result, unsettled(err)
}

// unsettled words why a command was not carried out, or may not have been.
func unsettled(err error) error {
	var refused *credit.Rejection
	switch {
	case errors.As(err, &refused):
		return &failure{code: exitOf(refused.Status), text: refused.Detail}
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return &failure{
			code: exitRefused, text: "the database has not answered: it may have been done or not", kind: err,
			hint: "Look before you do it again, with tenor merchants list or tenor companies get.",
		}
	case errors.Is(err, engine.ErrReadOnly):
		return &failure{code: exitRefused, text: "the books take no writes", err: err, hint: "tenor verify says what is wrong with them."}
	case errors.Is(err, engine.ErrNotCommitted) || errors.Is(err, engine.ErrExpired) || errors.Is(err, engine.ErrOverloaded):
		return &failure{code: exitUnavailable, text: "the database did not take it: nothing was changed", err: err, hint: "Try again in a moment."}
	}
	return err
}
