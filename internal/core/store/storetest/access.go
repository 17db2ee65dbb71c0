package storetest

import (
	"context"
	"encoding/hex"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

// desk commits commands on clients and tokens, one per batch, with their audit rows.
type desk struct {
	t     *testing.T
	b     store.Backend
	state *credit.State
}

func (d *desk) do(c credit.Command) credit.Changes {
	d.t.Helper()
	e := credit.Env{Now: wall(0), Zone: calendar.NewZone(time.UTC), Seed: [16]byte{1}, Actor: credit.Actor{Client: access.Console, Operator: true}}
	r := credit.Admit(d.state, e, c)
	var changes credit.Changes
	if r == nil {
		changes, r = credit.Decide(d.state, e, c)
	}
	if r != nil {
		d.t.Fatalf("%s: %v", c.Name(), r)
	}
	told, err := journal.Tell(d.state, "", changes)
	if err != nil {
		d.t.Fatal(err)
	}
	batch := batchOf(d.b, changes)
	a := &batch.Decided[0].Audit
	a.Command = c.Name()
	if a.Payload, err = journal.EncodeAct(c, told); err != nil {
		d.t.Fatal(err)
	}
	switch x := changes.Result.(type) {
	case *credit.Client:
		a.Object = x.ID
	case *credit.Token:
		a.Object = x.Key()
	}
	commit(d.t, d.b, batch)
	d.state.Apply(changes)
	return changes
}

// client checks that a client is found as given.
func (d *desk) client(want *credit.Client, proven bool) {
	d.t.Helper()
	x, found, err := d.b.ClientByID(context.Background(), want.ID)
	if err != nil || !found {
		d.t.Fatalf("client %s: %v, %v", want.ID, found, err)
	}
	equal(d.t, "client", want, x.Client.Client)
	if x.Proven() != proven {
		d.t.Errorf("client %s: proven %v by %d rows", want.ID, x.Proven(), len(x.Log))
	}
}

// token checks that a token is found as given, with its client.
func (d *desk) token(want *credit.Token, proven bool) {
	d.t.Helper()
	x, found, err := d.b.TokenByHash(context.Background(), want.Hash)
	if err != nil || !found {
		d.t.Fatalf("token of %s: %v, %v", want.Client, found, err)
	}
	equal(d.t, "token", want, x.Token.Token)
	equal(d.t, "its client", d.state.Clients[want.Client], x.Client.Client)
	if x.Proven() != proven {
		d.t.Errorf("token of %s: proven %v by %d rows", want.Client, x.Proven(), len(x.Log))
	}
}

// testAccess creates, changes and revokes clients and tokens by commands. The audit log
// proves their rows at each step, and no longer once they are written without a command
// (AU9).
func testAccess(t *testing.T, b store.Backend) {
	d := &desk{t, b, credit.NewState()}
	hash := func(n byte) string { return hex.EncodeToString(append(make([]byte, 31), n)) }
	app := d.do(access.CreateClient{Title: "app", SecretHash: hash(1), At: wall(1)}).Clients[0]
	own := d.do(access.CreateClient{ID: "cli_own", Title: "own", Scopes: []string{"sandbox"}, PerMinute: 2_000_000, At: wall(2)}).Clients[0]
	d.client(app, true)
	d.client(own, true)
	kept := d.do(access.IssueToken{Hash: hash(2), Client: app.ID, Scopes: app.Scopes[:1], ExpiresAt: wall(99), At: wall(3)}).Tokens[0]
	gone := d.do(access.IssueToken{Hash: hash(3), Client: own.ID, Scopes: own.Scopes, ExpiresAt: wall(99), At: wall(3)}).Tokens[0]
	d.token(kept, true)
	d.token(gone, true)
	before := *gone
	gone = d.do(access.RevokeToken{Hash: hash(3), At: wall(4)}).Tokens[0]
	d.do(access.RevokeToken{Hash: hash(3), At: wall(5)}) // changes nothing
	d.token(gone, true)
	d.do(access.RollClient{Client: app.ID, SecretHash: hash(4), OldUntil: wall(90), At: wall(6)})
	app = d.do(access.LimitClient{Client: app.ID, PerMinute: 7, Burst: 8, At: wall(7)}).Clients[0]
	d.client(app, true)
	d.token(kept, true)
	was := *own
	own = d.do(access.RevokeClient{Client: own.ID, At: wall(8)}).Clients[0]
	d.do(access.RevokeClient{Client: own.ID, At: wall(9)}) // changes nothing
	d.client(own, true)
	if _, found, err := b.ClientByID(context.Background(), "none"); found || err != nil {
		t.Errorf("a client that is not there: %v, %v", found, err)
	}
	if _, found, err := b.TokenByHash(context.Background(), [32]byte{7}); found || err != nil {
		t.Errorf("a token that is not there: %v, %v", found, err)
	}

	// Rows without their command: wider, valid again, invented.
	wide := *app
	wide.Scopes, wide.Version = append([]string{"orders:read"}, app.Scopes...), app.Version+1
	was.Version = own.Version + 1
	d.bare(credit.Changes{Clients: []*credit.Client{&wide, &was}, Tokens: []*credit.Token{&before}})
	d.client(&wide, false)
	d.token(kept, false) // because of its client
	d.client(&was, false)
	d.token(&before, false)
	made := credit.Token{Hash: [32]byte{9}, Client: app.ID, Scopes: app.Scopes, ExpiresAt: wall(99)}
	up := *app
	up.ID, up.Version = "cli_up", 1
	d.bare(credit.Changes{Clients: []*credit.Client{&up}, Tokens: []*credit.Token{&made}})
	if x, found, err := b.ClientByID(context.Background(), up.ID); found && x.Proven() || err != nil {
		t.Errorf("a client that no command has made is proven: %v", err)
	}
	d.token(&made, false) // the log has rows about its client
}

// bare commits rows without the audit rows of their commands.
func (d *desk) bare(c credit.Changes) {
	d.t.Helper()
	commit(d.t, d.b, batchOf(d.b, c))
	d.state.Apply(c)
}
