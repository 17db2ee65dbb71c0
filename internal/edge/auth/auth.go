// Package auth authenticates callers: API clients, their secrets, access tokens and scopes.
// Server is the OAuth side, where a client presents its secret and gets a token;
// Authenticator is the API side, where a token is presented.
//
// Secrets and tokens are opaque and random; only their SHA-256 is stored. Expiry and
// revocation use the wall clock, never the business clock. A revoked token, or a token of a
// revoked client, is dead within CacheFor on every node (AU3). Clients and tokens are
// created and revoked by commands, and a row counts only if the audit log has its commands
// (AU9).
package auth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"maps"
	"sync"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// CacheFor is how long an answer of the store is trusted.
const CacheFor = time.Second

// cacheSize bounds the cache: far more than the clients that call within a second.
const cacheSize = 4096

// Principal is the owner of a token.
type Principal struct {
	Client    string   // cli_…
	Merchant  string   // "" for the operator
	Operator  bool     // over all merchants
	Scopes    []string // of the token, as far as its client still holds them
	PerMinute int      // rate limit of the client
	Burst     int      // concurrent requests; 0: unspecified
}

// Authenticator looks up tokens. It is safe for concurrent use.
type Authenticator struct {
	store Store
	now   func() time.Time // the wall clock

	mu    sync.Mutex
	cache map[[32]byte]cached // valid tokens only: guesses cannot fill it
}

// cached is a proven token from the store.
type cached struct {
	token  *credit.Token
	client *credit.Client
	until  time.Time // at most CacheFor after the read began
}

// NewAuthenticator returns an authenticator over a store; now is the wall clock.
func NewAuthenticator(s Store, now func() time.Time) *Authenticator {
	return &Authenticator{store: s, now: now, cache: map[[32]byte]cached{}}
}

// Authenticate returns the principal of a token by its SHA-256. It returns false in the
// same way for a token that is unknown, expired or revoked, or whose client is, and for
// rows that no command created. An error means that it could not decide.
func (a *Authenticator) Authenticate(ctx context.Context, hash [32]byte) (Principal, bool, error) {
	now := a.now()
	row, found := a.recall(hash, now)
	if !found {
		var err error
		row = cached{until: now.Add(CacheFor)}
		// A silent database must not hold every request.
		ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
		defer cancel()
		var p store.Pass
		if p, found, err = a.store.TokenByHash(ctx, hash); err != nil {
			return Principal{}, false, fmt.Errorf("authenticate: %w", err)
		}
		// An index lookup found it; the decisive comparison takes the same time for every
		// hash.
		if !found || subtle.ConstantTimeCompare(p.Token.Hash[:], hash[:]) != 1 || !p.Proven() {
			return Principal{}, false, nil
		}
		row.token, row.client = p.Token.Token, p.Client.Client
	}
	t, c := row.token, row.client
	if !now.Before(t.ExpiresAt) || ended(t.RevokedAt, now) || ended(c.RevokedAt, now) {
		return Principal{}, false, nil
	}
	a.remember(hash, row, now)
	return Principal{
		Client: c.ID, Merchant: c.Merchant, Operator: c.Merchant == "",
		Scopes: common(t.Scopes, c.Scopes), PerMinute: c.PerMinute, Burst: c.Burst,
	}, true, nil
}

func (a *Authenticator) recall(hash [32]byte, now time.Time) (cached, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	row, found := a.cache[hash]
	return row, found && now.Before(row.until)
}

func (a *Authenticator) remember(hash [32]byte, row cached, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.cache[hash]; !known && len(a.cache) >= cacheSize {
		for h, r := range a.cache {
			if !now.Before(r.until) {
				delete(a.cache, h)
			}
		}
		if len(a.cache) >= cacheSize {
			return // the store is asked again: slower, never wrong
		}
	}
	a.cache[hash] = row
}

// Forget drops the cached state of a token, so that the store is asked again.
func (a *Authenticator) Forget(hash [32]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.cache, hash)
}

// ForgetClient drops the cached state of all tokens of a client revoked here.
func (a *Authenticator) ForgetClient(client string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.cache, func(_ [32]byte, c cached) bool { return c.client.ID == client })
}

// lookUpTimeout is how long the database may take to find an uncached token.
const lookUpTimeout = 10 * time.Second
