package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/store"
)

// Integrity implements store.Physical: with the extension amcheck, each B-tree index is compared with
// its table. PostgreSQL checks pages itself if the cluster has checksums.
func (db *DB) Integrity(ctx context.Context, problem func(text string)) (note string, err error) {
	var indexes []string
	installed := false
	if err := db.View(ctx, func(v store.View) error {
		x := v.(*view)
		return errors.Join(
			x.query("SELECT 1::bigint FROM pg_extension WHERE extname = 'amcheck'", nil, func(*row) error { installed = true; return nil }),
			x.query("SELECT c.oid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"+
				" WHERE a.amname = 'btree' AND i.indisvalid AND c.relnamespace = current_schema()::regnamespace ORDER BY 1", nil,
				func(r *row) error { indexes = append(indexes, r.text(0)); return nil }))
	}); err != nil {
		return "", fmt.Errorf("list indexes: %w", err)
	}
	if !installed {
		return "indexes were not compared with their tables: CREATE EXTENSION amcheck", nil
	}
	for _, index := range indexes {
		err := db.View(ctx, func(v store.View) error { // each in its own transaction: an error ends it
			return v.(*view).query("SELECT 1::bigint FROM (SELECT bt_index_check($1::regclass, true)) x", []store.Value{text(index)}, func(*row) error { return nil })
		})
		var refused *pgconn.PgError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.Code == "42501":
			return "indexes were not compared with their tables: GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean)", nil
		case errors.As(err, &refused) && (refused.Code == "XX001" || refused.Code == "XX002"):
			problem("index " + index + ": " + refused.Message)
		default:
			return "", fmt.Errorf("check index %s: %w", index, err)
		}
	}
	return "", nil
}
