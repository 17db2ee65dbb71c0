package credit

import (
	"encoding/hex"
	"slices"
	"time"
)

// IssueToken gives a client an access token. The edge draws the token and knows what the
// client has shown of itself; only the token's hash comes here (AU3). A client does so for
// itself, Console for any.
type IssueToken struct {
	Hash      string    `json:"hash"` // SHA-256, hexadecimal
	Client    string    `json:"client"`
	Scopes    []string  `json:"scopes"`
	ExpiresAt time.Time `json:"expires_at"` // later than At
	At        time.Time `json:"at"`         // wall clock
}

func (IssueToken) Name() string { return "token.issue" }

// Keys asks for the client, and for a token of the same hash.
func (c IssueToken) Keys(*State, Env) Keys {
	return Keys{Clients: []string{c.Client}, Tokens: tokenKey(c.Hash)}
}

func (c IssueToken) Admit(s *State, e Env) *Rejection { return ownClient(s, e, c.Client) }

func (c IssueToken) Decide(s *State, e Env) (Changes, *Rejection) {
	of := s.Clients[c.Client]
	switch {
	case of.Version == 0 || !of.RevokedAt.IsZero():
		return Changes{}, ClientLocked.Because("The client has no access any more.")
	case len(c.Scopes) == 0, slices.ContainsFunc(c.Scopes, func(x string) bool { return !Holds(of.Scopes, x) }):
		return Changes{}, ValidationFailed.Because("A token holds scopes of its client.")
	case !stored(c.ExpiresAt).After(stored(c.At)):
		return Changes{}, ValidationFailed.Because("A token ends after it was made.")
	case s.Tokens[c.Hash] != nil:
		return Changes{}, ValidationFailed.Because("There is such a token already.")
	}
	x, r := c.made()
	if r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	return d.Done(d.Tokens.Add(x.Key(), x), true), nil
}

// made is the token as the command says it.
func (c IssueToken) made() (*Token, *Rejection) {
	if r := hashed(c.Hash); r != nil {
		return nil, r
	}
	x := &Token{Client: c.Client, Scopes: sorted(c.Scopes), ExpiresAt: stored(c.ExpiresAt)}
	_, _ = hex.Decode(x.Hash[:], []byte(c.Hash)) // hashed has read it
	return x, nil
}

// RevokeToken ends an access token at once.
type RevokeToken struct {
	Hash string    `json:"hash"` // SHA-256, hexadecimal
	At   time.Time `json:"at"`   // wall clock
}

func (RevokeToken) Name() string { return "token.revoke" }

// Keys asks for the token, and then for its client.
func (c RevokeToken) Keys(s *State, _ Env) Keys {
	k := Keys{Tokens: tokenKey(c.Hash)}
	if x := s.Tokens[c.Hash]; x != nil {
		k.Clients = []string{x.Client}
	}
	return k
}

func (c RevokeToken) Admit(s *State, e Env) *Rejection {
	x := s.Tokens[c.Hash]
	if x == nil {
		return NotFound.Because("There is no such token.")
	}
	return ownClient(s, e, x.Client)
}

func (c RevokeToken) Decide(s *State, e Env) (Changes, *Rejection) {
	if old := s.Tokens[c.Hash]; !old.RevokedAt.IsZero() {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	x := d.Tokens.Edit(c.Hash)
	x.RevokedAt = stored(c.At)
	return d.Done(x, false), nil
}

// tokenKey asks for a token, if that is a hash.
func tokenKey(hash string) []string {
	if hashed(hash) != nil {
		return nil
	}
	return []string{hash}
}

// ownClient asks that the actor is the client, or Console.
func ownClient(s *State, e Env, id string) *Rejection {
	if s.Clients[id] == nil || e.Actor.Client != id && e.Actor.Client != Console {
		return NotFound.Because("There is no such client.")
	}
	return nil
}
