package sqlite

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// The trial balance of a hundred days, some before the first entry and some to come, is what a plain
// sum over all postings until then gives in SQL, and is zero.
func TestTrialBalanceBySQL(t *testing.T) {
	db := reopen(t, nil, filepath.Join(t.TempDir(), "tenor.db"), nil)
	defer func() { _ = db.Close() }()
	w := storetest.NewWorld(23)
	for range 150 {
		batch := w.Batch(12)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	const oracle = "SELECT p.account, sum(p.amount) FROM postings p, entries e WHERE e.q = p.q AND e.n = p.n AND e.book_date <= ?1 GROUP BY p.account HAVING sum(p.amount) <> 0"
	if err := db.View(t.Context(), func(v store.View) error {
		head, err := v.Head()
		if err != nil {
			return err
		}
		days := map[calendar.Date]bool{}
		accounts, r := 0, rand.New(rand.NewPCG(23, 1))
		for range 100 {
			day := head.BusinessDate.AddDays(3 - r.IntN(40))
			days[day] = true
			want := map[ledger.Account]money.Amount{}
			if err := v.(*view).query(oracle, []store.Value{date(day)}, func(s *sqlite.Stmt) error {
				want[ledger.Account(s.ColumnInt64(0))] = money.Amount(s.ColumnInt64(1))
				return nil
			}); err != nil {
				return err
			}
			got, err := v.TrialBalance(store.BookFilter{From: calendar.None, To: day})
			if err != nil {
				return err
			}
			sum := money.Amount(0)
			for a, x := range got {
				if sum = sum.Add(x); want[a] != x {
					t.Errorf("on %s account %d is %s, the postings sum up to %s", day, a, x, want[a])
				}
			}
			if accounts = max(accounts, len(got)); len(got) != len(want) || sum != 0 {
				t.Errorf("on %s there are %d accounts with %s, want %d with 0.00", day, len(got), sum, len(want))
			}
		}
		if len(days) < 8 || accounts < 6 {
			t.Errorf("only %d days, %d accounts", len(days), accounts)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
