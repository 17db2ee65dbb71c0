package bench

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// TestMain runs the tests, or the program that a run under test starts: the bare handler,
// callers, a server that lies, or a silent one.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || !slices.Contains([]string{"serve", "bench", "--serve-bare", "--call"}, os.Args[1]) {
		suite.Alone()
		code := m.Run()
		os.RemoveAll(built.dir)
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := func() error { return lie(ctx, os.Args[1:]) }
	switch {
	case os.Getenv(silentEnv) != "":
		run = func() error { return keepSilent(ctx) }
	case os.Args[1] == "--serve-bare":
		run = func() error { return ServeBare(ctx, os.Args[2], os.Stderr) }
	case os.Args[1] == "bench":
		run = func() error { return pretend(os.Args[2:]) }
	case os.Args[1] == "--call":
		run = func() error { return Call(ctx, os.Stdin, os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Environment of the lying server.
const (
	honestEnv = "BENCH_TEST_HONEST" // the program behind it
	afterEnv  = "BENCH_TEST_AFTER"  // number of the order that it loses

	silentEnv = "BENCH_TEST_SILENT" // set: the server never responds instead
)

// keepSilent listens, but never responds.
func keepSilent(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(neverAnswer)}
	go s.Serve(l)
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info("serving", "address", l.Addr().String())
	<-ctx.Done()
	return s.Close()
}

// neverAnswer must show in the stacks of such a server.
func neverAnswer(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// lie proxies an honest server, except for one order, which it acknowledges and loses.
func lie(ctx context.Context, args []string) error {
	dir, err := os.MkdirTemp("", "liar-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	honest, err := start(ctx, filepath.Join(dir, "log"), nil, append([]string{os.Getenv(honestEnv)}, args...)...)
	if err != nil {
		return err
	}
	defer honest.stop() // the checks will find how it ended
	var after int64
	if _, err := fmt.Sscan(os.Getenv(afterEnv), &after); err != nil {
		return err
	}
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: honest.host})
	var orders atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" && r.URL.Path == "/order" && orders.Add(1) == after {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(201)
			io.WriteString(w, `{"key":"ord_THATNEVERWAS"}`)
			return
		}
		pass.ServeHTTP(w, r)
	})}
	go s.Serve(l)
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info("serving", "address", l.Addr().String())
	<-ctx.Done()
	return s.Close()
}

// built holds the real binary while the tests run.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// program returns the real binary.
func program(t *testing.T) string {
	t.Helper()
	path := func() string { return filepath.Join(built.dir, "tenor") }
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "bench-test-"); built.err != nil {
			return
		}
		program, err := proctest.Program("")
		if err != nil {
			built.err = err
			return
		}
		built.err = os.Symlink(program, path())
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return path()
}
