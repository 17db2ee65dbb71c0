package credit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
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

// Console is the actor of commands that are given on the server itself, with the database
// in hand. What it makes has no secret: it gets its tokens there.
const Console = "console"

// CreateClient makes an API client of a merchant, or of the operator. The edge draws
// the secret, and only its hash comes here (AU3).
type CreateClient struct {
	ID         string    `json:"id,omitzero"` // cli_…; "": drawn. Only Console names one: of a client that moves to another book
	Merchant   string    `json:"merchant"`    // "" for the operator
	Title      string    `json:"title"`       // the client's name
	Scopes     []string  `json:"scopes"`      // empty: all that it may hold but sandbox
	PerMinute  int       `json:"per_minute"`
	Burst      int       `json:"burst"`
	SecretHash string    `json:"secret_hash"`   // "": none, by Console
	At         time.Time `json:"at"`            // wall clock
	Held       []string  `json:"held,omitzero"` // scopes of the token that asks; absent: the program itself
}

func (CreateClient) Name() string { return "client.create" }

// Keys asks for the merchant, and for who has the identifier already.
func (c CreateClient) Keys(*State, Env) Keys {
	var k Keys
	if c.Merchant != "" {
		k.Merchants = []string{c.Merchant}
	}
	if c.ID != "" {
		k.Clients = []string{c.ID}
	}
	return k
}

func (c CreateClient) Admit(s *State, e Env) *Rejection {
	if e.Actor.Merchant != "" || c.Merchant != "" && s.Merchants[c.Merchant] == nil {
		return NotFound.Because("There is no such merchant.")
	}
	if s := beyond(c.Held, c.scopes()); s != "" {
		return NotAllowed.Because("A client gives no scope that it does not hold itself, and this one does not hold " + s + ".")
	}
	return nil
}

// scopes are those that the client gets: what is asked for, or all of its kind.
func (c CreateClient) scopes() []string {
	switch {
	case len(c.Scopes) > 0:
		return sorted(c.Scopes)
	case c.Merchant == "":
		return WideScopes()
	}
	return sorted(MerchantScopes())
}

func (c CreateClient) Decide(s *State, e Env) (Changes, *Rejection) {
	x := c.made()
	if r := x.refuse(e); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	switch x.ID = c.ID; {
	case x.ID == "":
		x.ID = d.IDs.Next(prefixClient)
	case e.Actor.Client != Console || !strings.HasPrefix(x.ID, prefixClient) || s.Clients[x.ID] != nil:
		return Changes{}, ValidationFailed.Because("The identifier is not one that a new client can have.")
	}
	return d.Done(d.Clients.Add(x.ID, x), true), nil
}

