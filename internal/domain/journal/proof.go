package journal

import (
	"encoding/json"
	"reflect"
	"slices"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/staff"
)

// Deed is the audit row of an accepted command.
type Deed struct {
	Q       int64
	Command string
	Payload []byte
}

// ProveClient reports whether a client, as stored in its row of commit q, is the result of the
// commands on it; log is all of them, in order. A row that was written outside the program, or
// changed or restored, is not.
func ProveClient(x *credit.Client, q int64, log []Deed) bool {
	var made *credit.Client
	at := int64(0)
	for _, d := range log {
		c, told, err := DecodeAct(d.Command, d.Payload)
		if err != nil {
			return false
		}
		if a, ok := c.(staff.Approve); ok {
			c = a.Command()
		}
		switch c := c.(type) {
		case access.CreateClient:
			if made != nil {
				return false
			}
			made = proven(c, x, told)
		case access.RollClient:
			if made == nil || len(made.Secrets) == 0 {
				return false
			}
			c.On(made)
		case access.LimitClient:
			if made == nil {
				return false
			}
			c.On(made)
		case access.RevokeClient:
			if made == nil {
				return false
			}
			if !made.RevokedAt.IsZero() {
				continue // it changed nothing
			}
			c.On(made)
		default:
			continue
		}
		at = d.Q
	}
	return made != nil && at == q && reflect.DeepEqual(tellClient(made), tellClient(x))
}

// proven is the client according to its first audit row. Earlier programs recorded nothing
// there: then it is what the command says. If that named no scopes it gave all that existed,
// and the row decides which those were, as long as the client may hold them.
func proven(c access.CreateClient, row *credit.Client, told Told) *credit.Client {
	if m := told.Is["client "+row.ID]; m != nil {
		var t clientTold
		text, err := json.Marshal(m)
		if err == nil {
			err = strictly(text, &t)
		}
		if err != nil {
			return nil
		}
		return t.client()
	}
	x := c.Made()
	x.ID = row.ID
	if _, foreign := access.ForeignScope(row.Merchant, row.Scopes); len(c.Scopes) == 0 && !foreign && !slices.Contains(row.Scopes, access.ScopeSandbox) {
		x.Scopes = row.Scopes
	}
	return x
}

func (t clientTold) client() *credit.Client {
	x := &credit.Client{
		ID: t.ID, Merchant: t.Merchant, Name: t.Name, Scopes: t.Scopes, PerMinute: t.PerMinute, Burst: t.Burst,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, RevokedAt: t.RevokedAt, Version: t.Version,
	}
	for _, s := range t.Secrets {
		x.Secrets = append(x.Secrets, credit.ClientSecret(s))
	}
	return x
}

// ProveToken is ProveClient for an access token.
func ProveToken(x *credit.Token, q int64, log []Deed) bool {
	var made *credit.Token
	at := int64(0)
	for _, d := range log {
		c, err := DecodeCommand(d.Command, d.Payload)
		if err != nil {
			return false
		}
		switch c := c.(type) {
		case access.IssueToken:
			if made != nil {
				return false
			}
			if made, _ = c.Made(); made == nil {
				return false
			}
			at = d.Q
		case access.RevokeToken:
			if made == nil || made.Key() != c.Hash {
				return false
			}
			if made.RevokedAt.IsZero() {
				made.RevokedAt, at = credit.Stored(c.At), d.Q
			}
		}
	}
	return made != nil && at == q && made.Hash == x.Hash && made.Client == x.Client && slices.Equal(made.Scopes, x.Scopes) &&
		made.ExpiresAt.Equal(x.ExpiresAt) && made.RevokedAt.Equal(x.RevokedAt)
}
