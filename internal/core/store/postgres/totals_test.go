package postgres

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/proof/pgtest"
)

// The migrations of the totals add up what was there before them.
func TestMigrationOfTotals(t *testing.T) {
	url := pgtest.Database(t)
	db := reopen(t, nil, url, nil)
	defer func() { _ = db.Close() }()
	storetest.Totals(t, db, func() store.Backend {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := with(t.Context(), url, func(k *conn) error {
			return k.script("DROP TABLE day_totals; DROP TABLE due_totals; DROP TABLE notes; DROP INDEX companies_limit; DELETE FROM migrations WHERE name >= '0006'")
		}); err != nil {
			t.Fatal(err)
		}
		db = reopen(t, nil, url, nil)
		return db
	})
}
