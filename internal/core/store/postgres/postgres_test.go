package postgres

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/proof/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// fresh opens a database that is empty except for the schema.
func fresh(t testing.TB, o Options) *DB {
	t.Helper()
	url := pgtest.Copy(t, "migrated", func(url string) error {
		db, err := Open(context.Background(), url, Options{})
		if err != nil {
			return err
		}
		return db.Close()
	})
	db, err := Open(context.Background(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestConform(t *testing.T) {
	storetest.Conform(t, func(t *testing.T) store.Backend { return fresh(t, Options{}) })
}
