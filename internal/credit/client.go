package credit

import (
	"slices"
	"time"
)

// Limits of a client's settings.
const (
	DefaultPerMinute = 600
	DefaultBurst     = 100
	maxPerMinute     = 1_000_000
	maxBurst         = 100_000
	// MaxOverlap is how long the old secret of a client may go on beside the new one.
	MaxOverlap = 30 * 24 * time.Hour
)

// CreateClient makes an API client of a merchant, or of the operator. The edge draws
// the secret, and only its hash comes here.
type CreateClient struct {
	Merchant   string    `json:"merchant"` // "" for the operator
	Title      string    `json:"title"`    // the client's name
	Scopes     []string  `json:"scopes"`   // empty: all that it may hold but sandbox
	PerMinute  int       `json:"per_minute"`
	Burst      int       `json:"burst"`
	SecretHash string    `json:"secret_hash"`
	At         time.Time `json:"at"` // wall clock
}

// Name is the command's word in the audit log.
func (CreateClient) Name() string { return "client.create" }

// Keys asks for the merchant.
func (c CreateClient) Keys(*State, Env) Keys {
	if c.Merchant == "" {
		return Keys{}
	}
	return Keys{Merchants: []string{c.Merchant}}
}

func (c CreateClient) admit(s *State, _ Env) *Rejection {
	if c.Merchant != "" && s.Merchants[c.Merchant] == nil {
		return NotFound.because("There is no such merchant.")
	}
	return nil
}

func (c CreateClient) decide(s *State, e Env) (Changes, *Rejection) {
	x := &Client{
		Merchant: c.Merchant, Name: c.Title, Scopes: c.Scopes, PerMinute: c.PerMinute, Burst: c.Burst,
		Secrets: []ClientSecret{{Hash: c.SecretHash}}, CreatedAt: c.At, UpdatedAt: c.At, Version: 1,
	}
	if x.PerMinute == 0 {
		x.PerMinute = DefaultPerMinute
	}
	if x.Burst == 0 {
		x.Burst = DefaultBurst
	}
	if len(x.Scopes) == 0 {
		x.Scopes = MerchantScopes()
		if c.Merchant == "" {
			x.Scopes = OperatorScopes()
		}
	}
	x.Scopes = sorted(x.Scopes)
	if r := x.refuse(); r != nil {
		return Changes{}, r
	}
	d := newDraft(s, e)
	x.ID = d.ids.next(prefixClient)
	return d.done(d.clients.add(x.ID, x), true), nil
}

// refuse checks what a client may be.
func (x *Client) refuse() *Rejection {
	if r := named(x.Name); r != nil {
		return r
	}
	if _, foreign := foreignScope(x.Merchant, x.Scopes); foreign {
		return ValidationFailed.because("A scope is not one that such a client can hold.")
	}
	if x.PerMinute < 1 || x.PerMinute > maxPerMinute || x.Burst < 1 || x.Burst > maxBurst {
		return ValidationFailed.because("The rate limit is out of range.")
	}
	return nil
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// RollClient gives a client a new secret. The one before goes on until an instant of
// the wall clock; any older one ends.
type RollClient struct {
	Client     string    `json:"client"`
	SecretHash string    `json:"secret_hash"`
	OldUntil   time.Time `json:"old_until"` // At or later
	At         time.Time `json:"at"`        // wall clock
}

// Name is the command's word in the audit log.
func (RollClient) Name() string { return "client.roll" }

// Keys asks for the client.
func (c RollClient) Keys(*State, Env) Keys { return Keys{Clients: []string{c.Client}} }

func (c RollClient) admit(s *State, _ Env) *Rejection { return knownClient(s, c.Client) }

func (c RollClient) decide(s *State, e Env) (Changes, *Rejection) {
	if r := s.Clients[c.Client].mayChange(); r != nil {
		return Changes{}, r
	}
	if c.OldUntil.Before(c.At) || c.OldUntil.Sub(c.At) > MaxOverlap {
		return Changes{}, ValidationFailed.because("The old secret goes on for 30 days at most.")
	}
	d := newDraft(s, e)
	x := d.clients.edit(c.Client)
	old := x.Secrets[0]
	old.Until = c.OldUntil
	x.Secrets = []ClientSecret{{Hash: c.SecretHash}, old}
	x.UpdatedAt, x.Version = c.At, x.Version+1
	return d.done(x, false), nil
}

// RevokeClient ends a client and all its tokens at once.
type RevokeClient struct {
	Client string    `json:"client"`
	At     time.Time `json:"at"` // wall clock
}

// Name is the command's word in the audit log.
func (RevokeClient) Name() string { return "client.revoke" }

// Keys asks for the client.
func (c RevokeClient) Keys(*State, Env) Keys { return Keys{Clients: []string{c.Client}} }

func (c RevokeClient) admit(s *State, _ Env) *Rejection { return knownClient(s, c.Client) }

func (c RevokeClient) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Clients[c.Client]
	if !old.RevokedAt.IsZero() {
		return Changes{Result: old}, nil
	}
	if r := old.mayChange(); r != nil {
		return Changes{}, r
	}
	d := newDraft(s, e)
	x := d.clients.edit(c.Client)
	x.RevokedAt, x.UpdatedAt, x.Version = c.At, c.At, x.Version+1
	return d.done(x, false), nil
}

func knownClient(s *State, id string) *Rejection {
	if s.Clients[id] == nil {
		return NotFound.because("There is no such client.")
	}
	return nil
}

// mayChange refuses a client that is revoked, and one that was made with the
// database in hand: what made it ends it.
func (x *Client) mayChange() *Rejection {
	switch {
	case x.Version == 0:
		return ClientLocked.because("The client was made on the server itself; tenor token --revoke ends it there.")
	case !x.RevokedAt.IsZero():
		return ClientLocked.because("The client is revoked.")
	}
	return nil
}
