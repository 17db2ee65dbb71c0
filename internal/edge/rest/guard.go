package rest

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tenor/internal/edge/throttle"
)

// Limits where the configuration says nothing else.
const (
	defaultMaxInFlight  = 1024
	defaultMaxFailures  = 300
	defaultMaxMisses    = 60
	tenantsAtLeast      = 4 // a tenant has at most the places of one in so many
	addressesAtLeast    = 4 // and an address those of strangers
	strangersAtMost     = 4 // strangers have one place for so many of those who are known
	maxBodies           = 1 << 16
	trackedKeys         = 8192 // that each table behind a limit tells apart
	maxRememberedTokens = 8192
)

// patience is how long an unknown caller waits for a place: what is done
// there takes a look into the database, not more.
const patience = 2 * time.Second

// largeBody is from what size a body takes one of the places for large ones, in bytes.
const largeBody = 64 << 10

// How many bodies above largeBody may be on their way at a time, of all and of one
// tenant, and how many places there are for those who have failed too often.
const (
	maxLargeBodies      = 64
	largeBodiesOfTenant = 16
	maxSuspects         = 8
	suspectsOfAddress   = 4
)

// guard holds the limits that do not depend on a client's own settings. Its memory is
// bounded whoever calls. No place is held while a body is awaited, but for the bodies
// that have places of their own: a stranger who sends a head and no body takes nothing
// from anybody.
type guard struct {
	failures *throttle.Throttle // authentications that failed, by address
	public   *throttle.Throttle // what needs no token, by address
	misses   *throttle.Throttle // what was asked for in vain, by client
	places   *throttle.Pool     // requests that are being answered, by tenant
	lookups  *throttle.Pool     // tokens that were valid before and are looked at again, by token
	// strangers are public operations and unknown tokens, by address: they
	// take nothing from who is known.
	strangers *throttle.Pool
	suspects  *throttle.Pool // the same of addresses where too many have failed
	bodies    *throttle.Pool // bodies that are on their way, by tenant
	large     *throttle.Pool // those of them that are large
	streams   *throttle.Pool // bodies and answers that are streamed
	proven    proven
}

func newGuard(c Config) guard {
	return guard{
		failures:  throttle.New(c.MaxFailures, time.Minute, trackedKeys),
		public:    throttle.New(c.MaxPublic, time.Minute, trackedKeys),
		misses:    throttle.New(c.MaxMisses, time.Minute, trackedKeys),
		places:    throttle.NewPool(c.MaxInFlight, c.MaxPerTenant),
		lookups:   throttle.NewPool(c.MaxInFlight, c.MaxPerTenant),
		strangers: throttle.NewPool(c.MaxStrangers, max(1, c.MaxStrangers/addressesAtLeast)),
		suspects:  throttle.NewPool(maxSuspects, suspectsOfAddress),
		bodies:    throttle.NewPool(maxBodies, c.MaxPerTenant),
		large:     throttle.NewPool(maxLargeBodies, largeBodiesOfTenant),
		streams:   throttle.NewPool(maxStreams, streamsOfTenant),
		proven:    proven{hashes: map[[sha256.Size]byte]bool{}},
	}
}

// limited is a 429 that says how long to wait.
func limited(wait time.Duration) *Problem {
	return &Problem{Code: CodeRateLimited, RetryAfter: wait}
}

// missed counts what a tenant's client asks for in vain by identifiers that can be guessed,
// and answers 429 when it has asked too often: they must not be found by trying. What there
// is is always answered.
func (a *API) missed(c *Call, op *operation, ans Answer) Answer {
	hidden := ans.Status == http.StatusNotFound || ans.Status == http.StatusForbidden
	if !hidden || !op.guesses || c.Principal.Operator {
		return ans
	}
	now := a.config.Now()
	if wait := a.guard.misses.Wait(c.Principal.ClientID, now); wait > 0 {
		a.refused(c, CodeRateLimited)
		return a.problemAnswer(c, limited(wait))
	}
	a.guard.misses.Count(c.Principal.ClientID, now)
	return ans
}

// refused writes to the security log that somebody was not let in. It holds
// nothing that the caller could choose freely.
func (a *API) refused(c *Call, code string) {
	a.config.Log.LogAttrs(c.Context(), slog.LevelWarn, "access refused",
		slog.String("request_id", c.RequestID), slog.String("code", code), slog.String("operation", c.operationID()),
		slog.String("client", c.Principal.ClientID), slog.String(a.config.Contract.Tenant, c.Principal.Tenant),
		slog.String("address", c.From()))
}

// whose is the owner of the place that a request takes: its tenant's, the operator's, or
// where there is no token its address'.
func (a *API) whose(c *Call) string {
	switch {
	case c.Principal.ClientID == "":
		return "address:" + throttle.AddressKey(c.Address)
	case c.Principal.Operator:
		return "operator"
	}
	return "tenant:" + c.Principal.Tenant
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

// forget makes a token that is valid no longer one that nobody knows.
func (p *proven) forget(hash [sha256.Size]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.hashes, hash)
}

// Refused writes to the security log that somebody was not let in, for an operation that
// answers by itself.
func (c *Call) Refused(code string) { c.api.refused(c, code) }

// defaultMaxPublic is how many requests in a minute one address may make of what needs no
// token, where the configuration says nothing else: many people behind the one address of an
// office.
const defaultMaxPublic = 600

// welcome counts a request of what is limited by address, and answers 429 beyond the limit.
func (a *API) welcome(c *Call, now time.Time) *Problem {
	who := a.whose(c)
	if wait := a.guard.public.Wait(who, now); wait > 0 {
		return limited(wait)
	}
	a.guard.public.Count(who, now)
	return nil
}
