package access

import (
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
)

// Guards say which permission of the lender's staff each command takes; see credit.Guarded.

// Guard implements credit.Guarded. A client that only reads takes nobody else.
func (c CreateClient) Guard(*credit.State) credit.Guard {
	g := credit.Guard{Permission: permit.LiveClients}
	if !slices.ContainsFunc(c.scopes(), func(s string) bool { return !strings.HasSuffix(s, ":read") }) {
		g.Second = credit.Never
	}
	return g
}

// Guard implements credit.Guarded: whoever has the new secret is the client.
func (c RollClient) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.LiveClients, Of: credit.ObjectRef{Type: "client", ID: c.Client}}
}

// Guard implements credit.Guarded: it stops a thief.
func (c RevokeClient) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.LiveClients, Second: credit.Never, Of: credit.ObjectRef{Type: "client", ID: c.Client}}
}
