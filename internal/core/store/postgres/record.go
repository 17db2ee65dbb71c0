package postgres

import (
	"context"
	"time"

	"tenor/internal/core/store"
)

// The statements for the vault and for short-lived values.
const (
	eraseVault = "DELETE FROM vault WHERE id = ANY($1::text[])"
	putScratch = "INSERT INTO scratch AS t (name, value, until, version) SELECT $1::text, $2::bytea, $3::timestamptz, 1" +
		" WHERE $4::bigint = 0 OR EXISTS (SELECT FROM scratch WHERE name = $1)" +
		" ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until, version = t.version + 1" +
		" WHERE CASE WHEN t.until > $5::timestamptz THEN t.version = $4 ELSE $4 = 0 END RETURNING version"
	dropScratch  = "DELETE FROM scratch WHERE name = $1 RETURNING name"
	sweepScratch = "DELETE FROM scratch WHERE name IN (SELECT name FROM scratch WHERE until <= $1::timestamptz ORDER BY until, name LIMIT $2) RETURNING name"
)

// secrets writes the personal data of records.
func (t *tx) secrets(w *writer, r *store.Rows) {
	put(w, &store.Vault, putVault, r.Vault)
	erased := make(texts, len(r.Erased))
	for i, x := range r.Erased {
		erased[i] = x.ID
	}
	w.add(eraseVault, erased)
}

// Scratch implements store.Scratch.
func (db *DB) Scratch(ctx context.Context, s store.ScratchRow, now time.Time) (kept bool, err error) {
	n, err := db.counted(ctx, putScratch, []store.Value{text(s.Name), blob(s.Value), store.Micros(s.Until), integer(s.Version), store.Micros(now)})
	return n > 0, wrap("keep scratch", err)
}

// Unscratch implements store.Scratch.
func (db *DB) Unscratch(ctx context.Context, name string) (gone bool, err error) {
	n, err := db.counted(ctx, dropScratch, []store.Value{text(name)})
	return n > 0, wrap("forget scratch", err)
}

// SweepScratch implements store.Scratch.
func (db *DB) SweepScratch(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := db.counted(ctx, sweepScratch, []store.Value{store.Micros(now), integer(int64(limit))})
	return n, wrap("sweep scratch", err)
}

// counted runs a statement in its own transaction and counts the rows it returns.
func (db *DB) counted(ctx context.Context, sql string, args []store.Value) (n int, err error) {
	c := ask(sql, args, func(*row) error { n++; return nil })
	return n, db.again(ctx, c)
}
