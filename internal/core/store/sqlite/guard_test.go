package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

func TestVersion(t *testing.T) {
	for version, sound := range map[string]bool{
		"3.51.2": false, "3.51.3": true, "3.52.0": false, "3.52.1": true, "3.54.1": true, "3.7.0": false, "4.0": true, "x": false,
	} {
		if err := soundVersion(version); (err == nil) != sound {
			t.Errorf("version %s: %v", version, err)
		}
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	db := open(t)
	if _, err := Open(db.path, Options{}); !errors.Is(err, ErrHeld) {
		t.Errorf("a second writer: %v", err)
	}
	reader, err := Open(db.path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.PutSetting(context.Background(), "x", []byte("y")); err == nil {
		t.Error("a read-only database was written")
	}
	if err := errors.Join(reader.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	again, err := Open(db.path, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestSettings checks every connection that the pool can hand out, since settings belong to
// the connection (M8, M18).
func TestSettings(t *testing.T) {
	db := open(t)
	defer db.Close()
	var conns []*conn
	for range cap(db.slots) {
		r, err := db.reader(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, r)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := db.reader(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a connection above the limit: %v", err)
	}
	for i, k := range append(conns, db.w) {
		want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "query_only": "1"}
		if k == db.w {
			want["query_only"] = "0"
		}
		for name, value := range want {
			got := ""
			err := k.query("PRAGMA "+name, nil, func(s *sqlite.Stmt) error { got = s.ColumnText(0); return nil })
			if err != nil || got != value {
				t.Errorf("connection %d: %s is %q: %v", i, name, got, err)
			}
		}
	}
	for _, k := range conns {
		db.release(k, false)
	}
}

func TestLiveGuards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if _, err := Open(path, Options{Live: true, NormalSync: true}); err == nil {
		t.Error("live mode with synchronous=NORMAL")
	}
	for _, bad := range []string{"", ":memory:", filepath.Join(path, "no", "such", "folder")} {
		if _, err := Open(bad, Options{}); err == nil {
			t.Errorf("opened %q", bad)
		}
	}
	db, err := Open(path, Options{NormalSync: true, AutoCheckpoint: 10})
	if err != nil {
		t.Fatal(err)
	}
	a := storetest.NewAuthorizations(t, db, 1)
	db.Close()
	late, early := a.At().Add(-5*time.Minute), a.At().Add(-5*time.Minute-time.Microsecond)
	if _, err := Open(path, Options{Live: true, Now: early}); err == nil {
		t.Error("a clock that is too far behind")
	}
	if db, err = Open(path, Options{Live: true, Now: late}); err != nil {
		t.Fatal(err)
	}
	db.Close()
}

func TestSchemaGuards(t *testing.T) {
	for name, sql := range map[string]string{
		"newer":  "INSERT INTO migrations VALUES ('9999_later.sql', 'x')",
		"edited": "UPDATE migrations SET checksum = 'x'",
	} {
		db := open(t)
		if err := db.w.script(sql); err != nil {
			t.Fatal(err)
		}
		db.Close()
		for _, o := range []Options{{}, {ReadOnly: true}} {
			if _, err := Open(db.path, o); err == nil || !strings.Contains(err.Error(), "migration") {
				t.Errorf("%s schema: %v", name, err)
			}
		}
	}
}

// TestBrokenMigration checks that a failed migration leaves nothing.
func TestBrokenMigration(t *testing.T) {
	db := open(t)
	defer db.Close()
	if err := db.w.migrate(store.MigrationFile{Name: "0002.sql", SQL: "CREATE TABLE a (x); CREATE TABLE b (;", Checksum: "x"}); err == nil {
		t.Fatal("a broken migration went through")
	}
	if err := db.w.query("SELECT * FROM a", nil, nil); err == nil {
		t.Error("half a migration is there")
	}
	if err := db.w.migrate(store.MigrationFile{Name: "0002.sql", SQL: "CREATE TABLE a (x);", Checksum: "x"}); err != nil {
		t.Error(err)
	}
}

// TestSchema compares the schema with its dump, and its columns with the tables that every
// backend shares. go test -run TestSchema -args rewrite regenerates it.
func TestSchema(t *testing.T) {
	db := open(t)
	defer db.Close()
	var dump strings.Builder
	err := db.w.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'input' ORDER BY tbl_name, type = 'trigger', type = 'index', name",
		nil, func(s *sqlite.Stmt) error { fmt.Fprintf(&dump, "%s;\n\n", s.ColumnText(0)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(os.Args) > 1 && os.Args[len(os.Args)-1] == "rewrite" {
		if err := os.WriteFile("schema.sql", []byte(dump.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != dump.String() {
		t.Error("the schema is not the one of schema.sql")
	}
	for _, s := range slices.Concat(store.SQLSchemas(), store.OutsideDump()) {
		var names []string
		err := db.w.query("SELECT name, type, pk FROM pragma_table_info('"+s.Name+"')", nil, func(stmt *sqlite.Stmt) error {
			name := stmt.ColumnText(0)
			names = append(names, name)
			i := slices.Index(s.Columns, name)
			if i < 0 {
				return nil
			}
			want := map[store.Type]string{store.Text: "TEXT", store.JSON: "TEXT", store.Bytes: "BLOB"}[s.Types[i]]
			if want == "" {
				want = "INTEGER"
			}
			if stmt.ColumnText(1) != want || (stmt.ColumnInt64(2) > 0) != (i < s.Key) {
				t.Errorf("%s.%s is %s and number %d of the key", s.Name, name, stmt.ColumnText(1), stmt.ColumnInt64(2))
			}
			return nil
		})
		slices.Sort(names) // a migration adds columns at the end
		if want := slices.Sorted(slices.Values(s.Columns)); err != nil || !slices.Equal(names, want) {
			t.Errorf("table %s has %v instead of %v: %v", s.Name, names, want, err)
		}
	}
}

// Only the owner can read the database and its log.
func TestFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenor.db")
	db, err := Open(path, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PutSetting(t.Context(), "mode", []byte("live")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal"} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(file), info.Mode().Perm())
		}
	}
}
