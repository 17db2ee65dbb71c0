package sqlite

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"os"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. A migration and its mark are one transaction, as
// SQLite allows for DDL too: after a kill at any statement it simply runs again (EN22).
func migrate(k *conn, progress func(string)) error {
	err := k.script("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL) STRICT")
	if err != nil {
		return full(err)
	}
	list, done, err := compare(k)
	if err != nil {
		return err
	}
	for _, m := range list[done:] {
		if progress != nil {
			progress(m.Name)
		}
		if err := k.migrate(m); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, full(err))
		}
	}
	return nil
}

func (k *conn) migrate(m store.MigrationFile) error {
	err := k.script("BEGIN IMMEDIATE")
	if err == nil {
		err = k.script(m.SQL, func() error { return failpoint.Hit(failpoint.Migration) })
	}
	if err == nil {
		err = k.query("INSERT INTO migrations VALUES (?1, ?2)", []store.Value{text(m.Name), text(m.Checksum)}, nil)
	}
	if err == nil {
		err = k.script("COMMIT")
	}
	if err != nil && !k.c.AutocommitEnabled() {
		return errors.Join(err, k.script("ROLLBACK"))
	}
	return err
}

// compare returns the known migrations and how many of them are done. It refuses a schema
// that is newer than this program, and one made by an edited migration.
func compare(k *conn) (list []store.MigrationFile, done int, err error) {
	if list, err = store.MigrationFiles(migrations); err != nil {
		return nil, 0, err
	}
	var marks [][2]string
	err = k.query("SELECT name, checksum FROM migrations ORDER BY name", nil, func(s *sqlite.Stmt) error {
		marks = append(marks, [2]string{s.ColumnText(0), s.ColumnText(1)})
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	done, err = store.MigrationsDone(list, marks)
	return list, done, err
}

// ErrEmpty means that a database has no schema yet: its creation was interrupted.
var ErrEmpty = errors.New("the database is empty")

// checkSchema refuses a database whose schema is not the one that this program writes, for
// callers that must not migrate it.
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
		return fmt.Errorf("%w %s", store.ErrOldSchema, list[done].Name)
	}
	return nil
}

// Status lists the migrations that this program knows and whether the database at
// path has them.
func Status(path string) ([]store.Migration, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	k, err := connect(path, Options{}, reading)
	if err != nil {
		return nil, err
	}
	list, done, err := compare(k)
	if err != nil {
		tables := 0
		count := func(s *sqlite.Stmt) error { tables = s.ColumnInt(0); return nil }
		if e := k.query("SELECT count(*) FROM sqlite_schema", nil, count); e == nil && tables == 0 {
			list, err = store.MigrationFiles(migrations)
		}
	}
	return store.MigrationStates(list, done), errors.Join(err, k.c.Close())
}

// Migrate brings the schema of the database at path up to date and calls progress with the
// name of each migration before it begins. No other process may write to it.
func Migrate(path string, progress func(string)) error {
	db, err := Open(path, Options{Progress: progress})
	if err != nil {
		return err
	}
	return db.Close()
}
