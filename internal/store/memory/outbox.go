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
	c.Scopes = slices.Clone(c.Scopes)
	db.clients[c.ID] = c
	return nil
}

// Clients implements store.Outbox.
func (db *DB) BareClients(context.Context) ([]credit.Client, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var out []credit.Client
	for _, c := range db.clients {
		c.Scopes = slices.Clone(c.Scopes)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b credit.Client) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// PutToken implements store.Outbox.
func (db *DB) PutToken(_ context.Context, t store.Token) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	client, found := db.clients[t.Client]
	if !found {
		return errors.New("put token: its client does not exist")
	}
	for _, scope := range t.Scopes {
		if !slices.Contains(client.Scopes, scope) {
			return fmt.Errorf("put token: its client has no scope %s", scope)
		}
	}
	t.Scopes = slices.Clone(t.Scopes)
	db.tokens[t.Hash] = t
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
	c := db.clients[t.Client]
	t.Scopes, c.Scopes = slices.Clone(t.Scopes), slices.Clone(c.Scopes)
	return t, c, true, nil
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
