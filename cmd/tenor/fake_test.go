package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/edge/httpapi"
	"tenor/internal/proof/devtest"
)

// fake is a server with the prepared responses of testdata/fake.txt. It implements the contract
// as far as the command line depends on it: one effect for each Idempotency-Key, no effect of a
// dry run, and a problem for every code, requested with ERR_ and the code in the path.
type fake struct {
	*httptest.Server
	t       *testing.T
	answers map[string]fakeAnswer

	mu      sync.Mutex
	asked   []string            // every request: method, path and query
	bodies  []string            // their bodies
	effects int                 // changes made
	kept    map[string]string   // the request by key
	tokens  []string            // Authorization headers
	matches []string            // If-Match headers
	lose    int                 // number of responses to lose
	spoil   func(string) string // modifies problems, if set

	unchanged int           // responses saying so
	arrived   chan struct{} // receives each request, if set
	hold      chan struct{} // delays responses, if set
}

type fakeAnswer struct {
	status int
	body   string
}

func newFake(t *testing.T) *fake {
	t.Helper()
	text, err := os.ReadFile("testdata/fake.txt")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, answers: map[string]fakeAnswer{}, kept: map[string]string{}}
	for _, file := range txtar.Parse(text).Files {
		first, body, _ := strings.Cut(string(file.Data), "\n")
		status, err := strconv.Atoi(first)
		if err != nil {
			t.Fatalf("fake.txt: %s: %v", file.Name, err)
		}
		f.answers[file.Name] = fakeAnswer{status, strings.TrimSpace(body)}
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// errorPath matches a path that requests a problem.
var errorPath = regexp.MustCompile(`ERR_([a-z_]+)`)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := r.Method + " " + r.URL.RequestURI()
	if f.arrived != nil {
		f.arrived <- struct{}{}
	}
	if f.hold != nil {
		<-f.hold
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.bodies, f.tokens = append(f.asked, line), append(f.bodies, string(body)), append(f.tokens, r.Header.Get("Authorization"))
	f.matches = append(f.matches, r.Header.Get("If-Match"))
	w.Header().Set("X-Request-Id", "req_1")
	if m := errorPath.FindStringSubmatch(r.URL.RequestURI() + string(body)); m != nil {
		f.problem(w, m[1])
		return
	}
	if r.Header.Get("Prefer") == "dry-run" {
		line = "DRY " + line
	}
	a, ok := f.answers[line]
	if !ok {
		a, ok = f.answers[strings.Split(line, "?")[0]]
	}
	switch {
	case !ok && strings.HasPrefix(line, "DRY "):
		f.problem(w, "invalid_header")
		return
	case !ok:
		f.problem(w, "not_found")
		return
	case strings.HasPrefix(line, "DRY "):
		w.Header().Set("Preference-Applied", "dry-run")
	case r.Method != http.MethodGet && r.URL.Path != "/oauth/token":
		if key := r.Header.Get("Idempotency-Key"); key == "" || f.kept[key] == "" {
			f.effects++
			f.kept[key] = line + string(body)
		} else if f.kept[key] != line+string(body) {
			f.problem(w, "idempotency_key_reused")
			return
		} else {
			w.Header().Set("Idempotency-Replayed", "true")
		}
	}
	if f.lose > 0 { // the change remains made
		f.lose--
		panic(http.ErrAbortHandler)
	}
	if r.Method == http.MethodGet {
		tag := fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256([]byte(a.body)))[:8])
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			f.unchanged++
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	f.send(w, a.status, "application/json", a.body)
}

// now changes a response of the fake.
func (f *fake) now(line string, status int, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[line] = fakeAnswer{status, body}
}

func (f *fake) send(w http.ResponseWriter, status int, kind, body string) {
	if body != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// problem responds with a problem of the contract, with additional members for some codes.
func (f *fake) problem(w http.ResponseWriter, name string) {
	more := map[string]string{
		"invalid_transition":  `,"from":"CAPTURED","to":"CANCELED"`,
		"insufficient_credit": `,"available":250.00`,
		"validation_failed":   `,"errors":[{"pointer":"/amount","code":"minimum","detail":"The value is below 0.01."}]`,
		"malformed_csv":       `,"errors":[{"line":1,"code":"wrong_header","detail":"The first line must name the columns: merchant_order_id,amount,status, in any order."}]`,
		"invalid_parameter":   `,"errors":[{"parameter":"status","code":"not_in_enum","detail":"The value is none of those allowed."}]`,
	}[name]
	c, ok := httpapi.LookupCode(name)
	if !ok {
		f.t.Errorf("there is no code %s", name)
	}
	if c.Status == http.StatusServiceUnavailable || c.Status == http.StatusTooManyRequests || name == "idempotency_key_in_use" {
		w.Header().Set("Retry-After", "60") // longer than a command waits
	}
	body := fmt.Sprintf(`{"type":"%s/docs/errors/%s","title":%q,"status":%d,"detail":%q,"instance":"/v1/requests/req_1","code":%q,"request_id":"req_1"%s}`,
		f.URL, name, c.Title, c.Status, c.Title, name, more)
	if f.spoil != nil {
		body = f.spoil(body)
	}
	f.send(w, c.Status, "application/problem+json", body)
}

// told returns the requests so far, and how many changes were made.
func (f *fake) told() ([]string, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.asked...), f.effects
}

// desk is a user who types command lines, with a separate home directory.
type desk struct {
	t        *testing.T
	env      map[string]string
	terminal bool
	answer   string // what the user types at a prompt
	now      time.Time
}

func newDesk(t *testing.T, server string) *desk {
	t.Helper()
	home := t.TempDir()
	return &desk{t: t, now: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC), env: map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"TENOR_URL": server, "TENOR_TOKEN": "tnr_TOKEN",
	}}
}

// do runs one line.
func (d *desk) do(args ...string) (out, errs string, code int) {
	return d.until(context.Background(), args...)
}

func (d *desk) until(ctx context.Context, args ...string) (out, errs string, code int) {
	d.t.Helper()
	var o, e devtest.Pipe
	code = cli.Run(ctx, append(args, d.address(args)...), d.app(&o, &e))
	return o.String(), e.String(), code
}

// address adds the server's address as a flag, since the parser reads this process's environment.
// Some commands call no server.
func (d *desk) address(args []string) []string {
	if len(args) == 0 || slices.Contains([]string{"completion", "complete", "version"}, args[0]) || len(args) > 1 && args[1] == "types" {
		return nil
	}
	for _, a := range args {
		if name, _, _ := strings.Cut(a, "="); slices.Contains([]string{"--", "-h", "--url", "--data", "--database"}, name) {
			return nil
		}
	}
	return []string{"--url=" + d.env["TENOR_URL"]}
}

func (d *desk) app(out, errs io.Writer) *terminal.App {
	return &terminal.App{
		In: strings.NewReader(d.answer + "\n"), Out: out, Err: errs, Interactive: d.terminal, OutTerminal: d.terminal, ErrTerminal: d.terminal,
		Getenv: func(name string) string { return d.env[name] }, Program: "tenor", Wall: func() time.Time { return d.now },
		Waits: devtest.Longest, // a briefly busy machine shows no spinner
	}
}

// must is do for a line that must succeed.
func (d *desk) must(args ...string) string {
	d.t.Helper()
	out, errs, code := d.do(args...)
	if code != exit.Done {
		d.t.Fatalf("%v ended with %d: %s", args, code, errs)
	}
	return out
}
