package postgres

import (
	"fmt"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// Clients implements store.View.
func (v *view) Clients(merchant string, p store.Page) ([]*credit.Client, error) {
	var l list
	l.equal("merchant_id", merchant)
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Client
	clause := l.clause() + l.newest("created_at", "id", p)
	err := all(v, &store.Clients, clause, func(r *store.ClientRow) error { out = append(out, r.Client); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list clients: %w", err)
	}
	return out, nil
}

// Endpoints implements store.View.
func (v *view) Endpoints(merchant string, p store.Page) ([]*credit.Endpoint, error) {
	l := list{where: []string{"deleted_at IS NULL"}} // for the partial indexes
	l.equal("merchant_id", merchant)
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Endpoint
	clause := l.clause() + l.newest("created_at", "id", p)
	err := all(v, &store.Endpoints, clause, func(r *store.EndpointRow) error { out = append(out, r.Endpoint); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list endpoints: %w", err)
	}
	return out, nil
}

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
