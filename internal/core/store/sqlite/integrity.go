package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// Integrity reads the whole file and has SQLite check it: its pages, its indexes, its
// constraints. It does not check the books; verify does.
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
