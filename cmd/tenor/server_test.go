package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/proof/devtest"
)

// testNode keeps a new live database open until the test ends.
func testNode(t *testing.T) *node.Node { return openTestNode(t, filepath.Join(t.TempDir(), "data")) }

func openTestNode(t *testing.T, dir string) *node.Node {
	t.Helper()
	return openNodeAt(t, &node.Place{Dir: dir})
}

func openNodeAt(t *testing.T, at *node.Place) *node.Node {
	t.Helper()
	file := "" // a directory has its own key
	if at.Dir == "" {
		file = keyFile(t)
	}
	n, err := node.Open(context.Background(), node.Config{
		Place: at, Mode: node.Live, Wall: clock.Wall{}.Now, Log: node.QuietLog(t.Output()), Keys: true, KeyFile: file,
		Clock: node.WallClock,
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ask sends one request to a server that is not listening.
func ask(s *node.Server, method, path string) (status int, body string) {
	w := httptest.NewRecorder()
	s.HTTP.Handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code, w.Body.String()
}

func TestProbes(t *testing.T) {
	n := testNode(t)
	closed := false
	defer func() {
		if !closed {
			n.Close()
		}
	}()
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	status := func(method, path string) (int, string) { return ask(s, method, path) }
	for _, x := range []struct {
		method, path string
		code         int
		body         string
	}{
		{"GET", "/healthz", 200, `"status":"ok"`}, {"HEAD", "/readyz", 200, ""}, {"GET", "/readyz", 200, `"status":"ready"`},
		{"GET", "/openapi.json", 200, `"openapi"`}, {"POST", "/healthz", 401, "unauthorized"}, {"GET", "/v1/orders", 401, "unauthorized"},
	} {
		var code int
		var body string
		well := func() bool {
			code, body = status(x.method, x.path)
			return code == x.code && strings.Contains(body, x.body)
		}
		if !well() && (x.path != "/readyz" || !devtest.Comes(well)) { // readiness may take a moment
			t.Errorf("%s %s: %d %.80s, want %d with %s", x.method, x.path, code, body, x.code, x.body)
		}
	}
	s.Draining.Store(true)
	if code, _ := status("GET", "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("while stopping: %d", code)
	}
	if code, _ := status("GET", "/healthz"); code != http.StatusOK {
		t.Errorf("alive while stopping: %d", code)
	}
	s.Draining.Store(false)
	closed = true
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _ := status("GET", "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("with a closed engine: %d", code)
	}
}

// After a stop, running requests finish and new ones are refused.
func TestStopFinishesWhatRuns(t *testing.T) {
	n := testNode(t)
	defer n.Close()
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	inside, release := make(chan struct{}), make(chan struct{})
	s.HTTP.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(inside)
		<-release
		w.WriteHeader(http.StatusTeapot)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that nothing else takes
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, 10*time.Millisecond) }()
	answered := make(chan int, 1)
	c := http.Client{Timeout: devtest.Longest}
	go func() {
		r, err := c.Do(newRequest("http://" + l.Addr().String()))
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		r.Body.Close()
		answered <- r.StatusCode
	}()
	<-inside
	cancel()
	select {
	case err := <-served:
		t.Fatalf("stopped before the request was answered: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	if code := <-answered; code != http.StatusTeapot {
		t.Errorf("answered %d", code)
	}
	if err := <-served; err != nil {
		t.Errorf("stopped with %v", err)
	}
	if _, err := c.Do(newRequest("http://" + l.Addr().String())); err == nil {
		t.Error("a new connection was taken")
	}
}

// Books that do not balance are served read-only (EN15).
func TestBooksThatDoNotBalanceAreReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	n := openTestNode(t, dir)
	if err := n.Engine.Health(); err != nil {
		t.Fatalf("sound books: %v", err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.OpenConn(node.DatabaseFile(dir), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteTransient(c, "INSERT INTO balances (account, company_id, merchant_id, order_key, currency, amount) VALUES (1000, 0, '', '', 'USD', 1)", nil)
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	n = openTestNode(t, dir)
	defer n.Close()
	if err := n.Engine.Health(); !errors.Is(err, engine.ErrReadOnly) {
		t.Errorf("books that are a cent off: %v", err)
	}
	if err := n.DB.View(context.Background(), func(v store.View) error { _, err := store.AllMerchants(v); return err }); err != nil {
		t.Errorf("reads: %v", err)
	}
}
