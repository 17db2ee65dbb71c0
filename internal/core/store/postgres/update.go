package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// Update implements store.Backend. Before COMMIT is sent every error is definite. From then
// on the outcome is known only if the server reports it in one of two ways: an error of
// severity ERROR that leaves the transaction failed, or the tag COMMIT without a warning
// (EN4). Everything else is unknown.
func (db *DB) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	if db.options.ReadOnly {
		return store.Commit{}, ErrReadOnly
	}
	k, err := db.writer(ctx)
	if err != nil {
		return store.Commit{}, fmt.Errorf("update: %w", transient(err))
	}
	t := &tx{db: db, conn: k, linked: map[int64][]string{}, locked: map[int64]bool{}, firm: db.firm()}
	t.h, t.known = db.last()
	broken := true // also if fn panics: the session ends, and the transaction with it
	defer func() { db.release(k, broken) }()
	k.patience(loadWait)
	err = t.run(ctx, fn)
	if err != nil || t.batch == nil {
		if e := t.prove(); e != nil {
			return store.Commit{}, passing{e}
		}
		e := t.rollback()
		broken = e != nil
		return store.Commit{}, err // a failed rollback ends with the session
	}
	c, err := t.commit(ctx)
	broken = c.Outcome == store.Unknown || k.status != 'I'
	return c, err
}

// tx is a write transaction.
type tx struct {
	db     *DB
	conn   *conn
	h      store.Head
	known  bool               // h was read by some transaction
	begun  bool               // BEGIN was sent
	sent   bool               // COMMIT was sent
	state  *credit.State      // last state loaded into
	loaded *loader            // what was read without locks
	linked map[int64][]string // merchants of the loaded companies
	locked map[int64]bool     // companies
	repeat int64              // highest commit of a loaded stored answer
	firm   bool               // the head must not advance once the loads are done
	batch  *store.Batch
}

// begin returns the call that opens the transaction, if it is not open yet.
func (t *tx) begin() []*call {
	if t.begun {
		return nil
	}
	t.begun = true
	return []*call{{sql: "BEGIN"}}
}

// readHead returns the call that reads the commit sequence.
func readHead(fn func(store.Head)) *call {
	return ask(headOfBook, nil, every(&store.Books, func(r *store.BookRow) { fn(r.Head) }))
}

// head reads the commit sequence.
func (k *conn) head() (store.Head, error) {
	h := store.Head{BusinessDate: calendar.None}
	err := k.run(readHead(func(x store.Head) { h = x }))
	return h, err
}

func (t *tx) run(ctx context.Context, fn func(store.Tx) error) error {
	if err := fn(t); err != nil || t.batch == nil {
		return err
	}
	return ctx.Err()
}

// prove makes sure that stored answers may be given again. A commit can be visible before
// it is on the standby, if the server was made to stop waiting for it or was restarted. A
// later commit that is on the standby proves the earlier ones, so if this process has made
// none since, it makes one now.
func (t *tx) prove() error {
	if !t.conn.standby || t.conn.dead || t.repeat == 0 || t.db.isProved(t.repeat) {
		return nil
	}
	k := t.conn
	k.patience(t.db.options.CommitWait)
	mark := records[store.SettingRow]{&store.Settings, []store.SettingRow{{Name: settingProved, Value: []byte(t.h.At.String())}}}
	commit := &call{sql: "COMMIT"}
	err := k.run(over(statements.setting, mark, nil), commit)
	if err == nil && (commit.tag != "COMMIT" || k.warned != "") {
		err = fmt.Errorf("the server said %q, and warned: %q", commit.tag, k.warned)
	}
	if err != nil {
		return fmt.Errorf("prove commit %d: %w", t.repeat, err)
	}
	t.db.proved(t.h.Q)
	return nil
}

// settingProved is the row that prove writes.
const settingProved = "engine.proved"

// rollback ends a transaction that is not committed.
func (t *tx) rollback() error {
	if t.conn.dead || !t.begun || t.conn.status == 'I' {
		return nil
	}
	return t.conn.script("ROLLBACK")
}

// commit sends the batch. Nothing may stop it from here on: neither the caller nor a
// deadline (EN6). If the server stays silent the outcome is unknown, and its session is
// left alone.
func (t *tx) commit(ctx context.Context) (store.Commit, error) {
	relative := t.h
	relative.Q = 0 // the server counts from the book's current commit
	rows, err := store.Merge(*t.batch, relative, t.order)
	if err != nil {
		return store.Commit{}, errors.Join(err, t.rollback())
	}
	if err := ctx.Err(); err != nil {
		return store.Commit{}, errors.Join(err, t.rollback())
	}
	k := t.conn
	k.patience(t.db.options.CommitWait)
	last, err := t.send(rows)
	if errors.Is(verdict(err), store.ErrBehind) {
		t.db.overtaken.Add(1)
	}
	var server *pgconn.PgError
	switch {
	case err == nil && last.tag == "COMMIT" && k.status == 'I' && k.warned == "":
		t.db.saw(t.h)
		t.db.proved(t.h.Q)
		return store.Commit{Outcome: store.Committed, FirstQ: t.h.Q - int64(len(t.batch.Decided)) + 1}, nil
	case !t.sent:
		return store.Commit{}, fmt.Errorf("apply batch: %w", errors.Join(verdict(err), t.rollback()))
	case !isLost(err) && errors.As(err, &server) && k.status == 'E':
		k.patience(loadWait)
		return store.Commit{}, fmt.Errorf("apply batch: %w", errors.Join(verdict(err), t.rollback()))
	case err == nil:
		err = fmt.Errorf("the server said %q, and warned: %q", last.tag, k.warned)
	}
	return store.Commit{Outcome: store.Unknown}, fmt.Errorf("commit: %w", err)
}

