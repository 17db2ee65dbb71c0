package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

// The migrations of the totals add up what was there before them.
func TestMigrationOfTotals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenor.db")
	db := reopen(t, nil, path, nil)
	defer func() { _ = db.Close() }()
	storetest.Totals(t, db, func() store.Backend {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		k, err := connect(path, Options{}, writing)
		if err != nil {
			t.Fatal(err)
		}
		err = k.script("DROP TABLE day_totals; DROP TABLE due_totals; DROP TABLE notes; DROP INDEX companies_limit; DELETE FROM migrations WHERE name >= '0006'")
		if err := errors.Join(err, k.c.Close()); err != nil {
			t.Fatal(err)
		}
		db = reopen(t, nil, path, nil)
		return db
	})
}
