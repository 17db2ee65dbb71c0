package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// TestRailPlans asks SQLite how it reads each list of rails and payouts: by an index, in
// the list's order, without sorting rows, on the first page and on the next.
func TestRailPlans(t *testing.T) {
	db := open(t)
	defer db.Close()
	transfers := func(f store.TransferFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListTransfers(v, f, p); return err }
	}
	payouts := func(f store.PayoutFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListPayouts(v, f, p); return err }
	}
	lines := func(f store.LineFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListPayoutLines(v, f, p); return err }
	}
	notices := func(f store.NoticeFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListNotices(v, f, p); return err }
	}
	receipts := func(f store.ReceiptFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListReceipts(v, f, p); return err }
	}
	screenings := func(f store.ScreeningFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListScreenings(v, f, p); return err }
	}
	none := calendar.None
	load := func(k credit.Keys) func(store.View, store.Page) error {
		return func(v store.View, _ store.Page) error { return v.Load(credit.NewState(), k) }
	}
	// The first of each side are combined: the sort covers as many as a payout has.
	const waiting = "SEARCH w USING INDEX payout_lines_waiting (merchant_id=?)"
	const owed = "SEARCH w USING INDEX payout_lines_owed (merchant_id=? AND kind=?)"
	const byKind = "SEARCH payout_lines USING INDEX payout_lines_waiting (merchant_id=? AND due_on<?); USE TEMP B-TREE FOR GROUP BY" // of one merchant
	for plan, read := range map[string]func(store.View, store.Page) error{
		"COVERING INDEX orders_next (": func(v store.View, p store.Page) error {
			_, err := store.ListDue(v, store.OrderNoun, time.Unix(9, 0), p)
			return err
		},
		"COVERING INDEX transfers_next (": func(v store.View, p store.Page) error {
			_, err := store.ListDue(v, store.TransferNoun, time.Unix(9, 0), p)
			return err
		},
		"COVERING INDEX credits_next (": func(v store.View, p store.Page) error {
			_, err := store.ListDueCredits(v, time.Unix(9, 0), p)
			return err
		},
		"next_at<?); CORRELATED SCALAR SUBQUERY 1; SEARCH x USING INDEX payout_lines_of (of_key=?)": func(v store.View, p store.Page) error {
			_, err := store.ListDueHeld(v, time.Unix(9, 0), p)
			return err
		},
		"SEARCH orders USING INDEX orders_merchant_order (merchant_order_id=?); LIST SUBQUERY 1": func(v store.View, _ store.Page) error {
			_, err := store.OrdersNumbered(v, "m", []string{"1", "2"})
			return err
		},
		"INDEX orders_merchant (merchant_id=? AND created_at>?)": func(v store.View, _ store.Page) error {
			return store.EachBrief(v, "m", time.Unix(1, 0), time.Time{}, func(store.OrderBrief) error { return nil })
		},
		"SEARCH vault USING PRIMARY KEY (id=?); LIST SUBQUERY 1": func(v store.View, _ store.Page) error { _, err := store.Secrets(v, []string{"a", "b"}); return err },
		"SCAN balances":                                func(v store.View, _ store.Page) error { _, _, err := store.Trial(v); return err }, // all of them are summed
		"INDEX payments_owed":                          func(v store.View, p store.Page) error { _, err := store.ListOwedPayments(v, p); return err },
		"INDEX transfers_created":                      transfers(store.TransferFilter{}),
		"INDEX transfers_card":                         transfers(store.TransferFilter{Rail: credit.Card}),
		"INDEX transfers_unanswered":                   transfers(store.TransferFilter{Unanswered: true}),
		"INDEX transfers_company (company_id=?":        transfers(store.TransferFilter{Company: 1, Status: credit.TransferFailed}),
		"INDEX transfers_merchant (merchant_id=?":      transfers(store.TransferFilter{Merchant: "m"}),
		"INDEX transfers_payment (payment_id=?":        transfers(store.TransferFilter{Payment: "p", Company: 1}),
		"INDEX transfers_status (status=?":             transfers(store.TransferFilter{Status: credit.TransferReturned}),
		"INDEX payouts_created":                        payouts(store.PayoutFilter{}),
		"INDEX payouts_merchant (merchant_id=?":        payouts(store.PayoutFilter{Merchant: "m", Status: credit.PayoutFailed}),
		"INDEX payouts_status (status=?":               payouts(store.PayoutFilter{Status: credit.PayoutFailed}),
		"INDEX payout_lines_payout (payout_id=?":       lines(store.LineFilter{Payout: "p"}),
		"INDEX payout_lines_waiting (merchant_id=?":    lines(store.LineFilter{Waiting: "m"}),
		"INDEX payout_lines_of (of_key=?)":             load(credit.Keys{Lines: []string{"o"}}),
		"payout_lines_payout (payout_id=?)":            load(credit.Keys{Ended: []string{"t"}}),
		waiting:                                        load(credit.Keys{Waiting: []string{"m"}}),
		owed:                                           load(credit.Keys{Waiting: []string{"m"}}),
		"INDEX payment_methods_company (company_id=?)": func(v store.View, _ store.Page) error { _, err := store.ListMethods(v, 1); return err },
		"INDEX payment_methods_added (created_at>?": func(v store.View, p store.Page) error {
			_, err := store.ListSharedAccounts(v, time.Unix(0, 0), p)
			return err
		},
		"INDEX payment_methods_account (fingerprint=?":      func(v store.View, _ store.Page) error { _, err := store.ListSameAccount(v, "f"); return err },
		"INDEX notices_action":                              notices(store.NoticeFilter{DueFrom: none, DueTo: none}),
		"INDEX notices_company (company_id=?":               notices(store.NoticeFilter{Company: 1, Unsent: true, DueFrom: none, DueTo: 9}),
		"INDEX notices_late":                                notices(store.NoticeFilter{Late: true, DueFrom: none, DueTo: none}),
		"INDEX notices_waiting":                             notices(store.NoticeFilter{Unsent: true, DueFrom: none, DueTo: 9}),
		"INDEX screenings_opened":                           screenings(store.ScreeningFilter{}),
		"INDEX screenings_company (company_id=?":            screenings(store.ScreeningFilter{Company: 1, Status: credit.ScreeningOpen}),
		"INDEX screenings_merchant (merchant_id=?":          screenings(store.ScreeningFilter{Merchant: "m", Status: credit.ScreeningOpen}),
		"INDEX screenings_status (status=?":                 screenings(store.ScreeningFilter{Status: credit.ScreeningOpen}),
		"INDEX receipts_created":                            receipts(store.ReceiptFilter{}),
		"INDEX receipts_status (status=?":                   receipts(store.ReceiptFilter{Status: payments.ReceiptOpen}),
		"SCAN periods":                                      func(v store.View, _ store.Page) error { _, err := store.AllOf(v, store.PeriodNoun); return err }, // one per month
		"payout_lines_waiting (merchant_id=? AND due_on<?)": func(v store.View, _ store.Page) error { _, err := store.ListDueMerchants(v, 9); return err },
		byKind: func(v store.View, _ store.Page) error { _, err := store.DueMoneyOf(v, "m", 9); return err },
		"payout_lines_owed (merchant_id=? AND kind=? AND due_on<?)": func(v store.View, _ store.Page) error {
			_, err := store.ListAgedMerchants(v, credit.LineClawback, 9)
			return err
		},
	} {
		for _, page := range []store.Page{{Limit: 5}, {Limit: 5, AfterAt: time.Unix(1, 0), AfterID: "7"}} {
			if got := planOf(t, db, func(v store.View) error { return read(v, page) }); !strings.Contains(got, plan) || strings.Contains(got, "TEMP B-TREE") != (plan == waiting || plan == owed || plan == byKind) {
				t.Errorf("%s, after %q: %s", plan, page.AfterID, got)
			}
		}
	}
}

