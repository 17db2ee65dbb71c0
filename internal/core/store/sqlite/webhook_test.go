package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// post returns a database with one endpoint and one event for it.
func post(t *testing.T) (*DB, store.Delivery) {
	t.Helper()
	db := open(t)
	t.Cleanup(func() { db.Close() })
	e := credit.Event{ID: "evt_00000000Z80000000000000000", Type: "x", Object: credit.ObjectRef{Type: "order", ID: "o"}, Sequence: 1, Merchant: "m"}
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
		if n := db.w.steps - before; n != 7 { // including BEGIN and COMMIT
			t.Errorf("%d statements for %d deliveries", n, size)
		}
	}
}

// TestDeliveriesStay tries to change what couriers have written, bypassing the interface.
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
		"INSERT INTO event_readers VALUES ('m', 99)",
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
