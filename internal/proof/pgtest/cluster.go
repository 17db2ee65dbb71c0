//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// User is the superuser of every server. No password is needed.
const User = "tenor"

// Options are a server's deviations from the defaults.
type Options struct {
	// Settings are lines of postgresql.conf. Values are quoted here.
	Settings map[string]string
	// MaxConnections; 0: 60, or as many as the primary of a standby.
	MaxConnections int
	// Name is a standby's application_name, for synchronous_standby_names; "": "standby".
	Name string
}

// Cluster is one server with its data. Its methods fail the given test. Only one of those that
// start or stop the server may run at a time; the others may run whenever it is up.
type Cluster struct {
	installation installation
	dir          string // contains data, log and socket
	port         int
	made         atomic.Int64 // number of databases

	cmd   *exec.Cmd
	ended chan struct{} // closed when the server is gone; nil before the first start
	err   error         // its exit error
}

// New creates a server for one test and starts it. It is removed at the end of the test; if that
// failed, the end of the server's log is printed.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	Need(t)
	c, err := create(o)
	if err != nil {
		t.Fatal(err)
	}
	c.cleanup(t)
	return c
}

func (c *Cluster) cleanup(t testing.TB) {
	t.Cleanup(func() {
		c.explain(t)
		c.remove()
	})
}

// create creates a server and starts it, or leaves nothing behind.
func create(o Options) (*Cluster, error) {
	i, err := installed()
	if err != nil {
		return nil, err
	}
	dir, err := i.directory()
	if err != nil {
		return nil, err
	}
	c := &Cluster{installation: i, dir: dir}
	if o.MaxConnections == 0 {
		o.MaxConnections = 60
	}
	err = first.begin(c)
	if err == nil {
		err = c.configure(o)
	}
	if err == nil {
		err = c.firstStart()
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, c.tail())
		c.remove()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }
func (c *Cluster) log() string  { return filepath.Join(c.dir, "log") }

// configure adds to the settings of the server.
func (c *Cluster) configure(o Options) error {
	settings := map[string]string{
		"shared_buffers": "32MB",
		"fsync":          "on",
		// A standby that was cut off finds what it missed, and retries soon.
		"wal_keep_size":               "256MB",
		"wal_retrieve_retry_interval": "200ms",
	}
	if o.MaxConnections > 0 {
		settings["max_connections"] = strconv.Itoa(o.MaxConnections)
	}
	maps.Copy(settings, o.Settings)
	return c.appendTo("postgresql.conf", settings)
}

// appendTo appends settings to a file of the data directory, where they override earlier ones.
func (c *Cluster) appendTo(name string, settings map[string]string) error {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		// In a file, unlike in SQL, a backslash is an escape.
		fmt.Fprintf(&b, "%s = %s\n", key, quote(strings.ReplaceAll(settings[key], `\`, `\\`)))
	}
	return c.write(name, os.O_APPEND, b.String())
}

// write adds text to a file of the data directory, which the server owns.
func (c *Cluster) write(name string, flag int, text string) error {
	f, err := os.OpenFile(filepath.Join(c.data(), name), flag|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if o := c.installation.credential; o != nil && err == nil {
		err = f.Chown(int(o.Uid), int(o.Gid))
	}
	return errors.Join(err, f.Close())
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// URL returns the TCP address of a database on the server. The server may take time to answer a
// new connection: it shares the machine with other tests.
func (c *Cluster) URL(db string) string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable&connect_timeout=30", User, c.Addr(), db)
}

// Addr returns the server's address, host:port. It stays the same over restarts.
func (c *Cluster) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)) }

// CreateDatabase creates an empty database and returns its URL.
func (c *Cluster) CreateDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", c.made.Add(1))
	c.Exec(t, "postgres", "CREATE DATABASE "+name)
	return c.URL(name)
}

// Exec executes SQL statements in a database, as one transaction if there are several.
func (c *Cluster) Exec(t testing.TB, db, sql string) {
	t.Helper()
	if _, err := c.query(db, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Query1 returns the only value of a query as text; NULL is "".
func (c *Cluster) Query1(t testing.TB, db, sql string) string {
	t.Helper()
	rows, err := c.query(db, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		t.Fatalf("%s: not one value: %q", sql, rows)
	}
	return string(rows[0][0])
}

// query returns the rows of the last statement on a connection of its own. It uses the socket:
// another server might be on the TCP port.
func (c *Cluster) query(db, sql string) (rows [][][]byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=%s dbname=%s", c.dir, c.port, User, db))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return results[len(results)-1].Rows, nil
}

// Set changes settings of the running server and returns when it has read them. New connections
// have them from then on, others very soon. A setting that requires a restart also needs Restart.
func (c *Cluster) Set(t testing.TB, settings map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		c.Exec(t, "postgres", fmt.Sprintf("ALTER SYSTEM SET %s = %s", key, quote(settings[key])))
	}
	const loaded = "SELECT pg_conf_load_time()"
	before := c.Query1(t, "postgres", loaded)
	c.Exec(t, "postgres", "SELECT pg_reload_conf()")
	c.until(t, "settings are read", func() bool { return c.Query1(t, "postgres", loaded) != before })
}

// Backends returns the process IDs of the clients' server processes, except that of its own
// connection.
func (c *Cluster) Backends(t testing.TB) []int {
	t.Helper()
	rows, err := c.query("postgres", "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid")
	if err != nil {
		t.Fatal(err)
	}
	pids := make([]int, len(rows))
	for i, row := range rows {
		if pids[i], err = strconv.Atoi(string(row[0])); err != nil {
			t.Fatal(err)
		}
	}
	return pids
}

// until waits for something that must happen.
func (c *Cluster) until(t testing.TB, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(timeout); !there(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// explain prints the end of the server's log if the test failed.
func (c *Cluster) explain(t testing.TB) {
	if t.Failed() {
		t.Logf("PostgreSQL on %s, the end of its log:\n%s", c.Addr(), c.tail())
	}
}

// tail returns the end of the server's log, without the messages caused by checking whether it is
// up: they would hide those caused by the test.
func (c *Cluster) tail() string {
	const keep = 3 << 10
	b, err := os.ReadFile(c.log())
	if err != nil {
		return err.Error()
	}
	var log strings.Builder
	for line := range strings.Lines(string(b)) {
		if !strings.Contains(line, "the database system is starting up") {
			log.WriteString(line)
		}
	}
	return log.String()[max(0, log.Len()-keep):]
}

// remove stops the server and deletes its data.
func (c *Cluster) remove() {
	if c.running() {
		_ = c.cmd.Process.Signal(syscall.SIGQUIT) // it may have ended meanwhile
		if !c.wait() {
			_ = c.killAll() // nobody to report to: the directory is removed
		}
	}
	releaseMemory(filepath.Join(c.data(), "postmaster.pid"))
	_ = os.RemoveAll(c.dir) // a leftover takes room until it is removed, and nothing else
}
