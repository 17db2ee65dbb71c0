package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// put writes rows in a transaction of its own.
func (db *DB) put(ctx context.Context, s step) error {
	return db.write(ctx, func(k *conn) error { return k.exec(s.sql, s.rows, nil) })
}

// write runs fn in a transaction of its own. If its commit fails, the connection is
// not used again, and the caller may simply repeat it.
func (db *DB) write(ctx context.Context, fn func(*conn) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if db.unresolved != nil {
		return ErrUnresolved
	}
	k, err := db.writer()
	if err != nil {
		return err
	}
	if err := k.query("BEGIN IMMEDIATE", nil, nil); err != nil {
		return full(err)
	}
	if err := fn(k); err != nil {
		return db.rollback(full(err))
	}
	if err := k.query("COMMIT", nil, nil); err != nil {
		db.dropWriter() // the commit's error is the one to report
		return full(err)
	}
	return nil
}

// one finds at most one row.
func one[T any](ctx context.Context, db *DB, t *store.Table[T], key store.Value) (row *T, err error) {
	err = db.read(ctx, func(k *conn) error {
		return all(k, t, " WHERE "+t.Columns[0].Name+" = +?1", func(r *T) error { row = r; return nil }, key)
	})
	return row, err
}

// read runs fn on a reading connection, without a snapshot over its statements.
func (db *DB) read(ctx context.Context, fn func(*conn) error) error {
	k, err := db.reader(ctx)
	if err != nil {
		return err
	}
	broken := true
	defer func() { db.release(k, broken) }()
	err = fn(k)
	broken = !k.c.AutocommitEnabled()
	return err
}

// PutClient implements store.Outbox. A client that commands make is refused by the
// table.
func (db *DB) PutClient(ctx context.Context, c credit.Client) error {
	if err := db.put(ctx, put(&store.Clients, statements.clients, []store.ClientRow{{Client: &c}})); err != nil {
		return fmt.Errorf("put client: %w", refused(err))
	}
	return nil
}

// BareClients implements store.Outbox.
func (db *DB) BareClients(ctx context.Context) ([]credit.Client, error) {
	var out []credit.Client
	err := db.read(ctx, func(k *conn) error {
		return all(k, &store.Clients, " WHERE version = 0 ORDER BY id", func(c *store.ClientRow) error {
			out = append(out, *c.Client)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list clients: %w", err)
	}
	return out, nil
}

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

// PutToken implements store.Outbox.
func (db *DB) PutToken(ctx context.Context, t store.Token) error {
	if err := db.put(ctx, put(&store.Tokens, statements.token, []store.Token{t})); err != nil {
		return fmt.Errorf("put token: %w", err)
	}
	return nil
}

// TokenByHash implements store.Outbox.
func (db *DB) TokenByHash(ctx context.Context, hash [32]byte) (t store.Token, c credit.Client, found bool, err error) {
	err = db.read(ctx, func(k *conn) error {
		return k.query(tokenByHash, []store.Value{blob(hash[:])}, func(s *sqlite.Stmt) error {
			token, err := scan(k, &store.Tokens, s)
			if err != nil {
				return err
			}
			client, err := scanAt(k, &store.Clients, s, len(store.Tokens.Columns))
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
	if err := db.put(ctx, put(&store.Settings, statements.settle, row)); err != nil {
		return nil, fmt.Errorf("settle setting %s: %w", name, err)
	}
	kept, _, err := db.Setting(ctx, name)
	return kept, err
}

// PutSetting implements store.Outbox.
func (db *DB) PutSetting(ctx context.Context, name string, value []byte) error {
	row := []store.SettingRow{{Name: name, Value: value}}
	if err := db.put(ctx, put(&store.Settings, statements.setting, row)); err != nil {
		return fmt.Errorf("put setting %s: %w", name, err)
	}
	return nil
}
