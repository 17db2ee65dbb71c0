package node

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/app/exit"
	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/store/sqlite"
)

// Hold opens or creates the database for a deciding process. A directory allows one such process
// at a time, PostgreSQL any number.
func (p *Place) Hold(ctx context.Context, h Holding) (store.Backend, error) {
	if p.Dir == "" {
		return p.opened(postgres.Open(ctx, p.Address, postgres.Options{
			Live: h.live, Now: h.Now, Keep: h.keep, Writers: h.writers, Readers: h.readers, Standby: h.standby, Damaged: h.damaged,
		}))
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, &exit.Failure{Code: exit.Refused, Text: "create data directory", Err: err}
	}
	return p.opened(sqlite.Open(DatabaseFile(p.Dir), p.options(h)))
}

// options are those for the database in the directory. Temporary data need not survive a crash of
// the machine.
func (p *Place) options(h Holding) sqlite.Options {
	return sqlite.Options{Live: h.live, Now: h.Now, Keep: h.keep, NormalSync: p.Temporary && !h.live, Damaged: h.damaged}
}

// Share opens an existing database for reading and for writes that are not decisions, even while
// other processes have it open.
func (p *Place) Share(ctx context.Context) (store.Backend, error) {
	if p.Dir == "" {
		return p.opened(postgres.Open(ctx, p.Address, postgres.Options{Shared: true}))
	}
	if err := p.exists(); err != nil {
		return nil, err
	}
	return p.opened(sqlite.Open(DatabaseFile(p.Dir), sqlite.Options{Shared: true}))
}

// Read opens an existing database for reading only.
func (p *Place) Read(ctx context.Context) (store.Backend, error) {
	if p.Dir == "" {
		return p.opened(postgres.Open(ctx, p.Address, postgres.Options{ReadOnly: true}))
	}
	if err := p.exists(); err != nil {
		return nil, err
	}
	return p.opened(sqlite.Open(DatabaseFile(p.Dir), sqlite.Options{ReadOnly: true}))
}

// exists returns an error if the directory has no database.
func (p *Place) exists() error {
	if p.Dir == "" {
		return nil
	}
	_, err := os.Stat(DatabaseFile(p.Dir))
	if err == nil {
		return nil
	}
	f := &exit.Failure{
		Code: exit.NotFound, Text: "there is no database in " + p.Dir, Kind: ErrNoDatabase,
		Hint: "Check --data. tenor merchants create makes a new live database, tenor dev --data a sandbox.",
	}
	if !errors.Is(err, os.ErrNotExist) {
		f.Code, f.Err = exit.Refused, err
	}
	return f
}

// opened turns the error of opening a database into one with advice.
func (p *Place) opened(db store.Backend, err error) (store.Backend, error) {
	if err == nil {
		return db, nil
	}
	err = p.refusal(err)
	var f *exit.Failure
	if errors.As(err, &f) && f.Hint == "" {
		f.Hint = "Tenor starts only where confirmed writes are durable. Fix the cause and start again."
	}
	return nil, err
}

// refusal explains why a database cannot be opened.
func (p *Place) refusal(err error) error {
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, sqlite.ErrHeld):
		return &exit.Failure{
			Code: exit.Conflict, Text: "the data in " + p.Dir + " is locked by a running server",
			Hint: "Stop that server first; this command opens the data itself.", Kind: sqlite.ErrHeld,
		}
	case errors.Is(err, sqlite.ErrEmpty) || errors.Is(err, postgres.ErrEmpty):
		return &exit.Failure{
			Code: exit.NotFound, Text: "the database " + p.String() + " is empty", Kind: ErrNoDatabase,
			Hint: "Check the URL. tenor merchants create makes it a live database, tenor dev a sandbox.",
		}
	}
	f := &exit.Failure{Code: exit.Refused, Err: hideSecrets(err, p.secrets)}
	if errors.Is(err, store.ErrOldSchema) {
		f.Hint = "Migrate the schema:\n  tenor db migrate" + p.Flag()
	}
	if p.Dir == "" {
		p.refusalOfServer(f)
	}
	return f
}

// refusalOfServer explains an error of a PostgreSQL server, or that it cannot be reached.
func (p *Place) refusalOfServer(f *exit.Failure) {
	var answer *pgconn.PgError
	var unreached *pgconn.ConnectError
	switch {
	case errors.As(f.Err, &answer):
		switch code := answer.Code; {
		case code == "3D000": // invalid_catalog_name
			f.Code, f.Text, f.Err = exit.NotFound, "there is no database "+p.String(), nil
			f.Hint = "Create it, owned by the user in the URL:\n  createdb " + p.Name
		case strings.HasPrefix(code, "28"): // invalid authorization
			f.Code, f.Text, f.Err = exit.Forbidden, "the server of "+p.String()+" rejected the user", hideSecrets(answer, p.secrets)
			f.Hint = "Check user and password. The password comes from PGPASSWORD or ~/.pgpass."
		case code == "42501": // insufficient_privilege
			f.Code, f.Hint = exit.Forbidden, "The user in the URL must own the database or its tables."
		case strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P"): // out of resources, starting or stopping
			f.Code, f.Hint = exit.Unavailable, "Try again in a moment."
		}
	case errors.As(f.Err, &unreached):
		f.Code, f.Text, f.Err = exit.Unavailable, "no answer from "+p.String(), hideSecrets(innermost(unreached), p.secrets)
		f.Hint = "Check that PostgreSQL is running there and accepts connections from here."
	}
}

