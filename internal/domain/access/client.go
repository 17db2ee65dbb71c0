// Package access decides who may use the API, and where events are sent: clients, tokens and
// endpoints.
package access

import (
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Limits of a client's settings.
const (
	DefaultPerMinute = 600
	DefaultBurst     = 100
	maxPerMinute     = 1_000_000
	maxBurst         = 100_000
	// MaxOverlap is how long a client's old secret may stay valid alongside the new one.
	MaxOverlap = 30 * 24 * time.Hour
)

// Console is the actor of commands given on the server itself, with direct access to the
// database. Clients it creates have no secret: their tokens are issued there.
const Console = "console"

// CreateClient creates an API client of a merchant, or of the operator. The edge generates the
// secret, and only its hash is passed here (AU3).
type CreateClient struct {
	ID         string    `json:"id,omitzero"` // cli_…; "": generated. Only Console sets one: for a client that moves to another book
	Merchant   string    `json:"merchant"`    // "" for the operator
	Title      string    `json:"title"`       // the client's name
	Scopes     []string  `json:"scopes"`      // empty: all that it may hold except sandbox
	PerMinute  int       `json:"per_minute"`
	Burst      int       `json:"burst"`
	SecretHash string    `json:"secret_hash"`   // "": none, by Console
	At         time.Time `json:"at"`            // wall clock
	Held       []string  `json:"held,omitzero"` // scopes of the requesting token; absent: the program itself
}

func (CreateClient) Name() string { return "client.create" }

// Keys requests the merchant, and any client with the identifier.
func (c CreateClient) Keys(*credit.State, credit.Env) credit.Keys {
	var k credit.Keys
	if c.Merchant != "" {
		k.Merchants = []string{c.Merchant}
	}
	if c.ID != "" {
		k.Clients = []string{c.ID}
	}
	return k
}

func (c CreateClient) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if e.Actor.Merchant != "" || c.Merchant != "" && s.Merchants[c.Merchant] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	if s := Beyond(c.Held, c.scopes()); s != "" {
		return credit.NotAllowed.Because("A client cannot grant a scope that it does not hold; this one does not hold " + s + ".")
	}
	return nil
}

// scopes are the client's scopes: the requested ones, or all of its kind.
func (c CreateClient) scopes() []string {
	switch {
	case len(c.Scopes) > 0:
		return credit.Sorted(c.Scopes)
	case c.Merchant == "":
		return WideScopes()
	}
	return credit.Sorted(MerchantScopes())
}

func (c CreateClient) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	x := c.Made()
	if r := refuse(x, e); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	switch x.ID = c.ID; {
	case x.ID == "":
		x.ID = d.IDs.Next(credit.PrefixClient)
	case e.Actor.Client != Console || !strings.HasPrefix(x.ID, credit.PrefixClient) || s.Clients[x.ID] != nil:
		return credit.Changes{}, credit.ValidationFailed.Because("The identifier is not valid for a new client.")
	}
	return d.Done(d.Clients.Add(x.ID, x), true), nil
}

// Made is the client that the command creates, without its identifier.
func (c CreateClient) Made() *credit.Client {
	at := credit.Stored(c.At)
	x := &credit.Client{
		Merchant: c.Merchant, Name: c.Title, Scopes: c.scopes(), PerMinute: c.PerMinute, Burst: c.Burst,
		CreatedAt: at, UpdatedAt: at, Version: 1,
	}
	if c.SecretHash != "" {
		x.Secrets = []credit.ClientSecret{{Hash: c.SecretHash}}
	}
	if x.PerMinute == 0 {
		x.PerMinute = DefaultPerMinute
	}
	if x.Burst == 0 {
		x.Burst = DefaultBurst
	}
	return x
}

// refuse checks what a client may be.
func refuse(x *credit.Client, e credit.Env) *credit.Rejection {
	if r := lending.CheckName(x.Name); r != nil {
		return r
	}
	if _, foreign := ForeignScope(x.Merchant, x.Scopes); foreign {
		return credit.ValidationFailed.Because("This kind of client cannot hold one of the scopes.")
	}
	if r := limited(x, e); r != nil {
		return r
	}
	if len(x.Secrets) == 0 {
		if e.Actor.Client != Console {
			return credit.ValidationFailed.Because("A secret must be given as its SHA-256 hash.")
		}
		return nil
	}
	return credit.CheckHash(x.Secrets[0].Hash)
}

// limited checks a client's rate limit. Console may set any.
func limited(x *credit.Client, e credit.Env) *credit.Rejection {
	low := x.PerMinute < 1 || x.Burst < 1
	if low || e.Actor.Client != Console && (x.PerMinute > maxPerMinute || x.Burst > maxBurst) {
		return credit.ValidationFailed.Because("The rate limit is out of range.")
	}
	return nil
}

// RollClient gives a client a new secret. The previous one stays valid until a wall-clock
// instant, or ends at once; any older one ends.
type RollClient struct {
	Client     string    `json:"client"`
	SecretHash string    `json:"secret_hash"`
	OldUntil   time.Time `json:"old_until"`     // At or later
	At         time.Time `json:"at"`            // wall clock
	Held       []string  `json:"held,omitzero"` // scopes of the requesting token; absent: the program itself
}

