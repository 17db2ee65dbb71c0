package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"tenor/internal/core/store"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

// TokenPrefix starts every access token, so that a leaked one can be recognized.
const TokenPrefix = "tnr_"

// DefaultPerMinute is the default rate limit of a client.
const DefaultPerMinute = 600

// DefaultTTL is the lifetime of an access token (docs/guides/authentication.md).
const DefaultTTL = time.Hour

// NewToken generates an access token: the prefix and 130 random bits. Only the hash is ever
// stored; the secret is shown once.
func NewToken() (secret string, hash [32]byte) {
	secret = TokenPrefix + rand.Text()
	return secret, Hash(secret)
}

// Hash is the stored form of a token.
func Hash(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// Store finds clients and tokens; a store.Backend is one.
type Store interface {
	store.Viewer
	store.Passes
}

// Issuer creates clients and tokens with direct access to the database. The audit log
// records its commands under credit.Console.
type Issuer struct {
	Store   Store
	Submit  engine.Submitter
	Sandbox bool             // whether clients may hold the scope sandbox
	Now     func() time.Time // the wall clock
	By      Caller           // the requester, for the audit log
	Reason  string           // that person's reason; "": none given
}

// console submits a command of an Issuer.
func (i Issuer) console(ctx context.Context, c credit.Command) (credit.Changes, error) {
	return submit(ctx, i.Submit, engine.Request{
		Command: c, Address: i.By.Address, Reason: i.Reason,
		Actor: credit.Actor{Client: access.Console, Operator: true, RequestID: i.By.RequestID},
	})
}

// submit commits a command. A refusal is a *credit.Rejection.
func submit(ctx context.Context, to engine.Submitter, r engine.Request) (done credit.Changes, err error) {
	_, _ = rand.Read(r.Seed[:]) // never fails
	r.Encode = func(c credit.Changes, x *credit.Rejection) engine.Response {
		if done = c; x != nil {
			return engine.Response{Status: x.Status}
		}
		return engine.Response{Status: 200}
	}
	result, err := to.Submit(ctx, r)
	if err == nil && result.Rejection != nil {
		err = result.Rejection
	}
	return done, err
}

// NewClient creates an API client of a merchant, or of the operator if merchant is "". Nil
// scopes mean all that it may hold. A scope beyond that is an *UnknownScopeError.
func (i Issuer) NewClient(ctx context.Context, merchant, name string, scopes []string) (credit.Client, error) {
	return i.Create(ctx, access.CreateClient{Merchant: merchant, Title: name, Scopes: scopes})
}

// Create is NewClient with all options of a client.
func (i Issuer) Create(ctx context.Context, c access.CreateClient) (credit.Client, error) {
	allowed := Scopes(c.Merchant == "", i.Sandbox)
	if c.Scopes == nil {
		c.Scopes = usual(c.Merchant == "", i.Sandbox)
	}
	var err error
	if c.Scopes, err = subset(c.Scopes, allowed); err != nil {
		return credit.Client{}, fmt.Errorf("create client: %w", err)
	}
	c.At = i.Now().UTC()
	done, err := i.console(ctx, c)
	if err != nil {
		return credit.Client{}, fmt.Errorf("create client: %w", err)
	}
	return *done.Result.(*credit.Client), nil
}

// FindClient returns the oldest valid client of a merchant, or of the operator if merchant
// is "", with that name, that was created with direct access to the database; false if
// there is none.
func (i Issuer) FindClient(ctx context.Context, merchant, name string) (credit.Client, bool, error) {
	all, err := store.BareClients(ctx, i.Store)
	for _, c := range all {
		if c.Merchant != merchant || c.Name != name || ended(c.RevokedAt, i.Now()) {
			continue
		}
		known, found, err := i.Store.ClientByID(ctx, c.ID)
		if err != nil {
			return credit.Client{}, false, fmt.Errorf("find client: %w", err)
		}
		if found && known.Proven() {
			return *known.Client.Client, true, nil
		}
	}
	if err != nil {
		return credit.Client{}, false, fmt.Errorf("find client: %w", err)
	}
	return credit.Client{}, false, nil
}

// NewToken creates a token of a client, valid for ttl. Nil scopes mean all of the client's;
// a scope that the client does not hold is an *UnknownScopeError. The secret cannot be
// retrieved again.
func (i Issuer) NewToken(ctx context.Context, c credit.Client, scopes []string, ttl time.Duration) (string, credit.Token, error) {
	if ttl <= 0 {
		return "", credit.Token{}, fmt.Errorf("create token: invalid lifetime %s", ttl)
	}
	if scopes == nil {
		scopes = c.Scopes
	}
	scopes, err := subset(scopes, c.Scopes)
	if err != nil {
		return "", credit.Token{}, fmt.Errorf("create token: %w", err)
	}
	secret, hash := NewToken()
	now := i.Now().UTC()
	done, err := i.console(ctx, access.IssueToken{
		Hash: hex.EncodeToString(hash[:]), Client: c.ID, Scopes: scopes, ExpiresAt: now.Add(ttl), At: now,
	})
	if err != nil {
		return "", credit.Token{}, fmt.Errorf("create token: %w", err)
	}
	return secret, *done.Result.(*credit.Token), nil
}

// Token registers a token that was created for another book, so that it stays valid here.
func (i Issuer) Token(ctx context.Context, t *credit.Token) error {
	_, err := i.console(ctx, access.IssueToken{Hash: t.Key(), Client: t.Client, Scopes: t.Scopes, ExpiresAt: t.ExpiresAt, At: i.Now().UTC()})
	if err != nil {
		return fmt.Errorf("create token: %w", err)
	}
	return nil
}

// Limit sets a client's rate limit.
func (i Issuer) Limit(ctx context.Context, client string, perMinute, burst int) error {
	if _, err := i.console(ctx, access.LimitClient{Client: client, PerMinute: perMinute, Burst: burst, At: i.Now().UTC()}); err != nil {
		return fmt.Errorf("limit client: %w", err)
	}
	return nil
}

// RevokeToken revokes a token.
func (i Issuer) RevokeToken(ctx context.Context, hash [32]byte) error {
	if _, err := i.console(ctx, access.RevokeToken{Hash: hex.EncodeToString(hash[:]), At: i.Now().UTC()}); err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	return nil
}

// Revoke revokes a client: all its tokens are dead within a second, on every node (AU3). It
// returns false if there is no such client.
func (i Issuer) Revoke(ctx context.Context, client string) (bool, error) {
	_, err := i.console(ctx, access.RevokeClient{Client: client, At: i.Now().UTC()})
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) && refused.Code == credit.NotFound.Code {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("revoke client: %w", err)
	}
	return true, nil
}

// ended reports whether something revocable is revoked.
func ended(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }
