package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrEmpty means that a database has no schema yet.
var ErrEmpty = errors.New("the database is empty")

// migrationLock is the advisory lock that the migrating node holds: "tenor" in ASCII.
const migrationLock = 0x74656e6f72

// migrate brings the schema up to date, while other nodes that want to do the same wait.
// Each migration and its mark are one transaction, as PostgreSQL allows for DDL: after a
// kill at any statement it runs again (EN22).
func migrate(k *conn, progress func(string)) error {
	if err := k.script("SET lock_timeout = 0"); err != nil { // another node's migration may take long
		return fmt.Errorf("migrate: %w", err)
	}
	k.patience(0)
	if err := k.query("SELECT pg_advisory_lock($1)::text", []store.Value{integer(migrationLock)}, nil); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// A statement that waits for a table's lock blocks everybody else from that table.
	if err := k.script("SET lock_timeout = '" + lockTimeout + "'"); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	err := k.script("CREATE TABLE IF NOT EXISTS migrations (name text COLLATE \"C\" PRIMARY KEY, checksum text NOT NULL)")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
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
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
	}
	return k.query("SELECT pg_advisory_unlock($1)::text", []store.Value{integer(migrationLock)}, nil)
}

func (k *conn) migrate(m store.MigrationFile) error {
	err := k.script("BEGIN")
	for _, statement := range statementsOf(m.SQL) {
		if err == nil {
			err = failpoint.Hit(failpoint.Migration)
		}
		if err == nil {
			err = k.script(statement)
		}
	}
	if err == nil {
		err = k.query("INSERT INTO migrations VALUES ($1, $2)", []store.Value{text(m.Name), text(m.Checksum)}, nil)
	}
	if err == nil {
		return k.script("COMMIT")
	}
	var lost *lostError
	if errors.As(err, &lost) {
		return err
	}
	return errors.Join(err, k.script("ROLLBACK"))
}

// compare returns the known migrations and how many of them are done. It refuses
// a schema that is newer than this program, and one made by an edited migration.
func compare(k *conn) (list []store.MigrationFile, done int, err error) {
	if list, err = store.MigrationFiles(migrations); err != nil {
		return nil, 0, err
	}
	var marks [][2]string
	err = k.query("SELECT name, checksum FROM migrations ORDER BY name", nil, func(r *row) error {
		marks = append(marks, [2]string{r.text(0), r.text(1)})
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	done, err = store.MigrationsDone(list, marks)
	return list, done, err
}

// checkSchema refuses a database whose schema is not the one that this program writes, for
// callers that must not migrate it.
func checkSchema(k *conn) error {
	list, done, err := compare(k)
	var missing *pgconn.PgError
	switch {
	case errors.As(err, &missing) && missing.Code == "42P01": // the migrations table does not exist
		return ErrEmpty
	case err != nil:
		return err
	case done == 0:
		return ErrEmpty
	case done < len(list):
		return fmt.Errorf("%w %s", store.ErrOldSchema, list[done].Name)
	}
	return nil
}

// Status lists the migrations that this program knows and whether the database
// has them.
func Status(ctx context.Context, url string) ([]store.Migration, error) {
	var out []store.Migration
	err := with(ctx, url, func(k *conn) error {
		list, done, err := compare(k)
		var missing *pgconn.PgError
		if errors.As(err, &missing) && missing.Code == "42P01" {
			list, err = store.MigrationFiles(migrations)
		}
		out = store.MigrationStates(list, done)
		return err
	})
	return out, err
}

// Migrate brings the schema of a database up to date and calls progress with the
// name of each migration before it begins.
func Migrate(ctx context.Context, url string, progress func(string)) error {
	return with(ctx, url, func(k *conn) error { return migrate(k, progress) })
}

// with runs fn on a connection of its own.
func with(ctx context.Context, url string, fn func(*conn) error) error {
	config, err := configOf(url)
	if err != nil {
		return err
	}
	db := &DB{config: config}
	k, err := db.dial(ctx, writing)
	if err != nil {
		return fmt.Errorf("database %s: %w", name(config), err)
	}
	defer k.close()
	if err := fn(k); err != nil {
		return fmt.Errorf("database %s: %w", name(config), err)
	}
	return nil
}

// statementsOf splits a file into its statements. Each ends with a line that ends in a
// semicolon, outside function bodies, which are between $$ and $$.
func statementsOf(sql string) []string {
	var list []string
	var open strings.Builder
	quoted := false
	for line := range strings.Lines(sql) {
		open.WriteString(line)
		if strings.Count(line, "$$")%2 == 1 {
			quoted = !quoted
		}
		code, _, _ := strings.Cut(line, "--")
		if !quoted && strings.HasSuffix(strings.TrimSpace(code), ";") {
			list = append(list, open.String())
			open.Reset()
		}
	}
	return list
}
