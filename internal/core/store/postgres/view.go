package postgres

import (
	"context"
	"errors"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
)

// View implements store.Backend. The snapshot is a read-only transaction at repeatable
// read. It begins with the first read, in the same round trip, and View does not wait for
// its end. It stops when the context ends.
func (db *DB) View(ctx context.Context, fn func(store.View) error) error {
	k, fresh, err := db.reader(ctx)
	if err != nil {
		return fmt.Errorf("view: %w", unreachable(ctx, err))
	}
	v := &view{db: db, ctx: ctx}
	v.own(k, fresh)
	broken := true // also if fn panics
	defer func() {
		if v.conn != nil {
			db.done(v.conn, broken)
		}
	}()
	err = fn(v)
	broken = !v.release() || v.lost
	if !broken && v.begun {
		broken = v.conn.later("COMMIT") != nil
	}
	return err
}

// view is a snapshot.
type view struct {
	db      *DB
	ctx     context.Context
	conn    *conn
	release func() bool
	fresh   bool // the connection was never used before
	small   bool // of Glance
	share   *share
	begun   bool
	lost    bool // the connection
	walks   int
	head    store.Head
	err     error // of a failed Seq
}

// run reads. The first call takes the snapshot.
func (v *view) run(calls ...*call) error {
	if v.err != nil {
		return v.err
	}
	if v.small {
		return v.look(calls)
	}
	if v.begun {
		return v.note(v.conn.run(calls...))
	}
	return v.begin(calls)
}

// begin takes the snapshot on the view's own session. An idle connection may have been
// lost: as nothing was read on it, another takes its place.
func (v *view) begin(calls []*call) error {
	for {
		read := 0
		head := readHead(func(h store.Head) { v.head = h; read++ })
		var err error
		if v.small {
			err = v.conn.pipe(append([]*call{head}, calls...)...)
		} else {
			err = v.conn.run(append([]*call{{sql: "BEGIN"}, head}, calls...)...)
		}
		if !isLost(err) || v.fresh || read > 0 || v.ctx.Err() != nil {
			v.begun = true
			return v.note(err)
		}
		if err := v.renew(); err != nil {
			return err
		}
	}
}

func (v *view) note(err error) error {
	v.lost = v.lost || isLost(err)
	if v.lost {
		err = unreachable(v.ctx, err)
	}
	if v.small && err != nil && !v.conn.open { // the snapshot has ended
		v.err = err
	}
	return err
}

// unreachable marks a connection error, unless the caller has gone.
func unreachable(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errClosed):
		return err
	}
	return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
}

// renew replaces a lost connection.
func (v *view) renew() error {
	v.release()
	v.db.done(v.conn, true)
	v.conn = nil
	k, fresh, err := v.db.reader(v.ctx)
	if err != nil {
		v.err, v.release = unreachable(v.ctx, err), func() bool { return true }
		return v.err
	}
	v.own(k, fresh)
	return nil
}

// own gives the view a session of its own.
func (v *view) own(k *conn, fresh bool) {
	v.conn, v.fresh = k, fresh
	k.patience(0)
	v.release = k.bound(v.ctx)
}

func (v *view) query(sql string, args []store.Value, fn func(*row) error) error {
	return v.run(ask(sql, args, fn))
}

// Seq implements store.View. If it cannot be read, the next read returns the error.
func (v *view) Seq() int64 {
	if !v.begun {
		v.err = v.run()
	}
	return v.head.Q
}

// Head implements store.View.
func (v *view) Head() (store.Head, error) {
	v.Seq()
	return v.head, v.err
}

// Load implements store.View.
func (v *view) Load(s *credit.State, k credit.Keys) error {
	var captured []string
	l := newLoader(s)
	if !v.small {
		l.captured = &captured
	}
	l.load(k)
	err := v.run(l.calls...)
	if err == nil && len(captured) > 0 {
		// Most orders that are read have no loan yet: that saves three statements.
		l.calls = nil
		l.loadLoans(texts(captured), loansByKey, rowsByKey, feesByKey, func(string) bool { return true })
		err = v.run(l.calls...)
	}
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return nil
}

// chunk is how many rows a walk holds at once.
const chunk = 500

// walk decodes the rows of a call and passes them to fn in chunks: memory use stays
// constant, and between chunks fn may read other things.
func walk[T any](v *view, c *call, decode func(*row) (T, error), fn func(T) error) error {
	c.portal, c.most = v.portal(), chunk
	var rows []T
	c.row = func(r *row) error {
		x, err := decode(r)
		rows = append(rows, x)
		return err
	}
	for {
		rows = rows[:0]
		if err := v.run(c); err != nil {
			return err
		}
		for _, x := range rows {
			if err := fn(x); err != nil {
				return err
			}
		}
		if c.tag != suspended {
			return nil
		}
		c.more = true
	}
}

// portal is a name that no other walk of the snapshot has.
func (v *view) portal() string {
	if v.share != nil {
		return fmt.Sprintf("s%d", v.share.walks.Add(1))
	}
	v.walks++
	return fmt.Sprintf("w%d", v.walks)
}

// allEntries selects entries e with their lines p.
const allEntries = " FROM entries e JOIN postings p ON p.q = e.q AND p.n = e.n"

// entries walks entries with their lines, in order of posting.
func (v *view) entries(from string, fn func(store.EntryRow) error, args ...store.Value) error {
	heads, lines := store.Entries.Schema(), store.Postings.Schema()
	width := len(heads.Columns)
	sql := "SELECT " + columns(heads, "e.") + ", " + columns(lines, "p.") + from + " ORDER BY e.q, e.n, p.line"
	type line struct {
		head *store.EntryHead
		row  *store.PostingRow
	}
	decode := func(r *row) (line, error) {
		head, err := scan(&store.Entries, r)
		if err != nil {
			return line{}, err
		}
		row, err := scanAt(&store.Postings, r, width)
		return line{head, row}, err
	}
	var open *store.EntryHead
	var postings []ledger.Posting
	finish := func() error {
		if open == nil {
			return nil
		}
		e := store.EntryRow{Entry: open.Entry, Q: open.Q, At: open.At}
		e.Postings, postings = postings, nil
		return fn(e)
	}
	err := walk(v, ask(sql, args, nil), decode, func(x line) error {
		if open == nil || open.Q != x.head.Q || open.N != x.head.N {
			if err := finish(); err != nil {
				return err
			}
			open = x.head
		}
		postings = append(postings, x.row.Posting)
		return nil
	})
	if err != nil {
		return err
	}
	return finish()
}

// At implements store.View. In the past it is the first version that ended after q, or
// none: the versions of a record leave no gaps.
func (v *view) At(n store.Noun, key store.Value, q int64) (found any, err error) {
	t := &nounTexts[n.Index()]
	if q == store.Latest {
		c := over(t.byKey, tuples{{key}}, func(r *row) error { found, err = r.decode(n, t.types); return err })
		c.key = 1
		err = v.run(c)
		return found, err
	}
	err = v.query(t.at, []store.Value{key, integer(q), text(store.KeyText(key))}, func(r *row) error {
		if r.int(t.began) > q {
			return nil
		}
		found, err = r.decode(n, nounTexts[n.Index()].types)
		return err
	})
	return found, err
}
