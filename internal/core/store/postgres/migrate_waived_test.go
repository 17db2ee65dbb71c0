package postgres

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// waiver is the insertion of a money event that has waived amounts of fees of an order.
func waiver(id, order string, waived map[string]money.Amount) string {
	var r store.MoneyRow
	for fee, amount := range waived {
		part := schedule.Part{Order: order, Item: schedule.ItemFee, Installment: 1, Fee: fee, Amount: amount}
		r.Posted = append(r.Posted, credit.Posted{Effect: schedule.Effect{Kind: schedule.EffectWaived, Cause: id, Order: order, Parts: []schedule.Part{part}}})
	}
	posted := "NULL"
	if text := valueOf(&store.MoneyEvents, &r, "posted"); text != "" {
		posted = "'" + text + "'"
	}
	return insertRow("money_events", cells{"id": "'" + id + "'", "kind": "'WAIVER'", "order_key": "'" + order + "'", "posted": posted})
}

// TestWaivedMigration: what was waived before there was a column for it is taken from
// what the waivers have posted, to the cent, twice of one fee, and nothing where nothing
// was.
func TestWaivedMigration(t *testing.T) {
	url := before(t, "0009_waived_and_said.sql")
	fee := func(order, n, id, amount string) string {
		return insertRow("fees", cells{"order_key": "'" + order + "'", "n": n, "id": "'" + id + "'", "amount": amount, "paid": "0", "waived": absent})
	}
	script := []string{
		"ALTER TABLE fees DISABLE TRIGGER USER", "ALTER TABLE money_events DISABLE TRIGGER USER",
		fee("o1", "0", "f1", "300"), fee("o1", "1", "f2", "1035"), fee("o2", "0", "f3", "0"),
		waiver("w1", "o1", map[string]money.Amount{"f1": 735}), waiver("w2", "o1", map[string]money.Amount{"f1": 29}),
		waiver("w3", "o2", map[string]money.Amount{"f3": 2_500_00}), waiver("w4", "o2", nil),
		"ALTER TABLE fees ENABLE TRIGGER USER", "ALTER TABLE money_events ENABLE TRIGGER USER",
	}
	if err := with(t.Context(), url, func(k *conn) error { return k.script(strings.Join(script, "; ")) }); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got := ""
	err = db.View(t.Context(), func(v store.View) error {
		return v.(*view).query("SELECT id, waived::text FROM fees ORDER BY id", nil, func(r *row) error {
			got += fmt.Sprintf("%s %s, ", r.text(0), r.text(1))
			return nil
		})
	})
	if want := "f1 764, f2 0, f3 250000, "; err != nil || got != want {
		t.Errorf("waived: %s, must be %s: %v", got, want, err)
	}
}
