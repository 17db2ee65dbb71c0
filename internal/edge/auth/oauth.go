package auth

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/throttle"
)

// Failed client authentications allowed per minute from one address: for one client, and
// for all of them.
const (
	failuresOfClient    = 20
	failuresFromAddress = 60
	// After more failures, maximum concurrent attempts that are checked, for all addresses
	// and for one, and how long the next ones wait at most.
	maxSuspects       = 8
	suspectsOfAddress = 4
	suspectPatience   = 2 * time.Second
	// trackedKeys bounds the memory of each of their tables.
	trackedKeys = 8192
)

// ErrInvalidClient means that the credentials are not valid: the client is unknown or
// revoked, or the secret is wrong or expired. It does not tell which.
var ErrInvalidClient = errors.New("auth: the client's credentials are not valid")

// LimitedError means that too many attempts have failed.
type LimitedError struct{ Wait time.Duration }

func (e *LimitedError) Error() string {
	return fmt.Sprintf("auth: too many attempts have failed; wait %s", e.Wait)
}

// Credentials are what a program presents, and from where.
type Credentials struct {
	Client  string // cli_…
	Secret  Secret
	Address netip.Addr // of the caller
}

// Grant is a new access token. The token cannot be retrieved again.
type Grant struct {
	Token  Secret
	Client credit.Client
	Scopes []string
	TTL    time.Duration
}

// State is what a client learns about a token: that it is not active, or everything.
type State struct {
	Active    bool
	Client    string
	Scopes    []string
	ExpiresAt time.Time
}

// Caller is the request's source for the audit log.
type Caller struct {
	RequestID string
	Address   string
}

// Server issues tokens to clients that present their secret (RFC 6749, 4.4), revokes them
// (RFC 7009) and introspects them (RFC 7662). It is safe for concurrent use.
type Server struct {
	store     store.Passes
	submit    engine.Submitter
	tokens    *Authenticator
	now       func() time.Time   // the wall clock
	byPair    *throttle.Throttle // failures by client and address
	byAddress *throttle.Throttle // failures by address
	suspects  *throttle.Pool
	proven    proven
}

// NewServer returns a server over a store, with submit for its commands. tokens is told
// immediately of a token revoked here; nil: it learns within CacheFor, like every other
// node. now is the wall clock.
func NewServer(s store.Passes, submit engine.Submitter, tokens *Authenticator, now func() time.Time) *Server {
	return &Server{
		store: s, submit: submit, tokens: tokens, now: now,
		byPair:    throttle.New(failuresOfClient, time.Minute, trackedKeys),
		byAddress: throttle.New(failuresFromAddress, time.Minute, trackedKeys),
		suspects:  throttle.NewPool(maxSuspects, suspectsOfAddress),
		proven:    proven{marks: map[[32]byte]bool{}},
	}
}

