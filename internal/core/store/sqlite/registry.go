package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// put writes rows in its own transaction.
func (db *DB) put(ctx context.Context, s step) error {
	return db.write(ctx, func(k *conn) error { return k.exec(s.sql, s.rows, nil) })
}

// write runs fn in its own transaction. If the commit fails, the connection is not used
// again, and the caller may simply retry.
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

// read runs fn on a reading connection; its statements do not share a snapshot.
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

// ClientByID implements store.Passes.
func (db *DB) ClientByID(ctx context.Context, id string) (x store.Known, found bool, err error) {
	err = db.read(ctx, func(k *conn) error {
		return k.query(clientByID, []store.Value{text(id)}, func(s *sqlite.Stmt) error {
			found = true
			return k.known(s, &x)
		})
	})
	if err != nil {
		return store.Known{}, false, fmt.Errorf("find client: %w", err)
	}
	return x, found, nil
}

// known reads an audit row with its client.
func (k *conn) known(s *sqlite.Stmt, x *store.Known) error {
	row, err := scan(k, &store.Audits, s)
	if err != nil {
		return err
	}
	client, err := scanAt(k, &store.Clients, s, len(store.Audits.Columns))
	if err != nil {
		return err
	}
	x.Client, x.Log = *client, append(x.Log, *row)
	return nil
}

// TokenByHash implements store.Passes.
func (db *DB) TokenByHash(ctx context.Context, hash [32]byte) (p store.Pass, found bool, err error) {
	var x store.Known
	err = db.read(ctx, func(k *conn) error {
		return k.query(tokenByHash, []store.Value{blob(hash[:])}, func(s *sqlite.Stmt) error {
			token, err := scanAt(k, &store.Tokens, s, len(store.Audits.Columns)+len(store.Clients.Columns))
			if err != nil {
				return err
			}
			p.Token, found = *token, true
			return k.known(s, &x)
		})
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
	if err := db.put(ctx, put(&store.Settings, statements.settle, row)); err != nil {
		return nil, fmt.Errorf("settle setting %s: %w", name, err)
	}
	kept, _, err := store.Setting(ctx, db, name)
	return kept, err
}

// PutSetting implements store.Registry.
func (db *DB) PutSetting(ctx context.Context, name string, value []byte) error {
	row := []store.SettingRow{{Name: name, Value: value}}
	if err := db.put(ctx, put(&store.Settings, statements.setting, row)); err != nil {
		return fmt.Errorf("put setting %s: %w", name, err)
	}
	return nil
}
