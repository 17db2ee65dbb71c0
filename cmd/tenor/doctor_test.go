package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/client"
	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/proof/devtest"
)

// checked is doctor's report on one check.
type checked struct{ Name, Status, Text, Fix string }

// examine runs doctor and returns its report on each check.
func examine(t *testing.T, want int, args ...string) map[string]checked {
	t.Helper()
	var out, errs devtest.Pipe
	if !slices.Contains(args, "--addr") {
		args = append(args, "--addr", "127.0.0.1:0") // a free port
	}
	if code := cli.Run(t.Context(), append([]string{"doctor", "--json"}, args...), devtest.App(&out, &errs)); code != want || errs.String() != "" {
		t.Fatalf("ended with %d: %s%s", code, out.String(), errs.String())
	}
	var told struct {
		Checks []checked
		Failed int
	}
	if err := json.Unmarshal([]byte(out.String()), &told); err != nil || (told.Failed > 0) != (want == exit.CheckFailed) {
		t.Fatalf("%v: %s", err, out.String())
	}
	found := map[string]checked{}
	for _, f := range told.Checks {
		found[f.Name] = f
	}
	return found
}

func statusOf(t *testing.T, found map[string]checked, want string) {
	t.Helper()
	for word := range strings.FieldsSeq(want) {
		name, status, _ := strings.Cut(word, "=")
		if found[name].Status != status {
			t.Errorf("%s is %q, want %s: %s", name, found[name].Status, status, found[name].Text)
		}
	}
}

func TestDoctor(t *testing.T) {
	dir := t.TempDir()
	if err := openTestNode(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	healthyAll := "config=ok data=ok key=ok disk=ok secrets=ok calendar=ok database=ok schema=ok clock=ok port=ok jobs=ok endpoints=ok webhooks=ok ledger=ok"
	found := examine(t, exit.Done, "--data", dir)
	statusOf(t, found, healthyAll+" rails=warning address=warning")
	if found["audit chain"].Status != "ok" || len(found) < 17 {
		t.Errorf("%d looks: %+v", len(found), found["audit chain"])
	}
	named := railsIn(t, `{"ach":{"origin":ORIGIN,"folder":"bank"},"card":{"secret_file":"card.key"}}`)
	statusOf(t, examine(t, exit.Done, "--data", dir, "--rails", named), healthyAll+" rails=ok bank=ok")
	if f := examine(t, exit.Done, "--data", dir, "--rails", named)["bank files"]; f.Status != "ok" {
		t.Errorf("%+v", f)
	}
	statusOf(t, examine(t, exit.CheckFailed, "--data", dir, "--rails", railsIn(t, `{"ach":{}}`)), healthyAll+" rails=failed")

	if err := os.Chmod(filepath.Join(dir, node.KeyFileName), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TENOR_ADRR", "127.0.0.1:1")
	found = examine(t, exit.CheckFailed, "--data", dir)
	statusOf(t, found, "key=failed config=warning")
	if !strings.Contains(found["config"].Text, "TENOR_ADRR") || !strings.Contains(found["key"].Fix, "chmod 600") {
		t.Errorf("%+v %+v", found["config"], found["key"])
	}
	statusOf(t, examine(t, exit.CheckFailed, "--data", t.TempDir()), "database=failed schema=failed calendar=ok")
}

// Each injected fault is found, with what to do about it (scorecard B7); --fix repairs what is
// harmless.
func TestDoctorFindsEachFault(t *testing.T) {
	dir := t.TempDir()
	if err := openTestNode(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	var said devtest.Pipe
	if code := cli.Run(t.Context(), []string{"merchants", "create", "Harbor Supply", "--reason", "x", "--data", dir}, devtest.App(&said, &said)); code != exit.Done {
		t.Fatal(said.String())
	}
	if err := os.Chmod(filepath.Join(dir, node.KeyFileName), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TENOR_ADRR", "127.0.0.1:1")
	other, err := net.Listen("tcp", "127.0.0.1:0") // another program, which never speaks HTTP
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	go func() {
		for c, err := other.Accept(); err == nil; c, err = other.Accept() {
			_ = c.Close()
		}
	}()
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(late.Close)
	tamper(t, node.DatabaseFile(dir), `DROP TRIGGER batches_keep; UPDATE batches SET digest = zeroblob(32) WHERE first_q = (SELECT min(first_q) FROM batches);
		INSERT INTO balances (order_key, company_id, account, merchant_id, currency, amount) VALUES ('', 0, 5000, '', 'USD', 7)`)
	rails := railsIn(t, `{"ach":{"origin":ORIGIN,"folder":"bank"},"card":{"secret_file":"card.key"}}`)
	if err := os.Chmod(filepath.Join(filepath.Dir(rails), "card.key"), 0o640); err != nil {
		t.Fatal(err)
	}
	args := []string{"--data", dir, "--rails", rails, "--addr", other.Addr().String(), "--public-url", late.URL}
	found := examine(t, exit.CheckFailed, args...)
	statusOf(t, found, "config=warning key=failed secrets=failed port=failed address=failed ledger=failed bank=ok")
	for _, name := range []string{"audit chain", "server clock"} {
		if found[name].Status != "failed" {
			t.Errorf("%s: %+v", name, found[name])
		}
	}
	for name, f := range found {
		if f.Status != "ok" && f.Fix == "" {
			t.Errorf("nothing is said of what to do about %s: %s", name, f.Text)
		}
	}
	statusOf(t, examine(t, exit.CheckFailed, append(args, "--fix")...), "key=ok secrets=ok ledger=failed")
	statusOf(t, examine(t, exit.CheckFailed, args...), "key=ok secrets=ok")
	gone := examine(t, exit.CheckFailed, "--data", dir, "--public-url", "http://127.0.0.1:1")
	statusOf(t, gone, "address=failed port=ok")
}

// tamper changes a database directly.
func tamper(t *testing.T, path, sql string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecuteScript(c, sql, nil); err != nil {
		t.Fatal(err)
	}
}

// Work that waits because no server runs, and an event that no receiver accepts, are reported;
// for people, on one line each.
func TestDoctorFindsWhatWaits(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var ends []func()
	w := devtest.Sandbox(t, func(end func()) { ends = append(ends, end) }, "--data", dir)
	c, err := client.New(w.URL, w.Token)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.CreateOrder(ctx, client.OrderRequest{CompanyID: 1000000001, Amount: "1200.00", Installments: 6, Status: "AUTHORIZED"})
	if err == nil {
		_, err = c.CaptureOrder(ctx, o.Key, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range ends {
		end()
	}
	stop()
	statusOf(t, examine(t, exit.Done, "--data", dir), "jobs=ok rails=ok clock=ok ledger=ok")

	db, err := (&node.Place{Dir: dir}).Share(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The clock was left a year later, and no server has worked on the days.
	later, err := json.Marshal(map[string]any{"now": time.Date(2027, 1, 5, 14, 0, 0, 0, time.UTC), "frozen": true})
	if err == nil {
		err = db.PutSetting(t.Context(), "sandbox/clock", later)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	statusOf(t, examine(t, exit.CheckFailed, "--data", dir), "jobs=failed ledger=ok")
	var out devtest.Pipe
	if code := cli.Run(t.Context(), []string{"doctor", "--data", dir, "--addr", "127.0.0.1:0"}, devtest.App(&out, &out)); code != exit.CheckFailed ||
		!strings.Contains(out.String(), "✗ jobs         work has been overdue since ") || !strings.Contains(out.String(), "✓ ledger       in balance\n") {
		t.Errorf("ended with %d:\n%s", code, out.String())
	}
}