// Head implements store.Tx. Before the first load it is what this process knows; Apply is
// checked against the book's current state. If the last batch was overtaken, the row is
// locked once the loads are done: companies first, then the book, the order in which every
// batch locks them. So no batch is overtaken twice.
func (t *tx) Head() (store.Head, error) {
	firm := t.firm && t.loaded != nil
	if t.known && !firm {
		return t.h, nil
	}
	call := readHead(t.sees)
	if firm {
		call.sql += forUpdate
	}
	err := t.read(call)
	if err != nil {
		return store.Head{}, fmt.Errorf("read head: %w", err)
	}
	return t.h, nil
}

func (t *tx) sees(h store.Head) {
	t.h, t.known = h, true
	t.db.saw(h)
}

// read runs calls in the transaction.
func (t *tx) read(calls ...*call) error {
	return verdict(t.conn.run(slices.Concat(t.begin(), calls)...))
}

// Load implements store.Tx in one round trip: the locks, and after them what they protect.
func (t *tx) Load(s *credit.State, k credit.Keys, repeats []store.KeyID) (map[store.KeyID]store.Answer, error) {
	if t.loaded == nil || t.state != s {
		t.state, t.loaded = s, newLoader(s)
		t.loaded.locks = true
	}
	l := t.loaded
	l.calls = nil
	if c := lock(k, t.locked); c != nil {
		l.calls = append(l.calls, c)
	}
	l.load(k)
	found := map[store.KeyID]store.Answer{}
	keys := make(tuples, len(repeats))
	for i, key := range repeats {
		keys[i] = []store.Value{text(key.Client), text(key.Key)}
	}
	l.add(answersByKey, keys, func(r *row) error {
		x, err := answerOf(r)
		if err == nil {
			found[x.KeyID] = x.Answer
			t.repeat = max(t.repeat, x.Answer.Q)
		}
		return err
	})
	if err := t.read(append(l.calls, readHead(t.sees))...); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	l.rememberWaiting(k.Waiting)
	if !l.under(t.locked) {
		return nil, passing{errUnlocked}
	}
	for _, id := range k.Companies {
		if c := s.Companies[id]; c != nil {
			if _, ok := t.linked[id]; !ok {
				t.linked[id] = c.Linked
			}
		}
	}
	return found, nil
}

// errUnlocked means that a record appeared between the locks and the reads: another node
// has just created it.
var errUnlocked = errors.New("a record was read that is not covered by its company's lock")

// Apply implements store.Tx.
func (t *tx) Apply(b store.Batch) error {
	if t.batch != nil {
		return errors.New("postgres: batch was already applied")
	}
	if !t.known { // the batch's time is compared with it
		if _, err := t.Head(); err != nil {
			return err
		}
	}
	b.Decided = slices.Clone(b.Decided)
	t.batch = &b
	return nil
}

// order finds an order that the batch names but does not write.
func (t *tx) order(key string) (order *credit.Order, err error) {
	if t.state != nil && t.state.Orders[key] != nil {
		return t.state.Orders[key], nil
	}
	err = t.read(over(nounTexts[store.OrderNoun.Index()].byKey, texts{key}, every(&store.Orders, func(r *store.OrderRow) { order = r.Order })))
	if err == nil && order == nil {
		err = fmt.Errorf("%w: order %s does not exist", store.ErrRefused, key)
	}
	return order, err
}

// Resolve implements store.Backend. In a new session it inserts the tombstone, which waits
// for the old transaction if that is still running, and bars it if it has not arrived yet.
// It also commits a row of its own: if the server waits for a standby, it does so for this
// commit too, and everything before it in the log is then on the standby as well (EN5,
// EN6).
func (db *DB) Resolve(ctx context.Context, batch store.BatchID) (store.Commit, error) {
	unknown := store.Commit{Outcome: store.Unknown}
	k, err := db.dial(ctx, writing)
	if err != nil {
		return unknown, fmt.Errorf("resolve: %w", err)
	}
	defer k.close()
	k.patience(db.options.CommitWait)
	tombstones := records[store.BatchRow]{&store.Batches, []store.BatchRow{store.Tombstone(batch)}}
	marks := records[store.SettingRow]{&store.Settings, []store.SettingRow{{Name: settingResolved, Value: batch[:]}}}
	var found *store.BatchRow
	commit := &call{sql: "COMMIT"}
	err = k.run(&call{sql: "BEGIN"}, over(statements.tombstone, tombstones, nil), over(statements.setting, marks, nil),
		ask(batchByID, []store.Value{blob(batch[:])}, every(&store.Batches, func(r *store.BatchRow) { found = r })), commit)
	switch {
	case err != nil:
		return unknown, fmt.Errorf("resolve: %w", err)
	case commit.tag != "COMMIT" || k.warned != "":
		return unknown, fmt.Errorf("resolve: the server said %q, and warned: %q", commit.tag, k.warned)
	case found == nil:
		return unknown, errors.New("resolve: the batch's row is missing after its insert")
	case found.Tombstone:
		return store.Commit{}, nil
	}
	return store.Commit{Outcome: store.Committed, FirstQ: found.FirstQ}, nil
}

// settingResolved is the row that Resolve writes.
const settingResolved = "engine.resolved"
