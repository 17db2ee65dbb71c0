package sqlite

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

const (
	putScratch = "INSERT INTO scratch (name, value, until, version) SELECT ?1, ?2, ?3, 1 WHERE ?4 = 0 OR EXISTS (SELECT 1 FROM scratch WHERE name = ?1)" +
		" ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until, version = version + 1" +
		" WHERE CASE WHEN until > ?5 THEN version = ?4 ELSE ?4 = 0 END RETURNING version"
	dropScratch  = "DELETE FROM scratch WHERE name = ?1 RETURNING name"
	sweepScratch = "DELETE FROM scratch WHERE name IN (SELECT name FROM scratch WHERE until <= ?1 ORDER BY until, name LIMIT ?2) RETURNING name"
)

// Scratch implements store.Scratch.
func (db *DB) Scratch(ctx context.Context, s store.ScratchRow, now time.Time) (kept bool, err error) {
	args := []store.Value{text(s.Name), blob(s.Value), store.Micros(s.Until), integer(s.Version), store.Micros(now)}
	n, err := db.counted(ctx, putScratch, args)
	if err != nil {
		return false, fmt.Errorf("keep scratch: %w", err)
	}
	return n > 0, nil
}

// Unscratch implements store.Scratch.
func (db *DB) Unscratch(ctx context.Context, name string) (gone bool, err error) {
	n, err := db.counted(ctx, dropScratch, []store.Value{text(name)})
	if err != nil {
		return false, fmt.Errorf("forget scratch: %w", err)
	}
	return n > 0, nil
}

// SweepScratch implements store.Scratch.
func (db *DB) SweepScratch(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := db.counted(ctx, sweepScratch, []store.Value{store.Micros(now), integer(int64(limit))})
	if err != nil {
		return 0, fmt.Errorf("sweep scratch: %w", err)
	}
	return n, nil
}

// counted runs a statement in its own transaction and counts the rows it returns.
func (db *DB) counted(ctx context.Context, sql string, args []store.Value) (n int, err error) {
	err = db.write(ctx, func(k *conn) error {
		n = 0
		return k.query(sql, args, func(*sqlite.Stmt) error { n++; return nil })
	})
	return n, err
}
