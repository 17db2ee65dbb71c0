package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/proof/devtest"
)

const testOrigin = `{"odfi":"990000000","destination":"990000000","destination_name":"FIRST BANK","source":"990000000",
	"source_name":"LENDER","company":"LENDER","company_id":"1000000000","return_cost":4.00}`

// railsIn writes a rails file next to a processor's secret and an SFTP key.
func railsIn(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"rails.json": strings.ReplaceAll(text, "ORIGIN", testOrigin), "card.key": "sk_test_1\n", "empty.key": "\n", "id": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: block})),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "rails.json")
}

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIX0Wrg3c9RHu41wGZqRQrEAP4kzqtVVGH0d3mESHmr8"

func TestRailsFile(t *testing.T) {
	for _, x := range []struct {
		text        string
		bank, cards bool
		wrong       string // in the error, "" if there is none
	}{
		{text: `{}`},
		{text: `{"ach":{"origin":ORIGIN,"folder":"bank"}}`, bank: true},
		{text: `{"card":{"secret_file":"card.key"}}`, cards: true},
		{text: `{"ach":{"origin":ORIGIN,"sftp":{"address":"127.0.0.1:22","user":"u","key_file":"id","host_key":"` + hostKey + `","out":"o","in":"i","done":"d"}},"card":{"secret_file":"card.key"}}`, bank: true, cards: true},

		{text: `{`, wrong: "it cannot be read"},
		{text: `{"bank":{}}`, wrong: `unknown object member name "bank"`},
		{text: `{"ach":{"origin":ORIGIN}}`, wrong: "ach: give exactly one of folder and sftp"},
		{text: `{"ach":{"origin":ORIGIN,"folder":"bank","sftp":{}}}`, wrong: "ach: give exactly one of folder and sftp"},
		{text: `{"ach":{"origin":{"odfi":"990000001"},"folder":"bank"}}`, wrong: "ach: ach: origin: the destination name must be"},
		{text: strings.Replace(`{"ach":{"origin":ORIGIN,"folder":"bank"}}`, "ORIGIN", strings.Replace(testOrigin, `"odfi":"990000000"`, `"odfi":"990000001"`, 1), 1), wrong: "valid check digit"},
		{text: strings.Replace(`{"ach":{"origin":ORIGIN,"folder":"bank"}}`, "ORIGIN", strings.Replace(testOrigin, "4.00", "-4.00", 1), 1), wrong: "return_cost is negative"},
		{text: `{"ach":{"origin":ORIGIN,"sftp":{"address":"127.0.0.1:22","user":"u","host_key":"` + hostKey + `","out":"o","in":"i","done":"d"}}}`, wrong: "sftp: key_file: no file is given"},
		{text: `{"ach":{"origin":ORIGIN,"sftp":{"address":"127.0.0.1:22","user":"u","key_file":"card.key","host_key":"` + hostKey + `","out":"o","in":"i","done":"d"}}}`, wrong: "the private key cannot be read"},
		{text: `{"ach":{"origin":ORIGIN,"sftp":{"address":"127.0.0.1:22","user":"u","key_file":"id","host_key":"no key","out":"o","in":"i","done":"d"}}}`, wrong: "host key"},
		{text: `{"card":{}}`, wrong: "card: secret_file: no file is given"},
		{text: `{"card":{"secret_file":"empty.key"}}`, wrong: "card: secret_file: the file is empty"},
		{text: `{"card":{"secret_file":"none.key"}}`, wrong: "card: secret_file: stat"},
	} {
		file := railsIn(t, x.text)
		c, err := node.RailFlags{Rails: file}.Carriers(node.QuietLog(t.Output()))
		switch {
		case x.wrong == "" && err != nil:
			t.Errorf("%s: %v", x.text, err)
		case x.wrong != "" && (err == nil || !strings.Contains(err.Error(), x.wrong) || !strings.HasPrefix(err.Error(), file)):
			t.Errorf("%s: %v, want %s", x.text, err, x.wrong)
		case (c.Bank != nil) != x.bank || (c.Cards != nil) != x.cards:
			t.Errorf("%s: a bank %v, cards %v", x.text, c.Bank != nil, c.Cards != nil)
		}
		if err != nil && strings.Contains(err.Error(), "sk_test") {
			t.Errorf("%s: the error shows the secret: %v", x.text, err)
		}
	}
	for text, silent := range map[string]bool{``: false, `,"acknowledges":true`: false, `,"acknowledges":false`: true} {
		c, err := node.RailFlags{Rails: railsIn(t, `{"ach":{"origin":ORIGIN,"folder":"bank"`+text+`}}`)}.Carriers(node.QuietLog(t.Output()))
		if err != nil || c.Silent != silent {
			t.Errorf("%q: silent %t, %v", text, c.Silent, err)
		}
	}
	if _, err := (node.RailFlags{Rails: filepath.Join(t.TempDir(), "none.json")}).Carriers(node.QuietLog(t.Output())); err == nil {
		t.Error("a file that is not there was read")
	}
}

// At its start a server says how it moves money, and it refuses to start with an invalid file.
func TestServeWithRails(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`{"ach":{"origin":ORIGIN,"folder":"bank"}}`, `"bank":true,"cards":false`},
		{`{}`, `"bank":false,"cards":false`},
	} {
		file := railsIn(t, x.text)
		if log := served(t, "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--rails", file); !strings.Contains(log, x.want) {
			t.Errorf("%s: no %s in %s", x.text, x.want, log)
		}
	}
	var errs devtest.Pipe
	if code := cli.Run(t.Context(), []string{"serve", "--data", t.TempDir(), "--rails", railsIn(t, `{"ach":{}}`)}, devtest.App(&errs, &errs)); code != exit.Refused ||
		!strings.Contains(errs.String(), "rails.json: ach: ") || !strings.Contains(errs.String(), "operating.md") {
		t.Errorf("ended with %d: %s", code, errs.String())
	}
}

// served runs serve until it is serving, stops it with a signal, and returns its log.
func served(t *testing.T, args ...string) string {
	t.Helper()
	var out devtest.Pipe
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(ctx, append([]string{"serve", "--drain", "0s"}, args...), devtest.App(&out, &out))
	}()
	serving := func() bool { return strings.Contains(out.String(), `"msg":"serving"`) }
	if devtest.Comes(func() bool { return len(done) > 0 || serving() }); !serving() {
		t.Errorf("it does not serve: %s", out.String())
	}
	cancel()
	if code := <-done; code != exit.Done {
		t.Errorf("serve ended with %d: %s", code, out.String())
	}
	return out.String()
}
