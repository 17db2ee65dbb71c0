package postgres

import (
	"fmt"

	"tenor/internal/core/store"
)

// Deliveries implements store.View.
func (v *view) Deliveries(f store.DeliveryFilter, p store.Page) ([]store.Delivery, error) {
	var l list
	l.equal("merchant_id", f.Merchant)
	l.equal("endpoint_id", f.Endpoint)
	l.equal("event_id", f.Event)
	l.equal("state", string(f.State))
	if f.State != "" && f.State != store.DeliverySucceeded {
		l.where = append(l.where, "state <> 'SUCCEEDED'") // for the partial index
	}
	l.after("created_at", "id", p, text(p.AfterID))
	out, err := v.deliveries(l.clause()+l.newest("created_at", "id", p), l.args...)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return out, nil
}

// deliveries lists those that a clause selects.
func (v *view) deliveries(clause string, args ...store.Value) ([]store.Delivery, error) {
	var out []store.Delivery
	err := all(v, &store.Deliveries, clause, func(r *store.Delivery) error { out = append(out, *r); return nil }, args...)
	return out, err
}

// Delivery implements store.View.
func (v *view) Delivery(id string) (*store.Delivery, []store.Attempt, error) {
	var found *store.Delivery
	var attempts []store.Attempt
	calls := []*call{
		ask("SELECT "+columns(store.Deliveries.Schema(), "")+" FROM deliveries WHERE id = $1", []store.Value{text(id)},
			every(&store.Deliveries, func(r *store.Delivery) { found = r })),
		ask("SELECT "+columns(store.Attempts.Schema(), "")+" FROM attempts WHERE delivery_id = $1 ORDER BY n", []store.Value{text(id)},
			every(&store.Attempts, func(r *store.Attempt) { attempts = append(attempts, *r) })),
	}
	if err := v.run(calls...); err != nil {
		return nil, nil, fmt.Errorf("find delivery: %w", err)
	}
	return found, attempts, nil
}

// Pending implements store.View.
func (v *view) Pending(endpoint string, limit int) ([]store.Delivery, error) {
	out, err := v.deliveries(" WHERE state = 'PENDING' AND endpoint_id = $1 ORDER BY event_q, event_n, id LIMIT "+number(max(limit, 0)), text(endpoint))
	if err != nil {
		return nil, fmt.Errorf("list pending deliveries of endpoint %s: %w", endpoint, err)
	}
	return out, nil
}

// Backlog implements store.View.
func (v *view) Backlog() (map[string]int, error) {
	out := map[string]int{}
	err := v.query("SELECT endpoint_id, count(*) FROM deliveries WHERE state = 'PENDING' GROUP BY endpoint_id", nil,
		func(r *row) error { out[r.text(0)] = int(r.int(1)); return nil })
	if err != nil {
		return nil, fmt.Errorf("count pending deliveries: %w", err)
	}
	return out, nil
}
