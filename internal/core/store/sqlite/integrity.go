package sqlite

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// Integrity implements store.Physical: SQLite reads the whole file and checks its pages, that each
// index has the rows of its table and no others, and constraints.
func (db *DB) Integrity(ctx context.Context, problem func(text string)) (note string, err error) {
	err = db.read(ctx, func(k *conn) error {
		return k.query("PRAGMA integrity_check", nil, func(s *sqlite.Stmt) error {
			if text := s.ColumnText(0); text != "ok" {
				problem(text)
			}
			return nil
		})
	})
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt || sqlite.ErrCode(err).ToPrimary() == sqlite.ResultNotADB {
		problem(err.Error())
		err = nil
	}
	return "", err
}
