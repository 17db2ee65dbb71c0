package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// PutClient implements store.Outbox.
func (db *DB) PutClient(_ context.Context, c credit.Client) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if c.Version != 0 || db.clients[c.ID] != nil {
		return fmt.Errorf("put client: %w: %s is changed by commands", store.ErrRefused, c.ID)
	}
	row, err := canonical(&store.Clients, store.ClientRow{Client: &c})
	if err != nil {
		return fmt.Errorf("put client: %w", err)
	}
	db.rev++
	db.bare.put(c.ID, db.rev, row.Client)
	return nil
}

// canonical returns a row as it comes back from a database: of its own memory, its
// instants in whole microseconds.
func canonical[T any](t *store.Table[T], row T) (T, error) {
	stored, err := t.Decode(t.Encode(&row, nil))
	if err != nil {
		return row, err
	}
	return *stored, nil
}

// BareClients implements store.Outbox.
func (db *DB) BareClients(context.Context) ([]credit.Client, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var out []credit.Client
	for _, c := range db.bare.all(db.rev) {
		out = append(out, own(&c))
	}
	slices.SortFunc(out, func(a, b credit.Client) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// own copies a client for a caller who may change it.
func own(c *credit.Client) credit.Client {
	out := *c
	out.Scopes, out.Secrets = slices.Clone(c.Scopes), slices.Clone(c.Secrets)
	return out
}

// client returns a client as it stood after commit q and write rev, nil if there was
// none.
func (d *data) client(id string, q, rev int64) *credit.Client {
	if row := d.clients.get(id, q); row != nil {
		return row.Client
	}
	return d.bare.get(id, rev)
}

// ClientByID implements store.Outbox.
func (db *DB) ClientByID(_ context.Context, id string) (credit.Client, bool, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	c := db.client(id, db.head.Q, db.rev)
	if c == nil {
		return credit.Client{}, false, nil
	}
	return own(c), true, nil
}

// PutToken implements store.Outbox.
func (db *DB) PutToken(_ context.Context, t store.Token) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	client := db.client(t.Client, db.head.Q, db.rev)
	if client == nil {
		return errors.New("put token: its client does not exist")
	}
	for _, scope := range t.Scopes {
		if !credit.Holds(client.Scopes, scope) {
			return fmt.Errorf("put token: its client has no scope %s", scope)
		}
	}
	row, err := canonical(&store.Tokens, t)
	if err != nil {
		return fmt.Errorf("put token: %w", err)
	}
	db.tokens[t.Hash] = row
	return nil
}

// TokenByHash implements store.Outbox.
func (db *DB) TokenByHash(_ context.Context, hash [32]byte) (store.Token, credit.Client, bool, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	t, found := db.tokens[hash]
	if !found {
		return store.Token{}, credit.Client{}, false, nil
	}
	t.Scopes = slices.Clone(t.Scopes)
	return t, own(db.client(t.Client, db.head.Q, db.rev)), true, nil
}

// Setting implements store.Outbox.
func (db *DB) Setting(_ context.Context, name string) ([]byte, bool, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	value, found := db.settings[name]
	return slices.Clone(value), found, nil
}

// Settle implements store.Outbox.
func (db *DB) Settle(_ context.Context, name string, value []byte) ([]byte, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if _, found := db.settings[name]; !found {
		db.settings[name] = slices.Clone(value)
	}
	return slices.Clone(db.settings[name]), nil
}

// PutSetting implements store.Outbox.
func (db *DB) PutSetting(_ context.Context, name string, value []byte) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.settings[name] = slices.Clone(value)
	return nil
}
