package sqlite

import (
	"context"
	"os"
	"testing"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// A temporary database syncs nothing and has no log, so that commits do not wait; and
// nothing is left of it.
func TestTemporary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	db, err := Temporary()
	if err != nil {
		t.Fatal(err)
	}
	w := db.(*temporary).w
	for name, want := range map[string]string{"synchronous": "0", "journal_mode": "memory", "foreign_keys": "1"} {
		got := ""
		if err := w.query("PRAGMA "+name, nil, func(s *sqlite.Stmt) error { got = s.ColumnText(0); return nil }); err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
	if _, err := db.Update(context.Background(), func(store.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := db.View(context.Background(), func(store.View) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