// Migrations lists the schema migrations known to this program, in order. A missing or empty
// database has had none of them.
func (p *Place) Migrations(ctx context.Context) (list []store.Migration, err error) {
	if p.Dir == "" {
		list, err = postgres.Status(ctx, p.Address)
		return list, p.refusal(err)
	}
	if err := p.exists(); err != nil {
		return nil, err
	}
	list, err = sqlite.Status(DatabaseFile(p.Dir))
	return list, p.refusal(err)
}

// Migrate brings the schema up to date. It calls progress with each migration's name before it
// begins.
func (p *Place) Migrate(ctx context.Context, progress func(name string)) error {
	if p.Dir == "" {
		return p.refusal(postgres.Migrate(ctx, p.Address, progress))
	}
	if err := p.exists(); err != nil {
		return err
	}
	return p.refusal(sqlite.Migrate(DatabaseFile(p.Dir), progress))
}

// Place is where a deployment's books are stored: in a directory, or in PostgreSQL.
type Place struct {
	Dir       string // of a SQLite database, "" for PostgreSQL
	Temporary bool   // the directory is removed with the process

	// For PostgreSQL. The address may contain a password: it is given to the backend only.
	Address string
	server  string   // database name, host and port, safe to show
	Name    string   // of the database
	secrets []string // what errors must not show
	InFlag  bool     // the address is on the command line
}

// PlaceAt parses the value of --database. Its errors never repeat the value.
func PlaceAt(address string) (*Place, error) {
	if dir, ok := strings.CutPrefix(address, "sqlite:"); ok {
		dir = strings.TrimPrefix(dir, "//")
		if dir == "" {
			return nil, BadAddress(nil)
		}
		return &Place{Dir: kong.ExpandPath(dir)}, nil
	}
	if !wellFormed(address) {
		return nil, BadAddress(nil)
	}
	config, err := pgconn.ParseConfig(address)
	u, malformed := url.Parse(address)
	switch {
	case err != nil && malformed == nil:
		// Only the cause: the error itself shows the address.
		return nil, BadAddress(hideSecrets(errors.Unwrap(err), secretsOf(u)))
	case err != nil:
		return nil, BadAddress(nil)
	}
	p := &Place{Address: address, server: postgres.Name(address), Name: cmp.Or(config.Database, config.User)}
	if config.Password != "" {
		p.secrets = append(p.secrets, config.Password)
	}
	if malformed == nil {
		p.secrets = append(p.secrets, secretsOf(u)...)
	}
	return p, nil
}

// wellFormed reports whether it is clear where user and password end: after the only @, before
// any slash. Otherwise a part of the password could be taken for a host or a name, and be shown.
func wellFormed(address string) bool {
	scheme, rest, found := strings.Cut(address, "://")
	if !found || scheme != "postgres" && scheme != "postgresql" {
		return false
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	return !strings.Contains(rest[len(authority):], "@") && strings.Count(authority, "@") <= 1
}

// BadAddress refuses a database address without repeating it.
func BadAddress(cause error) error {
	return &exit.Failure{
		Code: exit.Usage, Text: "--database or TENOR_DATABASE must look like postgres://user@host:5432/name, or sqlite:DIR", Err: cause,
		Hint: "Put the password in PGPASSWORD or ~/.pgpass. In a URL, write / # ? and @ in it as %2F %23 %3F and %40.",
	}
}

// secretsOf lists the passwords in an address, both decoded and as written.
func secretsOf(u *url.URL) []string {
	var out []string
	if password, ok := u.User.Password(); ok {
		_, written, _ := strings.Cut(u.User.String(), ":")
		out = append(out, password, written)
	}
	for name, values := range u.Query() {
		if strings.Contains(name, "password") {
			out = append(out, values...)
			for _, v := range values {
				out = append(out, url.QueryEscape(v))
			}
		}
	}
	return out
}

// hidden is an error whose text shows no secret.
type hidden struct {
	err  error
	text string
}

func (h *hidden) Error() string { return h.text }

// Unwrap returns the original error.
func (h *hidden) Unwrap() error { return h.err }

func hideSecrets(err error, secrets []string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	if text == err.Error() {
		return err
	}
	return &hidden{err, text}
}

// String returns the place for messages and logs: a directory, or name, host and port.
func (p *Place) String() string { return cmp.Or(p.Dir, p.server) }

// Flag returns the place as the end of a command to print. An address in the environment applies
// to the next command, too; one on the command line is not repeated.
func (p *Place) Flag() string {
	switch {
	case p.Dir != "":
		return " --data " + p.Dir
	case p.InFlag:
		return " --database …"
	}
	return ""
}
