// Package sqlite is the backend on one SQLite file: one writing connection and a pool of
// reading ones, in WAL mode, with synchronous=FULL.
//
// A batch is one transaction. BEGIN IMMEDIATE takes the write lock, so nothing that was
// loaded can change before COMMIT. The rows of a batch reach SQLite through a virtual
// table, one statement per table whatever their number.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// ErrHeld means that another process has the database open for writing.
var ErrHeld = errors.New("sqlite: the database is in use")

// ErrUnresolved means that the outcome of a commit is not known yet: call Resolve.
var ErrUnresolved = errors.New("sqlite: a commit is unresolved")

// defaultCheckpoint is the length of the WAL, in pages of 4 KiB, at which it is moved into
// the database: 16 MiB, so that a busy writer triggers it at most a few times a second.
const defaultCheckpoint = 4096

// Options configure how a database is opened.
type Options struct {
	// Live requires everything that a promise depends on (EN15).
	Live bool
	// ReadOnly opens an existing database while another process may write to it. All writes
	// are refused, nothing is locked or migrated.
	ReadOnly bool
	// Shared opens an existing database next to the process that serves it. Nothing is
	// locked or migrated. Both may commit: one waits for the other.
	Shared bool
	// Keep refuses an older schema instead of migrating it. An empty database still gets
	// its schema.
	Keep bool
	// Progress is called with the name of each migration before it begins.
	Progress func(migration string)
	// Now is compared with the last commit in live mode: a clock more than five minutes
	// behind is refused. Zero: no comparison.
	Now time.Time
	// AutoCheckpoint is the length of the WAL in pages at which it is moved into the
	// database, 0 for the default. Power-loss tests make it small.
	AutoCheckpoint int
	// NormalSync is synchronous=NORMAL: a power loss may lose commits. It is for data that
	// is lost with the process anyway, and serves as the control in the power-loss test;
	// refused in live mode.
	NormalSync bool
	// Damaged is called with commits whose events are missing from a list because they cannot
	// be read. Without it such a list fails.
	Damaged store.Damaged

	temporary bool // see Temporary
}

// DB is an open database.
type DB struct {
	path    string
	options Options
	held    *os.File // the lock, nil if read-only

	writing    sync.Mutex        // held while w is used
	w          *conn             // nil after a commit error, until it is reopened
	unresolved *store.BatchID    // batch whose outcome is unknown
	commit     func(*conn) error // a test substitutes a failing one

	moving  *checkpointer // nil if another process writes, and for a temporary database
	readers chan *conn    // idle reading connections
	slots   chan struct{} // one for each reading connection allowed
}

var _ store.Backend = (*DB)(nil)

// Open opens or creates the database at path, checks the guards and migrates it.
func Open(path string, o Options) (*DB, error) {
	if o.Live && o.NormalSync {
		return nil, errors.New("open database: live mode needs synchronous=FULL")
	}
	if strings.HasPrefix(path, ":") || path == "" {
		return nil, errors.New("open database: a file is required")
	}
	db := &DB{path: path, options: o}
	db.commit = func(k *conn) error { return k.query("COMMIT", nil, nil) }
	n := max(4, 2*runtime.GOMAXPROCS(0))
	db.readers, db.slots = make(chan *conn, n), make(chan struct{}, n)
	if err := db.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), db.Close())
	}
	return db, nil
}

func (db *DB) open() (err error) {
	if db.options.ReadOnly {
		r, err := connect(db.path, db.options, reading)
		if err != nil {
			return err
		}
		db.slots <- struct{}{}
		db.readers <- r
		return errors.Join(checkVersion(r), checkSchema(r))
	}
	if db.options.Shared {
		if db.w, err = connect(db.path, db.options, writing); err != nil {
			return err
		}
		return errors.Join(checkVersion(db.w), checkSchema(db.w))
	}
	if db.held, err = lock(db.path); err != nil {
		return err
	}
	if err := private(db.path); err != nil {
		return err
	}
	if db.w, err = connect(db.path, db.options, writing); err != nil {
		return err
	}
	if err := checkVersion(db.w); err != nil {
		return err
	}
	if db.options.Keep {
		if err := checkSchema(db.w); err != nil && !errors.Is(err, ErrEmpty) {
			return err
		}
	}
	if err := migrate(db.w, db.options.Progress); err != nil {
		return err
	}
	if !db.options.temporary {
		db.moving = newCheckpointer(db)
	}
	return db.checkClock()
}

