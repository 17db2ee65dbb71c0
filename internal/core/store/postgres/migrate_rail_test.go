package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// beforeRails are rows of a database without rails: a company with a past, and orders in
// every status.
func beforeRails() []string {
	list := []string{
		insertRow("merchants", cells{"id": "'m1'", "account": absent, "limits": absent, "settled": absent, "owed_since": absent, "debit": absent, "written_off": absent, "shop": absent}),
		insertRow("companies", cells{"status": "'APPROVED'", "linked": "NULL", "servicing": absent, "q": "2"}),
		insertRow("company_history", cells{"status": "'APPROVED'", "linked": "NULL", "servicing": absent, "until_q": "2"}),
	}
	for _, status := range strings.Fields("CREATED AUTHORIZED CAPTURED CANCELED RETURNED") {
		financing := map[bool]string{true: "'ACTIVE'", false: "'NONE'"}[status == "CAPTURED"]
		o := inStatus("o_"+status, status).but(cells{
			"financing_status": financing, "next_at": absent, "servicing": absent, "updated_at": "'2026-03-01 12:00Z'", "cart": "NULL",
			"refunds": "NULL", "q": "1",
		})
		list = append(list, insertRow("orders", o))
		list = append(list, insertRow("order_history", o.but(cells{"until_q": "9"})))
	}
	return append(list, insertRow("payments", succeeded("p1").but(cells{
		"order_key": "NULL", "payment_method_id": absent, "transfer_id": absent, "original_id": absent, "items": absent, "autopay": absent,
		"fee_assessed": absent, "on_hold": absent, "owed_since": absent, "freed": absent, "held": absent,
	})), "UPDATE books SET q = 10, at = '2026-03-01 12:00Z', business_date = '2026-03-01'")
}

// TestRailsMigration brings a database with data to the schema of rails: what is open is
// due at once, and what is new reads as what the program writes for nothing.
func TestRailsMigration(t *testing.T) {
	url := before(t, "0003_rails.sql")
	err := with(t.Context(), url, func(k *conn) error { return k.script(strings.Join(beforeRails(), "; ")) })
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(t.Context(), func(sv store.View) error {
		v := sv.(*view)
		due, err := v.Due(store.OrderNoun, noon(30), store.Page{Limit: 9})
		if want := []store.Due{{ID: "o_AUTHORIZED", At: noon(0)}, {ID: "o_CAPTURED", At: noon(0)}}; !slices.Equal(due, want) {
			t.Errorf("due: %v", due)
		}
		past, e2 := store.At(v, store.OrderNoun, "o_CAPTURED", 5)
		company, e3 := store.At(v, store.CompanyNoun, 1, 1)
		if past == nil || !past.NextAt.IsZero() || cmp.Diff(credit.Servicing{}, past.Servicing) != "" ||
			company == nil || cmp.Diff(credit.CompanyServicing{}, company.Servicing) != "" {
			t.Errorf("the past: %+v, %+v", past, company)
		}
		return errors.Join(err, e2, e3, sameBytes(t, v))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sameBytes compares what the migration put into new columns with what the program
// writes for the same record.
func sameBytes(t *testing.T, v *view) error {
	t.Helper()
	var merchant store.MerchantRow
	merchant.Merchant = &credit.Merchant{}
	company, order := store.CompanyRow{Company: &credit.Company{}}, store.OrderRow{Order: &credit.Order{}}
	want := map[string]string{
		"SELECT account FROM merchants":            valueOf(&store.Merchants, &merchant, "account"),
		"SELECT servicing FROM companies":          valueOf(&store.Companies, &company, "servicing"),
		"SELECT servicing FROM company_history":    valueOf(&store.Companies, &company, "servicing"),
		"SELECT DISTINCT servicing FROM orders":    valueOf(&store.Orders, &order, "servicing"),
		"SELECT max(servicing) FROM order_history": valueOf(&store.Orders, &order, "servicing"),
	}
	for sql, text := range want {
		got := ""
		if err := v.query(sql, nil, func(r *row) error { got = r.text(0); return nil }); err != nil {
			return err
		}
		if got != text {
			t.Errorf("%s: %s instead of %s", sql, got, text)
		}
	}
	return nil
}

func valueOf[T any](table *store.Table[T], r *T, column string) string {
	for _, c := range table.Columns {
		if c.Name == column {
			return c.Get(r).Text
		}
	}
	return ""
}
