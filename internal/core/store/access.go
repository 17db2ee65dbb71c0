package store

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

// TokenRow is an access token with the commit that wrote it; 0: none did.
type TokenRow struct {
	*credit.Token
	Q int64
}

// Known is an API client with what the audit log says of it.
type Known struct {
	Client ClientRow
	Log    []AuditRow // of the client, in order of commit
}

// Pass is an access token and its client, with what the audit log says of both.
type Pass struct {
	Token  TokenRow
	Client ClientRow
	Log    []AuditRow // of the two, in order of commit
}

// Proven reports that the client is what commands have made of it (AU9).
func (k *Known) Proven() bool {
	return journal.ProveClient(k.Client.Client, k.Client.Q, deeds(k.Log, k.Client.ID))
}

// Proven reports that the token and its client are what commands have made of them (AU9).
func (p *Pass) Proven() bool {
	client := Known{p.Client, p.Log}
	return p.Token.Client == p.Client.ID && client.Proven() && ProvenToken(p.Token, p.Log)
}

// ProvenToken is Pass.Proven without the client.
func ProvenToken(t TokenRow, log []AuditRow) bool {
	return journal.ProveToken(t.Token, t.Q, deeds(log, t.Key()))
}

// deeds are the accepted commands on an object.
func deeds(log []AuditRow, object string) []journal.Deed {
	var out []journal.Deed
	for i := range log {
		if a := &log[i]; a.Object == object && a.Result == "ok" && IsAccess(a.Command) {
			out = append(out, journal.Deed{Q: a.Q, Command: a.Command, Payload: a.Payload})
		}
	}
	return out
}

// AccessCommands are the commands that make and change clients and tokens. The databases
// keep an index of their audit rows.
func AccessCommands() []string {
	return []string{"client.create", "client.limit", "client.roll", "client.revoke", "token.issue", "token.revoke"}
}

// IsAccess reports whether a command is one of AccessCommands.
func IsAccess(command string) bool { return slices.Contains(AccessCommands(), command) }
