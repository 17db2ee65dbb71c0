package postgres

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/proof/pgtest"
)

// The migration of the totals of days adds up what was posted before it.
func TestMigrationOfDayTotals(t *testing.T) {
	url := pgtest.Database(t)
	db := reopen(t, nil, url, nil)
	defer func() { _ = db.Close() }()
	storetest.DayTotals(t, db, func() store.Backend {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := with(t.Context(), url, func(k *conn) error {
			return k.script("DROP TABLE day_totals; DELETE FROM migrations WHERE name = '0006_day_totals.sql'")
		}); err != nil {
			t.Fatal(err)
		}
		db = reopen(t, nil, url, nil)
		return db
	})
}
