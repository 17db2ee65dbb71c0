package rest

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tenor/internal/edge/throttle"
)

// Default limits.
const (
	defaultMaxInFlight  = 1024
	defaultMaxFailures  = 300
	defaultMaxMisses    = 60
	tenantsAtLeast      = 4 // a tenant gets at most one in so many places
	addressesAtLeast    = 4 // and an address, of the places for strangers
	strangersAtMost     = 4 // one place for strangers per so many for known callers
	maxBodies           = 1 << 16
	trackedKeys         = 8192 // distinct keys in each table behind a limit
	maxRememberedTokens = 8192
)

// patience is how long an unknown caller waits for a place: its work there is one database
// lookup at most.
const patience = 2 * time.Second

// largeBody is the size from which a body takes one of the places for large ones, in bytes.
const largeBody = 64 << 10

// Maximum number of bodies above largeBody in transit, in all and per tenant, and number of
// places for callers that have failed too often.
const (
	maxLargeBodies      = 64
	largeBodiesOfTenant = 16
	maxSuspects         = 8
	suspectsOfAddress   = 4
)

// guard has the limits that do not depend on a client's own settings. Its memory is bounded
// whoever calls. No place is held while waiting for a body, except for bodies with places
// of their own: a stranger who sends a header and no body takes nothing from anybody.
type guard struct {
	failures *throttle.Throttle // failed authentications, by address
	public   *throttle.Throttle // requests without a token, by address
	misses   *throttle.Throttle // failed guesses of identifiers, by client
	places   *throttle.Pool     // requests being answered, by tenant
	lookups  *throttle.Pool     // lookups of previously valid tokens, by token
	// strangers are public operations and unknown tokens, by address: they take nothing
	// from known callers.
	strangers *throttle.Pool
	suspects  *throttle.Pool // the same for addresses with too many failures
	bodies    *throttle.Pool // bodies in transit, by tenant
	large     *throttle.Pool // the large ones among them
	streams   *throttle.Pool // streamed bodies and answers
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

// limited is a 429 with the time to wait.
func limited(wait time.Duration) *Problem {
	return &Problem{Code: CodeRateLimited, RetryAfter: wait}
}

// missed counts how often a tenant's client asks for nonexistent resources by guessable
// identifiers, and answers 429 after too many: identifiers must not be found by trying.
// Existing resources are always answered.
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

// refused writes a denied access to the security log, without anything that the caller
// could choose freely.
func (a *API) refused(c *Call, code string) {
	a.config.Log.LogAttrs(c.Context(), slog.LevelWarn, "access refused",
		slog.String("request_id", c.RequestID), slog.String("code", code), slog.String("operation", c.operationID()),
		slog.String("client", c.Principal.ClientID), slog.String(a.config.Contract.Tenant, c.Principal.Tenant),
		slog.String("address", c.From()))
}

// whose is the owner of the place that a request takes: its tenant, the operator, or
// without a token its address.
func (a *API) whose(c *Call) string {
	switch {
	case c.Principal.ClientID == "":
		return "address:" + throttle.AddressKey(c.Address)
	case c.Principal.Operator:
		return "operator"
	}
	return "tenant:" + c.Principal.Tenant
}

// proven remembers tokens that were valid. They are still looked up when somebody else at
// the same address has failed too often.
type proven struct {
	mu     sync.RWMutex
	hashes map[[sha256.Size]byte]bool
}

func (p *proven) has(hash [sha256.Size]byte) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.hashes[hash]
}

// add makes room by dropping an arbitrary token, which then merely loses the exception.
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

// forget drops a token that is no longer valid.
func (p *proven) forget(hash [sha256.Size]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.hashes, hash)
}

// Refused writes a denied access to the security log, for an operation that answers by
// itself.
func (c *Call) Refused(code string) { c.api.refused(c, code) }

// defaultMaxPublic is the default number of requests without a token per minute and
// address: enough for many people behind the one address of an office.
const defaultMaxPublic = 600

// welcome counts a request that is limited by address, and answers 429 beyond the limit.
func (a *API) welcome(c *Call, now time.Time) *Problem {
	who := a.whose(c)
	if wait := a.guard.public.Wait(who, now); wait > 0 {
		return limited(wait)
	}
	a.guard.public.Count(who, now)
	return nil
}
