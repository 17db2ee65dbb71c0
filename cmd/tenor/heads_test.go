package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"tenor/internal/core/store"
	"testing"
	"time"

	"tenor/internal/app/cli/operate"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/verify"
)

// headsOf returns the duty that signs a node's heads and exports them to a target.
func headsOf(t *testing.T, n *node.Node, target string) *node.HeadDuty {
	t.Helper()
	d, err := n.Heads(target, clock.Wall{}.Now, node.QuietLog(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// makeMerchant writes something to a live data directory.
func makeMerchant(t *testing.T, dir, name string) {
	t.Helper()
	if _, errs, code := do(clock.Wall{}.Now, "merchants", "create", name, "--reason", "x", "--data", dir); code != exit.Done {
		t.Fatalf("merchants create ended with %d: %s", code, errs)
	}
}

// signedOnce opens a node, signs and exports its head, and closes the node again.
func signedOnce(t *testing.T, dir, target string) node.HeadExport {
	t.Helper()
	n := openTestNode(t, dir)
	d := headsOf(t, n, target)
	d.RunDue(t.Context(), true)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return d.State
}

// Heads exported by a server prove today's log. A log truncated to an older copy is reported by
// verify with such a head, by doctor, and by the next server.
func TestExportedHeads(t *testing.T) {
	top := t.TempDir()
	dir, kept := filepath.Join(top, "data"), filepath.Join(top, "heads.jsonl")
	makeMerchant(t, dir, "Harbor Supply")
	if x := signedOnce(t, dir, ""); x.Number != 0 {
		t.Errorf("exported %+v", x)
	}
	if f := examine(t, exit.Done, "--data", dir)["heads"]; f.Status != "warning" || !strings.Contains(f.Text, "not exported") {
		t.Errorf("doctor without an export: %+v", f)
	}
	signedOnce(t, dir, kept)
	statusOf(t, examine(t, exit.Done, "--data", dir), "heads=ok")
	older := filepath.Join(top, "older")
	if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(older, "tenor.key"), 0o600); err != nil { // a copy is readable by everyone
		t.Fatal(err)
	}
	makeMerchant(t, dir, "Mill Street Tools")
	signedOnce(t, dir, kept)
	if out, errs, code := do(clock.Wall{}.Now, "verify", "--data", dir, "--head", kept); code != exit.Done || !strings.Contains(out, "Last signed head: 2 ") {
		t.Errorf("verify with its heads ended with %d: %s%s", code, out, errs)
	}
	report, _, _ := do(clock.Wall{}.Now, "verify", "--data", dir, "--json")
	printed := filepath.Join(top, "report.json")
	if err := os.WriteFile(printed, []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{kept, printed} {
		out, errs, code := do(clock.Wall{}.Now, "verify", "--data", older, "--head", file)
		if code != operate.VerifyViolations || !strings.Contains(out, "AU8") || !strings.Contains(out, "this book ends at head 1") || !strings.Contains(out, "its tail was cut off") {
			t.Errorf("verify of the older copy with %s ended with %d: %s%s", file, code, out, errs)
		}
	}
	if _, _, code := do(clock.Wall{}.Now, "verify", "--data", older); code != exit.Done {
		t.Errorf("without a head, verify of the older copy ended with %d", code)
	}
	if x := signedOnce(t, older, kept); !strings.Contains(x.Error, "do not extend exported head 2") || x.Number != 0 {
		t.Errorf("a server of the older copy exported: %+v", x)
	}
	if f := examine(t, exit.CheckFailed, "--data", older)["heads"]; f.Status != "failed" || !strings.Contains(f.Text, "do not extend exported head 2") {
		t.Errorf("doctor of the older copy: %+v", f)
	}
}

// A head reaches any kind of target, and a failure is recorded for doctor with its start until it
// works again.
func TestHeadTargets(t *testing.T) {
	n := testNode(t)
	defer n.Close()
	days := t.TempDir()
	headsOf(t, n, days).RunDue(t.Context(), true)
	list, err := filepath.Glob(filepath.Join(days, "heads-*.jsonl"))
	if err != nil || len(list) != 1 {
		t.Fatalf("files %v, %v", list, err)
	}
	if got, err := node.ReadHeads(list[0]); err != nil || len(got) != 1 || !engine.HeadSigned(got[0].Head) {
		t.Errorf("read %v, %v", got, err)
	}
	status, body := http.StatusServiceUnavailable, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
		w.WriteHeader(status)
	}))
	defer s.Close()
	d := headsOf(t, n, s.URL+"/heads?token=secret")
	at := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	d.Wall = func() time.Time { return at }
	d.RunDue(t.Context(), false)
	at = at.Add(time.Hour)
	d.RunDue(t.Context(), false)
	x := exportOf(t, n)
	if x.Number != 0 || x.Error != "returned 503" || x.Failing.Hour() != 12 || strings.Contains(x.Target, "secret") {
		t.Errorf("kept of a failure: %+v", x)
	}
	status = http.StatusNoContent
	d.RunDue(t.Context(), false)
	if x := exportOf(t, n); x.Number != 1 || x.Error != "" || !x.Failing.IsZero() {
		t.Errorf("kept of a success: %+v", x)
	}
	if h, err := engine.ParseHead([]byte(body)); err != nil || h.Number != 1 {
		t.Errorf("sent %s: %v", body, err)
	}
	if _, _, code := do(clock.Wall{}.Now, "serve", "--data", t.TempDir(), "--heads", "ftp://example.com/", "--addr", "127.0.0.1:0"); code != exit.Usage {
		t.Errorf("a target that is none ended with %d", code)
	}
}

