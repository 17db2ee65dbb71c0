package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ulid"
)

// OldEvents are the events of the only commit of a book, as databases kept them in rows before
// migration 0002: the tests of each database write them so, and migrate.
func OldEvents() []store.EventRow {
	at := time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC)
	event := func(n int, kind credit.EventType, object credit.ObjectRef, merchant, payload string, readers ...string) store.EventRow {
		e := store.EventRow{
			ID: ulid.New("evt_", at, [10]byte{byte(n)}), Type: kind, Object: object, Sequence: int64(n + 1), Q: 1, N: n, Company: 5, Merchant: merchant,
			Readers: readers, At: at,
		}
		if payload != "" {
			e.Payload = []byte(payload)
		}
		return e
	}
	return []store.EventRow{
		event(0, "order.created", credit.ObjectRef{Type: "order", ID: "ord_1"}, "m", `{"name":"é \" \\ /","amount":1.00}`, "m"),
		event(1, "company.updated", credit.ObjectRef{Type: "company", ID: "5"}, "", `{}`, "m", "n"),
		event(2, "payment.created", credit.ObjectRef{Type: "payment", ID: "pay_1"}, credit.OperatorOnly, ""),
	}
}

// OldAnswer is the response stored under key k of client cli in the same commit.
const OldAnswer = `{"key":"ord_1"}`

// MigratedEvents checks that the events and the response are what they were, and are found in
// every way, after a migration.
func MigratedEvents(t *testing.T, b store.Backend) {
	t.Helper()
	all := OldEvents()
	view(t, b, func(v store.View) {
		for what, x := range map[string]struct {
			f    store.EventFilter
			want []store.EventRow
		}{
			"all":                {store.EventFilter{}, all},
			"a merchant's":       {store.EventFilter{Merchant: "m"}, all[:2]},
			"another merchant's": {store.EventFilter{Merchant: "n"}, all[1:2]},
			"the command's own":  {store.EventFilter{Object: all[0].Object}, all[:1]},
			"the company's":      {store.EventFilter{Object: all[1].Object}, all[1:2]},
			"of another object":  {store.EventFilter{Object: all[2].Object}, all[2:]},
			"by identifier":      {store.EventFilter{ID: all[2].ID}, all[2:]},
			"behind one":         {store.EventFilter{Behind: all[0].ID}, all[1:]},
			"by time":            {store.EventFilter{From: all[0].At, To: all[0].At.Add(time.Microsecond)}, all},
			"of a later time":    {store.EventFilter{From: all[0].At.Add(time.Microsecond)}, nil},
		} {
			x.f.Limit = 10
			equal(t, what, x.want, must(v.Events(x.f))(t))
		}
		answers := 0
		if err := store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
			if answers++; k != (store.KeyID{Client: "cli", Key: "k"}) || string(a.Body) != OldAnswer || a.Status != 201 || a.Q != 1 {
				t.Errorf("answer %+v under %+v", a, k)
			}
			return nil
		}); err != nil || answers != 1 {
			t.Errorf("%d answers, %v", answers, err)
		}
		equal(t, "readers", []store.ReaderRow{{Merchant: "m", Q: 1}, {Merchant: "n", Q: 1}}, each(t, v, &store.EventReaders))
		equal(t, "objects", []store.ObjectRow{{ObjectRef: all[2].Object, Q: 1}}, each(t, v, &store.EventObjects))
	})
	if _, err := b.Update(context.Background(), func(tx store.Tx) error {
		found, err := tx.Load(credit.NewState(), credit.Keys{}, []store.KeyID{{Client: "cli", Key: "k"}})
		if a := found[store.KeyID{Client: "cli", Key: "k"}]; string(a.Body) != OldAnswer {
			t.Errorf("a repeated request would get %q", a.Body)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// DamagedEvents checks what is listed of a book whose commit 1 has the events of OldEvents and
// whose commit 2 cannot be read: everything else, and it is reported. open closes the database
// that it opened before.
func DamagedEvents(t *testing.T, open func(store.Damaged) store.Backend) {
	t.Helper()
	for _, f := range []store.EventFilter{{}, {Merchant: "m"}, {Object: credit.ObjectRef{Type: "order", ID: "ord_1"}}, {From: OldEvents()[0].At}} {
		f.Limit = 10
		view(t, open(nil), func(v store.View) {
			if rows, err := v.Events(f); !errors.Is(err, store.ErrTold) || rows != nil {
				t.Errorf("%+v: %d events, %v", f, len(rows), err)
			}
		})
		var reported []int64
		view(t, open(func(q int64, err error) {
			if !errors.Is(err, store.ErrTold) {
				t.Error(err)
			}
			reported = append(reported, q)
		}), func(v store.View) {
			var want []store.EventRow
			for _, e := range OldEvents() {
				if (f.Merchant == "" || slices.Contains(e.Readers, f.Merchant)) && (f.Object == credit.ObjectRef{} || f.Object == e.Object) {
					want = append(want, e)
				}
			}
			equal(t, "what can be read", want, must(v.Events(f))(t))
			equal(t, "what was reported", []int64{2}, reported)
		})
	}
	view(t, open(nil), func(v store.View) {
		rows := each(t, v, &store.Events)
		if last := rows[len(rows)-1]; len(rows) != len(OldEvents())+1 || last.Q != 2 || last.ID != "" {
			t.Errorf("the whole table has %d rows, the last %+v", len(rows), last)
		}
		if err := store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
			if (a.Body == nil) != (a.Q == 2) || (a.Status == 0) != (a.Q == 2) {
				t.Errorf("response of commit %d: %q", a.Q, a.Body)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

func each[R any](t *testing.T, v store.View, table *store.Table[R]) (rows []R) {
	t.Helper()
	if err := store.Each(v, table, func(r R) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}
