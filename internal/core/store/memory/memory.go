// Package memory is the reference backend: plain maps, without a disk. Tests and
// simulations run on it, and the databases are compared with it (storetest).
//
// Every record keeps all its versions by commit sequence, so that a View reads its snapshot
// while commits continue, and history costs nothing.
package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// DB is a database in memory.
type DB struct {
	writer sync.Mutex // held during Update and Resolve

	mu guard // guards data; held briefly, never while a caller's function runs
	data

	digest struct {
		mu     sync.Mutex
		writes int64 // before it was computed
		sum    [32]byte
	}
}

// guard counts how often it was held for writing.
type guard struct {
	sync.RWMutex

	writes atomic.Int64
}

// Lock holds it for writing.
func (g *guard) Lock() {
	g.RWMutex.Lock()
	g.writes.Add(1)
}

var _ store.Backend = (*DB)(nil)

// New returns an empty database.
func New() *DB { return &DB{data: newData()} }

// Scratch is an empty database for verify's options.
func Scratch() (store.Backend, error) { return New(), nil }

// Digest is the hash of everything stored, for tests that compare what was there before and after.
// It is computed again only after a write.
func (db *DB) Digest(ctx context.Context) ([32]byte, error) {
	db.digest.mu.Lock()
	defer db.digest.mu.Unlock()
	writes := db.mu.writes.Load() + 1 // so that zero is none
	if db.digest.writes == writes {
		return db.digest.sum, nil
	}
	h := sha256.New()
	if err := store.WriteDump(ctx, db, h); err != nil {
		return [32]byte{}, err
	}
	db.digest.writes, db.digest.sum = writes, [32]byte(h.Sum(nil))
	return db.digest.sum, nil
}

// Update implements store.Backend. Its outcome is never Unknown.
func (db *DB) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	db.writer.Lock()
	defer db.writer.Unlock()
	if err := ctx.Err(); err != nil {
		return store.Commit{}, err
	}
	t := &tx{db: db}
	if err := fn(t); err != nil || t.batch == nil {
		return store.Commit{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Commit{}, err
	}
	rows, err := store.Merge(*t.batch, db.head.Head, t.order)
	if err != nil {
		return store.Commit{}, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.check(rows, t.batch); err != nil {
		return store.Commit{}, fmt.Errorf("apply batch: %w", err)
	}
	db.write(rows)
	return store.Commit{Outcome: store.Committed, FirstQ: rows.Batch.FirstQ}, nil
}

// Resolve implements store.Backend.
func (db *DB) Resolve(ctx context.Context, batch store.BatchID) (store.Commit, error) {
	db.writer.Lock()
	defer db.writer.Unlock()
	if err := ctx.Err(); err != nil {
		return store.Commit{Outcome: store.Unknown}, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if i, found := db.batchAt[batch]; found {
		if b := db.batches[i]; !b.Tombstone {
			return store.Commit{Outcome: store.Committed, FirstQ: b.FirstQ}, nil
		}
		return store.Commit{}, nil
	}
	db.batchAt[batch] = len(db.batches)
	db.batches = append(db.batches, store.Tombstone(batch))
	return store.Commit{}, nil
}

// View implements store.Backend.
func (db *DB) View(ctx context.Context, fn func(store.View) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.mu.RLock()
	v := &view{db, db.head.Q, db.rev, len(db.signed), db.head.Head}
	db.mu.RUnlock()
	return fn(v)
}

// Close implements store.Backend.
func (db *DB) Close() error { return nil }

// tx is a write transaction. It reads the committed state and queues one batch.
type tx struct {
	db    *DB
	state *credit.State // last state loaded into
	batch *store.Batch
}

func (t *tx) Head() (store.Head, error) { return t.db.head.Head, nil }

func (t *tx) Load(s *credit.State, k credit.Keys, repeats []store.KeyID) (map[store.KeyID]store.Answer, error) {
	t.state = s
	t.db.mu.RLock()
	defer t.db.mu.RUnlock()
	t.db.load(s, k, t.db.head.Q)
	found := map[store.KeyID]store.Answer{}
	for _, k := range repeats {
		if row := t.db.answers.get(k, t.db.head.Q); row != nil {
			found[k] = row.Answer
		}
	}
	return found, nil
}

func (t *tx) Apply(b store.Batch) error {
	if t.batch != nil {
		return errors.New("memory: batch was already applied")
	}
	b.Decided = slices.Clone(b.Decided)
	t.batch = &b
	return nil
}

// order finds an order that the batch names but does not write.
func (t *tx) order(key string) (*credit.Order, error) {
	if row := t.db.orders.get(key, t.db.head.Q); row != nil {
		return row.Order, nil
	}
	return nil, fmt.Errorf("%w: order %s does not exist", store.ErrRefused, key)
}
