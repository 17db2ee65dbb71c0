package main

import (
	"bytes"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/edge/auth"
	"tenor/internal/proof/devtest"
)

// A token issued while a server is running is accepted by it. Like its client, it is in the audit
// log with who asked and why.
func TestTokenLeavesATrace(t *testing.T) {
	p := openToy(t, nil)
	var out, errs bytes.Buffer
	if code := cli.Run(t.Context(), []string{"token", "--operator", "--data", p.Dir, "-q", "--reason", "month end"}, devtest.App(&out, &errs)); code != exit.Done {
		t.Fatalf("%d: %s", code, &errs)
	}
	token := strings.TrimSpace(out.String())
	if _, err := p.caller(token).Do(t.Context(), "GET", "/v1/sandbox/clock", nil); err != nil {
		t.Errorf("the server refuses it: %v", err)
	}
	hash := auth.Hash(token)
	var traces []string
	err := p.Node().DB.View(t.Context(), func(v store.View) error {
		return store.EachAudit(v, 0, func(_ int64, a store.Audit) error {
			if a.Object == hex.EncodeToString(hash[:]) {
				traces = append(traces, a.Command+" "+a.Actor.Client+" "+a.Address)
				if !strings.Contains(string(a.Payload), `"reason":"month end"`) || strings.Contains(string(a.Payload), token) {
					t.Errorf("kept %s", a.Payload)
				}
			}
			return nil
		})
	})
	if err != nil || len(traces) != 1 || !strings.HasPrefix(traces[0], "token.issue console uid ") {
		t.Errorf("traces %q, %v", traces, err)
	}
	pass, found, err := p.Node().DB.TokenByHash(t.Context(), hash)
	if err != nil || !found || !pass.Proven() {
		t.Fatalf("found %v, %v", found, err)
	}
	out.Reset()
	if code := cli.Run(t.Context(), []string{"token", "--revoke", pass.Client.ID, "--data", p.Dir}, devtest.App(&out, &errs)); code != exit.Done {
		t.Fatalf("%d: %s", code, &errs)
	}
	if pass, found, err = p.Node().DB.TokenByHash(t.Context(), hash); err != nil || !found || pass.Client.RevokedAt.IsZero() || !pass.Proven() {
		t.Errorf("its client after the end: %+v, %v", pass.Client.Client, err)
	}
	p.verified()
}

// Every caller of the old sandbox can call the new one; revoked access stays revoked; a client of
// a merchant unknown to the new one is not created.
func TestInherit(t *testing.T) {
	dir, at := t.TempDir(), time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	wall := func() time.Time { return at }
	open := func(name string) (*sqlite.DB, auth.Issuer) {
		t.Helper()
		db, err := sqlite.Open(filepath.Join(dir, name), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		desk, err := node.Console(t.Context(), db, node.Sandbox, wall, wall)
		if err != nil {
			t.Fatal(err)
		}
		return db, desk
	}
	was, old := open("old.db")
	defer was.Close()
	is, next := open("next.db")
	create := func(desk auth.Issuer, id, merchant string) credit.Client {
		t.Helper()
		c, err := desk.Create(t.Context(), access.CreateClient{ID: id, Merchant: merchant, Title: node.ConsoleClient})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	token := func(desk auth.Issuer, c credit.Client) *credit.Token {
		t.Helper()
		_, x, err := desk.NewToken(t.Context(), c, nil, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return &x
	}
	var shop string
	_, err := old.Submit.Submit(t.Context(), engine.Request{
		Command: merchants.CreateMerchant{Title: "Shop", Settings: lending.DefaultSettings()}, Actor: credit.Actor{Client: "system", Operator: true},
		Encode: func(c credit.Changes, _ *credit.Rejection) engine.Response {
			shop = c.Result.(*credit.Merchant).ID
			return engine.Response{Status: 201}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	both, ended, alone := create(old, "cli_both", ""), create(old, "cli_ended", ""), create(old, "cli_alone", "")
	create(next, "cli_both", "")
	create(next, "cli_ended", "")
	gone, goes, lost, fresh := token(old, both), token(old, both), token(old, create(old, "cli_shop", shop)), token(old, alone)
	if err := next.Token(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if err := old.RevokeToken(t.Context(), gone.Hash); err != nil {
		t.Fatal(err)
	}
	if found, err := old.Revoke(t.Context(), ended.ID); !found || err != nil {
		t.Fatal(found, err)
	}
	if err := is.Close(); err != nil {
		t.Fatal(err)
	}
	if err := node.Inherit(t.Context(), filepath.Join(dir, "next.db"), filepath.Join(dir, "old.db"), wall, at); err != nil { // the old one is open
		t.Fatal(err)
	}
	is, _ = open("next.db")
	defer is.Close()
	for name, x := range map[string]struct {
		token        *credit.Token
		found, ended bool
	}{"ended": {gone, true, true}, "of both": {goes, true, false}, "of a new client": {fresh, true, false}, "of a merchant that is not there": {lost, false, false}} {
		p, found, err := is.TokenByHash(t.Context(), x.token.Hash)
		if err != nil || found != x.found || found && (p.Token.RevokedAt.IsZero() == x.ended || !p.Proven()) {
			t.Errorf("the token %s: found %v, %v", name, found, err)
		}
	}
	if c, _, err := is.ClientByID(t.Context(), ended.ID); err != nil || c.Client.RevokedAt.IsZero() {
		t.Errorf("a client that was ended: %v", err)
	}
	if _, found, err := is.ClientByID(t.Context(), "cli_shop"); found || err != nil {
		t.Errorf("the client of a merchant that is not there: %v, %v", found, err)
	}
}
