package node

import (
	"errors"
	"path/filepath"
	"time"
)

// DatabaseFile is the database of a data directory.
func DatabaseFile(dir string) string { return filepath.Join(dir, "tenor.db") }

// Holding says how a process that decides opens its database. The zero value of a
// number means the backend's own.
type Holding struct {
	live    bool
	Now     time.Time
	writers int  // writing connections; PostgreSQL only
	readers int  // most reading connections; PostgreSQL only
	standby bool // a synchronous standby is demanded; PostgreSQL only
	keep    bool // an old schema is refused instead of migrated
}

// innermost is the first cause of an error: of several attempts, the first one's.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
			next = several.Unwrap()[0]
		}
		if next == nil {
			return err
		}
		err = next
	}
}