func exportOf(t *testing.T, n *node.Node) (x node.HeadExport) {
	t.Helper()
	text, found, err := store.Setting(t.Context(), n.DB, node.SettingHeads)
	if err != nil || !found || json.Unmarshal(text, &x) != nil {
		t.Fatalf("%v, %v, %s", found, err, text)
	}
	return x
}

// A file without heads, or a broken one, is reported and not ignored.
func TestHeadFiles(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	makeMerchant(t, data, "Harbor Supply")
	for _, text := range []string{"", "{", `{"seq":1}`, `{"format":"tenor head 1","number":1}`} {
		file := filepath.Join(dir, "heads.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := do(clock.Wall{}.Now, "verify", "--data", data, "--head", file); code != operate.VerifyFailed || !strings.Contains(errs, "head") {
			t.Errorf("%q ended with %d: %s", text, code, errs)
		}
	}
}

// The public keys of a key file are those that sign its heads, newest first, and nothing else of
// it is shown.
func TestKeysPublic(t *testing.T) {
	file := keyFile(t)
	out, errs, code := do(clock.Wall{}.Now, "keys", "public", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id, secret, _ := strings.Cut(strings.TrimSpace(string(text)), ":")
	if code != exit.Done || !strings.HasPrefix(out, id+" ") || strings.Contains(out, secret) || len(strings.Fields(out)) != 2 {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
}

// A server signs what was committed, at shutdown at the latest.
func TestServerSigns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	makeMerchant(t, dir, "Harbor Supply")
	n := openTestNode(t, dir)
	defer n.Close()
	s, err := node.NewServer(n, "http://127.0.0.1", clock.Wall{}.Now, node.QuietLog(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	s.Heads = headsOf(t, n, "")
	s.Duties(t.Context())()
	r, err := verify.Run(t.Context(), n.DB, verify.Options{Scratch: node.Temporary, Zone: n.Zone, Keys: node.PublicKeys(*n.Ring)})
	if err != nil || !r.Clean() || r.Head == nil || r.Head.CommitSeq != r.Seq {
		t.Errorf("%+v, %v", r, err)
	}
}
