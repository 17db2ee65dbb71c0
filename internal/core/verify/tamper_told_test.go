package verify

import (
	"bytes"
	"regexp"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/store"
)

// packed finds the tampers that change what commands told others, which stands packed in the
// audit log: they see it as tables.
var packed = regexp.MustCompile(`\b(events|answers)\b`)

// unpack makes tables of what commands told others.
func unpack(t *testing.T, c *sqlite.Conn) {
	t.Helper()
	if err := sqlitex.ExecuteScript(c, `CREATE TEMP TABLE events (q, n, id, type, object_type, object_id, sequence, company_id, merchant_id, readers, at, payload, PRIMARY KEY (q, n));
		CREATE TEMP TABLE answers (q PRIMARY KEY, body)`, nil); err != nil {
		t.Fatal(err)
	}
	for q, told := range toldIn(t, c) {
		for _, e := range told.Events {
			row := make([]any, 0, len(store.Events.Columns))
			for _, v := range store.Events.Encode(&e, nil) {
				row = append(row, plain(v))
			}
			if err := sqlitex.Execute(c, `INSERT INTO temp.events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, &sqlitex.ExecOptions{Args: row}); err != nil {
				t.Fatal(err)
			}
		}
		if told.Answer == nil {
			continue
		}
		if err := sqlitex.Execute(c, `INSERT INTO temp.answers VALUES (?, ?)`, &sqlitex.ExecOptions{Args: []any{q, told.Answer.Body}}); err != nil {
			t.Fatal(err)
		}
	}
}

// plain is a value as SQLite takes it.
func plain(v store.Value) any {
	switch {
	case v.Null:
		return nil
	case v.Kind == store.Text || v.Kind == store.JSON:
		return v.Text
	}
	return v.Int
}

func toldIn(t *testing.T, c *sqlite.Conn) map[int64]store.Told {
	t.Helper()
	out := map[int64]store.Told{}
	if err := sqlitex.Execute(c, `SELECT q, at, told FROM audit WHERE told IS NOT NULL`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		b := make([]byte, s.ColumnLen(2))
		s.ColumnBytes(2, b)
		at := store.Value{Kind: store.Instant, Int: s.ColumnInt64(1)}
		told, err := store.Unpack(b, s.ColumnInt64(0), at.Time())
		out[s.ColumnInt64(0)] = told
		return err
	}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// pack writes the tables back where they differ.
func pack(t *testing.T, c *sqlite.Conn) {
	t.Helper()
	before, after := toldIn(t, c), map[int64]*store.Told{}
	of := func(q int64) *store.Told {
		if after[q] == nil {
			after[q] = &store.Told{}
		}
		return after[q]
	}
	if err := sqlitex.Execute(c, `SELECT * FROM temp.events ORDER BY q, n`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		var values []store.Value
		for i, column := range store.Events.Schema().Types {
			v := store.Value{Kind: column, Null: s.ColumnType(i) == sqlite.TypeNull}
			if column == store.Text || column == store.JSON {
				v.Text = s.ColumnText(i)
			} else {
				v.Int = s.ColumnInt64(i)
			}
			values = append(values, v)
		}
		e, err := store.Events.Decode(values)
		if err == nil {
			of(e.Q).Events = append(of(e.Q).Events, *e)
		}
		return err
	}}); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.Execute(c, `SELECT q, body FROM temp.answers`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		b := make([]byte, s.ColumnLen(1))
		s.ColumnBytes(1, b)
		a := store.Answer{}
		if was := before[s.ColumnInt64(0)].Answer; was != nil {
			a = *was
		}
		a.Body = b
		of(s.ColumnInt64(0)).Answer = &a
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	for q, was := range before {
		now := of(q).Pack()
		if bytes.Equal(now, was.Pack()) {
			continue
		}
		var value any
		if now != nil {
			value = now
		}
		if err := sqlitex.Execute(c, `UPDATE audit SET told = ? WHERE q = ?`, &sqlitex.ExecOptions{Args: []any{value, q}}); err != nil {
			t.Fatal(err)
		}
	}
}
