// Package auth knows who calls: API clients, their secrets, access tokens and scopes.
// Server is OAuth's side of it, where a client shows its secret and gets a token;
// Authenticator is the API's, where a token is shown.
//
// Secrets and tokens are opaque and random; only their SHA-256 is stored. Expiry and revocation
// go by the wall clock, never by the business clock. A token that has been
// revoked, and a token of a client that has been, is dead within CacheFor on
// every node (AU3). Clients and tokens are made and ended by commands, and a row of one
// counts only as far as the audit log has its commands (AU9).
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

// CacheFor is how long an answer of the store is believed.
const CacheFor = time.Second

// cacheSize bounds the cache: far more clients than call within a second.
const cacheSize = 4096

// Principal is who a token stands for.
type Principal struct {
	Client    string   // cli_…
	Merchant  string   // "" for the operator
	Operator  bool     // over all merchants
	Scopes    []string // of the token, as far as its client holds them now
	PerMinute int      // rate limit of the client
	Burst     int      // requests at once; 0: nothing is said
}

// Authenticator looks tokens up. It is safe for concurrent use.
type Authenticator struct {
	store Store
	now   func() time.Time // the wall clock

	mu    sync.Mutex
	cache map[[32]byte]cached // valid tokens only: guesses cannot fill it
}

// cached is a token as the store had it, proven.
type cached struct {
	token  *credit.Token
	client *credit.Client
	until  time.Time // no later than CacheFor after the read began
}

// NewAuthenticator returns an authenticator over a store; now is the wall clock.
func NewAuthenticator(s Store, now func() time.Time) *Authenticator {
	return &Authenticator{store: s, now: now, cache: map[[32]byte]cached{}}
}

// Authenticate returns the principal of a token by its SHA-256. It is false
// alike for a token that is unknown, expired or revoked, or whose client is, and for one
// whose rows no commands have made. An error means that it could not tell.
func (a *Authenticator) Authenticate(ctx context.Context, hash [32]byte) (Principal, bool, error) {
	now := a.now()
	row, found := a.recall(hash, now)
	if !found {
		var err error
		row = cached{until: now.Add(CacheFor)}
		// A database that has gone silent must not hold every request.
		ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
		defer cancel()
		var p store.Pass
		if p, found, err = a.store.TokenByHash(ctx, hash); err != nil {
			return Principal{}, false, fmt.Errorf("authenticate: %w", err)
		}
		// The look-up found it by an index; the comparison that decides takes the
		// same time for every hash.
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

// Forget drops what is believed of a token, so that the store is asked again.
func (a *Authenticator) Forget(hash [32]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.cache, hash)
}

// ForgetClient drops what is believed of all tokens of a client that has ended here.
func (a *Authenticator) ForgetClient(client string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.cache, func(_ [32]byte, c cached) bool { return c.client.ID == client })
}

// lookUpTimeout is how long the database may take to find a token that is not cached.
const lookUpTimeout = 10 * time.Second
