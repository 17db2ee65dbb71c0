package httpapi

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tenor/internal/auth"
	"tenor/internal/throttle"
)

// Limits where the configuration says nothing else.
const (
	defaultMaxInFlight  = 1024
	defaultMaxFailures  = 300
	defaultMaxMisses    = 60
	merchantsAtLeast    = 4    // a merchant has at most the places of one in so many
	trackedKeys         = 8192 // that each table behind a limit tells apart
	maxRememberedTokens = 8192
)

// guard holds the limits that do not depend on a client's own settings. Its memory is
// bounded whoever calls.
type guard struct {
	failures *throttle.Throttle // authentications that failed, by address
	misses   *throttle.Throttle // companies asked for in vain, by client (A9)
	crowd    crowd
	proven   proven
}

func newGuard(c Config) guard {
	return guard{
		failures: throttle.New(c.MaxFailures, time.Minute, trackedKeys),
		misses:   throttle.New(c.MaxMisses, time.Minute, trackedKeys),
		crowd:    crowd{most: c.MaxPerMerchant, at: map[string]int{}},
		proven:   proven{hashes: map[[sha256.Size]byte]bool{}},
	}
}

// limited is a 429 that says how long to wait.
func limited(wait time.Duration) *Problem {
	return &Problem{Code: codeRateLimited, RetryAfter: wait}
}

// missed counts what a merchant's client asks for about companies that are not there
// or not its own, and answers 429 when it has asked too often: the ten digits of a
// company must not be found by trying (A9). What there is is always answered.
func (a *API) missed(c *Call, op *operation, ans Answer) Answer {
	hidden := ans.Status == http.StatusNotFound || ans.Status == http.StatusForbidden
	if !hidden || !op.namesCompany || c.Principal.Operator {
		return ans
	}
	now := a.config.Now()
	if wait := a.guard.misses.Wait(c.Principal.ClientID, now); wait > 0 {
		a.refused(c, codeRateLimited)
		return a.problemAnswer(c, limited(wait))
	}
	a.guard.misses.Count(c.Principal.ClientID, now)
	return ans
}

// refused writes to the security log that somebody was not let in (AU4). It holds
// nothing that the caller could choose freely.
func (a *API) refused(c *Call, code string) {
	a.config.Log.LogAttrs(c.Context(), slog.LevelWarn, "access refused",
		slog.String("request_id", c.RequestID), slog.String("code", code), slog.String("operation", c.operationID()),
		slog.String("client", c.Principal.ClientID), slog.String("merchant", c.Principal.MerchantID),
		slog.String("address", c.from()))
}

// crowd counts the requests that are being answered for each merchant, so that none
// takes all places (A60).
type crowd struct {
	most int

	mu sync.Mutex
	at map[string]int // no entry where none is being answered
}

// enter takes a place for one more request; false: there is none. Who entered leaves.
func (x *crowd) enter(who string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at[who] >= x.most {
		return false
	}
	x.at[who]++
	return true
}

func (x *crowd) leave(who string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at[who]--; x.at[who] == 0 {
		delete(x.at, who)
	}
}

// whose is in whose name a request takes a place: its merchant's, the operator's, or
// where there is no token its address'.
func whose(c *Call) string {
	switch {
	case c.Principal.ClientID == "":
		return "address:" + auth.AddressKey(c.Address)
	case c.Principal.Operator:
		return "operator"
	}
	return "merchant:" + c.Principal.MerchantID
}

// proven remembers tokens that were valid. They are still looked at when somebody
// else at the same address has failed too often.
type proven struct {
	mu     sync.RWMutex
	hashes map[[sha256.Size]byte]bool
}

func (p *proven) has(hash [sha256.Size]byte) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.hashes[hash]
}

// add makes room by forgetting any other token: that one is merely no exception.
func (p *proven) add(hash [sha256.Size]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hashes) >= maxRememberedTokens {
		for old := range p.hashes {
			delete(p.hashes, old)
			break
		}
	}
	p.hashes[hash] = true
}
