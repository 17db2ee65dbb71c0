package postgres

import (
	"fmt"
)

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
