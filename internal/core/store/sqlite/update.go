package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Update implements store.Backend. An error before COMMIT is definite: SQLite rolls back.
// An error of COMMIT itself is not, whatever its code: after a failed fsync, rows have been
// seen to exist after reopening (EN4).
func (db *DB) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return store.Commit{}, err
	}
	if db.unresolved != nil {
		return store.Commit{}, ErrUnresolved
	}
	k, err := db.writer()
	if err != nil {
		return store.Commit{}, fmt.Errorf("update: %w", err)
	}
	t := &tx{conn: k, linked: map[int64][]string{}}
	defer func() {
		if v := recover(); v != nil { // from fn
			db.rollback(nil)
			panic(v)
		}
	}()
	if err := t.run(ctx, fn); err != nil || t.batch == nil {
		return store.Commit{}, db.rollback(err)
	}
	// From here on nothing may stop it: neither the caller nor a deadline (EN6).
	if err := db.commit(k); err != nil {
		db.unresolved = &t.batch.ID
		return store.Commit{Outcome: store.Unknown}, errors.Join(fmt.Errorf("commit: %w", full(err)), db.dropWriter())
	}
	db.moving.grown(len(t.batch.Decided), t.batch.Background)
	return store.Commit{Outcome: store.Committed, FirstQ: t.h.Q + 1}, nil
}

// rollback ends the open transaction. If that is not possible, or the disk failed, the
// connection is dropped, and the transaction with it.
func (db *DB) rollback(cause error) error {
	if sqlite.ErrCode(cause).ToPrimary() == sqlite.ResultIOErr {
		return errors.Join(cause, db.dropWriter())
	}
	if db.w.c.AutocommitEnabled() {
		return cause
	}
	if err := db.w.query("ROLLBACK", nil, nil); err != nil {
		return errors.Join(cause, err, db.dropWriter())
	}
	return cause
}

// Resolve implements store.Backend. The new connection reads the log afresh, and its commit
// takes the place where the old one's would be: after it the old transaction can no longer
// appear (EN5).
func (db *DB) Resolve(ctx context.Context, batch store.BatchID) (store.Commit, error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	unknown := store.Commit{Outcome: store.Unknown}
	if err := ctx.Err(); err != nil {
		return unknown, err
	}
	if err := db.dropWriter(); err != nil {
		return unknown, fmt.Errorf("resolve: %w", err)
	}
	k, err := db.writer()
	if err != nil {
		return unknown, fmt.Errorf("resolve: %w", err)
	}
	row, err := k.tombstone(batch)
	if err != nil {
		return unknown, errors.Join(fmt.Errorf("resolve: %w", full(err)), db.dropWriter())
	}
	if !row.Tombstone {
		// The batch is in the log, but its sync may have failed, and a second sync of the
		// same pages proves nothing. Copied into the database they are new pages, and
		// syncing those does prove it.
		if err := k.checkpoint(); err != nil {
			return unknown, errors.Join(fmt.Errorf("resolve: %w", full(err)), db.dropWriter())
		}
	}
	db.unresolved = nil
	if row.Tombstone {
		return store.Commit{}, nil
	}
	return store.Commit{Outcome: store.Committed, FirstQ: row.FirstQ}, nil
}

// tombstone bars a batch and reads what is stored under its id.
func (k *conn) tombstone(batch store.BatchID) (row *store.BatchRow, err error) {
	if err := k.query("BEGIN IMMEDIATE", nil, nil); err != nil {
		return nil, err
	}
	rows := records[store.BatchRow]{&store.Batches, []store.BatchRow{store.Tombstone(batch)}}
	if err := k.exec(statements.tombstone, rows, nil); err != nil {
		return nil, err
	}
	if err := k.query("COMMIT", nil, nil); err != nil {
		return nil, err
	}
	err = k.query(batchByID,
		[]store.Value{blob(batch[:])}, func(s *sqlite.Stmt) error {
			row, err = scan(k, &store.Batches, s)
			return err
		})
	if err == nil && row == nil {
		err = errors.New("the batch's row is missing after its insert")
	}
	return row, err
}

