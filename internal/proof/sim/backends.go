package sim

import (
	"path/filepath"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/proof/pgtest"
)

// OpenSQLite opens an SQLite database for a test.
func OpenSQLite(t *testing.T) store.Backend {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "tenor.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, db)
}

// OpenPostgres opens a PostgreSQL database for a test.
func OpenPostgres(t *testing.T) store.Backend {
	t.Helper()
	db, err := postgres.Open(t.Context(), pgtest.Database(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, db)
}

func closing(t *testing.T, db store.Backend) store.Backend {
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
