package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	fakebank "tenor/internal/ports/rails/fake"
	"tenor/internal/proof/pgtest"
)

// sealedMerchant creates a merchant with an account and an endpoint, and returns its ID.
func sealedMerchant(t *testing.T, n *node.Node) string {
	t.Helper()
	submit := func(c credit.Command) any {
		t.Helper()
		made, err := n.Submit(t.Context(), "test", node.RandomSeed(), c)
		if err != nil {
			t.Fatal(err)
		}
		return made.Result
	}
	m := submit(merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant)
	bank, err := n.Account(payments.PaidAccount(m.ID), credit.AccountDetails{Routing: fakebank.Routing, Number: "200100200", Holder: "Harbor Treasury"})
	if err != nil {
		t.Fatal(err)
	}
	submit(merchants.SetMerchantAccount{Merchant: m.ID, Bank: bank})
	id := credit.EndpointID(node.RandomSeed(), n.Now())
	submit(access.CreateEndpoint{ID: id, Merchant: m.ID, URL: "https://shop.example/", Enabled: true, Sealed: n.Ring.Seal([]byte("secret"), credit.SigningSecretOf(id))})
	return m.ID
}

// opensAccount checks that a node's keys open a merchant's account.
func opensAccount(t *testing.T, n *node.Node, merchant string) {
	t.Helper()
	s := credit.NewState()
	if err := n.DB.View(t.Context(), func(v store.View) error { return v.Load(s, credit.Keys{Merchants: []string{merchant}}) }); err != nil {
		t.Fatal(err)
	}
	if x, err := s.Merchants[merchant].Account.Bank.Open(payments.PaidAccount(merchant), n.Ring.Open); err != nil || x.Holder != "Harbor Treasury" {
		t.Errorf("the account does not open: %v", err)
	}
	index := n.Fingerprint(fakebank.Routing, "200100200")
	if got := s.Merchants[merchant].Account.Bank.Fingerprint; got != index {
		t.Errorf("the account's fingerprint is %s, would be %s", got, index)
	}
}

