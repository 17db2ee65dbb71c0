package node

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/app/exit"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
)

// password must not appear in any output.
const password = "s3cr3t-db-2"

func TestPlaceAt(t *testing.T) {
	t.Setenv("PGHOST", "")
	for _, x := range []struct{ address, want, flag string }{
		{"postgres://tenor@db.internal:5433/books", "books at db.internal:5433", ""},
		{"postgresql://tenor:" + password + "@db.internal/books", "books at db.internal:5432", ""},
		{"postgres://tenor@localhost/books?sslmode=disable&password=" + password, "books at localhost:5432", ""},
		{"sqlite:/var/lib/tenor", "/var/lib/tenor", " --data /var/lib/tenor"},
		{"sqlite:///var/lib/tenor", "/var/lib/tenor", " --data /var/lib/tenor"},
	} {
		p, err := PlaceAt(x.address)
		if err != nil {
			t.Errorf("%s: %v", x.address, err)
			continue
		}
		if p.String() != x.want || p.Flag() != x.flag {
			t.Errorf("%s: %s,%s, want %s,%s", x.address, p, p.Flag(), x.want, x.flag)
		}
		if p.InFlag = true; strings.Contains(p.Flag()+p.String(), password) {
			t.Errorf("%s: the password is shown", x.address)
		}
	}
	for _, address := range []string{
		"", "tenor", "mysql://u:" + password + "@h/n", "postgres:u:" + password, "host=h password=" + password, "sqlite:", "sqlite://",
		"postgres://u:@" + password + "@h/n", "postgres://u:1/" + password + "@h/n", "postgres://u:1?" + password + "@h/n", "postgres://u:1#" + password + "@h/n",
		"postgres://u:" + password + "@h:port/n", "postgres://u:" + password + "@h/n?sslmode=" + "none", "postgres://u:" + password + "@h/n?connect_timeout=" + password,
		"postgres://u:%zz" + password + "@h/n",
	} {
		p, err := PlaceAt(address)
		var f *exit.Failure
		if !errors.As(err, &f) || f.Code != exit.Usage || f.Hint == "" {
			t.Errorf("%s: %v, %v", address, p, err)
			continue
		}
		if strings.Contains(err.Error()+f.Hint, password) {
			t.Errorf("the password is in: %v", err)
		}
	}
}

// Whatever a backend says about a password is not passed on.
func TestErrorsHidePasswords(t *testing.T) {
	p, err := PlaceAt("postgres://tenor:p%2Fw%20" + password + "@localhost:5432/books?sslpassword=other%20" + password)
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"p/w " + password, "p%2Fw%20" + password, "other " + password} {
		cause := fmt.Errorf("cannot use %s here", said)
		err := p.refusal(cause)
		if !errors.Is(err, cause) || err.Error() != "cannot use [redacted] here" {
			t.Errorf("%q becomes %q", said, err)
		}
	}
}

// The reason a database cannot be opened decides the exit code and the advice.
func TestRefusals(t *testing.T) {
	at := &Place{Address: "postgres://tenor@db/books", server: "books at db:5432", Name: "books"}
	server := func(code string) error {
		return fmt.Errorf("open database: %w", &pgconn.PgError{Severity: "FATAL", Code: code, Message: "no"})
	}
	for _, x := range []struct {
		at   *Place
		err  error
		code int
		hint string
	}{
		{at, server("3D000"), exit.NotFound, "createdb books"},
		{at, server("28P01"), exit.Forbidden, "PGPASSWORD"},
		{at, server("28000"), exit.Forbidden, "PGPASSWORD"},
		{at, server("42501"), exit.Forbidden, "must own"},
		{at, server("53300"), exit.Unavailable, "Try again"},
		{at, server("57P03"), exit.Unavailable, "Try again"},
		{at, server("XX000"), exit.Refused, ""},
		{at, fmt.Errorf("open: %w 0002_more.sql", store.ErrOldSchema), exit.Refused, "tenor db migrate"},
		{&Place{Dir: "data"}, fmt.Errorf("open: %w 0002_more.sql", store.ErrOldSchema), exit.Refused, "tenor db migrate --data data"},
		{&Place{Dir: "data"}, sqlite.ErrHeld, exit.Conflict, "Stop that server"},
		{&Place{Dir: "data"}, sqlite.ErrEmpty, exit.NotFound, "Check the URL."},
	} {
		err := x.at.refusal(x.err)
		var f *exit.Failure
		if !errors.As(err, &f) || f.Code != x.code || !strings.Contains(f.Hint, x.hint) {
			t.Errorf("%v becomes %#v, want exit code %d and %q", x.err, err, x.code, x.hint)
		}
	}
}

// Only a sandbox whose data is deleted with the process skips waiting for the disk.
func TestTemporaryDataDoNotWait(t *testing.T) {
	for _, c := range []struct {
		temporary, live, want bool
	}{{true, false, true}, {false, false, false}, {true, true, false}, {false, true, false}} {
		p := &Place{Dir: t.TempDir(), Temporary: c.temporary}
		if got := p.options(Holding{live: c.live}).NormalSync; got != c.want {
			t.Errorf("temporary %v, live %v: does not wait %v", c.temporary, c.live, got)
		}
	}
}
