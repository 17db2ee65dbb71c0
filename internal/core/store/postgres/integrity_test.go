package postgres

import (
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/proof/pgtest"
)

// Without amcheck the check says so; with it, every index of a sound database agrees with its table, and
// one that was taken out of step with it is named.
func TestIntegrity(t *testing.T) {
	url := pgtest.Database(t)
	db := reopen(t, nil, url, nil)
	defer func() { _ = db.Close() }()
	w := storetest.NewWorld(3)
	for range 5 {
		batch := w.Batch(20)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	check := func() (note string, problems []string) {
		t.Helper()
		note, err := db.Integrity(t.Context(), func(text string) { problems = append(problems, text) })
		if err != nil {
			t.Fatal(err)
		}
		return note, problems
	}
	script := func(sql string) {
		t.Helper()
		if err := with(t.Context(), url, func(k *conn) error { return k.script(sql) }); err != nil {
			t.Fatal(err)
		}
	}
	if note, problems := check(); !strings.Contains(note, "CREATE EXTENSION amcheck") || problems != nil {
		t.Errorf("without the extension: %q, %q", note, problems)
	}
	script("CREATE EXTENSION amcheck")
	if note, problems := check(); note != "" || problems != nil {
		t.Errorf("sound: %q, %q", note, problems)
	}
	// An index whose catalog row says that it is descending is in the wrong order.
	script("UPDATE pg_index SET indoption = '3 3' WHERE indexrelid = 'orders_created'::regclass")
	if _, problems := check(); len(problems) != 1 || !strings.Contains(problems[0], "orders_created") {
		t.Errorf("an index in another order: %q", problems)
	}
}
