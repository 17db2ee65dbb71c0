package access

import (
	"encoding/hex"
	"slices"
	"time"

	"tenor/internal/domain/credit"
)

// IssueToken issues an access token to a client. The edge generates the token and has
// authenticated the client; only the token's hash is passed here (AU3). A client issues for
// itself, Console for any.
type IssueToken struct {
	Hash      string    `json:"hash"` // SHA-256, hexadecimal
	Client    string    `json:"client"`
	Scopes    []string  `json:"scopes"`
	ExpiresAt time.Time `json:"expires_at"` // later than At
	At        time.Time `json:"at"`         // wall clock
}

func (IssueToken) Name() string { return "token.issue" }

// Keys requests the client, and any token with the same hash.
func (c IssueToken) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Clients: []string{c.Client}, Tokens: tokenKey(c.Hash)}
}

func (c IssueToken) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownClient(s, e, c.Client)
}

func (c IssueToken) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	of := s.Clients[c.Client]
	switch {
	case of.Version == 0 || !of.RevokedAt.IsZero():
		return credit.Changes{}, credit.ClientLocked.Because("The client no longer has access.")
	case len(c.Scopes) == 0, slices.ContainsFunc(c.Scopes, func(x string) bool { return !Holds(of.Scopes, x) }):
		return credit.Changes{}, credit.ValidationFailed.Because("A token can hold only scopes of its client.")
	case !credit.Stored(c.ExpiresAt).After(credit.Stored(c.At)):
		return credit.Changes{}, credit.ValidationFailed.Because("A token must expire after it is created.")
	case s.Tokens[c.Hash] != nil:
		return credit.Changes{}, credit.ValidationFailed.Because("The token already exists.")
	}
	x, r := c.Made()
	if r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	return d.Done(d.Tokens.Add(x.Key(), x), true), nil
}

// Made is the token that the command creates.
func (c IssueToken) Made() (*credit.Token, *credit.Rejection) {
	if r := credit.CheckHash(c.Hash); r != nil {
		return nil, r
	}
	x := &credit.Token{Client: c.Client, Scopes: credit.Sorted(c.Scopes), ExpiresAt: credit.Stored(c.ExpiresAt)}
	_, _ = hex.Decode(x.Hash[:], []byte(c.Hash)) // CheckHash has already validated it
	return x, nil
}

// RevokeToken ends an access token at once.
type RevokeToken struct {
	Hash string    `json:"hash"` // SHA-256, hexadecimal
	At   time.Time `json:"at"`   // wall clock
}

func (RevokeToken) Name() string { return "token.revoke" }

// Keys requests the token, and then its client.
func (c RevokeToken) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Tokens: tokenKey(c.Hash)}
	if x := s.Tokens[c.Hash]; x != nil {
		k.Clients = []string{x.Client}
	}
	return k
}

func (c RevokeToken) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	x := s.Tokens[c.Hash]
	if x == nil {
		return credit.NotFound.Because("There is no such token.")
	}
	return ownClient(s, e, x.Client)
}

func (c RevokeToken) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if old := s.Tokens[c.Hash]; !old.RevokedAt.IsZero() {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	x := d.Tokens.Edit(c.Hash)
	x.RevokedAt = credit.Stored(c.At)
	return d.Done(x, false), nil
}

// tokenKey requests a token, if hash is valid.
func tokenKey(hash string) []string {
	if credit.CheckHash(hash) != nil {
		return nil
	}
	return []string{hash}
}

// ownClient requires that the actor is the client, or Console.
func ownClient(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if s.Clients[id] == nil || e.Actor.Client != id && e.Actor.Client != Console {
		return credit.NotFound.Because("There is no such client.")
	}
	return nil
}
