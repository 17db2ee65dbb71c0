package card

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/proof/suite"
)

// The processor in these tests has state, but it is ours: it could share our misconceptions. So
// each call that it answers successfully is also sent to the vendor's own mock server, which
// knows every path, parameter and type of the API but has no state: it must accept the call. And
// our response must fit the schema from which the mock was generated: each field exists there,
// with that type and an allowed value.

// TestMain starts the vendor's mock for all tests.
func TestMain(m *testing.M) {
	stop, err := vendor.start()
	if err != nil {
		if os.Getenv(suite.Require) == "all" {
			fmt.Printf("the vendor's mock server is needed: %v; %s\n", err, vendorModules)
			os.Exit(1)
		}
		fmt.Println("the vendor's mock server:", err)
	}
	code := m.Run()
	if err := errors.Join(stop(), vendor.missing()); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

// vendorModules downloads the modules of the vendor's mock server.
const vendorModules = "go mod download -modfile=tools/stripe-mock/go.mod"

// vendor is the vendor's mock server for this test run.
var vendor = &mock{asked: map[string]int{}}

type mock struct {
	base string // "" if it is not running
	spec *spec

	mu    sync.Mutex
	asked map[string]int // compared calls, by method and path without IDs
}

// start builds and starts the server on a free port.
func (m *mock) start() (stop func() error, err error) {
	none := func() error { return nil }
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // it may have to be built
	defer cancel()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		return none, err
	}
	modules := "-modfile=" + filepath.Join(root, "tools", "stripe-mock", "go.mod")
	path, err := output(ctx, root, "tool", modules, "-n", "stripe-mock")
	if err != nil {
		return none, err
	}
	source, err := output(ctx, root, "list", "-m", modules, "-f", "{{.Dir}}", "github.com/stripe/stripe-mock")
	if err != nil {
		return none, err
	}
	if m.spec, err = readSpec(filepath.Join(source, "embedded", "openapi", "spec3.json")); err != nil {
		return none, err
	}
	server := exec.Command(path, "-http-addr", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	if err != nil {
		return none, err
	}
	if err := server.Start(); err != nil {
		return none, err
	}
	stop = func() error {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
		return nil
	}
	listens := bufio.NewScanner(out)
	for listens.Scan() {
		if _, address, ok := strings.Cut(listens.Text(), "at address: "); ok {
			m.base = "http://" + strings.TrimSpace(address)
			go func() { _, _ = io.Copy(io.Discard, out) }() // until it is killed
			return stop, nil
		}
	}
	return none, fmt.Errorf("it ended: %w", stop())
}

// output returns the output of the go command.
func output(ctx context.Context, dir string, arguments ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", arguments...)
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %.300s", arguments[0], err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// compare sends a call to the vendor's mock, and checks our response against its schema.
func (m *mock) compare(t *testing.T, r *http.Request, ours json.RawMessage) {
	if m.base == "" {
		return
	}
	target, body := m.base+r.URL.Path, strings.NewReader("")
	if r.Method == http.MethodPost {
		body = strings.NewReader(r.Form.Encode())
	} else {
		target += "?" + r.Form.Encode()
	}
	call, err := http.NewRequestWithContext(context.Background(), r.Method, target, body)
	if err != nil {
		t.Error(err)
		return
	}
	call.Header = r.Header.Clone()
	call.Header.Set("Authorization", "Bearer sk_test_123") // it accepts only test keys
	call.Header.Del("Accept-Encoding")
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	theirs, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s %s?%s: the vendor's mock says %d %s %v", r.Method, r.URL.Path, r.Form.Encode(), answer.StatusCode, theirs, err)
		return
	}
	if err := m.spec.answers(r.Method, r.URL.Path, ours); err != nil {
		t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	m.count(r)
}

// count records that a kind of call was compared.
func (m *mock) count(r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "pi_") {
			parts[i] = "{id}"
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[r.Method+" "+strings.Join(parts, "/")]++
}

// missing reports calls that no test has made: all of them must be compared.
func (m *mock) missing() error {
	if m.base == "" || flag.Lookup("test.run").Value.String() != "" {
		return nil
	}
	var all []error
	for _, call := range []string{
		"POST /v1/payment_intents", "GET /v1/payment_intents/{id}", "GET /v1/payment_intents/search", "POST /v1/payment_intents/{id}/cancel",
		"POST /v1/refunds", "GET /v1/refunds", "GET /v1/events", "GET /v1/balance_transactions",
	} {
		if m.asked[call] == 0 {
			all = append(all, fmt.Errorf("%s was never compared with the vendor's mock", call))
		}
	}
	return errors.Join(all...)
}

// The vendor's mock refuses what the API does not have: the comparison can fail.
func TestVendorRefusesWhatItDoesNotKnow(t *testing.T) {
	if vendor.base == "" {
		suite.Missing(t, "the card processor's own mock server", vendorModules)
	}
	for _, values := range []url.Values{
		{"amount": {"4200"}, "currency": {"usd"}, "off_session": {"true"}, "colour": {"red"}},
		{"amount": {"much"}, "currency": {"usd"}},
		{"amount": {"4200"}},
	} {
		s, err := New(Config{Secret: "sk_test_123", Client: &http.Client{}, Base: vendor.base})
		if err != nil {
			t.Fatal(err)
		}
		var x intent
		f, err := s.call(t.Context(), http.MethodPost, "/v1/payment_intents", values, "key", &x)
		if err != nil || f == nil || f.Type != "invalid_request_error" {
			t.Errorf("%v: %+v %v", values, f, err)
		}
	}
}
