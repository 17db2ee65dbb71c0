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

// KeptClock returns the business clock of a sandbox that no process is running: it stays at the
// later of where it was left and the last commit. The machine's clock would move it.
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

// Console issues and revokes access directly in the database, alongside any running server: it
// commits its commands through an engine of its own. start is the clock of a sandbox in which
// nothing has happened yet.
func Console(ctx context.Context, db store.Backend, m Mode, wall func() time.Time, start func() time.Time) (auth.Issuer, error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return auth.Issuer{}, err
	}
	now, err := standing(ctx, db, m, wall, start)
	if err != nil {
		return auth.Issuer{}, err
	}
	e, err := engine.New(engine.Config{
		Backend: db, Zone: zone, Now: now, EncodeEvent: EncodeEvent, Wire: resource.APIVersion, Node: processName(),
	})
	if err != nil {
		return auth.Issuer{}, err
	}
	return issuer(db, engine.Alone{Engine: e}, m, wall), nil
}

// issuer issues and revokes access through an engine. The audit log names the machine user who
// asked.
func issuer(db store.Backend, submit engine.Submitter, m Mode, wall func() time.Time) auth.Issuer {
	return auth.Issuer{
		Store: db, Submit: submit, Sandbox: m == Sandbox, Now: wall, By: auth.Caller{Address: "uid " + strconv.Itoa(os.Getuid())},
	}
}

// Issuer issues access in the node's own database.
func (n *Node) Issuer(wall func() time.Time) auth.Issuer { return issuer(n.DB, n.Engine, n.Mode, wall) }

// Inherit copies access from one sandbox file to another: the clients created on the server
// itself, if their merchant exists in the new sandbox, and the tokens of clients that both have.
// So every caller of the old sandbox can call the new one. Access revoked in the old one is
// revoked in the new one. No process may have the database at path open; the old one is only
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

// heirs is the access passed on to another sandbox.
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
		return nil // its merchant does not exist here
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
