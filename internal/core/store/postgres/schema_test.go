package postgres

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/store"
	"tenor/internal/proof/pgtest"
)

const ownFiles, otherFiles = "migrations", "../sqlite/migrations"

// columnKinds are each dialect's types of a column. JSON is not jsonb, because its bytes
// matter.
var columnKinds = map[store.Type]struct{ own, other string }{
	store.Integer: {"bigint", "INTEGER"}, store.Bool: {"boolean", "INTEGER"}, store.Day: {"date", "INTEGER"},
	store.Instant: {"timestamp with time zone", "INTEGER"}, store.Text: {"text C", "TEXT"}, store.JSON: {"text", "TEXT"},
	store.Bytes: {"bytea", "BLOB"},
}

// ownFacts and otherFacts ask a dialect for its tables: table|fact|type. The fact must be
// the same in both, and the type is a column's. What table_info does not list is a
// generated column; an index's expressions have no common name.
const (
	ownFacts = `SELECT concat(table_name, '|', concat_ws(' ', 'column', column_name, is_nullable), '|',
			concat_ws(' ', data_type, collation_name))
		FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER'
		UNION ALL SELECT i.indrelid::regclass || '|' || concat_ws(' ',
			CASE WHEN i.indisprimary THEN 'key' ELSE 'index ' || c.relname END, CASE WHEN i.indisunique THEN 'unique' END,
			CASE WHEN i.indpred IS NOT NULL THEN 'partial' END,
			(SELECT string_agg(a.attname, ' ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND i.indkey[a.attnum - 1] <> 0)) || '|'
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'public'::regnamespace`
	otherTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	otherFacts  = `SELECT t.name || '|' || concat_ws(' ', 'column', c.name, iif(c."notnull" = 1 OR c.pk > 0, 'NO', 'YES')) || '|' || c.type
		FROM (` + otherTables + `) t, pragma_table_info(t.name) c
		UNION ALL SELECT t.name || '|key unique ' || (SELECT group_concat(c.name, ' ' ORDER BY c.pk) FROM pragma_table_info(t.name) c WHERE c.pk > 0) || '|'
		FROM (` + otherTables + `) t
		UNION ALL SELECT t.name || '|' || concat_ws(' ', 'index', l.name, iif(l."unique", 'unique', NULL), iif(l.partial, 'partial', NULL),
			(SELECT group_concat(c.name, ' ' ORDER BY c.seqno) FROM pragma_index_info(l.name) c)) || '|'
		FROM (` + otherTables + `) t, pragma_index_list(t.name) l WHERE l.origin = 'c'`
)

// TestSameTables compares the tables that the migrations of both dialects create, with each
// other and with the columns that the program writes.
func TestSameTables(t *testing.T) {
	if ours, theirs := fileNames(t, ownFiles), fileNames(t, otherFiles); !slices.Equal(ours, theirs) {
		t.Errorf("migrations %v, of SQLite %v", ours, theirs)
	}
	own, other := factsOf(ownRows(t, fromFiles(t), ownFacts)), factsOf(otherRows(t, otherFacts))
	for _, s := range slices.Concat(store.SQLSchemas(), store.OutsideDump()) {
		var ours, theirs []string
		for i, c := range s.Columns {
			column := "column " + c + " " // in any order: a migration adds columns at the end
			ours = append(ours, column+columnKinds[s.Types[i]].own)
			theirs = append(theirs, column+columnKinds[s.Types[i]].other)
		}
		key := "key unique " + strings.Join(s.Columns[:s.Key], " ")
		same(t, s.Name+" as it is written", own[s.Name].typed, append(ours, key))
		same(t, s.Name+" as SQLite's is written", other[s.Name].typed, append(theirs, key))
		same(t, s.Name, own[s.Name].facts, other[s.Name].facts)
		delete(own, s.Name)
		delete(other, s.Name)
	}
	if len(own)+len(other) > 0 {
		t.Errorf("tables that are not written: %v, of SQLite %v", own, other)
	}
}

// tableFacts are what both dialects report about a table, and its columns and key with
// types.
type tableFacts struct{ facts, typed []string }

func factsOf(rows []string) map[string]tableFacts {
	tables := map[string]tableFacts{}
	for _, r := range rows {
		part := strings.Split(r, "|")
		f := tables[part[0]]
		f.facts = append(f.facts, part[1])
		if words := strings.Fields(part[1]); words[0] == "column" {
			f.typed = append(f.typed, strings.Join(words[:2], " ")+" "+part[2])
		} else if words[0] == "key" {
			f.typed = append(f.typed, part[1])
		}
		tables[part[0]] = f
	}
	return tables
}

// same compares two lists, ignoring order.
func same(t *testing.T, what string, a, b []string) {
	t.Helper()
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("%s:\n%s\nagainst\n%s", what, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

func fileNames(t *testing.T, dir string) []string {
	names, err := fs.Glob(os.DirFS(dir), "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has %d files: %v", dir, len(names), err)
	}
	return names
}

// eachFile calls fn with the text of each migration.
func eachFile(t *testing.T, dir string, fn func(string) error) {
	for _, name := range fileNames(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = fn(string(text))
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// fromFiles returns a connection to a database created from this dialect's files.
func fromFiles(t *testing.T) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) }) // the database is dropped anyway
	eachFile(t, ownFiles, func(sql string) error { _, err := c.Exec(ctx, sql); return err })
	return c
}

