package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

// migrated is a new database's file. Under the race detector, creating its schema takes
// most of a test's time, so each test starts with a copy.
var migrated = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "tenor-schema-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "tenor.db")
	db, err := Open(path, Options{Live: true})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func open(t testing.TB) *DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenor.db")
	content, err := migrated()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(path, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestConform(t *testing.T) {
	storetest.Conform(t, func(t *testing.T) store.Backend { return open(t) })
}
