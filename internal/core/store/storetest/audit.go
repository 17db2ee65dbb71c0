package storetest

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
)

// testAudits lists the audit log by each filter, page by page, and compares it with a walk
// over all of it.
func testAudits(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	for range 12 {
		batch := w.Batch(12)
		for i := range batch.Decided {
			a := &batch.Decided[i].Audit
			a.At = batch.At // as in the engine
			a.Actor.Client, a.Actor.Merchant = fmt.Sprint("cli_", w.rng.IntN(3)), []string{"", "mch_1", "mch_2"}[w.rng.IntN(3)]
			a.Object, a.Actor.RequestID = []string{"", "obj_1", "obj_2"}[w.rng.IntN(3)], []string{"", "req_1"}[w.rng.IntN(2)]
			a.Company = int64(w.rng.IntN(3))
		}
		commit(t, b, batch)
	}
	view(t, b, func(v store.View) {
		var all []store.AuditRow
		if err := store.EachAudit(v, 0, func(q int64, a store.Audit) error {
			all = append(all, store.AuditRow{Audit: a, Q: q})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(all)
		middle := all[len(all)/2]
		filters := []store.AuditFilter{
			{}, {Client: middle.Actor.Client}, {Merchant: middle.Actor.Merchant}, {Command: middle.Command}, {From: middle.At}, {To: middle.At},
			{From: middle.At, To: middle.At.Add(time.Microsecond)}, {Client: "nobody"}, {To: all[len(all)-1].At},
		}
		for _, a := range all {
			filters = append(filters, store.AuditFilter{Object: a.Object}, store.AuditFilter{Company: a.Company}, store.AuditFilter{RequestID: a.Actor.RequestID},
				store.AuditFilter{Object: a.Object, Command: a.Command, Company: a.Company, Client: a.Actor.Client})
		}
		found := 0
		for _, f := range filters {
			found += walkAudits(t, v, f, all)
		}
		if found < 5*len(all) {
			t.Errorf("only %d rows of %d were found", found, len(all))
		}
	})
}

func walkAudits(t *testing.T, v store.View, f store.AuditFilter, all []store.AuditRow) int {
	t.Helper()
	want := slices.DeleteFunc(slices.Clone(all), func(a store.AuditRow) bool {
		return !f.Takes(&a) || !f.From.IsZero() && a.At.Before(f.From) || !f.To.IsZero() && !a.At.Before(f.To)
	})
	var got []store.AuditRow
	for before := int64(math.MaxInt64); ; before = got[len(got)-1].Q {
		page, err := store.ListAudits(v, f, before, 7)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		if got = append(got, page...); len(page) < 7 {
			break
		}
	}
	equal(t, "audit log", want, got)
	return len(got)
}