// ownRows returns the rows of a query for one text.
func ownRows(t *testing.T, c *pgx.Conn, sql string) []string {
	t.Helper()
	rows, _ := c.Query(context.Background(), sql) // CollectRows returns its error
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// otherRows queries a database created from SQLite's files.
func otherRows(t *testing.T, sql string) (list []string) {
	t.Helper()
	c, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eachFile(t, otherFiles, func(sql string) error { return sqlitex.ExecuteScript(c, sql, nil) })
	err = sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		list = append(list, s.ColumnText(0))
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// refusal is what the schema refuses, by the name of the rule: statements, and the error
// code.
type refusal struct {
	name, code string
	sql        []string
}

// tryAll runs statements in a transaction that is always rolled back.
func tryAll(c *pgx.Conn, list ...string) error {
	_, err := c.Exec(context.Background(), "BEGIN; "+strings.Join(list, "; ")+"; SET CONSTRAINTS ALL IMMEDIATE")
	_, end := c.Exec(context.Background(), "ROLLBACK")
	return errors.Join(err, end)
}

// keptRows cover append-only rows: a trigger is called for a statement, whatever rows there
// are.
func keptRows(t *testing.T, c *pgx.Conn) (list []refusal) {
	for _, row := range ownRows(t, c, `SELECT concat_ws(' ', g.tgname, g.tgrelid::regclass, (SELECT attname FROM pg_attribute WHERE attrelid = g.tgrelid AND attnum = coalesce((g.tgattr::int2[])[0], 1)),
			CASE WHEN g.tgtype & 16 <> 0 THEN 'UPDATE' END, CASE WHEN g.tgtype & 8 <> 0 THEN 'DELETE' END, CASE WHEN g.tgtype & 32 <> 0 THEN 'TRUNCATE' END)
			FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE p.proname = 'refuse'`) {
		f := strings.Fields(row)
		for _, event := range f[3:] {
			sql := map[string]string{"UPDATE": "UPDATE " + f[1] + " SET " + f[2] + " = " + f[2], "DELETE": "DELETE FROM " + f[1], "TRUNCATE": "TRUNCATE " + f[1] + " CASCADE"}[event]
			list = append(list, refusal{f[0], "23514", []string{sql}})
		}
	}
	return list
}

// twice covers a second row with the values of a key or a unique index. References of the
// tables are off meanwhile.
func twice(t *testing.T, c *pgx.Conn) (list []refusal) {
	valid := map[string]cells{ // values required by a table's checks
		"deliveries": {"state": "'PENDING'", "finished_at": "NULL"}, "bank_files": {"state": "'BUILT'"}, "bank_notices": {"rail": "'ACH'", "reviewed_at": "NULL"},
		"bank_matches": {"rule": "'BATCH'"}, "heads": {"book": zeros(16), "key_id": "'k'", "signature": zeros(64), "old_signature": "''"},
		"transfers": {"kind": "'PAYMENT'"},
	}
	others := map[string]cells{ // for the second row, so that no other rule comes first
		"entries_reverses": {"q": "2", "id": "'x2'"}, "entries_id": {"q": "2", "reverses": "NULL"}, "events_id": {"q": "2", "sequence": "2"}, "events_object": {"q": "2", "id": "'x2'"},
		"transfers_collects": {"id": "'x2'", "payout_id": "NULL"}, "transfers_payout": {"id": "'x2'", "payment_id": "NULL"}, "bank_entries_file": {"transfer_id": "'x2'"},
	}
	for _, row := range ownRows(t, c, `SELECT c.relname || ' ' || i.indrelid::regclass
			FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace`) {
		f := strings.Fields(row)
		list = append(list, refusal{f[0], "23505", []string{"SET LOCAL session_replication_role = replica", "DELETE FROM " + f[1],
			insertRow(f[1], valid[f[1]]), insertRow(f[1], valid[f[1]].but(others[f[0]]))}})
	}
	return list
}

// orphans cover a row whose parent does not exist.
func orphans(t *testing.T, c *pgx.Conn) (list []refusal) {
	for _, table := range ownRows(t, c, "SELECT DISTINCT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace") {
		list = append(list, refusal{table, "23503", []string{insertRow(table, map[string]cells{"bank_notices": {"rail": "'ACH'", "reviewed_at": "NULL"}}[table])}})
	}
	return list
}

// TestRules violates each trigger, key, unique index and reference of the schema.
func TestRules(t *testing.T) {
	c := fromFiles(t)
	all := slices.Concat(keptRows(t, c), twice(t, c), orphans(t, c))
	if len(all) < 150 {
		t.Errorf("the schema refuses %d things: too few to be all", len(all))
	}
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			err, refused := tryAll(c, r.sql...), (*pgconn.PgError)(nil)
			if !errors.As(err, &refused) || refused.Code != r.code || refused.ConstraintName != r.name && refused.TableName != r.name {
				t.Errorf("%s\nis answered with %v", strings.Join(r.sql, "; "), err)
			}
		})
	}
}
