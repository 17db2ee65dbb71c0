package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// View implements store.Backend. The snapshot is a read transaction on its own connection;
// it stops when the context ends.
func (db *DB) View(ctx context.Context, fn func(store.View) error) (err error) {
	r, err := db.reader(ctx)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	broken := true // also if fn panics
	defer func() { db.release(r, broken) }()
	err = r.view(ctx, fn)
	broken = !r.c.AutocommitEnabled()
	return err
}

func (k *conn) view(ctx context.Context, fn func(store.View) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	undisturbed := k.interruptible(ctx)
	err := k.snapshot(fn)
	undisturbed()
	if k.c.AutocommitEnabled() {
		return err // it has not begun
	}
	if e := k.query("ROLLBACK", nil, nil); err == nil {
		err = e
	}
	return err
}

// snapshot begins the transaction and leaves it open.
func (k *conn) snapshot(fn func(store.View) error) error {
	if err := k.query("BEGIN", nil, nil); err != nil {
		return fmt.Errorf("view: begin: %w", err)
	}
	seq, err := k.seq() // the first read takes the snapshot
	if err != nil {
		return err
	}
	return fn(&view{k, seq})
}

// view is a snapshot, with its commit sequence.
type view struct {
	*conn
	seq int64
}

// Seq implements store.View.
func (v *view) Seq() int64 { return v.seq }

// Head implements store.View.
func (v *view) Head() (store.Head, error) { return v.head() }

// Load implements store.View.
func (v *view) Load(s *credit.State, k credit.Keys) error { return load(v.conn, s, k) }

// all decodes the rows of a table that match a clause.
func all[T any](k *conn, t *store.Table[T], clause string, fn func(*T) error, args ...store.Value) error {
	return k.query(selectFrom(k, t)+clause, args, func(stmt *sqlite.Stmt) error {
		row, err := scan(k, t, stmt)
		if err != nil {
			return err
		}
		return fn(row)
	})
}

// entries walks entries with their lines, in order of posting.
func (v *view) entries(where string, fn func(store.EntryRow) error, args ...store.Value) error {
	heads, lines := store.Entries.Schema(), store.Postings.Schema()
	width := len(heads.Columns)
	sql := "SELECT " + columns(heads, "e.") + ", " + columns(lines, "p.") +
		" FROM entries e CROSS JOIN postings p ON p.q = e.q AND p.n = e.n" + where + " ORDER BY e.q, e.n, p.line"
	var open store.EntryRow
	n := -1
	err := v.query(sql, args, func(s *sqlite.Stmt) error {
		if q, at := s.ColumnInt64(0), int(s.ColumnInt64(1)); n != at || open.Q != q {
			if n >= 0 {
				if err := fn(open); err != nil {
					return err
				}
			}
			head, err := scan(v.conn, &store.Entries, s)
			if err != nil {
				return err
			}
			n, open = at, store.EntryRow{Entry: head.Entry, Q: q, At: head.At}
		}
		line, err := scanAt(v.conn, &store.Postings, s, width)
		if err != nil {
			return err
		}
		open.Postings = append(open.Postings, line.Posting)
		return nil
	})
	if err != nil || n < 0 {
		return err
	}
	return fn(open)
}

// At implements store.View. After the snapshot's own commit it is the current version. In
// the past it is the first version that ended after q, or none: the versions of a record
// leave no gaps.
func (v *view) At(n store.Noun, key store.Value, q int64) (row any, err error) {
	if q >= v.seq {
		err = v.loadNoun(n.Index(), tuples{{key}}, func(x any) { row = x })
		return row, err
	}
	t := &nounTexts[n.Index()]
	err = v.query(t.at, []store.Value{key, integer(q), text(store.KeyText(key))}, func(stmt *sqlite.Stmt) error {
		if stmt.ColumnInt64(t.began) > q {
			return nil
		}
		row, err = v.decode(n, nounTexts[n.Index()].types, stmt)
		return err
	})
	return row, err
}
