package main

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/store/postgres"
)

// databaseFlags name the database of a command: one of the two.
type databaseFlags struct {
	Data     string `env:"TENOR_DATA" type:"path" placeholder:"DIR" help:"Data directory with a SQLite database."`
	Database string `env:"TENOR_DATABASE" placeholder:"URL" help:"PostgreSQL database, such as postgres://tenor@localhost:5432/tenor, or sqlite:DIR. Its password belongs into PGPASSWORD or ~/.pgpass."`

	given map[string]bool // the flags that stand on the command line; the others come from the environment
}

// AfterApply is called by the parser when the values are there.
func (f *databaseFlags) AfterApply(k *kong.Context) error {
	f.given = map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil && !p.Resolved {
			f.given[p.Flag.Name] = true
		}
	}
	return nil
}

// where returns the place that was named, or nil if none was. A flag counts
// before the environment.
func (f *databaseFlags) where(a *app) (*place, error) {
	data, address := f.Data, f.Database
	if !f.given["data"] && a.getenv("TENOR_DATA") == "" { // an empty variable names no directory
		data = ""
	}
	switch inFlag := f.given["data"] || f.given["database"]; {
	case data == "" && address == "":
		return nil, nil
	case address == "" || inFlag && !f.given["database"]:
		return &place{dir: data}, nil
	case data == "" || inFlag && !f.given["data"]:
		p, err := placeAt(address)
		if err == nil {
			p.inFlag = inFlag
		}
		return p, err
	case inFlag:
		return nil, &failure{code: exitUsage, text: "--data and --database cannot be used together", hint: "Data are in a directory or in PostgreSQL: name one of them."}
	}
	return nil, &failure{code: exitUsage, text: "TENOR_DATA and TENOR_DATABASE are both set", hint: "Unset one of them, or name the database with --data or --database."}
}

// need is where for the commands that cannot do without a database.
func (f *databaseFlags) need(a *app) (*place, error) {
	p, err := f.where(a)
	if err == nil && p == nil {
		err = &failure{code: exitUsage, text: "no database is named: --data DIR or --database URL", hint: "TENOR_DATA or TENOR_DATABASE can name it for all commands."}
	}
	return p, err
}

// place is where the books of a deployment are: in a directory, or in PostgreSQL.
type place struct {
	dir       string // of a SQLite database, "" for PostgreSQL
	temporary bool   // the directory goes with the process

	// Of PostgreSQL. The address may hold a password: it is given to the backend
	// and to nobody else.
	address string
	server  string   // its name, host and port, which may be shown
	name    string   // of the database
	secrets []string // what errors must not show
	inFlag  bool     // the address stands on the command line
}

// placeAt reads the value of --database. Its errors never repeat the value.
func placeAt(address string) (*place, error) {
	if dir, ok := strings.CutPrefix(address, "sqlite:"); ok {
		dir = strings.TrimPrefix(dir, "//")
		if dir == "" {
			return nil, badAddress(nil)
		}
		return &place{dir: kong.ExpandPath(dir)}, nil
	}
	if !wellFormed(address) {
		return nil, badAddress(nil)
	}
	config, err := pgconn.ParseConfig(address)
	u, malformed := url.Parse(address)
	switch {
	case err != nil && malformed == nil:
		// The cause alone: the error itself shows the address.
		return nil, badAddress(hideSecrets(errors.Unwrap(err), secretsOf(u)))
	case err != nil:
		return nil, badAddress(nil)
	}
	p := &place{address: address, server: postgres.Name(address), name: cmp.Or(config.Database, config.User)}
	if config.Password != "" {
		p.secrets = append(p.secrets, config.Password)
	}
	if malformed == nil {
		p.secrets = append(p.secrets, secretsOf(u)...)
	}
	return p, nil
}

// wellFormed says whether it is clear where user and password end: after the only
// @, before any slash. Else a part of the password could be taken for a host or a
// name, and be shown.
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

func badAddress(cause error) error {
	return &failure{
		code: exitUsage, text: "--database or TENOR_DATABASE must look like postgres://user@host:5432/name, or sqlite:DIR", err: cause,
		hint: "A password belongs into PGPASSWORD or ~/.pgpass. In an address / # ? and @ of a password are written as %2F %23 %3F and %40.",
	}
}

// secretsOf lists the passwords in an address, as they are and as they are written.
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

// Unwrap returns the error as it came.
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

// String is the place for messages and logs: a directory, or name, host and port.
func (p *place) String() string { return cmp.Or(p.dir, p.server) }

// flag is the place as the end of a command that is printed. An address in the
// environment is there for the next command, too; one on the command line is not
// repeated.
func (p *place) flag() string {
	switch {
	case p.dir != "":
		return " --data " + p.dir
	case p.inFlag:
		return " --database …"
	}
	return ""
}
