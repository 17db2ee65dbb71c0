package main

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
)

// secret is a password that must not appear in any output. The test server does not require one.
const secret = "s3cr3t-db-1"

// TestPostgresScripts runs the command lines of testdata/postgres, each on a separate empty
// database, which TENOR_DATABASE names.
func TestPostgresScripts(t *testing.T) {
	pgtest.Need(t)
	const dir = "testdata/postgres"
	scripts, err := filepath.Glob(dir + "/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	databases := map[string]string{}
	for _, path := range scripts {
		databases[strings.TrimSuffix(filepath.Base(path), ".txt")] = pgtest.Database(t)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			address := databases[strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")]
			env.Setenv("TENOR_DATABASE", address)
			env.Setenv("SECRET_URL", withPassword(address))
			env.Setenv("SERVER", serverOf(address))
			env.Setenv("ADDR", proctest.FreeAddress(t))
			env.Setenv("ADDR2", proctest.FreeAddress(t))
			return nil
		},
		Cmds: scriptCommands(),
	})
}

// withPassword inserts the secret into an address.
func withPassword(address string) string {
	return strings.Replace(address, "@", ":"+secret+"@", 1)
}

// serverOf returns the host and port of an address.
func serverOf(address string) string {
	_, rest, _ := strings.Cut(address, "@")
	server, _, _ := strings.Cut(rest, "/")
	return server
}

// do runs one command line in this process at a given wall-clock time.
func do(wall func() time.Time, args ...string) (out, errs string, code int) {
	var o, e bytes.Buffer
	a := devtest.App(&o, &e)
	a.Wall = wall
	code = cli.Run(context.Background(), args, a)
	return o.String(), e.String(), code
}

// A sandbox in PostgreSQL behaves like any sandbox: it cannot be served as live, and the lender's
// commands use its time while it runs.
func TestSandboxInPostgres(t *testing.T) {
	database := pgtest.Database(t)
	w := devtest.Sandbox(t, t.Cleanup, "--database", database)
	if w.Temporary || !strings.Contains(w.Data, " at 127.0.0.1:") || strings.Contains(w.Data, "://") {
		t.Errorf("the banner says %+v", w)
	}
	now := clock.Wall{}.Now
	if _, errs, code := do(now, "serve", "--database", database); code != exit.Forbidden || !strings.Contains(errs, "this is sandbox data") {
		t.Errorf("serve ended with %d: %s", code, errs)
	}
	if out, errs, code := do(now, "companies", "hold", "1000000001", "--database", database, "--json"); code != exit.Done || !strings.Contains(out, `"status":"ON_HOLD"`) {
		t.Errorf("hold ended with %d: %s%s", code, out, errs)
	}
	if out, errs, code := do(now, "verify", "--database", database); code != exit.Done {
		t.Errorf("verify ended with %d: %s%s", code, out, errs)
	}
	out, errs, code := do(now, "token", "--database", database)
	if code != exit.Done || !strings.HasPrefix(out, "tnr_") {
		t.Errorf("token ended with %d: %s%s", code, out, errs)
	}
	db, err := (&node.Place{Address: database}).Share(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	head, err := node.HeadOf(t.Context(), db)
	if err != nil || head.At.Year() != 2026 || head.At.Month() != time.January {
		t.Errorf("the last commit was at %s, %v", head.At, err)
	}
}

// What a guarantee depends on is required of a live database before anything is written (EN15).
func TestPostgresGuards(t *testing.T) {
	now := clock.Wall{}.Now
	for _, x := range []struct {
		name   string
		change func(*pgx.Conn) error // what happens to the database beforehand
		wall   func() time.Time
		args   []string
		want   string
	}{
		{"commits that are not waited for", func(c *pgx.Conn) error {
			_, err := c.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{c.Config().Database}.Sanitize()+" SET synchronous_commit = off")
			return err
		}, now, nil, "synchronous_commit is off"},
		{"a schema of a later release", func(c *pgx.Conn) error {
			_, err := c.CopyFrom(t.Context(), pgx.Identifier{"migrations"}, []string{"name", "checksum"}, pgx.CopyFromRows([][]any{{"9999_later.sql", "x"}}))
			return err
		}, now, nil, "9999_later.sql, which is newer than this program"},
		{"no standby", nil, now, []string{"--standby"}, "no synchronous standby is configured"},
		{"a clock that is behind", nil, func() time.Time { return now().Add(-time.Hour) }, nil, "the clock says"},
	} {
		t.Run(x.name, func(t *testing.T) {
			address := pgtest.Database(t)
			if _, errs, code := do(now, "merchants", "create", "Harbor Supply", "--reason", "x", "--database", address); code != exit.Done {
				t.Fatalf("merchants create ended with %d: %s", code, errs)
			}
			if x.change != nil {
				behind(t, address, x.change)
			}
			_, errs, code := do(x.wall, append([]string{"serve", "--database", withPassword(address), "--addr", "127.0.0.1:0", "--key-file", keyFile(t)}, x.args...)...)
			if code != exit.Refused || !strings.Contains(errs, x.want) || !strings.Contains(errs, "Fix the cause and start again.") || strings.Contains(errs, secret) {
				t.Errorf("serve ended with %d: %s", code, errs)
			}
		})
	}
}

// A benchmark uses a database of its own, and leaves none behind.
func TestFreshDatabase(t *testing.T) {
	address := pgtest.Database(t)
	database, drop, err := node.FreshDatabase(t.Context(), withPassword(address))
	if err != nil {
		t.Fatal(err)
	}
	p, err := node.PlaceAt(database)
	if err != nil || !strings.HasPrefix(p.Name, node.BenchPrefix) || !strings.Contains(p.String(), serverOf(address)) {
		t.Errorf("made %v, %v", p, err)
	}
	for range 2 { // created once, and then found
		db, err := node.OpenForBench(clock.Wall{}.Now)(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := node.ModeOf(t.Context(), db); m != node.Live || err != nil {
			t.Errorf("stamped as %q, %v", m, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := drop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := p.Share(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no database "+node.BenchPrefix) {
		t.Errorf("after the drop: %v", err)
	}
	if err := drop(t.Context()); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("a second drop: %v", err)
	}
}

// A server whose database is gone is alive, but not ready.
func TestNotReadyWithoutDatabase(t *testing.T) {
	address, drop, err := node.FreshDatabase(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	at, err := node.PlaceAt(address)
	if err != nil {
		t.Fatal(err)
	}
	n := openNodeAt(t, at)
	defer n.Close() // its database is gone, so it may fail
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	// A busy database server may take longer than the one second that a probe waits for it.
	if !devtest.Comes(func() bool { code, _ := ask(s, "GET", "/readyz"); return code == http.StatusOK }) {
		t.Error("it is never ready with its database")
	}
	if err := drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	var code int
	var body string
	// A recent result is reused for a moment.
	if !devtest.Comes(func() bool { code, body = ask(s, "GET", "/readyz"); return code == http.StatusServiceUnavailable }) || strings.Contains(body, "127.0.0.1") {
		t.Errorf("without its database: %d %s", code, body)
	}
	if code, _ := ask(s, "GET", "/healthz"); code != http.StatusOK {
		t.Errorf("alive without its database: %d", code)
	}
}

// behind changes a database directly.
func behind(t *testing.T, address string, do func(*pgx.Conn) error) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := do(c); err != nil {
		t.Fatal(err)
	}
}
