package years

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/sim"
)

// backup is a store with a copy that lags behind: what is written to the store is written to the
// copy when a backup is made.
type backup struct {
	store.Backend
	copy  store.Backend
	since []func(store.Backend) error // what was written since the backup
	seen  outside
	made  time.Time // when the backup was made; zero: none exists
	told  int       // what the bank and the processor had been told by then
}

// outside is what parties other than the lender knew when a backup was made, as far as they act
// again on what the lender forgets.
type outside struct {
	notes map[string]note
	lines int // of the bank's statement that the lender had
}

func newBackup(db store.Backend) *backup { return &backup{Backend: db, copy: memory.New()} }

func (b *backup) later(err error, do func(store.Backend) error) {
	if err == nil && b.copy != nil {
		b.since = append(b.since, do)
	}
}

// watched is a transaction whose batch is remembered.
type watched struct {
	store.Tx
	batch *store.Batch
}

func (w *watched) Apply(b store.Batch) error {
	w.batch = &b
	return w.Tx.Apply(b)
}

// Update implements store.Backend.
func (b *backup) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	w := &watched{}
	c, err := b.Backend.Update(ctx, func(tx store.Tx) error {
		w.Tx = tx
		return fn(w)
	})
	if w.batch != nil && c.Outcome == store.Committed {
		batch := *w.batch
		b.later(err, func(db store.Backend) error {
			_, err := db.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) })
			return err
		})
	}
	return c, err
}

// Resolve implements store.Backend.
func (b *backup) Resolve(ctx context.Context, id store.BatchID) (store.Commit, error) {
	c, err := b.Backend.Resolve(ctx, id)
	b.later(err, func(db store.Backend) error { _, err := db.Resolve(context.Background(), id); return err })
	return c, err
}

// PutFile implements store.BankFiles.
func (b *backup) PutFile(ctx context.Context, f store.BankFile, transfers []string) (store.BankFile, []store.BankEntry, error) {
	out, entries, err := b.Backend.PutFile(ctx, f, transfers)
	b.later(err, func(db store.Backend) error { _, _, err := db.PutFile(context.Background(), f, transfers); return err })
	return out, entries, err
}

// MoveFile implements store.BankFiles.
func (b *backup) MoveFile(ctx context.Context, id string, to store.FileState, at time.Time) error {
	return b.both(func(db store.Backend) error { return db.MoveFile(ctx, id, to, at) })
}

// both writes now and, if that succeeded, again with the next backup.
func (b *backup) both(do func(store.Backend) error) error {
	err := do(b.Backend)
	b.later(err, do)
	return err
}

// PutNotice implements store.BankFiles.
func (b *backup) PutNotice(ctx context.Context, n store.BankNotice) (fresh bool, err error) {
	fresh, err = b.Backend.PutNotice(ctx, n)
	b.later(err, func(db store.Backend) error { _, err := db.PutNotice(context.Background(), n); return err })
	return fresh, err
}

// CloseNotice implements store.BankFiles.
func (b *backup) CloseNotice(_ context.Context, rail credit.Method, id, result string, at time.Time) error {
	return b.both(func(db store.Backend) error { return db.CloseNotice(context.Background(), rail, id, result, at) })
}

// ReviewNotice implements store.BankFiles.
func (b *backup) ReviewNotice(_ context.Context, rail credit.Method, id, by, note string, at time.Time) error {
	return b.both(func(db store.Backend) error { return db.ReviewNotice(context.Background(), rail, id, by, note, at) })
}

// PutSetting implements store.Registry.
func (b *backup) PutSetting(_ context.Context, name string, value []byte) error {
	return b.both(func(db store.Backend) error { return db.PutSetting(context.Background(), name, value) })
}

// Settle implements store.Registry.
func (b *backup) Settle(ctx context.Context, name string, value []byte) ([]byte, error) {
	kept, err := b.Backend.Settle(ctx, name, value)
	b.later(err, func(db store.Backend) error { _, err := db.Settle(context.Background(), name, value); return err })
	return kept, err
}

// PutBankLines implements store.Reconciler.
func (b *backup) PutBankLines(ctx context.Context, lines []store.BankLine) (int, error) {
	n, err := b.Backend.PutBankLines(ctx, lines)
	b.later(err, func(db store.Backend) error { _, err := db.PutBankLines(context.Background(), lines); return err })
	return n, err
}

