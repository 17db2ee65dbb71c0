package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

// The migration of the totals of days adds up what was posted before it.
func TestMigrationOfDayTotals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenor.db")
	db := reopen(t, nil, path, nil)
	defer func() { _ = db.Close() }()
	storetest.DayTotals(t, db, func() store.Backend {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		k, err := connect(path, Options{}, writing)
		if err != nil {
			t.Fatal(err)
		}
		err = k.script("DROP TABLE day_totals; DELETE FROM migrations WHERE name = '0006_day_totals.sql'")
		if err := errors.Join(err, k.c.Close()); err != nil {
			t.Fatal(err)
		}
		db = reopen(t, nil, path, nil)
		return db
	})
}
