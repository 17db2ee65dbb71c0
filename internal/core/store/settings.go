package store

import (
	"context"
	"fmt"

	"tenor/internal/domain/credit"
)

// all returns the rows of a query in a snapshot of its own.
func all[R any](ctx context.Context, db Viewer, q Query) (out []R, err error) {
	err = db.View(ctx, func(v View) error { out, err = rows[R](v, q); return err })
	return out, err
}

// find returns the first row of a query in a snapshot of its own, or false if there is
// none.
func find[R any](ctx context.Context, db Viewer, q Query) (row R, found bool, err error) {
	out, err := all[R](ctx, db, q)
	if err != nil || len(out) == 0 {
		return row, false, err
	}
	return out[0], true, nil
}

// byText queries the row with a key.
func byText[R any](t *Table[R], key string) Query {
	q := Query{From: RowsOf(t), Limit: 1}
	q.where(t.Columns[0].Name, Is, textValue(key))
	return q
}

// Setting returns a small named value of the deployment, or false if there is none.
func Setting(ctx context.Context, db Viewer, name string) ([]byte, bool, error) {
	row, found, err := find[SettingRow](ctx, db, byText(&Settings, name))
	if err != nil {
		return nil, false, fmt.Errorf("read setting %s: %w", name, err)
	}
	return row.Value, found, nil
}

// SettingNames lists the settings whose names start with a prefix, in order.
func SettingNames(ctx context.Context, db Viewer, prefix string) (names []string, err error) {
	q := Query{From: RowsOf(&Settings), Order: []string{"name"}, Limit: -1}
	q.where("name", AtLeast, textValue(prefix))
	if n := len(prefix); n > 0 {
		q.where("name", Below, textValue(prefix[:n-1]+string(prefix[n-1]+1)))
	}
	found, err := all[SettingRow](ctx, db, q)
	for _, r := range found {
		names = append(names, r.Name)
	}
	return names, err
}

// BareClients lists the clients that were created on the server itself, with commands, in
// order of their ids: those without a secret.
func BareClients(ctx context.Context, db Viewer) (out []credit.Client, err error) {
	q := Query{From: ClientNoun, Order: []string{"id"}, Limit: -1}
	q.where("version", Above, Value{Kind: Integer})
	q.where("secrets", Is, Value{Null: true})
	err = db.View(ctx, func(v View) error {
		return v.List(q, func(row any) error { out = append(out, *row.(*ClientRow).Client); return nil })
	})
	return out, err
}
