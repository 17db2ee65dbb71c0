package sqlite

import (
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// TestRewrittenIndexes asks SQLite which indexes an UPDATE of an existing row rewrites:
// each is a page of the log per row, whether its value changed or not. This keeps the daily
// changes of an order, a company, a payment and a transfer cheap.
func TestRewrittenIndexes(t *testing.T) {
	k := writerOf(t)
	names := map[int64]string{} // by root page
	if err := k.query("SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0", nil, func(s *sqlite.Stmt) error {
		names[s.ColumnInt64(0)] = s.ColumnText(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, text, indexes string }{
		{"orders", puts(store.OrderNoun)[0], "orders_next orders_updated"},
		{"orders whose status changes", puts(store.OrderNoun)[1],
			"orders_captured orders_financing orders_merchant_order orders_next orders_proposed orders_status orders_stopped orders_updated"},
		{"companies", puts(store.CompanyNoun)[0], ""},
		{"companies whose status changes", puts(store.CompanyNoun)[1], "companies_email companies_limit companies_paused companies_suspended companies_unscreened"},
		{"payments", puts(store.PaymentNoun)[0], "payments_owed"},
		{"transfers", puts(store.TransferNoun)[0], "transfers_debited transfers_next transfers_status transfers_unanswered transfers_unfiled"},
	} {
		open, rewritten := map[int64]int64{}, []string{}
		err := k.query("EXPLAIN "+c.text, nil, func(s *sqlite.Stmt) error {
			switch cursor := s.GetInt64("p1"); s.GetText("opcode") {
			case "OpenWrite":
				open[cursor] = s.GetInt64("p2")
			case "IdxDelete":
				rewritten = append(rewritten, names[open[cursor]])
			}
			return nil
		})
		slices.Sort(rewritten)
		if got := strings.Join(slices.Compact(rewritten), " "); err != nil || got != c.indexes {
			t.Errorf("%s: rewrites %q, want %q: %v", c.what, got, c.indexes, err)
		}
	}
}

// puts returns the statements that write a noun.
func puts(n store.Noun) []string { return nounTexts[n.Index()].put }

// writerOf returns the writing connection of a fresh database.
func writerOf(t *testing.T) *conn {
	t.Helper()
	db := open(t)
	t.Cleanup(func() { db.Close() })
	k, err := db.writer()
	if err != nil {
		t.Fatal(err)
	}
	return k
}