// checkpoint moves the whole log into the database and syncs it. It waits for readers up to
// the busy timeout.
func (k *conn) checkpoint() error {
	return k.query("PRAGMA wal_checkpoint(FULL)", nil, func(s *sqlite.Stmt) error {
		if busy, log, moved := s.ColumnInt(0), s.ColumnInt(1), s.ColumnInt(2); busy != 0 || moved < log {
			return errors.New("checkpoint: a reader is holding the log")
		}
		return nil
	})
}

// tx is a write transaction.
type tx struct {
	*conn
	h      store.Head
	state  *credit.State      // last state loaded into
	linked map[int64][]string // merchants of the loaded companies
	batch  *store.Batch
}

// run does a whole transaction except its COMMIT.
func (t *tx) run(ctx context.Context, fn func(store.Tx) error) (err error) {
	if err := t.query("BEGIN IMMEDIATE", nil, nil); err != nil {
		return fmt.Errorf("begin: %w", full(err))
	}
	if t.h, err = t.conn.head(); err != nil {
		return fmt.Errorf("read head: %w", err)
	}
	if err := fn(t); err != nil || t.batch == nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := store.Merge(*t.batch, t.h, t.order)
	if err != nil {
		return err
	}
	if err := t.write(ctx, rows); err != nil {
		return fmt.Errorf("apply batch: %w", refused(full(err)))
	}
	if err := failpoint.Hit(failpoint.BeforeCommit); err != nil {
		return err
	}
	return ctx.Err()
}

// refused marks constraint errors. Some mean that a key already exists: for claims NOT NULL
// means so; no other row can contain a forbidden NULL.
func refused(err error) error {
	switch sqlite.ErrCode(err) {
	case sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintUnique, sqlite.ResultConstraintRowID,
		sqlite.ResultConstraintNotNull:
		return fmt.Errorf("%w: %w", store.ErrTaken, err)
	}
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultConstraint {
		return fmt.Errorf("%w: %w", store.ErrRefused, err)
	}
	return err
}

// Head implements store.Tx.
func (t *tx) Head() (store.Head, error) { return t.h, nil }

// Load implements store.Tx. The transaction holds the only write lock.
func (t *tx) Load(s *credit.State, k credit.Keys, repeats []store.KeyID) (map[store.KeyID]store.Answer, error) {
	t.state = s
	if err := load(t.conn, s, k); err != nil {
		return nil, err
	}
	for _, id := range k.Companies {
		if c := s.Companies[id]; c != nil {
			if _, ok := t.linked[id]; !ok {
				t.linked[id] = c.Linked
			}
		}
	}
	return t.answers(repeats)
}

// answers reads the answers stored under idempotency keys.
func (t *tx) answers(keys []store.KeyID) (map[store.KeyID]store.Answer, error) {
	found := map[store.KeyID]store.Answer{}
	rows := make(tuples, len(keys))
	for i, k := range keys {
		rows[i] = []store.Value{text(k.Client), text(k.Key)}
	}
	err := t.exec(answersByKey, rows, func(s *sqlite.Stmt) error {
		row, err := t.conn.answer(s)
		if err == nil {
			found[row.KeyID] = row.Answer
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load answers: %w", err)
	}
	return found, nil
}

// Apply implements store.Tx.
func (t *tx) Apply(b store.Batch) error {
	if t.batch != nil {
		return errors.New("sqlite: batch was already applied")
	}
	b.Decided = slices.Clone(b.Decided)
	t.batch = &b
	return nil
}

// order finds an order that a loan or payment of the batch names. It was loaded with it;
// only a caller that did not load it costs a statement.
func (t *tx) order(key string) (*credit.Order, error) {
	if t.state != nil && t.state.Orders[key] != nil {
		return t.state.Orders[key], nil
	}
	s := credit.NewState()
	if err := load(t.conn, s, credit.Keys{Orders: []string{key}}); err != nil {
		return nil, err
	}
	if s.Orders[key] == nil {
		return nil, fmt.Errorf("%w: order %s does not exist", store.ErrRefused, key)
	}
	return s.Orders[key], nil
}
