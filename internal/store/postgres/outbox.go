package postgres

import (
	"context"
	"errors"
	"fmt"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// again writes one row in a transaction of its own. If the connection, which may have
// lain idle, is lost, it does so on another: only for what may be written late or
// twice. All that are idle may be lost; after them comes a new one.
func (db *DB) again(ctx context.Context, c *call) (err error) {
	for range asides + 1 {
		err = db.put(ctx, c)
		if !errors.Is(err, store.ErrUnreachable) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// put writes one row in a transaction of its own. It is never repeated here: the row
// of a client or a token that arrives late could undo a revocation.
func (db *DB) put(ctx context.Context, c *call) error {
	if db.options.ReadOnly {
		return ErrReadOnly
	}
	k, err := db.take(ctx, db.aside, beside)
	if err != nil {
		return err
	}
	k.patience(db.options.CommitWait)
	err = k.run(c)
	if err == nil && k.warned != "" {
		err = fmt.Errorf("the server warned: %s", k.warned)
	}
	db.giveBack(db.aside, k, false)
	return verdict(err)
}

// one finds at most one row.
func one[T any](ctx context.Context, db *DB, t *store.Table[T], key store.Value) (row *T, err error) {
	err = db.read(ctx, func(v *view) error {
		return all(v, t, " WHERE "+t.Columns[0].Name+" = $1", func(r *T) error { row = r; return nil }, key)
	})
	return row, err
}

// read runs fn on a snapshot.
func (db *DB) read(ctx context.Context, fn func(*view) error) error {
	return db.View(ctx, func(v store.View) error { return fn(v.(*view)) })
}

// PutClient implements store.Outbox.
func (db *DB) PutClient(ctx context.Context, c credit.Client) error {
	row := records[store.ClientRow]{&store.Clients, []store.ClientRow{{Client: &c}}}
	call := over(statements.client, row, nil)
	err := errManaged
	if c.Version == 0 {
		err = db.put(ctx, call)
	}
	if err == nil && call.tag == "INSERT 0 0" {
		err = errManaged
	}
	if err != nil {
		return fmt.Errorf("put client: %w", err)
	}
	return nil
}

// errManaged says that a client is kept by commands.
var errManaged = fmt.Errorf("%w: commands keep this client", store.ErrRefused)

// ClientByID implements store.Outbox.
func (db *DB) ClientByID(ctx context.Context, id string) (credit.Client, bool, error) {
	row, err := one(ctx, db, &store.Clients, text(id))
	if err != nil {
		return credit.Client{}, false, fmt.Errorf("find client: %w", err)
	}
	if row == nil {
		return credit.Client{}, false, nil
	}
	return *row.Client, true, nil
}

// BareClients implements store.Outbox.
func (db *DB) BareClients(ctx context.Context) ([]credit.Client, error) {
	var out []credit.Client
	err := db.read(ctx, func(v *view) error {
		return all(v, &store.Clients, " WHERE version = 0 ORDER BY id", func(c *store.ClientRow) error { out = append(out, *c.Client); return nil })
	})
	if err != nil {
		return nil, fmt.Errorf("list clients: %w", err)
	}
	return out, nil
}

// PutToken implements store.Outbox.
func (db *DB) PutToken(ctx context.Context, t store.Token) error {
	if err := db.put(ctx, over(statements.token, records[store.Token]{&store.Tokens, []store.Token{t}}, nil)); err != nil {
		return fmt.Errorf("put token: %w", err)
	}
	return nil
}

// TokenByHash implements store.Outbox.
func (db *DB) TokenByHash(ctx context.Context, hash [32]byte) (t store.Token, c credit.Client, found bool, err error) {
	err = db.read(ctx, func(v *view) error {
		return v.query(tokenByHash, []store.Value{blob(hash[:])}, func(r *row) error {
			token, err := scan(&store.Tokens, r)
			if err != nil {
				return err
			}
			client, err := scanAt(&store.Clients, r, len(store.Tokens.Columns))
			if err != nil {
				return err
			}
			t, c, found = *token, *client.Client, true
			return nil
		})
	})
	if err != nil {
		return store.Token{}, credit.Client{}, false, fmt.Errorf("find token: %w", err)
	}
	return t, c, found, nil
}

// Setting implements store.Outbox.
func (db *DB) Setting(ctx context.Context, name string) ([]byte, bool, error) {
	row, err := one(ctx, db, &store.Settings, text(name))
	if err != nil {
		return nil, false, fmt.Errorf("read setting %s: %w", name, err)
	}
	if row == nil {
		return nil, false, nil
	}
	return row.Value, true, nil
}

// Settle implements store.Outbox.
func (db *DB) Settle(ctx context.Context, name string, value []byte) ([]byte, error) {
	row := []store.SettingRow{{Name: name, Value: value}}
	if err := db.again(ctx, over(statements.settle, records[store.SettingRow]{&store.Settings, row}, nil)); err != nil {
		return nil, fmt.Errorf("settle setting %s: %w", name, err)
	}
	kept, _, err := db.Setting(ctx, name)
	return kept, err
}

// PutSetting implements store.Outbox.
func (db *DB) PutSetting(ctx context.Context, name string, value []byte) error {
	row := []store.SettingRow{{Name: name, Value: value}}
	if err := db.again(ctx, over(statements.setting, records[store.SettingRow]{&store.Settings, row}, nil)); err != nil {
		return fmt.Errorf("put setting %s: %w", name, err)
	}
	return nil
}
