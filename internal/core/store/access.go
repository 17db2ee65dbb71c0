package store

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

// TokenRow is an access token with the commit that wrote it; 0 if none did.
type TokenRow struct {
	*credit.Token
	Q int64
}

// Known is an API client with its audit log rows.
type Known struct {
	Client ClientRow
	Log    []AuditRow // of the client, in commit order
}

// Pass is an access token and its client, with the audit log rows of both.
type Pass struct {
	Token  TokenRow
	Client ClientRow
	Log    []AuditRow // of both, in commit order
}

// Proven reports whether the stored client matches the commands that made it (AU9).
func (k *Known) Proven() bool {
	return journal.ProveClient(k.Client.Client, k.Client.Q, deeds(k.Log, k.Client.ID))
}

// Proven reports whether the token and its client match the commands that made them (AU9).
func (p *Pass) Proven() bool {
	client := Known{p.Client, p.Log}
	return p.Token.Client == p.Client.ID && client.Proven() && ProvenToken(p.Token, p.Log)
}

// ProvenToken is Pass.Proven without the client check.
func ProvenToken(t TokenRow, log []AuditRow) bool {
	return journal.ProveToken(t.Token, t.Q, deeds(log, t.Key()))
}

// deeds returns the accepted commands on an object.
func deeds(log []AuditRow, object string) []journal.Deed {
	var out []journal.Deed
	for i := range log {
		if a := &log[i]; a.Object == object && a.Result == "ok" && IsAccess(a.Command) {
			out = append(out, journal.Deed{Q: a.Q, Command: a.Command, Payload: a.Payload})
		}
	}
	return out
}

// AccessCommands are the commands that create and change clients and tokens. The databases
// index their audit rows.
func AccessCommands() []string {
	return []string{"client.create", "client.limit", "client.roll", "client.revoke", "token.issue", "token.revoke"}
}

// IsAccess reports whether a command is one of AccessCommands.
func IsAccess(command string) bool { return slices.Contains(AccessCommands(), command) }