func (RollClient) Name() string { return "client.roll" }

// Keys requests the client.
func (c RollClient) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Clients: []string{c.Client}}
}

func (c RollClient) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return mayManage(s, e, c.Client, c.Held)
}

func (c RollClient) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if r := mayChange(s.Clients[c.Client], e); r != nil {
		return credit.Changes{}, r
	}
	if len(s.Clients[c.Client].Secrets) == 0 {
		return credit.Changes{}, credit.ClientLocked.Because("The client has no secret: its tokens are created on the server itself.")
	}
	at, until := credit.Stored(c.At), credit.Stored(c.OldUntil)
	if until.Before(at) || until.Sub(at) > MaxOverlap {
		return credit.Changes{}, credit.ValidationFailed.Because("The old secret can stay valid for at most 30 days.")
	}
	if r := credit.CheckHash(c.SecretHash); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x := d.Clients.Edit(c.Client)
	c.On(x)
	return d.Done(x, false), nil
}

// On sets the client's new secret.
func (c RollClient) On(x *credit.Client) {
	at, until := credit.Stored(c.At), credit.Stored(c.OldUntil)
	old := x.Secrets[0]
	x.Secrets = []credit.ClientSecret{{Hash: c.SecretHash}}
	if until.After(at) { // else no node's clock may consider it valid any more
		x.Secrets = append(x.Secrets, credit.ClientSecret{Hash: old.Hash, Until: until})
	}
	x.UpdatedAt, x.Version = at, x.Version+1
}

// RevokeClient ends a client and all its tokens at once.
type RevokeClient struct {
	Client string    `json:"client"`
	At     time.Time `json:"at"`            // wall clock
	Held   []string  `json:"held,omitzero"` // scopes of the requesting token; absent: the program itself
}

func (RevokeClient) Name() string { return "client.revoke" }

// Keys requests the client.
func (c RevokeClient) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Clients: []string{c.Client}}
}

func (c RevokeClient) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return mayManage(s, e, c.Client, c.Held)
}

func (c RevokeClient) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Clients[c.Client]
	if !old.RevokedAt.IsZero() {
		return credit.Changes{Result: old}, nil
	}
	if r := mayChange(old, e); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x := d.Clients.Edit(c.Client)
	c.On(x)
	return d.Done(x, false), nil
}

// On revokes the client.
func (c RevokeClient) On(x *credit.Client) {
	x.RevokedAt, x.UpdatedAt, x.Version = credit.Stored(c.At), credit.Stored(c.At), x.Version+1
}

// LimitClient sets the rate limit of a client. It is run on the server itself.
type LimitClient struct {
	Client    string    `json:"client"`
	PerMinute int       `json:"per_minute"`
	Burst     int       `json:"burst"`
	At        time.Time `json:"at"` // wall clock
}

func (LimitClient) Name() string { return "client.limit" }

// Keys requests the client.
func (c LimitClient) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Clients: []string{c.Client}}
}

func (c LimitClient) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if e.Actor.Client != Console {
		return credit.NotFound.Because("There is no such client.")
	}
	return mayManage(s, e, c.Client, nil)
}

func (c LimitClient) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if r := mayChange(s.Clients[c.Client], e); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x := d.Clients.Edit(c.Client)
	c.On(x)
	if r := limited(x, e); r != nil {
		return credit.Changes{}, r
	}
	return d.Done(x, false), nil
}

// On sets the client's new limit.
func (c LimitClient) On(x *credit.Client) {
	x.PerMinute, x.Burst, x.UpdatedAt, x.Version = c.PerMinute, c.Burst, credit.Stored(c.At), x.Version+1
}

// mayManage requires that the client exists, and that it holds nothing that the caller does
// not: a new secret is as good as the client itself. For a merchant no client exists: only the
// operator manages clients, whatever an edge lets through.
func mayManage(s *credit.State, e credit.Env, id string, held []string) *credit.Rejection {
	x := s.Clients[id]
	if x == nil || e.Actor.Merchant != "" {
		return credit.NotFound.Because("There is no such client.")
	}
	if scope := Beyond(held, x.Scopes); scope != "" {
		return credit.NotAllowed.Because("The client holds " + scope + ", and the one that asks does not.")
	}
	return nil
}

// mayChange rejects a revoked client, and one created on the server itself, which is ended
// there. A client of version 0 was created by no command, and never has access.
func mayChange(x *credit.Client, e credit.Env) *credit.Rejection {
	switch {
	case x.Version == 0:
		return credit.ClientLocked.Because("The client has no access. Create another one.")
	case len(x.Secrets) == 0 && e.Actor.Client != Console:
		return credit.ClientLocked.Because("The client was created on the server itself. Revoke it there with tenor token --revoke.")
	case !x.RevokedAt.IsZero():
		return credit.ClientLocked.Because("The client is revoked.")
	}
	return nil
}
