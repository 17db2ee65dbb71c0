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
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// TestStatements counts the statements of batches. Their number must not grow
// with the number of commands.
func TestStatements(t *testing.T) {
	db := open(t)
	defer db.Close()
	a := storetest.NewAuthorizations(t, db, 1000)
	counts := map[int]int{}
	for _, size := range []int{1, 64, 512} {
		b, keys := a.Batch(size)
		before := db.w.steps
		a.Commit(t, db, b, keys)
		counts[size] = db.w.steps - before
	}
	if counts[1] != counts[64] || counts[64] != counts[512] {
		t.Errorf("statements by size of batch: %v", counts)
	}
	t.Logf("%d statements a batch", counts[1])
	w, most := storetest.NewWorld(1), 0
	other := open(t)
	defer other.Close()
	for range 40 {
		before := other.w.steps
		batch := w.Batch(100)
		if _, err := other.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
		most = max(most, other.w.steps-before-lookups(batch))
	}
	if most > 45 { // about one per table
		t.Errorf("%d statements for a batch of every kind of change", most)
	}
}

// lookups bounds the statements that find the order of a payment or loan that was not
// loaded: this test loads nothing.
func lookups(b store.Batch) int {
	n := 0
	for _, d := range b.Decided {
		n += 4 * (len(d.Changes.Loans) + len(d.Changes.Payments))
	}
	return n
}

// TestUnknown fails a commit after it has happened, and before.
func TestUnknown(t *testing.T) {
	ctx := context.Background()
	for _, happened := range []bool{true, false} {
		t.Run(fmt.Sprint("happened ", happened), func(t *testing.T) {
			db := open(t)
			defer db.Close()
			a := storetest.NewAuthorizations(t, db, 10)
			commit := db.commit
			db.commit = func(k *conn) error {
				if happened {
					if err := commit(k); err != nil {
						t.Error(err)
					}
				}
				return errors.New("disk I/O error")
			}
			b, _ := a.Batch(3)
			apply := func(tx store.Tx) error { return tx.Apply(b) }
			if c, err := db.Update(ctx, apply); c.Outcome != store.Unknown || err == nil {
				t.Fatalf("%+v, %v", c, err)
			}
			db.commit = commit
			if c, err := db.Update(ctx, apply); !errors.Is(err, ErrUnresolved) || c.Outcome != store.NotCommitted {
				t.Errorf("a batch before the last one is resolved: %+v, %v", c, err)
			}
			if err := db.PutSetting(ctx, "x", nil); !errors.Is(err, ErrUnresolved) {
				t.Errorf("a setting before the last batch is resolved: %v", err)
			}
			c, err := db.Resolve(ctx, b.ID)
			if err != nil || (c.Outcome == store.Committed) != happened || c.Outcome == store.Unknown {
				t.Fatalf("resolved to %+v, %v", c, err)
			}
			if happened {
				resolvedWithoutLog(t, db, c)
			}
			if _, err := db.Update(ctx, apply); !errors.Is(err, store.ErrTaken) {
				t.Errorf("the same batch again: %v", err)
			}
			b.ID[0]++
			if happened {
				b, _ = a.Batch(3)
			}
			if c, err := db.Update(ctx, apply); err != nil || c.Outcome != store.Committed {
				t.Errorf("the next batch: %+v, %v", c, err)
			}
		})
	}
}

