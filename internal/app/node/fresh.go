package node

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"tenor/internal/app/exit"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
)

// BenchPrefix starts the name of every database that a benchmark creates.
const BenchPrefix = "tenor_bench_"

// OpenForBench opens the database of a directory or address, and stamps it as live if it is new.
// Sandbox data is only what a workload created itself.
func OpenForBench(wall func() time.Time) func(ctx context.Context, target string) (store.Backend, error) {
	return func(ctx context.Context, target string) (store.Backend, error) {
		at := &Place{Dir: target}
		if wellFormed(target) {
			var err error
			if at, err = PlaceAt(target); err != nil {
				return nil, err
			}
		}
		db, err := at.Hold(ctx, Holding{live: true, Now: wall()})
		if err != nil {
			return nil, err
		}
		_, stamped, err := store.Setting(ctx, db, settingMode)
		var head store.Head
		if err == nil && !stamped {
			head, err = HeadOf(ctx, db)
		}
		if err == nil && !stamped {
			err = stamp(ctx, db, Live, head)
		}
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return db, nil
	}
}

// Temporary creates an empty database below the system's directory for temporary files (TMPDIR).
// Its Close removes it.
func Temporary() (store.Backend, error) { return sqlite.Temporary() }

// FreshDatabase creates an empty database on the server at an address. It returns the new
// database's address and a function that drops it. The server refuses a name that is already
// taken, so no existing database is ever touched.
func FreshDatabase(ctx context.Context, address string) (database string, drop func(context.Context) error, err error) {
	at, err := PlaceAt(address)
	if err != nil {
		return "", nil, err
	}
	suffix := make([]byte, 8)
	_, _ = rand.Read(suffix) // never fails
	name := BenchPrefix + hex.EncodeToString(suffix)
	if database, err = addressOf(address, name); err != nil {
		return "", nil, err
	}
	// The same text collation everywhere, whatever the server's default.
	if err := serverDoes(ctx, at, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"); err != nil {
		var f *exit.Failure
		if errors.As(err, &f) && f.Code == exit.Forbidden {
			f.Hint = "Check user and password, and that the user may create databases (ALTER ROLE … CREATEDB)."
		}
		return "", nil, fmt.Errorf("create database %s: %w", name, err)
	}
	return database, func(ctx context.Context) error {
		if err := serverDoes(ctx, at, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			return fmt.Errorf("drop database %s: %w", name, err)
		}
		return nil
	}, nil
}

// addressOf returns the address of another database on the same server.
func addressOf(address, name string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", BadAddress(nil)
	}
	u.Path = "/" + name
	q := u.Query()
	q.Del("dbname")
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// serverDoes executes one statement on a place's server, on a connection of its own.
func serverDoes(ctx context.Context, p *Place, sql string) (err error) {
	c, err := pgx.Connect(ctx, p.Address)
	if err != nil {
		return p.refusal(err)
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	_, err = c.Exec(ctx, sql)
	return p.refusal(err)
}
