package sqlite

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// Lease implements store.Duties.
func (db *DB) Lease(ctx context.Context, name, holder string, now, until time.Time) (l store.Lease, got bool, err error) {
	args := []store.Value{text(name), text(holder), store.Micros(until), integer(now.UnixMicro())}
	err = db.write(ctx, func(k *conn) error {
		return k.query(takeLease, args, func(s *sqlite.Stmt) error {
			row, err := scan(k, &store.Leases, s)
			if err == nil {
				l, got = *row, true
			}
			return err
		})
	})
	if err != nil {
		return store.Lease{}, false, fmt.Errorf("lease %s: %w", name, err)
	}
	return l, got, nil
}

// Release implements store.Duties.
func (db *DB) Release(ctx context.Context, l store.Lease) error {
	err := db.write(ctx, func(k *conn) error {
		return k.query(leaveLease, []store.Value{text(l.Name), text(l.Holder), integer(l.Token)}, nil)
	})
	if err != nil {
		return fmt.Errorf("release %s: %w", l.Name, err)
	}
	return nil
}

// Record implements store.Courier with at most five statements, whatever is recorded.
func (db *DB) Record(ctx context.Context, w store.Work) error {
	err := db.write(ctx, func(k *conn) error {
		if err := k.holds(w.Leases); err != nil {
			return err
		}
		if err := store.CheckDeliveries(w.Deliveries, k.toldOf); err != nil {
			return err
		}
		for _, s := range []step{
			put(&store.Deliveries, statements.deliveries, w.Deliveries),
			put(&store.Attempts, statements.attempts, w.Attempts),
			put(&store.Cursors, statements.cursors, w.Cursors),
		} {
			if err := k.exec(s.sql, s.rows, nil); err != nil {
				return refused(err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// toldOf reads what some commands told others.
func (k *conn) toldOf(commits []int64) (out []store.ToldRow, err error) {
	err = k.exec(toldOf, numbers(commits), func(s *sqlite.Stmt) error { out = append(out, toldRow(s)); return nil })
	return out, err
}

// holds returns ErrLeaseLost unless every lease is still held.
func (k *conn) holds(leases []store.Lease) error {
	rows, held := make(tuples, len(leases)), 0
	for i, l := range leases {
		rows[i] = []store.Value{text(l.Name), text(l.Holder), integer(l.Token)}
	}
	err := k.exec(leasesHeld, rows, func(s *sqlite.Stmt) error { held = s.ColumnInt(0); return nil })
	if err == nil && held < len(leases) {
		err = store.ErrLeaseLost
	}
	return err
}

// Purge implements store.Courier. Attempts are deleted with their delivery.
func (db *DB) Purge(ctx context.Context, before store.Retention, limit int) (int, error) {
	gone := 0
	err := db.write(ctx, func(k *conn) error {
		for _, p := range []struct {
			sql    string
			before time.Time
		}{{purgeTokens, before.Tokens}, {purgeDeliveries, before.Deliveries}} {
			if p.before.IsZero() {
				continue
			}
			if err := k.query(p.sql, []store.Value{store.Micros(p.before), integer(int64(max(limit, 0)))}, nil); err != nil {
				return err
			}
			gone += k.c.Changes()
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("purge: %w", err)
	}
	return gone, nil
}