// private creates a database file that only its owner can read. SQLite gives the log the
// same permissions.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Close closes all connections. Views must have ended.
func (db *DB) Close() error {
	db.writing.Lock()
	moving := db.moving
	db.moving = nil // no commit wakes it anymore
	db.writing.Unlock()
	moving.stop()
	db.writing.Lock()
	defer db.writing.Unlock()
	var errs []error
	for {
		select {
		case r := <-db.readers:
			errs = append(errs, r.c.Close())
			continue
		default:
		}
		break
	}
	errs = append(errs, db.dropWriter())
	if db.held != nil {
		errs = append(errs, db.held.Close())
		db.held = nil
	}
	return errors.Join(errs...)
}

// dropWriter closes the writing connection, which rolls back its open transaction.
func (db *DB) dropWriter() error {
	if db.w == nil {
		return nil
	}
	w := db.w
	db.w = nil
	return w.c.Close()
}

// writer returns the writing connection, a new one after an error. The caller holds
// writing.
func (db *DB) writer() (*conn, error) {
	if db.held == nil && !db.options.Shared {
		return nil, errors.New("the database is closed or read-only")
	}
	if db.w == nil {
		w, err := connect(db.path, db.options, writing)
		if err != nil {
			return nil, full(err)
		}
		db.w = w
	}
	return db.w, nil
}

// reader takes a reading connection from the pool, or opens one if more are allowed.
func (db *DB) reader(ctx context.Context) (*conn, error) {
	select {
	case r := <-db.readers:
		return r, nil
	default:
	}
	select {
	case r := <-db.readers:
		return r, nil
	case db.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := connect(db.path, db.options, reading)
	if err != nil {
		<-db.slots
		return nil, err
	}
	return r, nil
}

// release returns a connection, or closes it if it may be broken.
func (db *DB) release(r *conn, broken bool) {
	if !broken {
		db.readers <- r
		return
	}
	r.c.Close() // its own error adds nothing to the one that broke it
	<-db.slots
}

// full marks errors that mean there is no room.
func full(err error) error {
	if err != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// checkVersion refuses engines that can corrupt a WAL: 3.7.0 to 3.51.2, and
// 3.52.0, which was withdrawn (EN15).
func checkVersion(k *conn) error {
	version := ""
	err := k.query("SELECT sqlite_version()", nil, func(s *sqlite.Stmt) error { version = s.ColumnText(0); return nil })
	if err != nil {
		return err
	}
	return soundVersion(version)
}

func soundVersion(version string) error {
	parts := strings.Split(version, ".")
	number := 0
	for i := range 3 {
		n := 0
		if i < len(parts) {
			var err error
			if n, err = strconv.Atoi(parts[i]); err != nil {
				return fmt.Errorf("SQLite version %q: %w", version, err)
			}
		}
		number = number*1000 + n
	}
	if number < 3_051_003 || number == 3_052_000 {
		return fmt.Errorf("SQLite %s can corrupt its log; 3.51.3 or newer is required, except 3.52.0", version)
	}
	return nil
}

// checkClock refuses a clock that is far behind the last commit.
func (db *DB) checkClock() error {
	if !db.options.Live || db.options.Now.IsZero() {
		return nil
	}
	head, err := db.w.head()
	if err != nil {
		return err
	}
	if db.options.Now.Before(head.At.Add(-5 * time.Minute)) {
		return fmt.Errorf("the clock says %s, but the last commit was at %s", db.options.Now.UTC(), head.At)
	}
	return nil
}

// seq reads the last commit sequence, 0 before the first commit.
func (k *conn) seq() (q int64, err error) {
	err = k.query(seqOfBook, []store.Value{integer(store.Book)}, func(s *sqlite.Stmt) error { q = s.ColumnInt64(0); return nil })
	return q, err
}

// head reads the row of the commit sequence.
func (k *conn) head() (store.Head, error) {
	head := store.Head{BusinessDate: calendar.None}
	err := k.query(headOfBook,
		[]store.Value{integer(store.Book)}, func(s *sqlite.Stmt) error {
			row, err := scan(k, &store.Books, s)
			if err == nil {
				head = row.Head
			}
			return err
		})
	return head, err
}
