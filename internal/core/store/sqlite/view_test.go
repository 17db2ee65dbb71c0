package sqlite

import (
	"context"
	"errors"
	"testing"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// TestViewEndsWithItsContext reads endlessly until the context ends. The connection is
// reused, and can be interrupted again.
func TestViewEndsWithItsContext(t *testing.T) {
	db := open(t)
	defer db.Close()
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		err := db.View(ctx, func(v store.View) error {
			return v.(*view).query("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", nil,
				func(*sqlite.Stmt) error { cancel(); return nil })
		})
		if sqlite.ErrCode(err) != sqlite.ResultInterrupt {
			t.Fatalf("a read whose context has ended: %v", err)
		}
		err = db.View(ctx, func(store.View) error { t.Error("a view whose context has ended"); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a view whose context has ended: %v", err)
		}
		if err := db.View(context.Background(), func(v store.View) error { _, err := v.Head(); return err }); err != nil {
			t.Errorf("the next view: %v", err)
		}
	}
	if n := len(db.slots); n != 1 || len(db.readers) != 1 {
		t.Errorf("%d connections, %d of them idle, instead of one", n, len(db.readers))
	}
}
