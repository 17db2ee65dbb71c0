package postgres

import (
	"errors"
	"strings"
	"testing"

	"tenor/internal/core/store"
)

// TestSharedAccountPlans checks how accounts of several companies are found: those added
// since an instant, newest first, each with one lookup in the index of accounts.
func TestSharedAccountPlans(t *testing.T) {
	db, plans := railBook(t), map[string]string{}
	if err := db.View(t.Context(), func(sv store.View) error {
		v := sv.(*view)
		_, e1 := store.ListSharedAccounts(v, noon(0), store.Page{Limit: 20})
		_, e2 := store.ListSharedAccounts(v, noon(0), store.Page{Limit: 20, AfterAt: noon(0), AfterID: "7"})
		_, e3 := store.ListSameAccount(v, "f")
		return errors.Join(e1, e2, e3, explainAll(t, v, 3), explain(v, plans))
	}); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string][]string{
		"fingerprint IS NOT NULL AND (SELECT":                {"payment_methods_added", "created_at >= $1", "payment_methods_account"},
		"WHERE fingerprint IS NOT NULL AND fingerprint = $1": {"payment_methods_account", "fingerprint = $1"},
	} {
		found := 0
		for sql, plan := range plans {
			if !strings.Contains(sql, part) {
				continue
			}
			found++
			for _, x := range want {
				if !strings.Contains(plan, x) {
					t.Errorf("%s: no %s in\n%s", part, x, plan)
				}
			}
		}
		if found == 0 {
			t.Errorf("no statement has %s", part)
		}
	}
}