// TestCountPlans checks how debits and their returns are counted, and how matches are
// summed: none reads more than the days, or the rows, that it counts.
func TestCountPlans(t *testing.T) {
	db := open(t)
	defer db.Close()
	sums := func(lines, entries []string) func() error {
		return func() error {
			if _, _, err := store.SumsOf(t.Context(), db, lines, entries); !errors.Is(err, store.ErrRefused) { // they do not exist
				return fmt.Errorf("sums of nothing: %w", err)
			}
			return nil
		}
	}
	for plan, got := range map[string]string{
		"SEARCH transfers USING INDEX transfers_debited (sent_at>?)": planOf(t, db, func(v store.View) error { _, err := store.DebitsSince(v, time.Unix(1, 0)); return err }),
		"SEARCH bank_notices USING INDEX bank_notices_code (at>?); SEARCH x EXISTS USING INDEX sqlite_autoindex_transfers_1 (id=?)": planOf(t, db, func(v store.View) error {
			_, err := store.DebitReturnsSince(v, time.Unix(1, 0))
			return err
		}),
		"SEARCH bank_entries USING PRIMARY KEY (transfer_id=?)":              planOfRead(t, db, func() error { _, err := store.FiledTransfers(t.Context(), db, []string{"t"}); return err }),
		"SEARCH bank_lines USING INDEX sqlite_autoindex_bank_lines_1 (id=?)": planOfRead(t, db, sums([]string{"l"}, nil)),
		"SEARCH entries USING INDEX entries_id (id=?)":                       planOfRead(t, db, sums(nil, []string{"e"})),
	} {
		if left := strings.NewReplacer("SCAN i VIRTUAL TABLE", "").Replace(got); !strings.Contains(got, plan) || strings.Contains(left, "SCAN ") {
			t.Errorf("%s: %s", plan, got)
		}
	}
}

