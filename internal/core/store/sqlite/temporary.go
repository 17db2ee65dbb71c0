package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tenor/internal/core/store"
)

// Temporary makes an empty database in a new directory below the system's one for temporary
// files. Close removes it. A batch is a transaction there as in any other, but nothing is
// synced and there is no log: whatever ends the process ends the database.
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

// temporary is a database with the directory that is its own.
type temporary struct {
	*DB
	dir string
}

// Close implements store.Backend.
func (t *temporary) Close() error { return errors.Join(t.DB.Close(), os.RemoveAll(t.dir)) }