// resolvedWithoutLog opens a copy of the database without its log: what was resolved as
// committed must not depend on pages whose sync failed.
func resolvedWithoutLog(t *testing.T, db *DB, c store.Commit) {
	t.Helper()
	file, err := os.ReadFile(db.path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	copied, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if err := copied.View(context.Background(), func(v store.View) error {
		if v.Seq() < c.FirstQ {
			t.Errorf("the database without its log ends at %d, before %d", v.Seq(), c.FirstQ)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestFull fills the database to its limit: the outcome is definite, reads continue, and
// writes resume as soon as there is room.
func TestFull(t *testing.T) {
	db := open(t)
	defer db.Close()
	a := storetest.NewAuthorizations(t, db, 10)
	if err := db.w.script("PRAGMA max_page_count = 1"); err != nil { // its current size
		t.Fatal(err)
	}
	b, _ := a.Batch(100)
	apply := func(tx store.Tx) error { return tx.Apply(b) }
	if c, err := db.Update(context.Background(), apply); !errors.Is(err, store.ErrFull) || c.Outcome != store.NotCommitted {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, _, err := store.Setting(context.Background(), db, "x"); err != nil {
		t.Error(err)
	}
	if err := db.w.script("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if c, err := db.Update(context.Background(), apply); err != nil || c.Outcome != store.Committed {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestAppendOnly tries to change and delete append-only rows.
func TestAppendOnly(t *testing.T) {
	db := open(t)
	defer db.Close()
	w := storetest.NewWorld(5)
	for range 30 {
		batch := w.Batch(80)
		if _, err := db.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	exchanged(t, db)
	for table, column := range map[string]string{
		"batches": "node", "programs": "settings", "company_history": "name", "order_history": "status", "entries": "cause",
		"postings": "amount", "audit": "command", "event_readers": "q", "event_objects": "q", "endpoint_history": "url", "resends": "event_id",
		"periods": "debits", "bank_entries": "trace",
	} {
		for _, sql := range []string{"UPDATE " + table + " SET " + column + " = " + column, "DELETE FROM " + table} {
			if err := db.w.script(sql); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	for _, sql := range []string{
		"DELETE FROM books",
		"DELETE FROM orders", "DELETE FROM companies", "DELETE FROM payments", "DELETE FROM loans", "DELETE FROM invoices", "DELETE FROM money_events",
		"UPDATE orders SET merchant_id = 'x'",
		"UPDATE idempotency SET body = x'00'",
		"DELETE FROM clients",
		"DELETE FROM endpoints", "UPDATE endpoints SET merchant_id = 'x'",
		"UPDATE idempotency SET sealed = 2",
		"DELETE FROM payment_methods", "UPDATE payment_methods SET company_id = 7",
		"DELETE FROM transfers",
		"UPDATE transfers SET payment_id = 'x'", "UPDATE transfers SET payout_id = 'x'",
		"DELETE FROM payouts",
		"UPDATE payouts SET merchant_id = 'x'",
		"DELETE FROM payout_lines",
		"DELETE FROM notices", "UPDATE notices SET company_id = 7",
		"DELETE FROM bank_files", "UPDATE bank_files SET state = 'BUILT' WHERE state = 'SENT'", "UPDATE bank_files SET first_trace = first_trace + 1",
		"UPDATE bank_files SET entries = 0", "INSERT INTO bank_entries SELECT id, 'file', 99 FROM transfers WHERE status = 'QUEUED'",
		"INSERT INTO bank_entries SELECT id, 'file', 98 FROM transfers WHERE rail = 'ACH' AND status IN ('SENT', 'SETTLED') AND filed = 0",
		"UPDATE bank_notices SET closed_at = NULL", "INSERT INTO bank_lines VALUES ('x', 20454, 5, '', 'none', '', '')",
		"DELETE FROM bank_notices", "UPDATE bank_notices SET code = 'R99'", `UPDATE bank_notices SET payload = '{"amount":"7.00"}'`, "UPDATE bank_notices SET closed_at = NULL WHERE closed_at IS NOT NULL",
		"UPDATE bank_notices SET reviewed_by = 'x'", "UPDATE bank_notices SET reviewed_at = NULL, reviewed_by = '', review_note = '' WHERE reviewed_at IS NOT NULL",
		"UPDATE bank_notices SET review_note = 'x' WHERE reviewed_at IS NOT NULL", "UPDATE bank_notices SET result = 'done' WHERE reviewed_at IS NOT NULL",
		"INSERT INTO bank_notices SELECT * FROM bank_notices", "DELETE FROM bank_lines", "UPDATE bank_lines SET amount = amount + 1",
		"UPDATE bank_lines SET match_id = 'none'", "UPDATE bank_lines SET match_id = 'undone'", "DELETE FROM bank_matches",
		"UPDATE bank_matches SET amount = amount + 1", "UPDATE bank_matches SET undone_by = 'x'", "UPDATE bank_matches SET undone_at = 5 WHERE undone_at IS NOT NULL",
		"UPDATE bank_matches SET rule = 'x'", "INSERT INTO cash_items VALUES ('none', NULL, '', '')", "DELETE FROM cash_items",
		"INSERT INTO cash_items SELECT id, NULL, '', '' FROM entries e WHERE NOT EXISTS (SELECT 1 FROM postings p WHERE p.q = e.q AND p.n = e.n AND p.account = 1000)",
		"UPDATE cash_items SET match_id = 'undone'", "UPDATE cash_items SET entry_id = 'x'",
		"DELETE FROM receipts",
		"DELETE FROM heads", "UPDATE heads SET key_id = 'x'", "INSERT INTO heads SELECT number + 2, book, epoch, commit_seq, hash, at, previous, key_id, public_key, signature, old_signature FROM heads",
		"INSERT INTO postings SELECT 999999, n, 99, account, amount, company_id, merchant_id, order_key, payment_id, installment FROM postings LIMIT 1",
	} {
		if err := db.w.script(sql); err == nil || sqlite.ErrCode(err).ToPrimary() != sqlite.ResultConstraint {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// exchanged puts sent transfers into a file, and adds a notice and a bank line.
func exchanged(t *testing.T, db *DB) {
	t.Helper()
	ctx := t.Context()
	sent, err := store.Unfiled(ctx, db, 3)
	if err != nil || len(sent) == 0 {
		t.Fatalf("%d transfers in no file: %v", len(sent), err)
	}
	_, _, err = db.PutFile(ctx, store.BankFile{ID: "file", State: store.FileSent}, []string{sent[0].ID})
	if err == nil {
		err = db.PutHead(ctx, store.SignedHead{Number: 1, Epoch: 1, At: time.Unix(1, 0), KeyID: "k"})
	}
	if err == nil {
		_, err = db.PutNotice(ctx, store.BankNotice{Rail: credit.ACH, ID: "n", Kind: "RETURN", Code: "R01", At: time.Unix(1, 0)})
	}
	if err == nil {
		err = db.CloseNotice(ctx, credit.ACH, "n", store.NoticeLate, time.Unix(2, 0))
	}
	if err == nil {
		err = db.ReviewNotice(ctx, credit.ACH, "n", "ann", "disputed", time.Unix(3, 0))
	}
	if err == nil {
		_, err = db.PutBankLines(ctx, []store.BankLine{{ID: "l", Date: 20_454, Amount: 5}, {ID: "k", Date: 20_454, Amount: -5}})
	}
	if err == nil {
		err = db.PutMatches(ctx, []store.BankMatch{{ID: "undone", Rule: store.MatchByHand, Lines: []string{"l", "k"}}})
	}
	if err == nil {
		err = db.UndoMatch(ctx, "undone", "me", time.Unix(3, 0))
	}
	cash := ""
	if err == nil {
		err = db.View(ctx, func(v store.View) error {
			return v.EachCash(store.CashFilter{From: calendar.None, To: calendar.None}, func(r store.CashRow) error { cash = r.Entry; return nil })
		})
	}
	if err == nil {
		err = db.AssignEntry(ctx, cash, "me", "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPlans asks SQLite how it reads each list: by an index, in the list's order, without
// sorting rows, on the first page and on the next.
func TestPlans(t *testing.T) {
	db := open(t)
	defer db.Close()
	none := store.OrderFilter{CapturedFrom: calendar.None, CapturedTo: calendar.None}
	orders := func(set func(*store.OrderFilter)) func(store.View, store.Page) error {
		f := none
		set(&f)
		return func(v store.View, p store.Page) error { _, err := store.ListOrders(v, f, p); return err }
	}
	payments := func(f store.PaymentFilter) func(store.View, store.Page) error {
		f.From, f.To = calendar.None, calendar.None
		return func(v store.View, p store.Page) error { _, err := store.ListPayments(v, f, p); return err }
	}
	invoices := func(f store.InvoiceFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListInvoices(v, f, p); return err }
	}
	companies := func(merchant string) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListCompanies(v, merchant, p); return err }
	}
	events := func(o credit.ObjectRef) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error {
			_, err := v.Events(store.EventFilter{Object: o, After: store.Place{Q: 3}, Limit: p.Limit})
			return err
		}
	}
	clients := func(merchant string) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListClients(v, merchant, p); return err }
	}
	endpoints := func(merchant string) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListEndpoints(v, merchant, p); return err }
	}
	deliveries := func(f store.DeliveryFilter) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error { _, err := store.ListDeliveries(v, f, p); return err }
	}
	stream := func(merchant string) func(store.View, store.Page) error {
		return func(v store.View, p store.Page) error {
			_, err := store.Stream(v, merchant, store.Place{Q: 3, N: 1}, p.Limit)
			return err
		}
	}
	for index, read := range map[string]func(store.View, store.Page) error{
		"orders_created":        orders(func(f *store.OrderFilter) {}),
		"orders_merchant":       orders(func(f *store.OrderFilter) { f.Merchant = "m" }),
		"orders_status":         orders(func(f *store.OrderFilter) { f.Merchant, f.Status = "m", credit.OrderCaptured }),
		"orders_company":        orders(func(f *store.OrderFilter) { f.Company = 1 }),
		"orders_financing":      orders(func(f *store.OrderFilter) { f.Merchant, f.Financing = "m", credit.FinancingOverdue }),
		"orders_merchant_order": orders(func(f *store.OrderFilter) { f.Merchant, f.MerchantOrderID = "m", "x" }),
		"orders_updated (merchant_id=? AND updated_at>?); USE":                                      orders(func(f *store.OrderFilter) { f.Merchant, f.UpdatedSince = "m", time.Unix(1, 0) }),
		"orders_updated (merchant_id=? AND updated_at>?); USING INDEX sqlite_autoindex_merchants_1": orders(func(f *store.OrderFilter) { f.UpdatedSince = time.Unix(1, 0) }),
		"orders_updated (merchant_id=?": orders(func(f *store.OrderFilter) {
			f.Merchant, f.Status, f.UpdatedSince = "m", credit.OrderCaptured, time.Unix(1, 0)
		}),
		"orders_captured (merchant_id=? AND capture_date>? AND capture_date<?)": orders(func(f *store.OrderFilter) {
			f.Merchant, f.CapturedFrom, f.CapturedTo = "m", 1, 9
		}),
		"orders_captured (merchant_id=? AND capture_date>?); USING INDEX sqlite_autoindex_merchants_1": orders(func(f *store.OrderFilter) { f.CapturedFrom = 1 }),
		"orders_captured (merchant_id=? AND capture_date>? AND capture_date<?); USE TEMP":              orders(func(f *store.OrderFilter) { f.Merchant, f.CapturedTo = "m", 9 }),
		"orders_company (company_id=?": orders(func(f *store.OrderFilter) {
			f.Merchant, f.Company, f.UpdatedSince, f.CapturedFrom = "m", 1, time.Unix(1, 0), 1
		}),
		"payments_created": payments(store.PaymentFilter{}), "payments_company": payments(store.PaymentFilter{Company: 1}),
		"sqlite_autoindex_money_events_1 (id=?)": payments(store.PaymentFilter{Order: "o"}), // payments that paid the order
		"payments_invoice":                       payments(store.PaymentFilter{Invoice: "i"}),
		"payments_order_merchant":                payments(store.PaymentFilter{Merchant: "m"}), "invoices_created": invoices(store.InvoiceFilter{}),
		"invoices_merchant": invoices(store.InvoiceFilter{Merchant: "m"}), "invoices_order": invoices(store.InvoiceFilter{Order: "o"}),
		"invoices_company": invoices(store.InvoiceFilter{Company: 1}), "companies_created": companies(""),
		"company_merchants_created": companies("m"), "PRIMARY KEY (object_type=? AND object_id=? AND q>? AND q<?)": events(credit.ObjectRef{Type: "order", ID: "o"}),
		"audit_company (company_id=? AND q>? AND q<?)": events(credit.ObjectRef{Type: "company", ID: "7"}),
		"audit_object (object=? AND q>? AND q<?)":      events(credit.ObjectRef{Type: "order", ID: "o"}),
		"installments_open":                            func(v store.View, _ store.Page) error { _, err := store.PastDueOf(v, 1, "m", 7); return err },
		"installments_open (company_id=? AND due_date<?)": func(v store.View, _ store.Page) error {
			_, err := store.PastDues(v, []int64{1, 2}, "", 7)
			return err
		},
		"batches_at": func(v store.View, _ store.Page) error { _, err := store.SeqAt(v, time.Unix(1, 0)); return err },
		"sqlite_autoindex_order_history_1 (until_q=? AND order_key=?)": func(v store.View, _ store.Page) error { _, err := store.At(v, store.OrderNoun, "o", -1); return err },
		"audit_company (company_id=? AND q>?)":                         func(v store.View, _ store.Page) error { _, err := store.At(v, store.CompanyNoun, 7, -1); return err },
		"postings_order":                                               func(v store.View, _ store.Page) error { _, err := store.EntriesOf(v, "o"); return err },

		"clients_created": clients(""), "clients_merchant (merchant_id=?": clients("m"),
		"endpoints_created": endpoints(""), "endpoints_merchant (merchant_id=?": endpoints("m"),
		"deliveries_created": deliveries(store.DeliveryFilter{}), "deliveries_event": deliveries(store.DeliveryFilter{Event: "e"}),
		"deliveries_merchant":                         deliveries(store.DeliveryFilter{Merchant: "m"}),
		"deliveries_merchant (merchant_id=?":          deliveries(store.DeliveryFilter{Merchant: "m", State: store.DeliverySucceeded}),
		"deliveries_endpoint (endpoint_id=?":          deliveries(store.DeliveryFilter{Merchant: "m", Endpoint: "x"}),
		"deliveries_event (event_id=?":                deliveries(store.DeliveryFilter{Endpoint: "x", Event: "e", State: store.DeliveryParked}),
		"deliveries_state (endpoint_id=? AND state=?": deliveries(store.DeliveryFilter{Endpoint: "x", State: store.DeliveryParked}),
		"deliveries_state":                            deliveries(store.DeliveryFilter{State: store.DeliveryPending}),
		"deliveries_pending (endpoint_id=?)":          func(v store.View, _ store.Page) error { _, err := store.ListPending(v, "x", 5); return err },
		"deliveries_pending":                          func(v store.View, _ store.Page) error { _, err := store.Backlog(v); return err },
		"resends_q (q>?)":                             func(v store.View, _ store.Page) error { _, err := store.ListResends(v, 7, 5); return err },
		"PRIMARY KEY (merchant_id=? AND q>? AND q<?)": stream("m"), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)": stream(""),
		"orders_proposed":           func(v store.View, p store.Page) error { _, err := store.ListProposedOrders(v, p); return err },
		"orders_stopped":            func(v store.View, p store.Page) error { _, err := store.ListStoppedOrders(v, p); return err },
		"companies_paused":          func(v store.View, p store.Page) error { _, err := store.ListPausedCompanies(v, p); return err },
		"bank_files_state (state=?": func(v store.View, p store.Page) error { _, err := store.ListFiles(v, store.FileSent, p); return err },
		"companies_suspended":       func(v store.View, p store.Page) error { _, err := store.ListSuspendedCompanies(v, p); return err },
		"companies_unscreened":      func(v store.View, p store.Page) error { _, err := store.ListUnscreenedCompanies(v, p); return err },
		"merchants_unscreened":      func(v store.View, _ store.Page) error { _, err := store.ListUnscreenedMerchants(v); return err },
	} {
		for _, page := range []store.Page{{Limit: 5}, {Limit: 5, AfterAt: time.Unix(1, 0), AfterID: "7"}} {
			plan := planOf(t, db, func(v store.View) error { return read(v, page) })
			// Recently changed or captured orders are sorted by age, within the index; so
			// are one order by the shop's own number, the payments of one order, and the
			// debts of a page of companies.
			name, _, _ := strings.Cut(index, " ")
			sorts := slices.Contains([]string{"orders_updated", "orders_captured", "orders_merchant_order", "postings_order", "installments_open", "sqlite_autoindex_money_events_1"}, name) ||
				strings.Contains(index, "AND q>? AND q<?") ||
				index == "deliveries_state" // of all endpoints
			if !strings.Contains(plan, "INDEX "+index) && !strings.Contains(plan, "USING "+index) || strings.Contains(plan, "TEMP B-TREE") && !sorts {
				t.Errorf("%s, after %q: %s", index, page.AfterID, plan)
			}
		}
	}
}

// The commits that may have changed a record come in order, from all that finds them: a join would
// let SQLite take them one source after the other.
func TestPastIsReadInOrder(t *testing.T) {
	db := open(t)
	defer db.Close()
	for n, read := range map[string]func(store.View) error{
		"an order":    func(v store.View) error { _, err := store.At(v, store.OrderNoun, "o", -1); return err },
		"a company":   func(v store.View) error { _, err := store.At(v, store.CompanyNoun, 7, -1); return err },
		"an endpoint": func(v store.View) error { _, err := store.At(v, store.EndpointNoun, "w", -1); return err },
	} {
		if plan := planOf(t, db, read); !strings.Contains(plan, "MERGE (UNION ALL)") {
			t.Errorf("%s: %s", n, plan)
		}
	}
}

// planOf explains the last statement that fn executes.
func planOf(t *testing.T, db *DB, fn func(store.View) error) string {
	t.Helper()
	var plan strings.Builder
	err := db.View(context.Background(), func(v store.View) error {
		k, last := v.(*view).conn, ""
		k.trace = func(sql string) { last = sql }
		err := fn(v)
		k.trace = nil
		return errors.Join(err, k.query("EXPLAIN QUERY PLAN "+last, nil, func(s *sqlite.Stmt) error {
			plan.WriteString(s.ColumnText(3) + "; ")
			return nil
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
