package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// TestEndpointLocks has two nodes change the same endpoints and clients, which have no
// company. No change is lost, because each is decided on a locked row (EN8); and the
// history has every version.
func TestEndpointLocks(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	update(t, db, store.Committed, apply(next(t, db, 1, credit.Changes{
		Merchants: []*credit.Merchant{{ID: "m", Name: "Shop", Version: 1}},
		Clients:   []*credit.Client{{ID: "c1", Merchant: "m", Version: 1}, {ID: "c2", Merchant: "m", Version: 1}},
		Endpoints: []*credit.Endpoint{{ID: "w1", Merchant: "m", Version: 1}, {ID: "w2", Merchant: "m", Version: 1}},
	})))
	errs := make(chan error, 2)
	go func() { errs <- changeAccess(db, 1) }()
	go func() { errs <- changeAccess(other, 2) }()
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	versions, clients := map[string]int{}, 0
	err := db.View(t.Context(), func(v store.View) error {
		err := store.EachEndpointVersion(v, func(x store.EndpointVersion) error {
			versions[x.Endpoint.ID]++
			if x.Endpoint.Version != versions[x.Endpoint.ID] {
				t.Errorf("version %d of %s is the %d-th", x.Endpoint.Version, x.Endpoint.ID, versions[x.Endpoint.ID])
			}
			return nil
		})
		return errors.Join(err, store.Each(v, &store.Clients, func(c store.ClientRow) error {
			if clients++; c.Version != 61 {
				t.Errorf("client %s has version %d after 60 changes: some were lost", c.ID, c.Version)
			}
			return nil
		}))
	})
	if err != nil || clients != 2 || versions["w1"] != 61 || versions["w2"] != 61 {
		t.Errorf("%d clients, versions of endpoints: %v, %v", clients, versions, err)
	}
}

