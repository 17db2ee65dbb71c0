package node

import (
	"errors"
	"path/filepath"
	"time"

	"tenor/internal/core/store"
)

// DatabaseFile is the path of the database in a data directory.
func DatabaseFile(dir string) string { return filepath.Join(dir, "tenor.db") }

// Holding is how a deciding process opens its database. A zero number means the backend's
// default.
type Holding struct {
	live    bool
	Now     time.Time
	writers int           // writing connections; PostgreSQL only
	readers int           // maximum reading connections; PostgreSQL only
	standby bool          // require a synchronous standby; PostgreSQL only
	keep    bool          // refuse an old schema instead of migrating it
	damaged store.Damaged // reports commits whose events cannot be read
}

// innermost returns the root cause of an error: for a joined error, that of the first one.
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
