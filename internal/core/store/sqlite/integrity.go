package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// Integrity reads the whole file and asks SQLite whether it is sound: its pages,
// its indexes, its constraints. It knows nothing of the books, which are
// verify's.
func (db *DB) Integrity(ctx context.Context) error {
	return db.read(ctx, func(k *conn) error {
		return k.query("PRAGMA integrity_check", nil, func(s *sqlite.Stmt) error {
			if text := s.ColumnText(0); text != "ok" {
				return fmt.Errorf("integrity check: %s", text)
			}
			return nil
		})
	})
}
