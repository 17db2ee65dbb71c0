package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

// TestOlderDatabase brings a database of the first schema up to date: its clients stay and
// open nothing, its tokens go, and its events get the readers that they had.
func TestOlderDatabase(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "tenor.db")
	older(t, path)
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if p, found, err := db.TokenByHash(ctx, [32]byte(slices.Repeat([]byte{7}, 32))); err != nil || found {
		t.Fatalf("the token: %+v, %v, %v", p, found, err)
	}
	made := time.UnixMicro(5).UTC()
	err = db.View(ctx, func(v store.View) error {
		list, err := store.ListClients(v, "", store.Page{Limit: 9})
		if err != nil || len(list) != 1 {
			return fmt.Errorf("the clients: %v, %w", list, err)
		}
		client := list[0]
		if client.Name != "Till" || client.Burst != access.DefaultBurst || client.Version != 0 || client.CreatedAt != made ||
			client.UpdatedAt != made || len(client.Scopes) != 1 || time.Since(client.RevokedAt) > time.Minute || time.Until(client.RevokedAt) > time.Minute {
			t.Errorf("the client: %+v", client)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := db.BareClients(ctx); err != nil || len(list) != 0 {
		t.Errorf("clients that open something: %v, %v", list, err)
	}
	var readers []string
	err = db.View(ctx, func(v store.View) error {
		return store.Each(v, &store.EventReaders, func(r store.ReaderRow) error {
			readers = append(readers, fmt.Sprint(r.Merchant, " ", r.Q))
			return nil
		})
	})
	if want := []string{"m1 1", "m1 4", "m1 5", "m2 3", "m2 4", "m2 5", "m3 9"}; err != nil || !slices.Equal(readers, want) {
		t.Errorf("readers %q instead of %q: %v", readers, want, err)
	}
	err = db.w.query("PRAGMA foreign_key_check", nil, func(s *sqlite.Stmt) error {
		return fmt.Errorf("a row of %s has lost its parent", s.ColumnText(0))
	})
	if err != nil {
		t.Error(err)
	}
	if err := db.w.query("SELECT * FROM idempotency WHERE sealed <> 0", nil, nil); err != nil {
		t.Error(err)
	}
	olderRails(t, db)
}

// olderRails looks at what the third migration has added to old records: nothing, and
// an open order is looked at at once.
func olderRails(t *testing.T, db *DB) {
	t.Helper()
	keys := credit.Keys{Merchants: []string{"m1"}, Companies: []int64{7}, Orders: []string{"done", "open"}, Payments: []string{"p"}}
	s := credit.NewState()
	err := db.View(t.Context(), func(v store.View) error {
		due, err := v.Due(store.OrderNoun, time.Unix(9, 0), store.Page{Limit: 9})
		if len(due) != 1 || due[0] != (store.Due{ID: "open", At: time.UnixMicro(8).UTC()}) {
			t.Errorf("due are %v", due)
		}
		return errors.Join(err, v.Load(s, keys))
	})
	if err != nil {
		t.Fatal(err)
	}
	p := *s.Payments["p"]
	if p.MethodID != "" || p.Transfer != "" || p.Original != "" || p.Items != nil || p.Autopay || p.FeeAssessed || p.OnHold != 0 {
		t.Errorf("the payment: %+v", p)
	}
	if !reflect.DeepEqual(s.Orders["open"].Servicing, credit.Servicing{}) || !reflect.DeepEqual(s.Companies[7].Servicing, credit.CompanyServicing{}) ||
		!reflect.DeepEqual(s.Merchants["m1"].Account, credit.MerchantAccount{}) {
		t.Errorf("%+v, %+v, %+v", s.Orders["open"], s.Companies[7], s.Merchants["m1"])
	}
	// What the migration wrote for nothing is what the program writes.
	row := store.CompanyRow{Company: s.Companies[7]}
	same := func(table, column, want string) {
		sql := "SELECT 1 FROM " + table + " WHERE " + column + " <> ?1"
		err := db.w.query(sql, []store.Value{text(want)}, func(*sqlite.Stmt) error { return fmt.Errorf("%s.%s is not %s", table, column, want) })
		if err != nil {
			t.Error(err)
		}
	}
	for _, table := range []string{"companies", "company_history"} {
		same(table, "servicing", written(&store.Companies, &row, "servicing"))
	}
	for _, table := range []string{"orders", "order_history"} {
		same(table, "servicing", written(&store.Orders, &store.OrderRow{Order: &credit.Order{}}, "servicing"))
	}
	same("merchants", "account", written(&store.Merchants, &store.MerchantRow{Merchant: &credit.Merchant{}}, "account"))
}

// written is what the program writes into a column of text.
func written[T any](t *store.Table[T], row *T, column string) string {
	i := slices.Index(t.Schema().Columns, column)
	return t.Columns[i].Get(row).Text
}

// older makes a database of the first schema. Its company was linked to m1 in commit 1,
// to m1 and m2 in a batch that ended with commit 5, and to m3 in commit 9.
func older(t *testing.T, path string) {
	t.Helper()
	k, err := connect(path, Options{}, writing)
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.MigrationFiles(migrations)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.script("CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL) STRICT"); err != nil {
		t.Fatal(err)
	}
	if err := k.migrate(list[0]); err != nil {
		t.Fatal(err)
	}
	company := func(q int64, linked string) string {
		return fmt.Sprintf("'', '', '', 'APPROVED', '', '', '', '', '{}', '', 0, 0, 0, 0, 0, '%s', 0, 0, NULL, NULL, %d, 0, %d)", linked, q, q)
	}
	order := func(key, status, financing string, day string) string {
		return fmt.Sprintf("('%s', 7, 'm1', NULL, 'USD', 5, '%s', '%s', 0, 0, 1, NULL, 0, 0, 0, 0, 0, 0, %s, NULL, NULL, NULL, 0, NULL, NULL, '', NULL,"+
			" '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'po', 0, 7, 8, 1, 1, 9)", key, status, financing, day)
	}
	event := func(q, sequence int64, object, merchant string) store.EventRow {
		return store.EventRow{
			ID: fmt.Sprint("evt_", q), Type: "x", Object: credit.ObjectRef{Type: object, ID: "7"}, Sequence: sequence, Q: q, Company: 7,
			Merchant: merchant,
		}
	}
	for _, s := range []step{
		put(&store.Events, statements.events, []store.EventRow{
			event(1, 1, "company", ""), event(3, 1, "order", "m2"), event(4, 2, "company", ""), event(5, 3, "company", ""),
			event(6, 1, "payment", credit.OperatorOnly), event(9, 4, "company", ""),
		}),
	} {
		if err := k.exec(s.sql, s.rows, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{
		"INSERT INTO companies VALUES (7, " + company(9, `["m3"]`),
		"INSERT INTO company_history VALUES (7, 5, " + company(1, `["m1"]`),
		"INSERT INTO company_history VALUES (7, 9, " + company(5, `["m1","m2"]`),
		"INSERT INTO merchants VALUES ('m1', 'One', NULL, NULL, 1, 1)",
		"INSERT INTO orders VALUES " + order("open", "AUTHORIZED", "NONE", "NULL"),
		"INSERT INTO orders VALUES " + order("done", "RETURNED", "PAID_OFF", "7"),
		"INSERT INTO order_history SELECT order_key, 8, company_id, merchant_id, merchant_order_id, currency, amount, status, financing_status," +
			" installments, externally_managed, programme, terms, authorized_amount, reserved, captured, refunded, merchant_discount," +
			" merchant_discount_back, capture_date, captured_at, authorized_at, expires_at, extended, warned_for, canceled_at, cancel_reason," +
			" returned_at, merchant_status, cart, charges, shipping, billing, metadata, refunds, invoice_id, parent, checkout_id, payout_id," +
			" revision, created_at, updated_at, version, event_seq, q FROM orders",
		"INSERT INTO payments VALUES ('p', 7, 'm1', 'm1', 'done', NULL, 5, 'USD', 'SUCCEEDED', 'WIRE', 'IN', NULL, NULL, '', NULL, '', 0, 0, 0," +
			" NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, 1, 1, 9)",
		"INSERT INTO clients VALUES ('cli', 'm1', 'Till', '[\"orders:read\"]', 60, 5, NULL)",
		"INSERT INTO tokens VALUES (x'" + strings.Repeat("07", 32) + "', 'cli', '[\"orders:read\"]', 9, NULL)",
		"INSERT INTO idempotency VALUES ('cli', 'k', zeroblob(32), 201, x'', '', '', '', 1, NULL, 0)",
	} {
		if err := k.script(sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.c.Close(); err != nil {
		t.Fatal(err)
	}
}

// post is a database with one endpoint and one event for it.
func post(t *testing.T) (*DB, store.Delivery) {
	t.Helper()
	db := open(t)
	t.Cleanup(func() { db.Close() })
	e := credit.Event{ID: "evt", Type: "x", Object: credit.ObjectRef{Type: "order", ID: "o"}, Sequence: 1, Merchant: "m"}
	batch := store.Batch{Epoch: 1, At: time.Unix(1, 0), Decided: []store.Decided{{
		Audit: store.Audit{At: time.Unix(1, 0)}, Events: [][]byte{[]byte("{}")}, Changes: credit.Changes{
			Merchants: []*credit.Merchant{{ID: "m"}}, Events: []credit.Event{e},
			Endpoints: []*credit.Endpoint{{ID: "whk", Merchant: "m", Version: 1}},
		},
	}}}
	if _, err := db.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
		t.Fatal(err)
	}
	return db, store.Delivery{
		ID: "dlv", Endpoint: "whk", Merchant: "m", Event: e.ID, Type: e.Type, Object: e.Object, Sequence: 1, Place: store.Place{Q: 1},
		State: store.DeliveryPending, CreatedAt: time.Unix(2, 0),
	}
}

// TestRecordStatements counts the statements of recorded work: they do not grow with it.
func TestRecordStatements(t *testing.T) {
	db, d := post(t)
	l, _, err := db.Lease(t.Context(), "webhooks", "a", time.Unix(0, 0), time.Unix(9, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 64, 512} {
		w := store.Work{Leases: []store.Lease{l}, Cursors: []store.Cursor{{Endpoint: "whk", Place: d.Place}}}
		for i := range size {
			d.ID = fmt.Sprintf("dlv_%d_%d", size, i)
			w.Deliveries = append(w.Deliveries, d)
			w.Attempts = append(w.Attempts, store.Attempt{Delivery: d.ID, N: 1})
		}
		before := db.w.steps
		if err := db.Record(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		if n := db.w.steps - before; n != 6 { // with BEGIN and COMMIT
			t.Errorf("%d statements for %d deliveries", n, size)
		}
	}
}

// TestDeliveriesStay tries to change what couriers have written, past the interface.
func TestDeliveriesStay(t *testing.T) {
	db, d := post(t)
	done := d
	d.Attempts = 1
	done.ID, done.State, done.FinishedAt = "done", store.DeliverySucceeded, time.Unix(3, 0)
	work := store.Work{
		Deliveries: []store.Delivery{d, done}, Attempts: []store.Attempt{{Delivery: "dlv", N: 1}, {Delivery: "done", N: 1}},
		Cursors: []store.Cursor{{Endpoint: "whk", Place: store.Place{Q: 1, N: 1}, Resend: 1}},
	}
	if err := db.Record(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Lease(t.Context(), "webhooks", "a", time.Unix(0, 0), time.Unix(9, 0)); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"UPDATE deliveries SET event_id = 'x'", "UPDATE deliveries SET url = 'x'", "UPDATE deliveries SET endpoint_id = 'x'", "UPDATE deliveries SET merchant_id = 'x'",
		"UPDATE deliveries SET attempts = attempts - 1", "UPDATE deliveries SET state = 'PENDING', finished_at = NULL",
		"UPDATE deliveries SET state = 'PARKED' WHERE id = 'dlv'", "DELETE FROM deliveries WHERE id = 'dlv'",
		"UPDATE attempts SET status = 200", "DELETE FROM attempts", "UPDATE delivery_cursors SET q = q - 1", "UPDATE delivery_cursors SET n = n - 1",
		"UPDATE delivery_cursors SET resend_q = 0", "INSERT INTO delivery_cursors VALUES ('x', 1, 1, 1)",
		"UPDATE leases SET holder = 'b'", "UPDATE leases SET token = token - 1", "DELETE FROM leases",
		"INSERT INTO event_readers VALUES ('m', 99, 0)", "INSERT INTO event_readers VALUES ('-', 1, 0)",
		"INSERT INTO resends VALUES ('r', 'whk', 'x', 'evt', NULL, NULL, 1, 1)", "INSERT INTO resends VALUES ('r', 'whk', 'm', '', 5, 5, 1, 1)",
	} {
		if err := db.w.script(sql); err == nil || sqlite.ErrCode(err).ToPrimary() != sqlite.ResultConstraint {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if err := db.w.script("DELETE FROM deliveries WHERE id = 'done'"); err != nil {
		t.Error(err)
	}
	left := 0
	err := db.w.query("SELECT count(*) FROM attempts", nil, func(s *sqlite.Stmt) error { left = s.ColumnInt(0); return nil })
	if err != nil || left != 1 {
		t.Errorf("%d attempts are left instead of 1: %v", left, err)
	}
}
