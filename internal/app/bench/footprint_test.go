package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// The load of a footprint: batches as 64 callers make them, for companies that are nowhere near
// each other in the file.
const (
	footprintBatch     = 32
	footprintBatches   = 16
	footprintCompanies = 4000
)

// Most of what one authorized order may write on SQLite: rows and index entries, an order's
// company included, and pages of the log.
const (
	mostRows    = 12.5
	mostEntries = 17.5
	mostPages   = 8.0
)

// An authorized order writes few rows and index entries, and few pages of the log. These are
// counts, and do not depend on the machine.
func TestFootprintOfAnOrder(t *testing.T) {
	f := newFootprint(t)
	before := f.counted(t)
	f.restart(t)
	release := f.hold(t) // nothing of the log is moved meanwhile: its length tells the pages
	for range footprintBatches {
		f.authorize(t)
	}
	pages := f.pages(t)
	release()
	orders := float64(footprintBatch * footprintBatches)
	rows, entries, lines := f.counted(t).since(before, orders)
	rows++ // the company's, which is there already
	t.Logf("%.1f rows, %.1f index entries and %.1f pages of the log for an order\n%s", rows, entries, float64(pages)/orders, strings.Join(lines, "\n"))
	if rows > mostRows || entries > mostEntries || float64(pages)/orders > mostPages {
		t.Errorf("at most %.1f, %.1f and %.1f are wanted", mostRows, mostEntries, mostPages)
	}
}

// footprint is a database with some orders, and a second connection to its file.
type footprint struct {
	forge     *forge
	companies []int64
	file      string
	conn      *sqlite.Conn
}

func newFootprint(t *testing.T) *footprint {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	db, err := openFile(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	x := &footprint{file: filepath.Join(dir, "tenor.db")}
	if x.forge, err = newForge(ctx, db, newYork(t), 1, footprintBatch*4); err != nil {
		t.Fatal(err)
	}
	x.forge.sink = func(b store.Batch) error { return apply(ctx, db, b) }
	x.forge.keyed = true
	if x.companies, err = x.forge.found(ctx, footprintCompanies); err != nil {
		t.Fatal(err)
	}
	for range 4 * footprintBatches {
		x.authorize(t)
	}
	if x.conn, err = sqlite.OpenConn(x.file, sqlite.OpenReadWrite|sqlite.OpenWAL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.conn.Close() })
	return x
}

// authorize makes one batch.
func (x *footprint) authorize(t *testing.T) {
	t.Helper()
	commands := make([]credit.Command, footprintBatch)
	for i := range commands {
		commands[i] = x.forge.order(x.companies[x.forge.rng.below(len(x.companies))])
	}
	made, err := x.forge.decide(t.Context(), commands)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range made {
		x.forge.forget(o.(*credit.Order).Key)
	}
}

func (x *footprint) run(t *testing.T, sql string, fn func(*sqlite.Stmt) error) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(x.conn, sql, &sqlitex.ExecOptions{ResultFunc: fn}); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// restart empties the log.
func (x *footprint) restart(t *testing.T) {
	t.Helper()
	x.run(t, "PRAGMA busy_timeout = 5000", nil)
	x.run(t, "PRAGMA wal_checkpoint(TRUNCATE)", func(s *sqlite.Stmt) error {
		if s.ColumnInt(0) != 0 {
			return fmt.Errorf("the log is in use")
		}
		return nil
	})
}

// hold keeps a snapshot, so that the log only grows.
func (x *footprint) hold(t *testing.T) (release func()) {
	t.Helper()
	x.run(t, "BEGIN", nil)
	x.run(t, "SELECT q FROM books", nil)
	return func() { x.run(t, "ROLLBACK", nil) }
}

// pages counts the pages in the log.
func (x *footprint) pages(t *testing.T) int64 {
	t.Helper()
	f, err := os.Open(x.file + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const head, frameHead = 32, 24
	var h [head]byte
	if _, err := f.ReadAt(h[:], 0); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return (info.Size() - head) / (frameHead + int64(binary.BigEndian.Uint32(h[8:])))
}

// counts are the rows of each table and the entries of each index.
type counts struct{ rows, entries map[string]int64 }

// since returns how many were added for each order, in total and by name.
func (c counts) since(before counts, orders float64) (rows, entries float64, lines []string) {
	add := func(what string, now, was map[string]int64) (sum float64) {
		for name, n := range now { // unordered: a sum, and lines that are sorted
			if d := float64(n-was[name]) / orders; d > 0.05 { // less is one for each batch
				sum += d
				lines = append(lines, fmt.Sprintf("%4.1f %s %s", d, what, name))
			}
		}
		return sum
	}
	rows, entries = add("rows of", c.rows, before.rows), add("entries of", c.entries, before.entries)
	slices.Sort(lines)
	return rows, entries, lines
}

var partial = regexp.MustCompile(`(?s) WHERE (.*)$`)

// counted counts. A primary key that is neither the number of the row nor the table itself is an
// index, too.
func (x *footprint) counted(t *testing.T) counts {
	t.Helper()
	type index struct{ name, table, where string }
	var indexes []index
	var tables []string
	x.run(t, `SELECT i.type, i.name, i.tbl_name, coalesce(i.sql, ''), t.sql FROM sqlite_schema i JOIN sqlite_schema t ON t.type = 'table' AND t.name = i.tbl_name
		WHERE i.type IN ('table', 'index') AND t.sql LIKE 'CREATE TABLE%'`, func(s *sqlite.Stmt) error {
		name, table, where := s.ColumnText(1), s.ColumnText(2), ""
		if s.ColumnText(0) == "table" {
			tables = append(tables, name)
			return nil
		}
		if strings.Contains(name, "autoindex") && strings.Contains(s.ColumnText(4), "WITHOUT ROWID") {
			return nil
		}
		if m := partial.FindStringSubmatch(s.ColumnText(3)); m != nil {
			where = " WHERE " + m[1]
		}
		indexes = append(indexes, index{name, table, where})
		return nil
	})
	c := counts{map[string]int64{}, map[string]int64{}}
	for _, name := range tables {
		x.run(t, "SELECT count(*) FROM "+name, func(s *sqlite.Stmt) error { c.rows[name] = s.ColumnInt64(0); return nil })
	}
	for _, i := range indexes {
		x.run(t, "SELECT count(*) FROM "+i.table+i.where, func(s *sqlite.Stmt) error { c.entries[i.name] = s.ColumnInt64(0); return nil })
	}
	return c
}