// Authenticate returns the client with these credentials: ErrInvalidClient if they are
// invalid, a *LimitedError if they are invalid and too many attempts have failed from that
// source. The right secret is never refused because of others' attempts, wherever it comes
// from: a secret is too random to guess, so the limit only bounds the work that guesses
// cause.
func (s *Server) Authenticate(ctx context.Context, c Credentials) (credit.Client, error) {
	now, from := s.now(), throttle.AddressKey(c.Address)
	// An impossible identifier is counted only for its address.
	client := c.Client
	if !strings.HasPrefix(client, "cli_") || len(client) > 64 {
		client = ""
	}
	mark := Hash(client + "\x00" + c.Secret.Reveal())
	wait := max(s.byAddress.Wait(from, now), s.byPair.Wait(client+" "+from, now))
	if wait > 0 && !s.proven.has(mark) {
		if !s.suspects.EnterWithin(ctx, from, suspectPatience) {
			return credit.Client{}, &LimitedError{Wait: wait}
		}
		defer s.suspects.Leave(from)
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	known, found, err := s.store.ClientByID(ctx, client)
	if err != nil {
		return credit.Client{}, fmt.Errorf("authenticate client: %w", err)
	}
	var x credit.Client
	if found = found && known.Proven(); found {
		x = *known.Client.Client
	}
	// An unknown client has no secrets: it is compared like any other.
	right := opens(x, c.Secret, now)
	if found && right && !ended(x.RevokedAt, now) {
		s.proven.add(mark)
		return x, nil
	}
	s.proven.forget(mark)
	if wait > 0 {
		return credit.Client{}, &LimitedError{Wait: wait}
	}
	s.byAddress.Count(from, now)
	if client != "" {
		s.byPair.Count(client+" "+from, now)
	}
	return credit.Client{}, ErrInvalidClient
}

// Grant creates an access token of an authenticated client. Nil scopes mean all of the
// client's; one that it does not hold is an *UnknownScopeError.
func (s *Server) Grant(ctx context.Context, by Caller, c credit.Client, scopes []string) (Grant, error) {
	if scopes == nil {
		scopes = c.Scopes
	}
	scopes, err := subset(scopes, c.Scopes)
	if err != nil {
		return Grant{}, fmt.Errorf("grant: %w", err)
	}
	token, hash := NewToken()
	now := s.now()
	if err := s.commit(ctx, by, c, access.IssueToken{
		Hash: hex.EncodeToString(hash[:]), Client: c.ID, Scopes: scopes, ExpiresAt: now.Add(DefaultTTL).UTC(), At: now.UTC(),
	}); err != nil {
		return Grant{}, fmt.Errorf("grant: %w", err)
	}
	return Grant{Token: Secret(token), Client: c, Scopes: scopes, TTL: DefaultTTL}, nil
}

// commit commits a client's command. A client revoked meanwhile is invalid.
func (s *Server) commit(ctx context.Context, by Caller, c credit.Client, x credit.Command) error {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	_, err := submit(ctx, s.submit, engine.Request{
		Command: x, Address: by.Address,
		Actor: credit.Actor{Client: c.ID, Merchant: c.Merchant, Operator: c.Merchant == "", RequestID: by.RequestID},
	})
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) {
		return ErrInvalidClient
	}
	return err
}

// commitTimeout is how long a command may take before the caller is told to retry.
const commitTimeout = 20 * time.Second

// Revoke revokes a token of the client. One that is unknown, ended or another client's is
// left alone, which is not an error (RFC 7009, 2.2).
func (s *Server) Revoke(ctx context.Context, by Caller, c credit.Client, token Secret) error {
	hash := Hash(string(token))
	t, own, err := s.own(ctx, c, hash)
	if err != nil || !own || !t.RevokedAt.IsZero() {
		return err
	}
	if err := s.commit(ctx, by, c, access.RevokeToken{Hash: t.Key(), At: s.now().UTC()}); err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	if s.tokens != nil {
		s.tokens.Forget(hash)
	}
	return nil
}

// Introspect describes a token of the client. Anything that is not a valid token of this
// client is not active, with no further details.
func (s *Server) Introspect(ctx context.Context, c credit.Client, token Secret) (State, error) {
	t, own, err := s.own(ctx, c, Hash(string(token)))
	if err != nil {
		return State{}, err
	}
	if now := s.now(); !own || !now.Before(t.ExpiresAt) || ended(t.RevokedAt, now) {
		return State{}, nil
	}
	return State{Active: true, Client: c.ID, Scopes: common(t.Scopes, c.Scopes), ExpiresAt: t.ExpiresAt}, nil
}

// own finds a token by its hash, if it is the client's.
func (s *Server) own(ctx context.Context, c credit.Client, hash [32]byte) (*credit.Token, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	p, found, err := s.store.TokenByHash(ctx, hash)
	if err != nil {
		return nil, false, fmt.Errorf("find token: %w", err)
	}
	own := found && p.Token.Client == c.ID && subtle.ConstantTimeCompare(p.Token.Hash[:], hash[:]) == 1 && p.Proven()
	return p.Token.Token, own, nil
}

// proven remembers the hashes of credentials that were valid. They skip the queue of
// attempts from sources with failures.
type proven struct {
	mu    sync.Mutex
	marks map[[32]byte]bool
}

func (p *proven) has(x [32]byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.marks[x]
}

// add makes room by dropping an arbitrary entry, whose owner merely queues again.
func (p *proven) add(x [32]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.marks) >= trackedKeys {
		for old := range p.marks {
			delete(p.marks, old)
			break
		}
	}
	p.marks[x] = true
}

// forget drops credentials that are no longer valid.
func (p *proven) forget(x [32]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.marks, x)
}

// Ended reports that a client was revoked: on this server its tokens are dead from now on.
func (s *Server) Ended(client string) {
	if s.tokens != nil {
		s.tokens.ForgetClient(client)
	}
}