// changeAccess increments the version of all endpoints and clients, thirty times.
func changeAccess(db *DB, node byte) error {
	for i := range 30 {
		_, err := db.Update(context.Background(), func(tx store.Tx) error {
			s := credit.NewState()
			keys := credit.Keys{Clients: []string{"c1", "c2", "none"}, Endpoints: []string{"none", "w1", "w2"}}
			if _, err := tx.Load(s, keys, nil); err != nil {
				return err
			}
			var c credit.Changes
			for _, id := range []string{"w1", "w2"} {
				x := *s.Endpoints[id]
				x.Version++
				c.Endpoints = append(c.Endpoints, &x)
			}
			for _, id := range []string{"c1", "c2"} {
				x := *s.Clients[id]
				x.Version++
				c.Clients = append(c.Clients, &x)
			}
			if _, marked := s.Endpoints["none"]; !marked {
				return errors.New("what does not exist is not marked as loaded")
			}
			h, err := tx.Head()
			if err != nil {
				return err
			}
			return tx.Apply(store.Batch{
				ID: store.BatchID{node, byte(i), 9}, Epoch: h.Epoch, At: h.At, BusinessDate: h.BusinessDate,
				Decided: []store.Decided{{Changes: c, Audit: store.Audit{At: h.At, Command: "test", Result: "ok"}}},
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestAccessCostsNothing counts the statements of a batch: clients and endpoints cost some
// when they are named or changed, and none otherwise.
func TestAccessCostsNothing(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	webhooks(t, db)
	count := func(keys credit.Keys, change func(*credit.State) credit.Changes) (load, write []string) {
		t.Helper()
		k := idle(t, db)
		var all []string
		k.trace = func(sql string) { all = append(all, sql) }
		at := 0
		b := next(t, db, 9, credit.Changes{})
		update(t, db, store.Committed, func(tx store.Tx) error {
			s := credit.NewState()
			_, err := tx.Load(s, keys, nil)
			at = len(all)
			b.Decided[0].Changes = change(s)
			for _, x := range b.Decided[0].Changes.Endpoints {
				b.Decided[0].Audit.Object = x.ID
			}
			return errors.Join(err, tx.Apply(b))
		})
		k.trace = nil
		return all[:at], all[at:]
	}
	nothing := func(*credit.State) credit.Changes { return credit.Changes{} }
	load, write := count(credit.Keys{Merchants: []string{"m"}}, nothing)
	for _, sql := range slices.Concat(load, write) {
		for _, word := range []string{"endpoint", "clients", "resends", "event_readers"} {
			if strings.Contains(sql, word) {
				t.Errorf("a batch that names no %s says %s", word, sql)
			}
		}
	}
	moreLoad, moreWrite := count(credit.Keys{Merchants: []string{"m"}, Endpoints: []string{"w1"}}, func(s *credit.State) credit.Changes {
		x := *s.Endpoints["w1"]
		x.Version++
		return credit.Changes{Endpoints: []*credit.Endpoint{&x}}
	})
	if len(moreLoad) != len(load)+1 || len(moreWrite) != len(write)+2 {
		t.Errorf("a change of an endpoint: %d statements to load instead of %d, %d to write instead of %d",
			len(moreLoad), len(load)+1, len(moreWrite), len(write)+2)
	}
}

// TestPlans asks the server for its plans of the lists. With any number of rows, every
// query uses an index, and no page is sorted; plans are made while the tables are empty, as
// in production.
func TestPlans(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	at := store.Page{Limit: 20, AfterAt: noon(0), AfterID: "x"}
	err := db.View(t.Context(), func(sv store.View) error {
		v := sv.(*view)
		for _, m := range []string{"", "m"} {
			for _, p := range []store.Page{{Limit: 20}, at} {
				_, e1 := store.ListClients(v, m, p)
				_, e2 := store.ListEndpoints(v, m, p)
				_, e3 := store.ListDeliveries(v, store.DeliveryFilter{Merchant: m}, p)
				_, e4 := store.ListDeliveries(v, store.DeliveryFilter{Endpoint: "w"}, p)
				_, e5 := store.ListDeliveries(v, store.DeliveryFilter{Merchant: m, Endpoint: "w", State: store.DeliveryParked}, p)
				_, e6 := store.ListDeliveries(v, store.DeliveryFilter{Merchant: m, Event: "e"}, p)
				if err := errors.Join(e1, e2, e3, e4, e5, e6); err != nil {
					return err
				}
			}
			_, e1 := store.Stream(v, m, store.Place{Q: 5}, 20)
			_, e2 := v.Events(store.EventFilter{Merchant: m, From: noon(0), To: noon(9), After: store.Place{Q: 5}, Limit: 20})
			_, _, e3 := store.EventOf(v, "e", m)
			if err := errors.Join(e1, e2, e3); err != nil {
				return err
			}
		}
		_, e1 := store.ListPending(v, "w", 20)
		_, e2 := store.Backlog(v)
		_, e3 := store.ListResends(v, 5, 20)
		_, _, e4 := store.DeliveryOf(v, "d")
		_, e5 := store.AllCursors(v)
		e6 := v.Load(credit.NewState(), credit.Keys{Clients: []string{"c"}, Endpoints: []string{"w"}})
		return errors.Join(e1, e2, e3, e4, e5, e6, explainAll(t, v, 30))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sortsFew are parts of statements that may sort, and why.
var sortsFew = []string{
	"ANY($1::text[]) ORDER BY id", // as many rows as keys, to lock in order
	"SELECT p.account, sum(",      // by account: a plan may sort or hash
	"GROUP BY e.id",               // the entries of a match
	"GROUP BY kind",               // what waits for one merchant
	"GROUP BY code",               // returns of the days in question
}

// explainAll checks the plans of all statements that a session has prepared; there must be
// some.
func explainAll(t *testing.T, v *view, least int) error {
	t.Helper()
	plans := map[string]string{}
	if err := explain(v, plans); err != nil {
		return err
	}
	for sql, plan := range plans {
		few := slices.ContainsFunc(sortsFew, func(part string) bool { return strings.Contains(sql, part) })
		if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Sort") && !few {
			t.Errorf("%s\n%s", sql, plan)
		}
	}
	if len(plans) < least {
		t.Errorf("only %d statements were looked at", len(plans))
	}
	return nil
}

// explain collects the plans of all queries that a session has prepared.
func explain(v *view, plans map[string]string) error {
	for sql, name := range v.conn.names {
		if !strings.HasPrefix(strings.TrimLeft(sql, "("), "SELECT") {
			continue
		}
		plan, params := "", 0
		for strings.Contains(sql, "$"+number(params+1)) {
			params++
		}
		nulls := "(" + strings.TrimSuffix(strings.Repeat("NULL, ", params), ", ") + ")"
		if params == 0 {
			nulls = ""
		}
		c := &call{sql: "EXPLAIN EXECUTE " + name + nulls, row: func(r *row) error { plan += r.text(0) + "\n"; return nil }}
		if err := v.run(c); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		plans[sql] = plan
	}
	return nil
}
