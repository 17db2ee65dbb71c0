package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"tenor/internal/core/store"
)

// conn is one connection. pgx sets it up (addresses, TLS, authentication) and then hands it
// over: this package sends and reads the messages. So nothing is ever repeated, and the
// server is never asked to cancel what it is doing, which pgconn does when a connection
// breaks, and which could end a COMMIT's wait for its standby (EN6, EN9).
type conn struct {
	net     net.Conn
	front   *pgproto3.Frontend
	pid     uint32
	names   map[string]string // names of prepared statements by their text
	made    int               // names given so far: none is used twice
	status  byte              // of the transaction, from the server's last message: I, T or E
	dead    bool              // the connection broke, or the session is over
	unread  bool              // the end of a transaction was sent, its answer not yet read
	warned  string            // a server warning since the last call of run
	steps   int               // statements executed so far
	trips   int               // pipelines sent so far
	open    bool              // a pipeline was sent whose transaction continues
	standby bool              // the server waits for a standby before it confirms a commit
	trace   func(string)      // a test observes the statements here
	buf     []byte            // parameters of the message being built
	queued  int               // bytes of parameters not sent yet
	row     row
}

// dialTimeout bounds the attempt to connect to one host, unless the address sets
// connect_timeout.
const dialTimeout = 3 * time.Second

// connect opens a connection. If several hosts are named, each gets its own timeout.
func connect(ctx context.Context, config *pgconn.Config) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, config.ConnectTimeout*time.Duration(1+len(config.Fallbacks))+time.Second)
	defer cancel()
	pg, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := pg.SyncConn(ctx); err != nil {
		return nil, errors.Join(err, pg.Close(ctx))
	}
	h, err := pg.Hijack()
	if err != nil {
		return nil, errors.Join(err, pg.Close(ctx))
	}
	// The buffer is never nil, because a nil parameter is NULL, and "" is not.
	return &conn{net: h.Conn, front: h.Frontend, pid: h.PID, names: map[string]string{}, status: 'I', buf: make([]byte, 0, 1024)}, nil
}

// close ends the session. The server's current work continues undisturbed.
func (k *conn) close() {
	_ = k.net.SetDeadline(time.Now().Add(time.Second)) // only for the termination message
	k.front.Send(&pgproto3.Terminate{})
	_ = k.front.Flush()
	_ = k.net.Close()
}

// call is one statement of a pipeline.
type call struct {
	sql    string
	params []param
	row    func(*row) error // called for each row; may be nil
	tag    string           // the server's command tag on completion
	portal string           // name for requesting the rest of the rows
	most   uint32           // rows to send at once; 0 is all
	more   bool             // continue with the portal
	fresh  bool             // its statement is being prepared
	// How readers may share it: by column key-1 of the rows, which holds the only
	// parameter's keys, or as it is, because it returns few rows.
	key   int
	small bool
	flush bool   // the server sends what it has before it goes on
	done  func() // called when all rows have come; may be nil
}

// suspended is the tag of a call with rows left.
const suspended = "SUSPENDED"

// lostError means that the connection broke while waiting for the server's answer: what was
// sent may have been done or not.
type lostError struct{ err error }

