//go:build unix

package pgtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { Main(m) }

// Two databases of the shared server are empty and independent.
func TestDatabase(t *testing.T) {
	first, second := Database(t), Database(t)
	if first == second {
		t.Fatalf("%s twice", first)
	}
	do(t, connect(t, first), "CREATE TABLE here (n int)")
	do(t, connect(t, second), "CREATE TABLE here (n int)")
}

// A test's databases are gone when it ends, even if a connection to them is open.
func TestDatabaseIsDropped(t *testing.T) {
	Need(t)
	const count = "SELECT count(*) FROM pg_database WHERE datname LIKE 'test%'"
	t.Run("with a connection", func(t *testing.T) { connect(t, Database(t)) })
	if left := one.cluster.Query1(t, "postgres", count); left != "0" {
		t.Errorf("%s databases are left", left)
	}
}

// A master is created once, and each copy of it is a separate database.
func TestCopy(t *testing.T) {
	made := 0
	next := func(t *testing.T) *pgx.Conn {
		return connect(t, Copy(t, "with_a_table", func(url string) error {
			made++
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				return err
			}
			_, err = conn.Exec(t.Context(), "CREATE TABLE things (name text); INSERT INTO things VALUES ('of the master')")
			return errors.Join(err, conn.Close(t.Context()))
		}))
	}
	for i := range 3 {
		conn := next(t)
		do(t, conn, "INSERT INTO things VALUES ('of a copy')")
		var n int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM things").Scan(&n); err != nil || n != 2 {
			t.Errorf("copy %d has %d rows: %v", i+1, n, err)
		}
	}
	if made != 1 {
		t.Errorf("the master was made %d times", made)
	}
	refused := errors.New("refused")
	for range 2 {
		if err := one.master(t, "refused", func(string) error { return refused }); !errors.Is(err, refused) {
			t.Errorf("a master that could not be made: %v", err)
		}
	}
}

