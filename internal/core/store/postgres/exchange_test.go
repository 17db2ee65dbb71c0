package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// TestFilesAtOnce has two nodes file all unfiled transfers: each transfer gets into one
// file, and the trace numbers have no gap (PA2).
func TestFilesAtOnce(t *testing.T) {
	db := railBook(t)
	other := secondNode(t, db)
	defer other.Close()
	const transfers = 40
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Transfers: sentTransfers(transfers)})))
	errs := make(chan error, 2)
	for n, node := range []*DB{db, other} {
		go func() { errs <- fileAll(t.Context(), node, n) }()
	}
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	files, err := store.Files(t.Context(), db, store.FileBuilt, 100)
	if err != nil {
		t.Fatal(err)
	}
	traces := map[int64]string{}
	for _, f := range files {
		entries, err := store.FileEntries(t.Context(), db, f.ID)
		if err != nil || len(entries) != f.Entries || entries[0].Trace != f.FirstTrace {
			t.Errorf("file %+v has %v, %v", f, entries, err)
		}
		for _, e := range entries {
			if traces[e.Trace] != "" {
				t.Errorf("trace %d stands twice", e.Trace)
			}
			traces[e.Trace] = e.Transfer
		}
	}
	for n := range int64(transfers) {
		if traces[n+1] == "" {
			t.Errorf("trace %d is missing", n+1)
		}
	}
	if len(traces) != transfers {
		t.Errorf("%d entries of %d transfers", len(traces), transfers)
	}
}

// fileAll puts unfiled transfers into files of at most three, until none is left.
func fileAll(ctx context.Context, db *DB, node int) error {
	for i := 0; ; i++ {
		list, err := store.Unfiled(ctx, db, 3)
		if err != nil || len(list) == 0 {
			return err
		}
		var ids []string
		for _, x := range list {
			ids = append(ids, x.ID)
		}
		f := store.BankFile{ID: fmt.Sprint("f", node, "_", i), State: store.FileBuilt, CreatedAt: noon(1), MovedAt: noon(1)}
		if _, _, err := db.PutFile(ctx, f, ids); err != nil && !errors.Is(err, store.ErrTaken) && !isPassing(err) {
			return err
		}
	}
}

// TestFileBesideBatch makes a file while a batch that has loaded its transfer continues:
// the batch leaves it filed.
func TestFileBesideBatch(t *testing.T) {
	db := railBook(t)
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Transfers: sentTransfers(1)})))
	f := store.BankFile{ID: "f", State: store.FileBuilt, CreatedAt: noon(1), MovedAt: noon(1)}
	if _, _, err := db.PutFile(t.Context(), f, []string{"t0001"}); err != nil {
		t.Fatal(err)
	}
	b := next(t, db, 3, credit.Changes{})
	update(t, db, store.Committed, func(tx store.Tx) error {
		s := credit.NewState()
		if _, err := tx.Load(s, credit.Keys{Transfers: []string{"t0001"}}, nil); err != nil {
			return err
		}
		x := *s.Transfers["t0001"]
		x.Status, x.Version, x.SettledAt = credit.TransferSettled, 2, noon(1)
		b.Decided[0].Changes.Transfers = []*credit.Transfer{&x}
		return tx.Apply(b)
	})
	if list, err := store.Unfiled(t.Context(), db, 9); err != nil || len(list) > 0 {
		t.Errorf("it counts as unfiled again: %v, %v", list, err)
	}
	if _, _, err := db.PutFile(t.Context(), store.BankFile{ID: "g", State: store.FileBuilt}, []string{"t0001"}); !errors.Is(err, store.ErrTaken) {
		t.Errorf("it gets into another file: %v", err)
	}
}