// PutMatches implements store.Reconciler.
func (b *backup) PutMatches(_ context.Context, list []store.BankMatch) error {
	return b.both(func(db store.Backend) error { return db.PutMatches(context.Background(), list) })
}

// UndoMatch implements store.Reconciler.
func (b *backup) UndoMatch(_ context.Context, id, by string, at time.Time) error {
	return b.both(func(db store.Backend) error { return db.UndoMatch(context.Background(), id, by, at) })
}

// Record implements store.Courier. The copy holds no leases: past leases are void.
func (b *backup) Record(ctx context.Context, w store.Work) error {
	err := b.Backend.Record(ctx, w)
	w.Leases = nil
	b.later(err, func(db store.Backend) error { return db.Record(context.Background(), w) })
	return err
}

// Purge implements store.Courier.
func (b *backup) Purge(ctx context.Context, before store.Retention, limit int) (int, error) {
	n, err := b.Backend.Purge(ctx, before, limit)
	b.later(err, func(db store.Backend) error { _, err := db.Purge(context.Background(), before, limit); return err })
	return n, err
}

// keep makes a backup of the store and of what others know of it.
func (y *Years) keep() error {
	b := y.backup
	for _, do := range b.since {
		if err := do(b.copy); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
	}
	b.since, b.made, b.told = nil, y.Clock.Now(), y.bank.asked
	b.seen = outside{map[string]note{}, y.bank.account.told}
	for id, n := range y.post.notes {
		b.seen.notes[id] = *n
	}
	return nil
}

// lose restores the last backup in place of the store, once in a life, as long as nothing was
// sent to the bank and the processor since. Anything sent would have to be corrected manually,
// since no restore can know of it. All nodes are stopped and restarted: none knows what is lost,
// so no epoch is needed to keep it out. On request the bank leaves its files and news of that
// time once more; receivers keep what they have; callers whose answer was lost retry, or do not.
func (y *Years) lose() error {
	b := y.backup
	switch {
	case y.healed || b.copy == nil || y.days < y.restore:
		return nil
	case b.made.IsZero() || b.told != y.bank.asked || y.zone.Date(b.made).EndOfMonth() != y.zone.Date(y.Clock.Now()).EndOfMonth():
		return y.keep()
	case len(b.since) == 0 || !sim.Chance(y.Source, 20):
		return nil
	}
	return y.putBack()
}

// putBack replaces the store with the backup. The backup is complete, every answer given before
// it exists, and what came after it is gone: a key of that time is a new one.
func (y *Years) putBack() error {
	b := y.backup
	before, err := sim.ReadBooks(y.Faulty.Backend)
	if err != nil {
		return err
	}
	for _, n := range y.nodes {
		n.sender.die()
		n.dead = true
	}
	b.Backend, b.copy, b.since = b.copy, nil, nil
	y.Faulty.Heal()
	y.Faulty.Mix = y.Mix.Commits
	y.bank.again(b.made)
	y.bank.account.told = b.seen.lines
	y.post.notes = map[string]*note{}
	for id, n := range b.seen.notes {
		y.post.notes[id] = &n
	}
	after, err := sim.ReadBooks(y.Faulty.Backend)
	if err != nil {
		return err
	}
	y.Situations.Reached(sim.Restored)
	y.post.forget(before, after)
	y.people.forget(after)
	y.mend()
	return errors.Join(after.Check(), y.verified(), y.people.see())
}

// forget notes the events that a restore has lost: they may have been delivered.
func (p *post) forget(before, after *sim.Books) {
	kept := map[string]bool{}
	for _, e := range after.Events {
		kept[e.ID] = true
	}
	for _, e := range before.Events {
		if !kept[e.ID] {
			p.lost[e.ID] = true
		}
	}
}

// forget withdraws the answers that a restore has lost. Their callers retry, or never learn of
// it; and one caller who had an answer before the backup retries.
func (p *cast) forget(after *sim.Books) {
	for _, q := range p.calls {
		k := sim.KeyOf(q)
		_, had := p.final[k]
		if _, kept := after.Answers[k]; kept || !had {
			continue
		}
		delete(p.final, k)
		if p.lost[k] = true; sim.Chance(p.y.Source, 70) {
			p.waiting = append(p.waiting, &asker{request: q, kind: "lost", sent: 1})
		}
	}
	for _, q := range p.calls {
		if p.final[sim.KeyOf(q)].Status != 0 {
			p.older = sim.KeyOf(q)
			p.waiting = append(p.waiting, &asker{request: q, kind: "older", sent: 1})
			return
		}
	}
}
