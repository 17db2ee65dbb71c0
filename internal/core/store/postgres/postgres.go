// Package postgres is the backend on PostgreSQL, for several nodes on one database.
//
// A batch is one transaction of at most a few round trips. Each round of loading is one
// pipeline: it locks the companies in order of their number and then reads what the keys
// name, so that no decision depends on what another node may change. Writing is one
// pipeline too, with the COMMIT at its end: first the row of the commit sequence, which
// lets one batch after the other through, then a recheck of what was read without a lock,
// then all rows, one statement per table.
//
// Writes that are not decisions (tokens, settings, leases, delivery results, bank files)
// have connections of their own, so that neither they nor batches wait for each other's
// connection.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/store"
)

// ErrReadOnly means that the database was opened for reading.
var ErrReadOnly = errors.New("postgres: opened read-only")

// Options configure how a database is opened.
type Options struct {
	// Live requires everything that a promise depends on (EN15).
	Live bool
	// ReadOnly opens an existing database next to the nodes that write to it. Nothing is
	// migrated and all writes are refused.
	ReadOnly bool
	// Shared opens an existing database next to the nodes that serve it: nothing is
	// migrated.
	Shared bool
	// Keep refuses an older schema instead of migrating it. An empty database still gets
	// its schema.
	Keep bool
	// Now is compared with the last commit in live mode: a clock more than five minutes
	// behind is refused. Zero: no comparison.
	Now time.Time
	// Writers is the number of writing connections, one for each committer; 1 if 0.
	Writers int
	// Readers is the maximum number of reading connections, 16 if 0.
	Readers int
	// Standby requires the server to name a synchronous standby (RPO 0).
	Standby bool
	// CommitWait is how long to wait for the answer to a COMMIT before its outcome counts
	// as unknown and is looked up on a new connection; 30 s if 0. It cancels nothing (EN6).
	CommitWait time.Duration
	// Damaged is called with commits whose events are missing from a list because they cannot
	// be read. Without it such a list fails.
	Damaged store.Damaged
}

// Limits on how long a connection waits.
const (
	defaultReaders    = 16
	defaultCommitWait = 30 * time.Second
	// loadWait bounds a pipeline before COMMIT. The server's lock timeout normally ends it
	// earlier, so this is for a network that has gone silent.
	loadWait    = 8 * time.Second
	lockTimeout = "5s"
	// asides is the number of connections for writes that are not decisions: a lease is
	// extended on one while work is recorded on the other.
	asides = 2
)

// DB is an open database.
type DB struct {
	config  *pgconn.Config
	options Options

	writers chan *conn // idle writing connections; nil is one to be opened
	aside   chan *conn // the same for writes that are not decisions: neither pool waits for the other
	readers chan *conn // idle reading connections
	slots   chan struct{}
	board   board
	rows    sync.Pool // *row

	mu     sync.Mutex
	head   store.Head // as some transaction last saw it
	seen   bool
	closed bool
	// confirmed is the highest commit that a COMMIT of this process has proved to be as
	// durable as the server makes commits, including on the standby if there is one.
	confirmed int64

	// overtaken counts the batches that must be decided again with a firm head.
	overtaken atomic.Int32
}

var _ store.Backend = (*DB)(nil)

// Open connects to the database at url, checks the guards and migrates it. The url may be
// anything that libpq understands, including several hosts.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	config, err := configOf(url)
	if err != nil {
		return nil, err
	}
	if o.Readers == 0 {
		o.Readers = defaultReaders
	}
	if o.CommitWait == 0 {
		o.CommitWait = defaultCommitWait
	}
	o.Writers = max(1, o.Writers)
	db := &DB{
		config: config, options: o,
		writers: make(chan *conn, o.Writers), aside: make(chan *conn, asides),
		readers: make(chan *conn, o.Readers), slots: make(chan struct{}, o.Readers),
	}
	for range o.Writers {
		db.writers <- nil
	}
	for range asides {
		db.aside <- nil
	}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", name(config), err), db.Close())
	}
	return db, nil
}

// configOf parses the address and sets how to dial it.
func configOf(url string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = dialTimeout
	}
	d := &net.Dialer{
		Timeout: config.ConnectTimeout,
		// A server that disappears silently is noticed within about ten seconds.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3},
	}
	config.DialFunc = d.DialContext
	return config, nil
}

// name is the address without secrets.
func name(c *pgconn.Config) string {
	return fmt.Sprintf("%s at %s:%d", c.Database, c.Host, c.Port)
}

// Name returns a database's address without secrets, for logs.
func Name(url string) string {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return "(unreadable address)"
	}
	return name(config)
}

func (db *DB) open(ctx context.Context) error {
	k, err := db.dial(ctx, writing)
	if err != nil {
		return err
	}
	defer k.close()
	o := db.options
	if o.ReadOnly || o.Shared || o.Keep {
		err = checkSchema(k)
		if o.Keep && errors.Is(err, ErrEmpty) {
			err = migrate(k, nil)
		}
	} else {
		err = migrate(k, nil)
	}
	if err != nil {
		return err
	}
	if !o.Live || o.Now.IsZero() {
		return nil
	}
	head, err := k.head()
	if err == nil && o.Now.Before(head.At.Add(-5*time.Minute)) {
		err = fmt.Errorf("the clock says %s, but the last commit was at %s", o.Now.UTC(), head.At)
	}
	return err
}

