package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"time"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// TokenPrefix begins every access token, so that a leaked one is recognised.
const TokenPrefix = "tnr_"

// DefaultPerMinute is the rate limit of a client for which nothing else is said.
const DefaultPerMinute = 600

// DefaultTTL is the life of an access token (product: Authentication).
const DefaultTTL = time.Hour

// NewToken draws an access token: the prefix and 130 random bits. Only the hash
// is ever stored; the secret is shown once.
func NewToken() (secret string, hash [32]byte) {
	secret = TokenPrefix + rand.Text()
	return secret, Hash(secret)
}

// Hash is what is kept of a token.
func Hash(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// crockford is base32 without I, L, O and U.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// newClientID returns cli_ and a ULID: 48 bits of milliseconds, 80 random bits.
func newClientID(now time.Time) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(now.UnixMilli())<<16)
	_, _ = rand.Read(id[6:]) // never fails
	// The ULID layout has two zero bits in front of its 128.
	var padded [20]byte
	for i, b := range id {
		padded[i] |= b >> 2
		padded[i+1] |= b << 6
	}
	return "cli_" + crockford.EncodeToString(padded[:])[:26]
}

// Store keeps clients and tokens; store.Outbox is one.
type Store interface {
	PutClient(ctx context.Context, c credit.Client) error
	BareClients(ctx context.Context) ([]credit.Client, error)
	PutToken(ctx context.Context, t store.Token) error
	TokenByHash(ctx context.Context, hash [32]byte) (store.Token, credit.Client, bool, error)
}

// Issuer makes clients and tokens.
type Issuer struct {
	Store   Store
	Sandbox bool             // whether clients may hold the scope sandbox
	Now     func() time.Time // the wall clock
}

// NewClient makes an API client of a merchant, or of the operator if merchant is
// "". Nil scopes stand for all that it may do. A scope beyond that is an
// *UnknownScopeError.
func (i Issuer) NewClient(ctx context.Context, merchant, name string, scopes []string) (credit.Client, error) {
	allowed := Scopes(merchant == "", i.Sandbox)
	if scopes == nil {
		scopes = usual(merchant == "", i.Sandbox)
	}
	scopes, err := subset(scopes, allowed)
	if err != nil {
		return credit.Client{}, fmt.Errorf("create client: %w", err)
	}
	now := i.Now().UTC()
	c := credit.Client{
		ID: newClientID(now), Merchant: merchant, Name: name, Scopes: scopes,
		PerMinute: DefaultPerMinute, Burst: credit.DefaultBurst, CreatedAt: now.Truncate(time.Microsecond),
	}
	if err := i.Store.PutClient(ctx, c); err != nil {
		return credit.Client{}, fmt.Errorf("create client: %w", err)
	}
	return c, nil
}

// FindClient returns the oldest valid client of a merchant, or of the operator
// if merchant is "", with that name; false if there is none.
func (i Issuer) FindClient(ctx context.Context, merchant, name string) (credit.Client, bool, error) {
	all, err := i.Store.BareClients(ctx)
	if err != nil {
		return credit.Client{}, false, fmt.Errorf("find client: %w", err)
	}
	for _, c := range all {
		if c.Merchant == merchant && c.Name == name && !ended(c.RevokedAt, i.Now()) {
			return c, true, nil
		}
	}
	return credit.Client{}, false, nil
}

// NewToken makes a token of a client that lives for ttl. Nil scopes stand for
// all of the client's; a scope that the client does not hold is an
// *UnknownScopeError. The secret cannot be had again.
func (i Issuer) NewToken(ctx context.Context, c credit.Client, scopes []string, ttl time.Duration) (string, store.Token, error) {
	if ttl <= 0 {
		return "", store.Token{}, fmt.Errorf("create token: a life of %s", ttl)
	}
	if scopes == nil {
		scopes = c.Scopes
	}
	scopes, err := subset(scopes, c.Scopes)
	if err != nil {
		return "", store.Token{}, fmt.Errorf("create token: %w", err)
	}
	secret, hash := NewToken()
	t := store.Token{Hash: hash, Client: c.ID, Scopes: scopes, ExpiresAt: i.Now().UTC().Add(ttl).Truncate(time.Microsecond)}
	if err := i.Store.PutToken(ctx, t); err != nil {
		return "", store.Token{}, fmt.Errorf("create token: %w", err)
	}
	return secret, t, nil
}

// Revoke ends a client: every token of it is dead within a second, on every node
// (AU3). It answers false if there is no such client.
func (i Issuer) Revoke(ctx context.Context, client string) (bool, error) {
	all, err := i.Store.BareClients(ctx)
	if err != nil {
		return false, fmt.Errorf("revoke client: %w", err)
	}
	for _, c := range all {
		if c.ID != client {
			continue
		}
		if ended(c.RevokedAt, i.Now()) {
			return true, nil
		}
		c.RevokedAt = i.Now().UTC().Truncate(time.Microsecond)
		if err := i.Store.PutClient(ctx, c); err != nil {
			return false, fmt.Errorf("revoke client: %w", err)
		}
		return true, nil
	}
	return false, nil
}

// ended reports whether something that may be revoked is.
func ended(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }
