package memory

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// canonical returns a row as it comes back from a database: in its own memory, its instants
// in whole microseconds.
func canonical[T any](t *store.Table[T], row T) (T, error) {
	stored, err := t.Decode(t.Encode(&row, nil))
	if err != nil {
		return row, err
	}
	return *stored, nil
}

// own copies a client for a caller who may change it.
func own(c *credit.Client) credit.Client {
	out := *c
	out.Scopes, out.Secrets = slices.Clone(c.Scopes), slices.Clone(c.Secrets)
	return out
}

// ClientByID implements store.Passes.
func (db *DB) ClientByID(_ context.Context, id string) (store.Known, bool, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	row := db.clients.get(id, db.head.Q)
	if row == nil {
		return store.Known{}, false, nil
	}
	c := own(row.Client)
	return store.Known{Client: store.ClientRow{Client: &c, Q: row.Q}, Log: db.accessLog(id)}, true, nil
}

// accessLog returns the audit rows of commands on these clients and tokens.
func (d *data) accessLog(objects ...string) []store.AuditRow {
	var out []store.AuditRow
	for _, object := range objects {
		for _, i := range d.accessOf[object] {
			out = append(out, d.audits[i])
		}
	}
	slices.SortFunc(out, func(a, b store.AuditRow) int { return cmp.Compare(a.Q, b.Q) })
	return out
}

// TokenByHash implements store.Passes.
func (db *DB) TokenByHash(_ context.Context, hash [32]byte) (store.Pass, bool, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	row := db.tokens.get(hex.EncodeToString(hash[:]), db.head.Q)
	if row == nil {
		return store.Pass{}, false, nil
	}
	t, of := *row.Token, db.clients.get(row.Client, db.head.Q)
	c := own(of.Client)
	t.Scopes = slices.Clone(t.Scopes)
	p := store.Pass{
		Token: store.TokenRow{Token: &t, Q: row.Q}, Client: store.ClientRow{Client: &c, Q: of.Q},
		Log: db.accessLog(t.Key(), c.ID),
	}
	return p, len(p.Log) > 0, nil
}

// Settle implements store.Registry.
func (db *DB) Settle(_ context.Context, name string, value []byte) ([]byte, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if _, found := db.settings[name]; !found {
		db.settings[name] = slices.Clone(value)
	}
	return slices.Clone(db.settings[name]), nil
}

// PutSetting implements store.Registry.
func (db *DB) PutSetting(_ context.Context, name string, value []byte) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.settings[name] = slices.Clone(value)
	return nil
}
