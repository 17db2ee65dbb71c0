package sqlite

import (
	"path/filepath"
	"testing"

	"tenor/internal/store"
	"tenor/internal/store/storetest"
)

func open(t testing.TB) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "tenor.db"), Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestConform(t *testing.T) {
	storetest.Conform(t, func(t *testing.T) store.Backend { return open(t) })
}
