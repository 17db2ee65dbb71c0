package sqlite

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"zombiezen.com/go/sqlite"

	"tenor/internal/failpoint"
	"tenor/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migration is one numbered file. Once released it never changes.
type migration struct {
	name, sql, checksum string
}

func known() ([]migration, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var list []migration
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		list = append(list, migration{strings.TrimPrefix(name, "migrations/"), string(text), hex.EncodeToString(sum[:])})
	}
	return list, nil
}

// migrate brings the schema up to date. A migration and its mark are one
// transaction, as SQLite allows it for DDL too: after a kill at any statement it
// is simply done again (R22).
func migrate(k *conn) error {
	err := k.script("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL) STRICT")
	if err != nil {
		return full(err)
	}
	list, done, err := compare(k)
	if err != nil {
		return err
	}
	for _, m := range list[done:] {
		if err := k.migrate(m); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, full(err))
		}
	}
	return nil
}

func (k *conn) migrate(m migration) error {
	err := k.script("BEGIN IMMEDIATE")
	if err == nil {
		err = k.script(m.sql, func() error { return failpoint.Hit(failpoint.Migration) })
	}
	if err == nil {
		err = k.query("INSERT INTO migrations VALUES (?1, ?2)", []store.Value{text(m.name), text(m.checksum)}, nil)
	}
	if err == nil {
		err = k.script("COMMIT")
	}
	if err != nil && !k.c.AutocommitEnabled() {
		return errors.Join(err, k.script("ROLLBACK"))
	}
	return err
}

// compare returns the known migrations and how many of them are done. It refuses
// a schema that is newer than this program, and one made by an edited migration.
func compare(k *conn) (list []migration, done int, err error) {
	if list, err = known(); err != nil {
		return nil, 0, err
	}
	err = k.query("SELECT name, checksum FROM migrations ORDER BY name", nil, func(s *sqlite.Stmt) error {
		name, checksum := s.ColumnText(0), s.ColumnText(1)
		if done == len(list) {
			return fmt.Errorf("the schema has migration %s: it is newer than this program", name)
		}
		if m := list[done]; m.name != name || m.checksum != checksum {
			return fmt.Errorf("migration %s is not the %s that this program knows", name, m.name)
		}
		done++
		return nil
	})
	return list, done, err
}

// ErrEmpty says that a database has no schema yet: whoever made it did not get
// further.
var ErrEmpty = errors.New("the database is empty")

// checkSchema refuses a database whose schema is not the one that this program
// writes, for those that must not migrate it.
func checkSchema(k *conn) error {
	tables := 0
	err := k.query("SELECT count(*) FROM sqlite_schema", nil, func(s *sqlite.Stmt) error { tables = s.ColumnInt(0); return nil })
	if err != nil || tables == 0 {
		return cmp.Or(err, ErrEmpty)
	}
	list, done, err := compare(k)
	switch {
	case err != nil:
		return err
	case done == 0:
		return ErrEmpty
	case done < len(list):
		return fmt.Errorf("the schema lacks migration %s", list[done].name)
	}
	return nil
}