// The newest version is that with the highest number, if it is complete.
func TestFindPrograms(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	pattern := filepath.Join(dir, "*", "bin")
	if found, err := findPrograms(pattern); !errors.Is(err, errNone) {
		t.Errorf("where there is nothing it found %q, %v", found, err)
	}
	for version, programs := range map[string]string{"9": "postgres initdb pg_basebackup", "15": "postgres initdb pg_basebackup", "16": "postgres"} {
		bin := filepath.Join(dir, version, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(programs) {
			if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found, err := findPrograms(pattern); err != nil || found != filepath.Join(dir, "15", "bin") {
		t.Errorf("found %q, %v", found, err)
	}
}

// A completely killed server comes back on the same address with what it had committed, and
// without what it had not.
func TestKillAll(t *testing.T) {
	c := New(t, Options{MaxConnections: 20, Settings: map[string]string{"work_mem": "5MB", "log_line_prefix": `a\b'c `}})
	url, addr := c.CreateDatabase(t), c.Addr()
	conn := connect(t, url)
	do(t, conn, "CREATE TABLE kept (n int)")
	do(t, conn, "INSERT INTO kept VALUES (7)")
	do(t, conn, "BEGIN")
	do(t, conn, "INSERT INTO kept VALUES (8)")
	pids := append(c.Backends(t), c.cmd.Process.Pid)
	if !slices.Contains(pids, int(conn.PgConn().PID())) {
		t.Errorf("backend %d is not among %d", conn.PgConn().PID(), pids)
	}
	c.KillAll(t)
	if i := slices.IndexFunc(pids, alive); i >= 0 {
		t.Errorf("process %d lives", pids[i])
	}
	c.Start(t)
	if c.Addr() != addr {
		t.Errorf("on %s, before on %s", c.Addr(), addr)
	}
	if n := c.Query1(t, "test_1", "SELECT string_agg(n::text, ' ') FROM kept"); n != "7" {
		t.Errorf("the table has %q", n)
	}
	if n := c.Query1(t, "postgres", "SELECT concat_ws('|', current_setting('max_connections'), current_setting('work_mem'), current_setting('log_line_prefix'))"); n != `20|5MB|a\b'c ` {
		t.Errorf("settings %q", n)
	}
}

// Killing a backend ends all connections, and the server comes back by itself. Settings and both
// ways to stop work as documented.
func TestSettingsAndStops(t *testing.T) {
	c := New(t, Options{})
	conn := connect(t, c.URL("postgres"))
	c.Set(t, map[string]string{"work_mem": "6MB", "application_name": "it's"})
	c.KillBackend(t, int(conn.PgConn().PID()))
	c.until(t, "the server has recovered", func() bool {
		_, err := c.query("postgres", "SELECT 1")
		return err == nil && conn.Ping(context.Background()) != nil
	})
	c.Stop(t, Immediate)
	if _, err := c.query("postgres", "SELECT 1"); err == nil {
		t.Error("a stopped server answers")
	}
	c.Start(t)
	c.Restart(t)
	if got := c.Query1(t, "postgres", "SELECT current_setting('work_mem') || current_setting('application_name')"); got != "6MBit's" {
		t.Errorf("settings %q", got)
	}
}

// A synchronous standby has what was committed, and is promoted when the primary is gone. Then it
// does not wait for a standby of its own.
func TestStandby(t *testing.T) {
	primary := New(t, Options{})
	primary.Exec(t, "postgres", "CREATE TABLE seen (n int); INSERT INTO seen VALUES (1)")
	standby := primary.Standby(t, primary.Addr(), Options{Name: "second"})
	primary.Synchronous(t, "second")
	primary.Set(t, map[string]string{"synchronous_commit": "remote_apply"})
	primary.Exec(t, "postgres", "INSERT INTO seen VALUES (2)")
	if n := standby.Query1(t, "postgres", "SELECT sum(n) FROM seen"); n != "3" {
		t.Errorf("the standby has the sum %s", n)
	}
	if !standby.InRecovery(t) || primary.InRecovery(t) {
		t.Error("standby and primary are the wrong way round")
	}
	info := standby.Query1(t, "postgres", "SHOW primary_conninfo")
	if want := "host=127.0.0.1 port=" + strconv.Itoa(primary.port) + " user=tenor sslmode=disable application_name=second"; info != want {
		t.Errorf("it follows %q", info)
	}
	primary.KillAll(t)
	standby.Promote(t)
	if standby.InRecovery(t) {
		t.Error("it is a standby still")
	}
	standby.Exec(t, "postgres", "INSERT INTO seen VALUES (3)")
}

// A server whose checkpointer is busy lists its standby as synchronous, but does not make commits
// wait. Once Synchronous returns, commits do wait.
func TestSynchronousOnceItHolds(t *testing.T) {
	primary := New(t, Options{})
	primary.Exec(t, "postgres", "CREATE TABLE seen (n int)")
	standby := primary.Standby(t, primary.Addr(), Options{Name: "second"})
	checkpointer, err := strconv.Atoi(primary.Query1(t, "postgres", "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(checkpointer, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	goOn := sync.OnceFunc(func() { _ = syscall.Kill(checkpointer, syscall.SIGCONT) }) // it cannot have ended
	done := make(chan struct{})
	go func() { defer close(done); primary.Synchronous(t, "second") }()
	defer func() { goOn(); <-done }()
	primary.until(t, "the standby is listed", func() bool {
		return primary.Query1(t, "postgres", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	primary.until(t, "the checkpoint is asked for", func() bool {
		return primary.Query1(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE query = 'CHECKPOINT' AND state = 'active'") == "1"
	})
	select {
	case <-done:
		t.Error("it was said to hold while it did not")
	default:
	}
	goOn()
	<-done

	standby.Stop(t, Immediate)
	go func() { _, _ = primary.query("postgres", "INSERT INTO seen VALUES (1)") }() // it ends with the server
	primary.until(t, "a commit waits", func() bool {
		return primary.Query1(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1"
	})
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the server may be gone
	return conn
}

func do(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
