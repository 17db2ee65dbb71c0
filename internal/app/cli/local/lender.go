// Package local is for commands that can open the data themselves instead of calling a server:
// which database is named, and how the lender's changes are decided in it.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/engine"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/ports/screening"
)

// settleTimeout is how long the lender's commands wait for the database.
const settleTimeout = 30 * time.Second

// Lender is a change that only the lender may make. It calls a server, or opens the data itself
// if a database is named: a flag overrides the environment. No server may have a data directory
// open; PostgreSQL allows several writers.
type Lender struct {
	terminal.Change
	DatabaseFlags
	Why       string          // reason for the audit log
	Sanctions *screening.List // screens new names in a live database; nil: the next server does
}

// Place returns the named database, nil if a server is to be called.
func (l *Lender) Place(a *terminal.App) (*node.Place, error) {
	at, err := l.Instead(a)
	if err != nil || at == nil {
		return nil, err
	}
	if l.DryRun || l.RetryLast || l.IdempotencyKey != "" {
		return nil, &exit.Failure{
			Code: exit.Usage, Text: "--dry-run, --idempotency-key and --retry-last need a server",
			Hint: "With --data or --database the command opens the data itself. Omit these flags, or use a server with --url.",
		}
	}
	return at, nil
}

// Instead returns the database to open instead of calling a server, or nil.
func (f *DatabaseFlags) Instead(a *terminal.App) (*node.Place, error) {
	if f.given["url"] {
		if f.given["data"] || f.given["database"] {
			return nil, &exit.Failure{Code: exit.Usage, Text: "--url cannot be used together with --data or --database", Hint: "Use either a server or the data."}
		}
		return nil, nil
	}
	return f.Where(a)
}

// Decide decides a command in a database, and prints the result like a server's response.
func Decide[T any](ctx context.Context, a *terminal.App, l *Lender, at *node.Place, create bool, n terminal.Noun[T], cmd credit.Command, shown func(any) any, say func(*T) string) error {
	made, err := l.settle(ctx, a, at, create, cmd)
	if err != nil {
		return err
	}
	body, err := resource.Encode(shown(made))
	if err != nil {
		return err
	}
	x := new(T)
	if err := json.Unmarshal(body, x); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	return l.Done(a, client.Response{Body: body}, n.Key(x), n.Row(x), say(x))
}

// open opens the database to decide on it; with create, a missing one is created as live.
func (l *Lender) open(ctx context.Context, a *terminal.App, at *node.Place, create bool) (*node.Node, error) {
	m, err := l.modeOf(ctx, at)
	// A database that is empty or has no mode was left by a process stopped while creating it;
	// node.Open refuses it if it contains anything.
	if create && (errors.Is(err, node.ErrNoDatabase) || errors.Is(err, node.ErrNoMode)) {
		l.Say(a, "Created a live database in %s.", at)
		m, err = node.Live, nil
	}
	if err != nil {
		return nil, err
	}
	c := node.Config{Place: at, Mode: m, Wall: a.Wall, Log: node.QuietLog(a.Err), Clock: node.WallClock, Sanctions: l.Sanctions}
	if m == node.Sandbox {
		c.Clock = node.KeptClock(a.Wall)
	}
	return node.Open(ctx, c)
}

// modeOf reads the database's mode and closes it again.
func (l *Lender) modeOf(ctx context.Context, at *node.Place) (m node.Mode, err error) {
	db, err := at.Share(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return node.ModeOf(ctx, db)
}

// settle decides one command and returns the result.
func (l *Lender) settle(ctx context.Context, a *terminal.App, at *node.Place, create bool, cmd credit.Command) (result any, err error) {
	n, err := l.open(ctx, a, at, create)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	bounded, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	made, err := n.Decided(bounded, engine.Request{Command: cmd, Actor: credit.Actor{Client: "tenor", Operator: true}, Seed: node.RandomSeed(), Reason: l.Why})
	if ctx.Err() != nil {
		return nil, err
	}
	return made.Result, unsettled(err)
}

// unsettled explains why a command was not carried out, or may not have been.
func unsettled(err error) error {
	var refused *credit.Rejection
	switch {
	case errors.As(err, &refused):
		return &exit.Failure{Code: exit.OfStatus(refused.Status), Text: refused.Detail}
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return &exit.Failure{
			Code: exit.Refused, Text: "the database did not answer; the change may or may not have been made", Kind: err,
			Hint: "Check with tenor merchants list or tenor companies get before you repeat it.",
		}
	case errors.Is(err, engine.ErrReadOnly):
		return &exit.Failure{Code: exit.Refused, Text: "the books are read-only", Err: err, Hint: "tenor verify shows what is wrong."}
	case errors.Is(err, engine.ErrNotCommitted) || errors.Is(err, engine.ErrExpired) || errors.Is(err, engine.ErrOverloaded):
		return &exit.Failure{Code: exit.Unavailable, Text: "the database rejected the write; nothing was changed", Err: err, Hint: "Try again in a moment."}
	}
	return err
}
