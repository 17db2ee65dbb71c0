package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/client"
)

// examine runs doctor and returns what it says of each thing it looks at.
func examine(t *testing.T, want int, args ...string) map[string]finding {
	t.Helper()
	var out, errs pipe
	if code := run(t.Context(), append([]string{"doctor", "--json"}, args...), testApp(&out, &errs)); code != want || errs.String() != "" {
		t.Fatalf("ended with %d: %s%s", code, out.String(), errs.String())
	}
	var told struct {
		Checks []finding
		Failed int
	}
	if err := json.Unmarshal([]byte(out.String()), &told); err != nil || (told.Failed > 0) != (want == exitCheckFailed) {
		t.Fatalf("%v: %s", err, out.String())
	}
	found := map[string]finding{}
	for _, f := range told.Checks {
		found[f.Name] = f
	}
	return found
}

func statusOf(t *testing.T, found map[string]finding, want string) {
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
	if err := openTestNode(t, dir).close(); err != nil {
		t.Fatal(err)
	}
	healthyAll := "config=ok data=ok key=ok calendar=ok database=ok schema=ok clock=ok jobs=ok webhooks=ok ledger=ok"
	statusOf(t, examine(t, exitDone, "--data", dir), healthyAll+" rails=warning")
	statusOf(t, examine(t, exitDone, "--data", dir, "--rails", railsIn(t, `{"ach":{"origin":ORIGIN,"folder":"bank"},"card":{"secret_file":"card.key"}}`)), healthyAll+" rails=ok")
	statusOf(t, examine(t, exitCheckFailed, "--data", dir, "--rails", railsIn(t, `{"ach":{}}`)), healthyAll+" rails=failed")

	if err := os.Chmod(filepath.Join(dir, keyFileName), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TENOR_ADRR", "127.0.0.1:1")
	found := examine(t, exitDone, "--data", dir)
	statusOf(t, found, "key=warning config=warning")
	if !strings.Contains(found["config"].Text, "TENOR_ADRR") || !strings.Contains(found["key"].Fix, "chmod 600") {
		t.Errorf("%+v %+v", found["config"], found["key"])
	}
	statusOf(t, examine(t, exitCheckFailed, "--data", t.TempDir()), "database=failed schema=failed calendar=ok")
}

// What waits without a server that serves it, and an event that nobody takes, are told;
// people get a line each.
func TestDoctorFindsWhatWaits(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var ends []func()
	w := startSandbox(t, func(end func()) { ends = append(ends, end) }, "--data", dir)
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
	statusOf(t, examine(t, exitDone, "--data", dir), "jobs=ok rails=ok clock=ok ledger=ok")

	db, err := (&place{dir: dir}).share(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The clock was left a year later, and nobody has served the days.
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
	statusOf(t, examine(t, exitCheckFailed, "--data", dir), "jobs=failed ledger=ok")
	var out pipe
	if code := run(t.Context(), []string{"doctor", "--data", dir}, testApp(&out, &out)); code != exitCheckFailed ||
		!strings.Contains(out.String(), "✗ jobs         something is due since ") || !strings.Contains(out.String(), "✓ ledger       it balances\n") {
		t.Errorf("ended with %d:\n%s", code, out.String())
	}
}
