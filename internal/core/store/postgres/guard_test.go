package postgres

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/pgtest"
)

// TestJudge checks the guards against unsuitable servers (EN15).
func TestJudge(t *testing.T) {
	good := [7]string{"on", "on", "on", "", "150018", "UTF8", "false"}
	live := Options{Live: true}
	if err := live.judge(good); err != nil {
		t.Errorf("a sound server: %v", err)
	}
	for _, c := range []struct {
		name  string
		at    int
		value string
		o     Options
		want  string
	}{
		{"no fsync", 0, "off", live, "fsync"},
		{"torn pages", 1, "off", live, "full_page_writes"},
		{"asynchronous commits", 2, "off", live, "synchronous_commit"},
		{"commits of this machine alone", 2, "local", live, "synchronous_commit"},
		{"commits that the standby only has in memory", 2, "remote_write", live, "synchronous_commit"},
		{"no standby", 3, "", Options{Live: true, Standby: true}, "standby"},
		{"an old server", 4, "140011", Options{}, "15 or newer"},
		{"another encoding", 5, "SQL_ASCII", Options{}, "UTF8"},
		{"a standby", 6, "true", Options{}, "standby"},
	} {
		g := good
		g[c.at] = c.value
		if err := c.o.judge(g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	standby := good
	standby[6] = "true"
	if err := (Options{ReadOnly: true}).judge(standby); err != nil {
		t.Errorf("reading from a standby: %v", err)
	}
	applied := good
	applied[2] = "remote_apply"
	if err := live.judge(applied); err != nil {
		t.Errorf("remote_apply: %v", err)
	}
}

// TestOpenLive opens real servers that the guards must refuse.
func TestOpenLive(t *testing.T) {
	url := pgtest.Database(t)
	for _, c := range []struct{ name, url, want string }{
		{"commits that do not wait", url + "&synchronous_commit=off", "synchronous_commit"},
		{"no such database", strings.Replace(url, "?", "_no?", 1), "does not exist"},
	} {
		if db, err := Open(t.Context(), c.url, Options{Live: true}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
			if db != nil {
				db.Close()
			}
		}
	}
	db, err := Open(t.Context(), url, Options{Live: true, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	b := next(t, db, 1, credit.Changes{})
	update(t, db, store.Committed, func(tx store.Tx) error { return tx.Apply(b) })
	db.Close()
	if _, err := Open(t.Context(), url, Options{Live: true, Now: b.At.Add(-time.Hour)}); err == nil || !strings.Contains(err.Error(), "clock") {
		t.Errorf("a clock that is behind: %v", err)
	}
}

// TestOpenTogether starts several nodes on an empty database: one migrates, the
// others wait.
func TestOpenTogether(t *testing.T) {
	url := pgtest.Database(t)
	for _, o := range []Options{{ReadOnly: true}, {Shared: true}} {
		if _, err := Open(t.Context(), url, o); !errors.Is(err, ErrEmpty) {
			t.Errorf("an empty database, %+v: %v", o, err)
		}
	}
	if list, err := Status(t.Context(), url); err != nil || len(list) == 0 || list[0].Done {
		t.Errorf("migrations of an empty database: %v, %v", list, err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			db, err := Open(t.Context(), url, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := Status(t.Context(), url)
	if err != nil || slices.ContainsFunc(list, func(m store.Migration) bool { return !m.Done }) {
		t.Errorf("migrations afterwards: %v, %v", list, err)
	}
	if err := Migrate(t.Context(), url, func(name string) { t.Errorf("%s was done again", name) }); err != nil {
		t.Error(err)
	}
}

// TestSchemas refuses schemas that are not this program's.
func TestSchemas(t *testing.T) {
	for name, c := range map[string]struct{ sql, want string }{
		"a newer schema":      {"INSERT INTO migrations VALUES ('9999_future.sql', 'x')", "newer than this program"},
		"an edited migration": {"UPDATE migrations SET checksum = 'x'", "does not match"},
	} {
		db := fresh(t, Options{})
		url := urlOf(db)
		if err := db.put(t.Context(), &call{sql: c.sql}); err != nil {
			t.Fatal(err)
		}
		db.Close()
		for _, o := range []Options{{}, {ReadOnly: true}, {Keep: true}} {
			if _, err := Open(t.Context(), url, o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: %v", name, o, err)
			}
		}
	}
}

// TestWaysToOpen checks what each way allows.
func TestWaysToOpen(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	b := next(t, db, 1, credit.Changes{})
	read, err := Open(t.Context(), urlOf(db), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	apply := func(tx store.Tx) error { return tx.Apply(b) }
	if err := update(t, read, store.NotCommitted, apply); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a batch: %v", err)
	}
	if err := read.PutSetting(t.Context(), "x", nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a setting: %v", err)
	}
	shared, err := Open(t.Context(), urlOf(db), Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	update(t, shared, store.Committed, apply)
	if err := shared.PutSetting(t.Context(), "x", []byte("y")); err != nil {
		t.Error(err)
	}
}

// TestHosts names several hosts, the first of which does not answer, and asks for the one
// that takes writes.
func TestHosts(t *testing.T) {
	url := pgtest.Database(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, rest, _ := strings.Cut(url, "@")
	rest, _, _ = strings.Cut(rest, "?")
	several := "postgres://tenor@" + silent.Addr().String() + "," + rest + "?sslmode=disable&target_session_attrs=read-write&connect_timeout=3"
	db, err := Open(t.Context(), several, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(t.Context(), func(v store.View) error { _, err := store.AllMerchants(v); return err }); err != nil {
		t.Error(err)
	}
}

// TestName keeps passwords out of printed output.
func TestName(t *testing.T) {
	const url = "postgres://tenor:s3cr3t@127.0.0.1:1/books?sslmode=disable"
	if got := Name(url); got != "books at 127.0.0.1:1" {
		t.Errorf("Name is %q", got)
	}
	_, err := Open(t.Context(), url, Options{})
	if err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Open(t.Context(), "postgres://tenor:s3cr3t@[broken", Options{}); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("the error is %v", err)
	}
}

// TestStatementsOf splits a file at the ends of its statements.
func TestStatementsOf(t *testing.T) {
	const file = "CREATE TABLE a (x int); -- first\n\nCREATE FUNCTION f() AS $$\nBEGIN\n  RAISE 'x';\nEND $$ LANGUAGE plpgsql;\nCREATE INDEX i\n  ON a (x);\n"
	got := statementsOf(file)
	if len(got) != 3 || !strings.Contains(got[1], "END $$") || strings.Join(got, "") != file {
		t.Errorf("%d statements: %q", len(got), got)
	}
	files, err := store.MigrationFiles(migrations)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Join(statementsOf(f.SQL), "") != strings.TrimRight(f.SQL, "\n")+"\n" {
			t.Errorf("%s loses text", f.Name)
		}
	}
}