// made is the client as the command says it, without its identifier.
func (c CreateClient) made() *Client {
	at := stored(c.At)
	x := &Client{
		Merchant: c.Merchant, Name: c.Title, Scopes: c.scopes(), PerMinute: c.PerMinute, Burst: c.Burst,
		CreatedAt: at, UpdatedAt: at, Version: 1,
	}
	if c.SecretHash != "" {
		x.Secrets = []ClientSecret{{Hash: c.SecretHash}}
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
func (x *Client) refuse(e Env) *Rejection {
	if r := named(x.Name); r != nil {
		return r
	}
	if _, foreign := foreignScope(x.Merchant, x.Scopes); foreign {
		return ValidationFailed.Because("A scope is not one that such a client can hold.")
	}
	if r := x.limited(e); r != nil {
		return r
	}
	if len(x.Secrets) == 0 {
		if e.Actor.Client != Console {
			return ValidationFailed.Because("A secret comes as its SHA-256.")
		}
		return nil
	}
	return hashed(x.Secrets[0].Hash)
}

// limited checks a client's rate limit. Whoever has the server sets any.
func (x *Client) limited(e Env) *Rejection {
	low := x.PerMinute < 1 || x.Burst < 1
	if low || e.Actor.Client != Console && (x.PerMinute > maxPerMinute || x.Burst > maxBurst) {
		return ValidationFailed.Because("The rate limit is out of range.")
	}
	return nil
}

// hashed asks that what is kept of a secret is its hash and not the secret.
func hashed(hash string) *Rejection {
	if b, err := hex.DecodeString(hash); err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != hash {
		return ValidationFailed.Because("A secret comes as its SHA-256.")
	}
	return nil
}

// stored is an instant of the wall clock as a database keeps it, so that a decision
// does not depend on whether its record was read back before.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func sorted[T cmp.Ordered](list []T) []T {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// RollClient gives a client a new secret. The one before goes on until an instant of
// the wall clock, or ends at once; any older one ends.
type RollClient struct {
	Client     string    `json:"client"`
	SecretHash string    `json:"secret_hash"`
	OldUntil   time.Time `json:"old_until"`     // At or later
	At         time.Time `json:"at"`            // wall clock
	Held       []string  `json:"held,omitzero"` // scopes of the token that asks; absent: the program itself
}

func (RollClient) Name() string { return "client.roll" }

// Keys asks for the client.
func (c RollClient) Keys(*State, Env) Keys { return Keys{Clients: []string{c.Client}} }

func (c RollClient) Admit(s *State, e Env) *Rejection { return mayManage(s, e, c.Client, c.Held) }

func (c RollClient) Decide(s *State, e Env) (Changes, *Rejection) {
	if r := s.Clients[c.Client].mayChange(e); r != nil {
		return Changes{}, r
	}
	if len(s.Clients[c.Client].Secrets) == 0 {
		return Changes{}, ClientLocked.Because("The client has no secret: its tokens are made on the server itself.")
	}
	at, until := stored(c.At), stored(c.OldUntil)
	if until.Before(at) || until.Sub(at) > MaxOverlap {
		return Changes{}, ValidationFailed.Because("The old secret goes on for 30 days at most.")
	}
	if r := hashed(c.SecretHash); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	x := d.Clients.Edit(c.Client)
	c.on(x)
	return d.Done(x, false), nil
}

func (c RollClient) on(x *Client) {
	at, until := stored(c.At), stored(c.OldUntil)
	old := x.Secrets[0]
	x.Secrets = []ClientSecret{{Hash: c.SecretHash}}
	if until.After(at) { // else no clock of any node may find it valid any more
		x.Secrets = append(x.Secrets, ClientSecret{old.Hash, until})
	}
	x.UpdatedAt, x.Version = at, x.Version+1
}

// RevokeClient ends a client and all its tokens at once.
type RevokeClient struct {
	Client string    `json:"client"`
	At     time.Time `json:"at"`            // wall clock
	Held   []string  `json:"held,omitzero"` // scopes of the token that asks; absent: the program itself
}

func (RevokeClient) Name() string { return "client.revoke" }

// Keys asks for the client.
func (c RevokeClient) Keys(*State, Env) Keys { return Keys{Clients: []string{c.Client}} }

func (c RevokeClient) Admit(s *State, e Env) *Rejection { return mayManage(s, e, c.Client, c.Held) }

func (c RevokeClient) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Clients[c.Client]
	if !old.RevokedAt.IsZero() {
		return Changes{Result: old}, nil
	}
	if r := old.mayChange(e); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	x := d.Clients.Edit(c.Client)
	c.on(x)
	return d.Done(x, false), nil
}

func (c RevokeClient) on(x *Client) {
	x.RevokedAt, x.UpdatedAt, x.Version = stored(c.At), stored(c.At), x.Version+1
}

// LimitClient sets the rate limit of a client. It is given on the server itself.
type LimitClient struct {
	Client    string    `json:"client"`
	PerMinute int       `json:"per_minute"`
	Burst     int       `json:"burst"`
	At        time.Time `json:"at"` // wall clock
}

func (LimitClient) Name() string { return "client.limit" }

// Keys asks for the client.
func (c LimitClient) Keys(*State, Env) Keys { return Keys{Clients: []string{c.Client}} }

func (c LimitClient) Admit(s *State, e Env) *Rejection {
	if e.Actor.Client != Console {
		return NotFound.Because("There is no such client.")
	}
	return mayManage(s, e, c.Client, nil)
}

func (c LimitClient) Decide(s *State, e Env) (Changes, *Rejection) {
	if r := s.Clients[c.Client].mayChange(e); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	x := d.Clients.Edit(c.Client)
	c.on(x)
	if r := x.limited(e); r != nil {
		return Changes{}, r
	}
	return d.Done(x, false), nil
}

func (c LimitClient) on(x *Client) {
	x.PerMinute, x.Burst, x.UpdatedAt, x.Version = c.PerMinute, c.Burst, stored(c.At), x.Version+1
}

// mayManage asks that there is such a client, and that it holds nothing that the one
// who asks does not: a new secret is as good as the client itself. For a merchant there
// is none: only the operator manages clients, whatever an edge lets through.
func mayManage(s *State, e Env, id string, held []string) *Rejection {
	x := s.Clients[id]
	if x == nil || e.Actor.Merchant != "" {
		return NotFound.Because("There is no such client.")
	}
	if scope := beyond(held, x.Scopes); scope != "" {
		return NotAllowed.Because("The client holds " + scope + ", and the one that asks does not.")
	}
	return nil
}

// mayChange refuses a client that is revoked, and one that was made on the server itself:
// what made it ends it. One of version 0 was made by no command, and never opens anything.
func (x *Client) mayChange(e Env) *Rejection {
	switch {
	case x.Version == 0:
		return ClientLocked.Because("The client was made by no command, and has no access; make another one.")
	case len(x.Secrets) == 0 && e.Actor.Client != Console:
		return ClientLocked.Because("The client was made on the server itself; tenor token --revoke ends it there.")
	case !x.RevokedAt.IsZero():
		return ClientLocked.Because("The client is revoked.")
	}
	return nil
}
