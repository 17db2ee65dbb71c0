package postgres

import (
	"fmt"

	"tenor/internal/core/store"
)

// EndpointVersions implements store.View.
func (v *view) EndpointVersions(fn func(store.EndpointVersion) error) error {
	s := store.Endpoints.Schema()
	cols := columns(s, "")
	sql := "SELECT " + cols + ", until_q FROM endpoint_history UNION ALL SELECT " + cols + ", 0 FROM endpoints ORDER BY id, q"
	decode := func(r *row) (store.EndpointVersion, error) {
		x, err := scan(&store.Endpoints, r)
		if err != nil {
			return store.EndpointVersion{}, err
		}
		return store.EndpointVersion{Endpoint: x.Endpoint, Q: x.Q, UntilQ: r.int(len(s.Columns))}, nil
	}
	return walk(v, ask(sql, nil, nil), decode, fn)
}

// Resends implements store.View. A commit holds one at most, as a command makes one.
func (v *view) Resends(after int64, limit int) ([]store.ResendRow, error) {
	var out []store.ResendRow
	err := all(v, &store.Resends, " WHERE q > $1 ORDER BY q LIMIT "+number(max(limit, 0)),
		func(r *store.ResendRow) error { out = append(out, *r); return nil }, integer(after))
	if err != nil {
		return nil, fmt.Errorf("list resends: %w", err)
	}
	return out, nil
}