func (e *lostError) Error() string { return "connection lost: " + e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// lose marks the connection as unusable.
func (k *conn) lose(err error) error {
	k.dead = true
	return &lostError{err}
}

// run sends all calls at once and reads their answers, in one round trip. The first error
// ends the pipeline: the server skips what follows it. After a lostError the connection is
// unusable.
func (k *conn) run(calls ...*call) error {
	k.warned = ""
	if err := k.finish(); err != nil {
		return err
	}
	for _, c := range calls {
		k.send(c)
	}
	k.front.SendSync(&pgproto3.Sync{})
	k.trips++
	return k.exchange(calls)
}

// pipe is run without the end of the transaction: what pipe sends next belongs to the same
// one, until end. An error of the server ends it.
func (k *conn) pipe(calls ...*call) error {
	if len(calls) == 0 {
		return nil
	}
	if err := k.finish(); err != nil {
		return err
	}
	k.open = true
	calls[len(calls)-1].flush = true
	for _, c := range calls {
		k.send(c)
	}
	k.trips++
	err := k.exchange(calls)
	if !k.open && !k.dead { // what follows the error is skipped up to here
		k.front.SendSync(&pgproto3.Sync{})
		if k.front.Flush() != nil {
			return k.lose(err)
		}
		return errors.Join(err, k.receive(nil))
	}
	return err
}

// end ends the transaction of pipelines without waiting for the answer.
func (k *conn) end() error {
	if !k.open {
		return nil
	}
	k.open, k.unread = false, true
	k.front.SendSync(&pgproto3.Sync{})
	if err := k.front.Flush(); err != nil {
		return k.lose(err)
	}
	return nil
}

// exchange writes what is buffered and reads up to the end of the pipeline. A long pipeline
// is written concurrently with the reading: otherwise the server could wait for us to read
// while we wait for it.
func (k *conn) exchange(calls []*call) error {
	if k.queued < fitsBuffers {
		if k.queued = 0; k.front.Flush() != nil {
			return k.lose(errors.New("it accepts no more data"))
		}
		return k.receive(calls)
	}
	k.queued = 0
	written := make(chan error, 1)
	go func() { written <- k.front.Flush() }()
	err := k.receive(calls)
	var lost *lostError
	if errors.As(err, &lost) {
		_ = k.net.Close() // so that the writer stops too
		<-written
		return err
	}
	if e := <-written; e != nil {
		return k.lose(e)
	}
	return err
}

// fitsBuffers is what the sockets on the way hold in any case: a shorter pipeline can be
// written completely before the first answer is read.
const fitsBuffers = 32 << 10

// send appends the messages of one call to the frontend's buffer.
func (k *conn) send(c *call) {
	k.steps++
	if k.trace != nil {
		k.trace(c.sql)
	}
	if c.flush {
		defer k.front.Send(&pgproto3.Flush{})
	}
	if c.more {
		k.front.SendExecute(&pgproto3.Execute{Portal: c.portal, MaxRows: c.most})
		return
	}
	name, known := k.names[c.sql]
	if c.fresh = !known; c.fresh {
		name = fmt.Sprintf("s%d", k.made)
		k.made++
		k.names[c.sql] = name
		oids := make([]uint32, len(c.params))
		for i, p := range c.params {
			oids[i] = p.oid()
		}
		k.front.SendParse(&pgproto3.Parse{Name: name, Query: c.sql, ParameterOIDs: oids})
	}
	values := make([][]byte, len(c.params))
	k.buf = k.buf[:0]
	for i, p := range c.params {
		from := len(k.buf)
		var null bool
		if k.buf, null = p.encode(k.buf); !null {
			values[i] = k.buf[from:len(k.buf):len(k.buf)]
		}
	}
	k.queued += len(k.buf)
	k.front.SendBind(&pgproto3.Bind{
		DestinationPortal: c.portal, PreparedStatement: name,
		ParameterFormatCodes: binary, Parameters: values, ResultFormatCodes: binary,
	})
	k.front.SendExecute(&pgproto3.Execute{Portal: c.portal, MaxRows: c.most})
}

// binary is the format of all parameters and results.
var binary = []int16{1}

// receive reads the answers of a pipeline.
func (k *conn) receive(calls []*call) (first error) {
	at := 0
	for {
		message, err := k.front.Receive()
		if err != nil {
			return k.lose(errors.Join(err, first))
		}
		switch m := message.(type) {
		case *pgproto3.ParseComplete:
			prepared(calls[min(at, len(calls)):])
		case *pgproto3.DataRow:
			if first == nil && at < len(calls) && calls[at].row != nil {
				k.row.fields = m.Values
				first = calls[at].row(&k.row)
			}
		case *pgproto3.CommandComplete:
			at = completed(calls, at, string(m.CommandTag), first)
		case *pgproto3.PortalSuspended:
			at = completed(calls, at, suspended, first)
		case *pgproto3.ErrorResponse:
			e := pgconn.ErrorResponseToPgError(m)
			if e.SeverityUnlocalized != "ERROR" && e.Severity != "ERROR" {
				return k.lose(e) // FATAL or PANIC: the session is over, and how far it came is unknown
			}
			if first == nil {
				first = e
			}
			k.forget(calls[min(at, len(calls)):])
			if k.open {
				k.open = false
				return first
			}
		case *pgproto3.NoticeResponse:
			k.notice(m)
		case *pgproto3.ReadyForQuery:
			k.status = m.TxStatus
			return first
		}
		if k.open && at == len(calls) {
			return first
		}
	}
}

// completed notes that all rows of a call have come, and were taken if there was no error.
func completed(calls []*call, at int, tag string, err error) (next int) {
	if at < len(calls) {
		calls[at].tag = tag
		if calls[at].done != nil && err == nil {
			calls[at].done()
		}
	}
	return at + 1
}

// prepared marks the next statement sent for preparation as prepared.
func prepared(calls []*call) {
	for _, c := range calls {
		if c.fresh {
			c.fresh = false
			return
		}
	}
}

// forget drops the names of statements whose preparation was skipped or undone. The next
// use prepares them under a new name. Those prepared earlier stay: they outlive the
// transaction.
func (k *conn) forget(calls []*call) {
	for _, c := range calls {
		if !c.fresh {
			continue
		}
		delete(k.names, c.sql)
	}
}

// notice records a warning: during a COMMIT it may say that the wait for the standby was
// canceled.
func (k *conn) notice(m *pgproto3.NoticeResponse) {
	if m.SeverityUnlocalized == "WARNING" || m.Severity == "WARNING" {
		k.warned = m.Code + ": " + m.Message
	}
}

// later sends a statement without waiting for the answer; the next run reads it.
func (k *conn) later(sql string) error {
	k.front.SendQuery(&pgproto3.Query{String: sql})
	k.unread = true
	if err := k.front.Flush(); err != nil {
		return k.lose(err)
	}
	return nil
}

// finish reads the answer to what later sent.
func (k *conn) finish() error {
	if !k.unread {
		return nil
	}
	k.unread = false
	return k.receive(nil)
}

// bound makes reads and writes fail once the context ends, after which the connection is
// unusable. The returned function cancels that, and reports whether it did so in time.
func (k *conn) bound(ctx context.Context) (release func() bool) {
	return context.AfterFunc(ctx, func() { _ = k.net.SetDeadline(time.Unix(1, 0)) })
}

// patience bounds the wait for each answer from here on; 0 waits forever.
func (k *conn) patience(d time.Duration) {
	until := time.Time{}
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = k.net.SetDeadline(until) // a connection that accepts none fails at its next use
}

// query runs one statement.
func (k *conn) query(sql string, args []store.Value, fn func(*row) error) error {
	return k.run(ask(sql, args, fn))
}

// ask returns a call with single values as arguments.
func ask(sql string, args []store.Value, fn func(*row) error) *call {
	c := &call{sql: sql, row: fn, params: make([]param, len(args))}
	for i, v := range args {
		c.params[i] = param{value: v}
	}
	return c
}

// script runs statements without arguments one after the other; each may be several.
// Without an explicit BEGIN they are one transaction.
func (k *conn) script(sql string) error {
	if err := k.finish(); err != nil {
		return err
	}
	k.front.SendQuery(&pgproto3.Query{String: sql})
	k.trips++
	if err := k.front.Flush(); err != nil {
		return k.lose(err)
	}
	return k.receive(nil)
}
