package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// conn is one connection with its input table and its prepared statements.
type conn struct {
	c       *sqlite.Conn
	in      *input
	steps   int          // statements executed so far
	trace   func(string) // a test observes the statements here
	scratch []store.Value
	selects map[string]string // by table, for selectFrom
	stop    chan struct{}     // of a reading connection: closing it interrupts the running statement
	damaged store.Damaged     // of the options
}

// mode is the purpose of a connection.
type mode int

const (
	writing mode = iota
	reading
)

// connect opens a connection, sets it up and reads every setting back: settings belong to
// the connection, not to the file (EN15).
func connect(path string, o Options, m mode) (*conn, error) {
	flags := sqlite.OpenReadWrite | sqlite.OpenCreate
	if m == reading || o.Shared {
		flags = sqlite.OpenReadWrite // WAL needs its index to be writable
	}
	c, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	k := &conn{c: c, in: &input{}, selects: map[string]string{}, damaged: o.Damaged}
	if err := k.setUp(o, m); err != nil {
		return nil, errors.Join(fmt.Errorf("set up connection: %w", err), c.Close())
	}
	if m == reading {
		k.arm()
	}
	return k, nil
}

// arm prepares the connection to be interrupted once.
func (k *conn) arm() {
	k.stop = make(chan struct{})
	k.c.SetInterrupt(k.stop)
}

// interruptible lets the end of a context interrupt the running statement, until the
// returned function is called. The driver's own way, passing the context's channel each
// time, starts and stops a goroutine for every read: 0.8 µs instead of 0.2, and two
// hand-offs where many goroutines wait for a processor.
func (k *conn) interruptible(ctx context.Context) (undisturbed func()) {
	stop := k.stop
	forget := context.AfterFunc(ctx, func() { close(stop) })
	return func() {
		if !forget() {
			<-stop
			k.arm()
		}
	}
}

func (k *conn) setUp(o Options, m mode) error {
	// Before journal_mode: two processes that start together must wait here.
	k.c.SetBusyTimeout(10 * time.Second)
	journal, cache, sync := "wal", "-32000", "2"
	if m == reading {
		cache = "-8000"
	}
	if o.NormalSync {
		sync = "1"
	}
	if o.temporary {
		journal, sync = "memory", "0"
	}
	checkpoint := foreground * o.checkpoint() / 4
	settings := [][3]string{ // name, value, value that must be read back
		{"journal_mode", journal, journal},
		{"synchronous", sync, sync},
		{"foreign_keys", "1", "1"},
		{"trusted_schema", "0", "0"},
		{"temp_store", "2", "2"},
		{"cache_size", cache, cache},
		{"wal_autocheckpoint", strconv.Itoa(checkpoint), strconv.Itoa(checkpoint)},
	}
	if m == reading {
		settings = append(settings, [3]string{"query_only", "1", "1"})
	}
	for _, s := range settings {
		if err := k.pragma(s[0], s[1], s[2]); err != nil {
			return err
		}
	}
	return k.c.SetModule("input", &sqlite.Module{Connect: k.in.connect})
}

func (k *conn) pragma(name, value, want string) error {
	if err := k.script("PRAGMA " + name + " = " + value); err != nil {
		return err
	}
	got := ""
	err := k.query("PRAGMA "+name, nil, func(s *sqlite.Stmt) error { got = s.ColumnText(0); return nil })
	if err != nil {
		return err
	}
	if !strings.EqualFold(got, want) {
		return fmt.Errorf("%s is %q instead of %q", name, got, want)
	}
	return nil
}

// script runs statements once, without caching them. before is called before each
// statement.
func (k *conn) script(sql string, before ...func() error) error {
	for strings.TrimSpace(sql) != "" {
		stmt, rest, err := k.c.PrepareTransient(sql)
		if err != nil {
			return err
		}
		sql = sql[len(sql)-rest:]
		if err := errors.Join(k.finish(stmt, before), stmt.Finalize()); err != nil {
			return err
		}
	}
	return nil
}

func (k *conn) finish(stmt *sqlite.Stmt, before []func() error) error {
	for _, fn := range before {
		if err := fn(); err != nil {
			return err
		}
	}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
	}
}

// query runs a cached prepared statement, with arguments from ?1 on. row is called for each
// row and may be nil.
func (k *conn) query(sql string, args []store.Value, row func(*sqlite.Stmt) error) (err error) {
	stmt, err := k.c.Prepare(sql)
	if err != nil {
		return err
	}
	k.steps++
	if k.trace != nil {
		k.trace(sql)
	}
	for i, v := range args {
		bind(stmt, i+1, v)
	}
	defer func() {
		// A failed Step has already reset the statement; Reset repeats its error.
		if e := stmt.Reset(); err == nil {
			err = e
		}
	}()
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		if row == nil {
			continue
		}
		if err := row(stmt); err != nil {
			return err
		}
	}
}

// exec runs a statement that reads rows from the input table. Without rows it does nothing.
func (k *conn) exec(sql string, rows source, row func(*sqlite.Stmt) error, args ...store.Value) error {
	if rows.Len() == 0 {
		return nil
	}
	k.in.rows = rows
	err := k.query(sql, args, row)
	k.in.rows = nil
	return err
}

func bind(stmt *sqlite.Stmt, at int, v store.Value) {
	switch {
	case v.Null:
		stmt.BindNull(at)
	case v.Kind == store.Text || v.Kind == store.JSON:
		stmt.BindText(at, v.Text)
	case v.Kind == store.Bytes:
		stmt.BindBytes(at, v.Bytes)
	default:
		stmt.BindInt64(at, v.Int)
	}
}

// scan decodes the leading columns of a row.
func scan[T any](k *conn, t *store.Table[T], s *sqlite.Stmt) (*T, error) { return scanAt(k, t, s, 0) }

// scanAt decodes the columns of a row from first on.
func scanAt[T any](k *conn, t *store.Table[T], s *sqlite.Stmt, first int) (*T, error) {
	k.scratch = k.scratch[:0]
	for i := range t.Columns {
		k.scratch = append(k.scratch, column(s, first+i, t.Columns[i].Type))
	}
	return t.Decode(k.scratch)
}

// column reads one value. NULL reads as 0 and as "", so only those are checked for NULL.
func column(s *sqlite.Stmt, i int, t store.Type) store.Value {
	v := store.Value{Kind: t}
	switch t {
	case store.Text, store.JSON:
		v.Text = s.ColumnText(i)
		v.Null = v.Text == "" && s.ColumnIsNull(i)
	case store.Bytes:
		v.Null = s.ColumnIsNull(i)
		if !v.Null {
			v.Bytes = make([]byte, s.ColumnLen(i))
			s.ColumnBytes(i, v.Bytes)
		}
	default:
		v.Int = s.ColumnInt64(i)
		v.Null = v.Int == 0 && s.ColumnIsNull(i)
	}
	return v
}

// selectFrom starts the statement that reads whole rows of a table.
func selectFrom[T any](k *conn, t *store.Table[T]) string {
	sql, made := k.selects[t.Name]
	if !made {
		sql = "SELECT " + columns(t.Schema(), "") + " FROM " + t.Name
		k.selects[t.Name] = sql
	}
	return sql
}

// columns lists a table's columns, each with the prefix.
func columns(s store.Schema, prefix string) string {
	names := slices.Clone(s.Columns)
	for i := range names {
		names[i] = prefix + names[i]
	}
	return strings.Join(names, ", ")
}
