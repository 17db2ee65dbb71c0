package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/resource"
	sandboxes "tenor/internal/edge/sandbox"
)

// KeptClock is the business clock of a sandbox that nobody plays: it stays where it was
// left, or at the time of the last commit, for the machine's would move it.
func KeptClock(wall func() time.Time) func(context.Context, store.Backend, store.Head) (func() time.Time, error) {
	return func(ctx context.Context, db store.Backend, head store.Head) (func() time.Time, error) {
		stand, _, err := sandboxes.KeptClock(ctx, db)
		if head.At.After(stand) {
			stand = head.At
		}
		if stand.IsZero() { // nothing has happened yet
			stand = wall()
		}
		return clock.NewSettable(stand).Now, err
	}
}

// Console makes and ends access with the database in hand, beside whoever serves it: its
// commands are committed by an engine of its own. start is where the clock of a sandbox
// stands in which nothing has happened yet.
func Console(ctx context.Context, db store.Backend, m Mode, wall func() time.Time, start func() time.Time) (auth.Issuer, error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return auth.Issuer{}, err
	}
	head, err := HeadOf(ctx, db)
	if err != nil {
		return auth.Issuer{}, err
	}
	now := wall
	if m == Sandbox {
		if now, err = KeptClock(start)(ctx, db, head); err != nil {
			return auth.Issuer{}, err
		}
	}
	e, err := engine.New(engine.Config{
		Backend: db, Zone: zone, Now: now, EncodeEvent: EncodeEvent, Wire: resource.APIVersion, Node: processName(),
	})
	if err != nil {
		return auth.Issuer{}, err
	}
	return issuer(db, engine.Alone{Engine: e}, m, wall), nil
}

// issuer makes and ends access through an engine. The audit log says which user of the
// machine has asked.
func issuer(db store.Backend, submit engine.Submitter, m Mode, wall func() time.Time) auth.Issuer {
	return auth.Issuer{
		Store: db, Submit: submit, Sandbox: m == Sandbox, Now: wall, By: auth.Caller{Address: "uid " + strconv.Itoa(os.Getuid())},
	}
}

// Issuer makes access in the node's own database.
func (n *Node) Issuer(wall func() time.Time) auth.Issuer { return issuer(n.DB, n.Engine, n.Mode, wall) }

// Inherit gives the sandbox in one file the access of another one: the clients that were
// made on the server itself, if their merchant is there too, and the tokens of clients that
// both know. So whoever could call the old one can call the new one. What is ended in the
// old one is ended in the new. Nobody may hold the database at path; the old one is only
// read.
func Inherit(ctx context.Context, path, from string, wall func() time.Time, start time.Time) (err error) {
	old, err := sqlite.Open(from, sqlite.Options{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("inherit access: %w", err)
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	h := heirs{now: wall()}
	if err := old.View(ctx, h.read); err != nil {
		return fmt.Errorf("inherit access: %w", err)
	}
	db, err := sqlite.Open(path, sqlite.Options{NormalSync: true}) // the file is copied next
	if err != nil {
		return fmt.Errorf("inherit access: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if h.to, err = Console(ctx, db, Sandbox, wall, func() time.Time { return start }); err != nil {
		return err
	}
	h.to.Reason = "access of the sandbox that was in place"
	for _, c := range h.clients {
		if err := h.client(ctx, c); err != nil {
			return err
		}
	}
	for _, t := range h.tokens {
		if err := h.token(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// heirs is the access of a sandbox that goes over to another one.
type heirs struct {
	now     time.Time
	clients []*credit.Client
	tokens  []*credit.Token
	to      auth.Issuer
}

func (h *heirs) read(v store.View) error {
	err := store.Each(v, &store.Clients, func(c store.ClientRow) error {
		if c.Version > 0 {
			h.clients = append(h.clients, c.Client)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return store.Each(v, &store.Tokens, func(t store.TokenRow) error {
		if t.Q > 0 && h.now.Before(t.ExpiresAt) {
			h.tokens = append(h.tokens, t.Token)
		}
		return nil
	})
}

func (h *heirs) client(ctx context.Context, c *credit.Client) error {
	known, found, err := h.to.Store.ClientByID(ctx, c.ID)
	switch {
	case err != nil:
		return fmt.Errorf("inherit client: %w", err)
	case found && !c.RevokedAt.IsZero() && known.Client.RevokedAt.IsZero():
		_, err = h.to.Revoke(ctx, c.ID)
		return err
	case found || len(c.Secrets) > 0 || !c.RevokedAt.IsZero():
		return nil
	}
	_, err = h.to.Create(ctx, access.CreateClient{
		ID: c.ID, Merchant: c.Merchant, Title: c.Name, Scopes: c.Scopes, PerMinute: c.PerMinute, Burst: c.Burst,
	})
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) && refused.Code == credit.NotFound.Code {
		return nil // its merchant is not there
	}
	return err
}

func (h *heirs) token(ctx context.Context, t *credit.Token) error {
	p, found, err := h.to.Store.TokenByHash(ctx, t.Hash)
	switch {
	case err != nil:
		return fmt.Errorf("inherit token: %w", err)
	case found && !t.RevokedAt.IsZero() && p.Token.RevokedAt.IsZero():
		return h.to.RevokeToken(ctx, t.Hash)
	case found || !t.RevokedAt.IsZero():
		return nil
	}
	of, found, err := h.to.Store.ClientByID(ctx, t.Client)
	if err != nil || !found || !of.Client.RevokedAt.IsZero() {
		return err
	}
	return h.to.Token(ctx, t)
}
