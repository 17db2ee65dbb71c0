package sqlite

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// waiver is the insertion of a money event that has waived amounts of fees of an order.
func waiver(id, order string, waived map[string]money.Amount) string {
	r := store.MoneyRow{MoneyEvent: credit.MoneyEvent{Event: schedule.Event{ID: id, Kind: schedule.EventWaiver, Order: order}, Company: 7}}
	for fee, amount := range waived {
		part := schedule.Part{Order: order, Item: schedule.ItemFee, Installment: 1, Fee: fee, Amount: amount}
		r.Posted = append(r.Posted, credit.Posted{Effect: schedule.Effect{Kind: schedule.EffectWaived, Cause: id, Order: order, Parts: []schedule.Part{part}}})
	}
	var names, values []string
	for _, c := range store.MoneyEvents.Columns {
		v := c.Get(&r)
		text := strconv.FormatInt(v.Int, 10)
		switch {
		case v.Null:
			text = "NULL"
		case v.Kind == store.Text || v.Kind == store.JSON:
			text = "'" + v.Text + "'"
		}
		names, values = append(names, c.Name), append(values, text)
	}
	return "INSERT INTO money_events (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ");"
}

// What was waived before there was a column for it is taken from what the waivers have
// posted: to the cent, twice of one fee, and nothing where nothing was.
func TestWaivedMigration(t *testing.T) {
	k, err := connect(filepath.Join(t.TempDir(), "x.db"), Options{NormalSync: true}, writing)
	if err != nil {
		t.Fatal(err)
	}
	defer k.c.Close()
	files, err := store.MigrationFiles(migrations)
	if err != nil {
		t.Fatal(err)
	}
	const last = "0009_waived_and_said.sql"
	if err := k.script("PRAGMA foreign_keys = OFF; CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL) STRICT"); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name == last {
			rows := `INSERT INTO fees VALUES ('o1', 0, 7, 'f1', 'LATE_FEE', 1, 20500, 300, 300), ('o1', 1, 7, 'f2', 'LATE_FEE', 2, 20530, 1035, 0),
				('o2', 0, 7, 'f3', 'RETURNED_PAYMENT_FEE', 1, 20500, 0, 0);` +
				waiver("w1", "o1", map[string]money.Amount{"f1": 735}) + waiver("w2", "o1", map[string]money.Amount{"f1": 29}) +
				waiver("w3", "o2", map[string]money.Amount{"f3": 2_500_00}) + waiver("w4", "o2", nil)
			if err := k.script(rows); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.migrate(f); err != nil {
			t.Fatal(f.Name, err)
		}
	}
	got := ""
	err = k.query("SELECT id, waived, typeof(waived) FROM fees ORDER BY id", nil, func(s *sqlite.Stmt) error {
		got += s.ColumnText(0) + " " + s.ColumnText(1) + " " + s.ColumnText(2) + ", "
		return nil
	})
	if want := "f1 764 integer, f2 0 integer, f3 250000 integer, "; err != nil || got != want {
		t.Errorf("waived: %s, must be %s: %v", got, want, err)
	}
}
