package postgres

import (
	"context"
	"errors"
	"fmt"

	"tenor/internal/core/store"
)

// again writes one row in its own transaction. If the connection, which may have been idle,
// is lost, it retries on another: only for what may be written late or twice. All idle
// connections may be lost; after them comes a new one.
func (db *DB) again(ctx context.Context, c *call) (err error) {
	for range asides + 1 {
		err = db.put(ctx, c)
		if !errors.Is(err, store.ErrUnreachable) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// put writes one row in its own transaction.
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

// read runs a single query, in one round trip. It shares no pipeline with other readers:
// callers must be known even while somebody's read waits for a lock.
func (db *DB) read(ctx context.Context, sql string, key store.Value, fn func(*row) error) error {
	return db.Glance(ctx, func(v store.View) error { return v.(*view).run(ask(sql, []store.Value{key}, fn)) })
}

// ClientByID implements store.Passes.
func (db *DB) ClientByID(ctx context.Context, id string) (x store.Known, found bool, err error) {
	err = db.read(ctx, clientByID, text(id), func(r *row) error {
		found = true
		return known(r, &x)
	})
	if err != nil {
		return store.Known{}, false, fmt.Errorf("find client: %w", err)
	}
	return x, found, nil
}

// known reads an audit row with its client.
func known(r *row, x *store.Known) error {
	audit, err := scan(&store.Audits, r)
	if err != nil {
		return err
	}
	client, err := scanAt(&store.Clients, r, len(store.Audits.Columns))
	if err != nil {
		return err
	}
	x.Client, x.Log = *client, append(x.Log, *audit)
	return nil
}

// TokenByHash implements store.Passes.
func (db *DB) TokenByHash(ctx context.Context, hash [32]byte) (p store.Pass, found bool, err error) {
	var x store.Known
	err = db.read(ctx, tokenByHash, blob(hash[:]), func(r *row) error {
		token, err := scanAt(&store.Tokens, r, len(store.Audits.Columns)+len(store.Clients.Columns))
		if err != nil {
			return err
		}
		p.Token, found = *token, true
		return known(r, &x)
	})
	if err != nil {
		return store.Pass{}, false, fmt.Errorf("find token: %w", err)
	}
	p.Client, p.Log = x.Client, x.Log
	return p, found, nil
}

// Settle implements store.Registry.
func (db *DB) Settle(ctx context.Context, name string, value []byte) ([]byte, error) {
	row := []store.SettingRow{{Name: name, Value: value}}
	if err := db.again(ctx, over(statements.settle, records[store.SettingRow]{&store.Settings, row}, nil)); err != nil {
		return nil, fmt.Errorf("settle setting %s: %w", name, err)
	}
	kept, _, err := store.Setting(ctx, db, name)
	return kept, err
}

// PutSetting implements store.Registry.
func (db *DB) PutSetting(ctx context.Context, name string, value []byte) error {
	row := []store.SettingRow{{Name: name, Value: value}}
	if err := db.again(ctx, over(statements.setting, records[store.SettingRow]{&store.Settings, row}, nil)); err != nil {
		return fmt.Errorf("put setting %s: %w", name, err)
	}
	return nil
}