// mode is the purpose of a connection.
type mode int

const (
	writing mode = iota
	beside       // writing what is not a decision
	reading
)

// settings returns the statements that set up a session. They are not startup parameters of
// the connection: an address may ask for a server that takes writes (target_session_attrs),
// and a reading session would look like a server that does not.
//
// They keep the planner from choices that suit other data than it will see: plans are made
// when tables are empty, and live as long as the session.
func (m mode) settings() string {
	if m == reading {
		return `SET application_name = 'tenor reader';
			SET default_transaction_isolation = 'repeatable read'; SET default_transaction_read_only = on;
			SET statement_timeout = '60s'; SET client_connection_check_interval = '5s'; SET idle_in_transaction_session_timeout = '120s'; SET client_min_messages = warning;
			SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
			SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off; SET enable_bitmapscan = off`
	}
	name := map[mode]string{writing: "tenor writer", beside: "tenor outbox"}[m]
	return `SET application_name = '` + name + `';
		SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off;
		SET lock_timeout = '` + lockTimeout + `'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0;
		SET client_min_messages = warning; SET client_connection_check_interval = 0;
		SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
		SET plan_cache_mode = force_generic_plan; SET jit = off;
		SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`
}

// dial opens a connection and checks the guards of its session.
func (db *DB) dial(ctx context.Context, m mode) (*conn, error) {
	k, err := connect(ctx, db.config)
	if err != nil {
		return nil, err
	}
	k.patience(loadWait) // before the context's own end, which may come earlier
	release := k.bound(ctx)
	if err = k.script(m.settings()); err == nil {
		err = db.guard(k)
	}
	if !release() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// writer takes a writing connection, and opens it if it has been lost.
func (db *DB) writer(ctx context.Context) (*conn, error) { return db.take(ctx, db.writers, writing) }

// take takes a connection from a pool, an existing one if possible, and opens it if it has
// been lost.
func (db *DB) take(ctx context.Context, pool chan *conn, m mode) (*conn, error) {
	var k *conn
	select {
	case k = <-pool:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if k == nil {
		select {
		case k = <-pool:
			pool <- nil
		default:
		}
	}
	if k != nil {
		return k, nil
	}
	err := db.usable()
	if err == nil {
		k, err = db.dial(ctx, m)
	}
	if err != nil {
		pool <- nil
		return nil, err
	}
	return k, nil
}

var errClosed = errors.New("postgres: the database is closed")

// usable is nil until Close.
func (db *DB) usable() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return errClosed
	}
	return nil
}

// release returns a writing connection, or closes it if it may be broken.
func (db *DB) release(k *conn, broken bool) { db.giveBack(db.writers, k, broken) }

func (db *DB) giveBack(pool chan *conn, k *conn, broken bool) {
	if broken || k.dead || db.usable() != nil {
		k.close()
		k = nil
	}
	pool <- k
}

// reader takes a reading connection from the pool, or opens one if more are allowed. fresh
// reports that it was not used before.
func (db *DB) reader(ctx context.Context) (k *conn, fresh bool, err error) {
	select {
	case k := <-db.readers:
		return k, false, nil
	default:
	}
	select {
	case k := <-db.readers:
		return k, false, nil
	case db.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if err = db.usable(); err == nil {
		k, err = db.dial(ctx, reading)
	}
	if err != nil {
		<-db.slots
		return nil, false, err
	}
	return k, true, nil
}

// mostStatements bounds what a reading session keeps prepared: lists have many forms, and
// callers choose among them.
const mostStatements = 400

// done returns a reading connection, or closes it if it may be broken.
func (db *DB) done(k *conn, broken bool) {
	if broken || k.dead || len(k.names) > mostStatements || db.usable() != nil {
		k.close()
		<-db.slots
		return
	}
	db.readers <- k
}

// Close closes all connections. Updates and views must have ended.
func (db *DB) Close() error {
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	for _, pool := range []chan *conn{db.writers, db.aside} {
		for range cap(pool) {
			if k := <-pool; k != nil {
				k.close()
			}
			// A later call finds them closed.
			defer func() { pool <- nil }()
		}
	}
	for {
		select {
		case k := <-db.readers:
			k.close()
			<-db.slots
			continue
		default:
		}
		return nil
	}
}

// saw records the state of the books.
func (db *DB) saw(h store.Head) {
	db.mu.Lock()
	if !db.seen || h.Q >= db.head.Q {
		db.head, db.seen = h, true
	}
	db.mu.Unlock()
}

// proved records that all commits up to q are durable.
func (db *DB) proved(q int64) {
	db.mu.Lock()
	db.confirmed = max(db.confirmed, q)
	db.mu.Unlock()
}

// isProved reports whether all commits up to q are known to be durable.
func (db *DB) isProved(q int64) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return q <= db.confirmed
}

// firm takes the right, or the duty, to hold the head for the next batch.
func (db *DB) firm() bool {
	for {
		n := db.overtaken.Load()
		if n == 0 {
			return false
		}
		if db.overtaken.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// last is the state of the books as some transaction last saw it.
func (db *DB) last() (store.Head, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.head, db.seen
}