// nodeWith opens a live database with a key file.
func nodeWith(t *testing.T, at *node.Place, file string) *node.Node {
	t.Helper()
	n, err := node.Open(t.Context(), node.Config{Place: at, Mode: node.Live, Wall: clock.Wall{}.Now, Log: node.QuietLog(t.Output()), Keys: true, KeyFile: file, Clock: node.WallClock})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ended checks how a command exits, and returns its output.
func ended(t *testing.T, want int, args ...string) string {
	t.Helper()
	out, errs, code := do(clock.Wall{}.Now, args...)
	if code != want {
		t.Errorf("%s ended with %d, not %d: %s", strings.Join(args, " "), code, want, errs)
	}
	return out + errs
}

// stateOf returns the output of keys status for a database.
func stateOf(t *testing.T, args []string) (s node.KeyState) {
	t.Helper()
	out, errs, code := do(clock.Wall{}.Now, append([]string{"keys", "status", "--json"}, args...)...)
	if code != exit.Done || json.Unmarshal([]byte(out), &s) != nil {
		t.Fatalf("keys status ended with %d: %s%s", code, out, errs)
	}
	return s
}

// A key rotation: the new key comes first, everything is encrypted with it, the head of the log
// is signed with it, and only then can the old one be removed. The database opens at each step,
// and at the end with the new key alone (A62).
func TestKeysRotate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for name, c := range map[string]struct {
		at   *node.Place
		args []string
	}{
		"sqlite":     {&node.Place{Dir: dir}, []string{"--data", dir}},
		"postgresql": {nil, []string{"--database", pgtest.Database(t)}},
	} {
		t.Run(name, func(t *testing.T) {
			at, args, file := c.at, c.args, keyFile(t)
			if at == nil {
				var err error
				if at, err = node.PlaceAt(args[1]); err != nil {
					t.Fatal(err)
				}
			}
			args = append(args, "--key-file", file)
			with := func(verb string) []string { return append([]string{"keys", verb}, args...) }
			n := nodeWith(t, at, file)
			merchant := sealedMerchant(t, n)
			headsOf(t, n, "").RunDue(t.Context(), true)
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(file)
			if s := stateOf(t, args); len(s.Keys) != 1 || s.Keys[0].State != node.KeySeals || s.Keys[0].Values != 4 { // with the key check and the key of fingerprints
				t.Errorf("before: %+v", s)
			}
			if text := ended(t, exit.Done, with("drop-old")...); !strings.Contains(text, "nothing to remove") {
				t.Errorf("with one key drop-old says %s", text)
			}

			ended(t, exit.Done, "keys", "add", file)
			both, _ := os.ReadFile(file)
			info, err := os.Stat(file)
			if err != nil || info.Mode().Perm() != 0o600 || !bytes.HasSuffix(both, before) || bytes.Count(both, []byte("\n")) != 2 {
				t.Fatalf("mode %v, %v, %d lines", info.Mode(), err, bytes.Count(both, []byte("\n")))
			}
			if s := stateOf(t, args); len(s.Keys) != 2 || s.Keys[0].Values != 0 || s.Keys[1].State != node.KeyOpens || s.Keys[1].Values != 4 {
				t.Errorf("with a new key: %+v", s)
			}
			if f := examine(t, exit.Done, args...)["keys"]; f.Status != "warning" || !strings.Contains(f.Text, "still in use") {
				t.Errorf("doctor before the rotation: %+v", f)
			}
			if text := ended(t, exit.Conflict, with("drop-old")...); !strings.Contains(text, "keys rotate") {
				t.Errorf("before the rotation drop-old says %s", text)
			}

			var beside *node.Node
			if at.Dir == "" { // PostgreSQL allows several processes
				beside = nodeWith(t, at, file)
				opensAccount(t, beside, merchant)
			}
			if text := ended(t, exit.Done, with("rotate")...); !strings.Contains(text, "4 values were re-encrypted") || !strings.Contains(text, "drop-old") {
				t.Errorf("rotate says %s", text)
			}
			if beside != nil {
				opensAccount(t, beside, merchant)
				if err := beside.Close(); err != nil {
					t.Error(err)
				}
			}
			if text := ended(t, exit.Done, with("rotate")...); !strings.Contains(text, "0 values were re-encrypted") {
				t.Errorf("a second rotate says %s", text)
			}
			if f := examine(t, exit.Done, args...)["keys"]; f.Status != "warning" || !strings.Contains(f.Text, "no longer used") {
				t.Errorf("doctor after the rotation: %+v", f)
			}
			if s := stateOf(t, args); s.Head != s.Keys[0].ID || s.Keys[1].State != node.KeyUnused {
				t.Errorf("after the rotation: %+v", s)
			}
			ended(t, exit.Done, append([]string{"verify"}, args...)...)
			ended(t, exit.Done, with("drop-old")...)
			after, _ := os.ReadFile(file)
			if string(after)+string(before) != string(both) {
				t.Error("another line than the old one was taken out")
			}
			n = nodeWith(t, at, file)
			opensAccount(t, n, merchant)
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, before, 0o600); err != nil {
				t.Fatal(err)
			}
			if text := ended(t, exit.Forbidden, with("rotate")...); !strings.Contains(text, "does not belong to this database") {
				t.Errorf("with the old key alone rotate says %s", text)
			}
			if s := stateOf(t, args); s.Keys[len(s.Keys)-1].State != node.KeyMissing {
				t.Errorf("with the old key alone: %+v", s)
			}
		})
	}
}

// The old key stays as long as the last head of the log is signed with it: it introduces the next
// head, signed with the new key.
func TestOldKeyStaysForTheHead(t *testing.T) {
	dir := t.TempDir()
	n := openTestNode(t, dir)
	sealedMerchant(t, n)
	headsOf(t, n, "").RunDue(t.Context(), true)
	file := filepath.Join(dir, node.KeyFileName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	both := seal.AddKey(text)
	ring, err := seal.ParseKeyFile(both)
	if err != nil {
		t.Fatal(err)
	}
	n.Ring = &ring
	if sealed, err := n.Reseal(t.Context(), nil); err != nil || sealed == 0 {
		t.Fatalf("%d values sealed: %v", sealed, err)
	}
	s, err := node.KeysOf(t.Context(), n.DB, &ring)
	if err != nil || s.Keys[1].State != node.KeyOpens || s.Keys[1].Values != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	headsOf(t, n, "").RunDue(t.Context(), true)
	if s, err = node.KeysOf(t.Context(), n.DB, &ring); err != nil || s.Keys[1].State != node.KeyUnused {
		t.Errorf("after a head of the new key: %+v, %v", s, err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}

// A sandbox has no key file to rotate.
func TestSandboxHasNoKeyFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sandbox")
	n, err := node.Open(t.Context(), node.Config{Place: &node.Place{Dir: dir}, Mode: node.Sandbox, Wall: clock.Wall{}.Now, Log: node.QuietLog(t.Output()), Keys: true, Clock: node.WallClock})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"rotate", "status", "drop-old"} {
		if text := ended(t, exit.Usage, "keys", verb, "--data", dir); !strings.Contains(text, "comes from its data") {
			t.Errorf("keys %s says %s", verb, text)
		}
	}
}
