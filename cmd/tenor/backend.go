package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/store"
	"tenor/internal/store/postgres"
	"tenor/internal/store/sqlite"
)

// databaseFile is the database of a data directory.
func databaseFile(dir string) string { return filepath.Join(dir, "tenor.db") }

// holding says how a process that decides opens its database. The zero value of a
// number means the backend's own.
type holding struct {
	live    bool
	now     time.Time
	writers int  // writing connections; PostgreSQL only
	readers int  // most reading connections; PostgreSQL only
	standby bool // a synchronous standby is demanded; PostgreSQL only
	keep    bool // an old schema is refused instead of migrated
}

// hold opens or makes the database for a process that decides. A directory has
// one such process at a time, PostgreSQL as many as there are.
func (p *place) hold(ctx context.Context, h holding) (store.Backend, error) {
	if p.dir == "" {
		return p.opened(postgres.Open(ctx, p.address, postgres.Options{
			Live: h.live, Now: h.now, Keep: h.keep, Writers: h.writers, Readers: h.readers, Standby: h.standby,
		}))
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, &failure{code: exitRefused, text: "make data directory", err: err}
	}
	return p.opened(sqlite.Open(databaseFile(p.dir), p.options(h)))
}

// options are those of the database in the directory. What goes with the process need
// not outlive the machine.
func (p *place) options(h holding) sqlite.Options {
	return sqlite.Options{Live: h.live, Now: h.now, Keep: h.keep, NormalSync: p.temporary && !h.live}
}

// share opens an existing database for reading and for what is no decision,
// whoever else has it open.
func (p *place) share(ctx context.Context) (store.Backend, error) {
	if p.dir == "" {
		return p.opened(postgres.Open(ctx, p.address, postgres.Options{Shared: true}))
	}
	if err := p.exists(); err != nil {
		return nil, err
	}
	return p.opened(sqlite.Open(databaseFile(p.dir), sqlite.Options{Shared: true}))
}

// read opens an existing database for reading only.
func (p *place) read(ctx context.Context) (store.Backend, error) {
	if p.dir == "" {
		return p.opened(postgres.Open(ctx, p.address, postgres.Options{ReadOnly: true}))
	}
	if err := p.exists(); err != nil {
		return nil, err
	}
	return p.opened(sqlite.Open(databaseFile(p.dir), sqlite.Options{ReadOnly: true}))
}

// exists is an error if there is no database in the directory.
func (p *place) exists() error {
	if p.dir == "" {
		return nil
	}
	_, err := os.Stat(databaseFile(p.dir))
	if err == nil {
		return nil
	}
	f := &failure{
		code: exitNotFound, text: "there is no database in " + p.dir, kind: errNoDatabase,
		hint: "Is --data right? A new one is made by tenor merchants create for live use, by tenor dev --data for a sandbox.",
	}
	if !errors.Is(err, os.ErrNotExist) {
		f.code, f.err = exitRefused, err
	}
	return f
}

// opened is what opening gave, with an error that says what to do.
func (p *place) opened(db store.Backend, err error) (store.Backend, error) {
	if err == nil {
		return db, nil
	}
	err = p.refusal(err)
	var f *failure
	if errors.As(err, &f) && f.hint == "" {
		f.hint = "Tenor starts only where it can keep what it confirms. Mend the cause and start again."
	}
	return nil, err
}

// refusal words why a database cannot be opened.
func (p *place) refusal(err error) error {
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, sqlite.ErrHeld):
		return &failure{
			code: exitConflict, text: "the data in " + p.dir + " is held by a running server",
			hint: "Stop that server first: this command opens the data itself.", kind: sqlite.ErrHeld,
		}
	case errors.Is(err, sqlite.ErrEmpty) || errors.Is(err, postgres.ErrEmpty):
		return &failure{
			code: exitNotFound, text: "the database " + p.String() + " is empty", kind: errNoDatabase,
			hint: "Is it the right one? tenor merchants create makes it a live one, tenor dev a sandbox.",
		}
	}
	f := &failure{code: exitRefused, err: hideSecrets(err, p.secrets)}
	if errors.Is(err, store.ErrOldSchema) {
		f.hint = "Bring the schema up to date:\n  tenor db migrate" + p.flag()
	}
	if p.dir == "" {
		p.refusalOfServer(f)
	}
	return f
}

// refusalOfServer says what a PostgreSQL server had against it, or that there was
// none.
func (p *place) refusalOfServer(f *failure) {
	var answer *pgconn.PgError
	var unreached *pgconn.ConnectError
	switch {
	case errors.As(f.err, &answer):
		switch code := answer.Code; {
		case code == "3D000": // invalid_catalog_name
			f.code, f.text, f.err = exitNotFound, "there is no database "+p.String(), nil
			f.hint = "Make it, owned by the user of the address:\n  createdb " + p.name
		case strings.HasPrefix(code, "28"): // invalid authorization
			f.code, f.text, f.err = exitForbidden, "the server of "+p.String()+" refuses the user", hideSecrets(answer, p.secrets)
			f.hint = "Are user and password right? The password is taken from PGPASSWORD or ~/.pgpass."
		case code == "42501": // insufficient_privilege
			f.code, f.hint = exitForbidden, "The user of the address must own the database, or its tables."
		case strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P"): // no room for it, starting or stopping
			f.code, f.hint = exitUnavailable, "Try again in a moment."
		}
	case errors.As(f.err, &unreached):
		f.code, f.text, f.err = exitUnavailable, "no answer from "+p.String(), hideSecrets(innermost(unreached), p.secrets)
		f.hint = "Does PostgreSQL run there, and does it take connections from here?"
	}
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

// migrations lists the steps of the schema that this program knows, in their
// order. A database that is not there or empty has had none.
func (p *place) migrations(ctx context.Context) (list []store.Migration, err error) {
	if p.dir == "" {
		list, err = postgres.Status(ctx, p.address)
		return list, p.refusal(err)
	}
	if err := p.exists(); err != nil {
		return nil, err
	}
	list, err = sqlite.Status(databaseFile(p.dir))
	return list, p.refusal(err)
}

// migrate brings the schema up to date. progress is told the name of each step
// before it begins.
func (p *place) migrate(ctx context.Context, progress func(name string)) error {
	if p.dir == "" {
		return p.refusal(postgres.Migrate(ctx, p.address, progress))
	}
	if err := p.exists(); err != nil {
		return err
	}
	return p.refusal(sqlite.Migrate(databaseFile(p.dir), progress))
}
