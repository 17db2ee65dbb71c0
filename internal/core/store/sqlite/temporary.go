package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tenor/internal/core/store"
)

// Temporary creates an empty database in a new directory under the system's temporary
// directory. Close removes it. A batch is a transaction as in any other database, but
// nothing is synced and there is no log: a crash of the process loses the database.
func Temporary() (store.Backend, error) {
	dir, err := os.MkdirTemp("", "tenor-")
	if err != nil {
		return nil, fmt.Errorf("make temporary database: %w", err)
	}
	db, err := Open(filepath.Join(dir, "temporary.db"), Options{temporary: true})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &temporary{db, dir}, nil
}

// temporary is a database with its own directory.
type temporary struct {
	*DB
	dir string
}

// Close implements store.Backend.
func (t *temporary) Close() error { return errors.Join(t.DB.Close(), os.RemoveAll(t.dir)) }