// TestBooksPlans checks how entries are read and summed: by their dates or by the orders of
// a company, never all of them. Only sums, and a company's entries, are sorted.
func TestBooksPlans(t *testing.T) {
	db := open(t)
	defer db.Close()
	w := storetest.NewWorld(5)
	for range 10 { // EachEntryOf first checks whether there is anything
		batch := w.Batch(40)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	none := calendar.None
	sum := func(f store.BookFilter) func(store.View) error {
		return func(v store.View) error { _, err := v.TrialBalance(f); return err }
	}
	walk := func(f store.BookFilter) func(store.View) error {
		return func(v store.View) error { return store.EachEntryOf(v, f, func(store.EntryRow) error { return nil }) }
	}
	cash := func(f store.CashFilter) func(store.View) error {
		return func(v store.View) error { return v.EachCash(f, func(store.CashRow) error { return nil }) }
	}
	said := func(waiting bool, p store.Page) func(store.View) error {
		return func(v store.View) error {
			_, err := store.ListBankNotices(v, store.BankNoticeFilter{Waiting: waiting}, p)
			return err
		}
	}
	for plan, c := range map[string]struct {
		read  func(store.View) error
		sorts bool
	}{
		"SCAN bank_notices USING INDEX bank_notices_waiting":                       {said(true, store.Page{Limit: 5}), false},
		"SEARCH bank_notices USING INDEX bank_notices_left ((at,rail,id)<(?,?,?))": {said(false, store.Page{Limit: 5, AfterAt: time.Unix(1, 0), AfterID: "x"}), false},
		"SEARCH day_totals USING PRIMARY KEY (book_date<?)":                        {sum(store.BookFilter{From: none, To: 7}), true},
		"INDEX entries_book (book_date>? AND book_date<?)":                         {sum(store.BookFilter{From: 7, To: 9, Merchant: "m"}), true},
		"INDEX postings_order (order_key=?)":                                       {sum(store.BookFilter{From: none, To: none, Company: 7}), true},
		"INDEX postings_company (company_id=?)":                                    {walk(store.BookFilter{From: 7, To: 9, Company: 7}), true},
		"e USING PRIMARY KEY (q>? AND q<?)":                                        {walk(store.BookFilter{From: 20_000, To: 30_000, Merchant: "m"}), false},
		"p USING PRIMARY KEY (q=? AND n=?)":                                        {walk(store.BookFilter{From: none, To: none}), false},
		"INDEX orders_company (company_id=?)":                                      {walk(store.BookFilter{From: none, To: none, Company: 7}), true},
		"p USING PRIMARY KEY (q=? AND n=?); USE TEMP B-TREE":                       {sum(store.BookFilter{From: 7, To: none, Merchant: "m"}), true},
		"INDEX postings_cash (q>?)":                                                {cash(store.CashFilter{From: 7, To: none, Open: true}), false},
		"INDEX postings_cash":                                                      {cash(store.CashFilter{From: none, To: none}), false},
		"COVERING INDEX postings_owed (merchant_id=? AND q<?)":                     {func(v store.View) error { _, err := store.OwedAt(v, "m", 9); return err }, false},
	} {
		if got := planOf(t, db, c.read); !strings.Contains(got, plan) || strings.Contains(got, "TEMP B-TREE") != c.sorts || strings.Contains(got, "SCAN p") && plan != "INDEX postings_cash" {
			t.Errorf("%s: %s", plan, got)
		}
	}
}

// TestExchangePlans checks how the exchange finds its work: each query by an index that is
// as short as the work, however many transfers and notices there are.
func TestExchangePlans(t *testing.T) {
	db := open(t)
	defer db.Close()
	ctx := context.Background()
	for plan, read := range map[string]func() error{
		"SCAN transfers USING INDEX transfers_unfiled":    func() error { _, err := store.Unfiled(ctx, db, 5); return err },
		"INDEX bank_files_state (state=?)":                func() error { _, err := store.Files(ctx, db, store.FileBuilt, 5); return err },
		"INDEX bank_entries_file (file_id=?)":             func() error { _, err := store.FileEntries(ctx, db, "f"); return err },
		"INDEX bank_entries_trace (trace=?)":              func() error { _, err := store.EntryByTrace(ctx, db, 5); return err },
		"SCAN bank_notices USING INDEX bank_notices_open": func() error { _, err := store.OpenNotices(ctx, db, 5); return err },
		"COVERING INDEX bank_notices_code (at>?)":         func() error { _, err := store.NoticesSince(ctx, db, time.Unix(1, 0)); return err },
		"INDEX bank_lines_date":                           func() error { _, err := store.BankLines(ctx, db, false, store.Page{Limit: 5}); return err },
		"INDEX bank_lines_open":                           func() error { _, err := store.BankLines(ctx, db, true, store.Page{Limit: 5}); return err },
		"INDEX bank_lines_date ((date,id)>(?,?))": func() error {
			_, err := store.BankLines(ctx, db, false, store.Page{Limit: 5, AfterID: "x"})
			return err
		},
		"INDEX bank_matches_made":                      func() error { _, err := store.Matches(ctx, db, store.Page{Limit: 5}); return err },
		"INDEX sqlite_autoindex_bank_matches_1 (id=?)": func() error { _, _, err := store.MatchByID(ctx, db, "m"); return err },
	} {
		got := planOfRead(t, db, read)
		few := strings.HasPrefix(plan, "COVERING") || strings.Contains(plan, "bank_entries_trace") // they sort what a count or a number finds
		if !strings.Contains(got, plan) || strings.Contains(got, "TEMP B-TREE") && !few {
			t.Errorf("%s: %s", plan, got)
		}
	}
}

// planOfRead explains the last query that fn executes on the only reading connection:
// nobody else reads.
func planOfRead(t *testing.T, db *DB, fn func() error) string {
	t.Helper()
	k, err := db.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	k.trace = func(sql string) {
		if strings.HasPrefix(sql, "SELECT") { // skip the statements that begin and end a snapshot
			last = sql
		}
	}
	db.release(k, false)
	err = fn()
	k.trace = nil
	if err != nil || last == "" {
		t.Fatalf("nothing was read: %v", err)
	}
	var plan strings.Builder
	err = k.query("EXPLAIN QUERY PLAN "+last, nil, func(s *sqlite.Stmt) error { plan.WriteString(s.ColumnText(3) + "; "); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// TestFileStatements counts the statements of a file: they do not grow with it.
func TestFileStatements(t *testing.T) {
	db := open(t)
	defer db.Close()
	at := time.Unix(9, 0)
	for n, size := range []int{1, 500} {
		c := credit.Changes{Companies: []*credit.Company{{ID: 7, Status: credit.CompanyApproved, Version: n + 1}}}
		var ids []string
		for i := range size {
			x := &credit.Transfer{
				ID: fmt.Sprintf("trf_%d_%d", n, i), Rail: credit.ACH, Kind: credit.TransferRefund, Company: 7, Amount: 5,
				Status: credit.TransferSent, SentAt: at, CreatedAt: at, Version: 1,
			}
			ids = append(ids, x.ID)
			c.Transfers = append(c.Transfers, x)
		}
		batch := store.Batch{ID: store.BatchID{byte(n)}, Epoch: 1, At: at, Decided: []store.Decided{{Audit: store.Audit{At: at}, Changes: c}}}
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
		before := db.w.steps
		if _, _, err := db.PutFile(t.Context(), store.BankFile{ID: fmt.Sprint(n), State: store.FileBuilt}, ids); err != nil {
			t.Fatal(err)
		}
		if got := db.w.steps - before; got != 7 { // including BEGIN and COMMIT
			t.Errorf("%d statements for a file of %d", got, size)
		}
	}
}
