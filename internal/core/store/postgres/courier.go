package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/store"
)

// The statements for leases and for purging.
const (
	// takeLease is one statement, so that of two callers that want a free duty one gets it:
	// the other waits for the row, sees its holder, and changes nothing.
	takeLease = `INSERT INTO leases AS l (name, holder, token, until) VALUES ($1, $2, 1, $4)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
		token = l.token + CASE WHEN l.holder = excluded.holder THEN 0 ELSE 1 END
		WHERE l.holder = excluded.holder OR l.until IS NULL OR l.until <= $3
		RETURNING token`
	// giveLease keeps the row, so that tokens never restart.
	giveLease = `UPDATE leases SET holder = '', until = NULL WHERE name = $1 AND holder = $2 AND token = $3`
	// holdLeases locks the leases of work until its COMMIT, and fails if one of them does
	// not match: then nothing is written.
	holdLeases = `SELECT demand((SELECT count(*) FROM (
			SELECT l.name FROM unnest($1::text[], $2::text[], $3::bigint[]) i(name, holder, token)
			JOIN leases l ON l.name = i.name AND l.holder = i.holder AND l.token = i.token
			ORDER BY l.name FOR UPDATE OF l) held) = $4, '` + codeLeaseLost + `')`
	purgeTokens = `WITH gone AS (DELETE FROM tokens WHERE hash = ANY(ARRAY(
			SELECT hash FROM tokens WHERE least(expires_at, revoked_at) < $1 ORDER BY least(expires_at, revoked_at), hash
			LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
		SELECT count(*) FROM gone`
	purgeDeliveries = `WITH gone AS (DELETE FROM deliveries WHERE id = ANY(ARRAY(
			SELECT id FROM deliveries WHERE finished_at < $1 ORDER BY finished_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id),
		tried AS (DELETE FROM attempts WHERE delivery_id = ANY(ARRAY(SELECT id FROM gone)))
		SELECT count(*) FROM gone`
)

// Lease implements store.Duties.
func (db *DB) Lease(ctx context.Context, name, holder string, now, until time.Time) (store.Lease, bool, error) {
	l, found := store.Lease{Name: name, Holder: holder, Until: store.Micros(until).Time()}, false
	args := []store.Value{text(name), text(holder), store.Micros(now), store.Micros(until)}
	err := db.again(ctx, ask(takeLease, args, func(r *row) error { l.Token, found = r.int(0), true; return nil }))
	if err != nil || !found {
		return store.Lease{}, false, wrap("lease "+name, err)
	}
	return l, true, nil
}

// Release implements store.Duties.
func (db *DB) Release(ctx context.Context, l store.Lease) error {
	return wrap("release "+l.Name, db.again(ctx, ask(giveLease, []store.Value{text(l.Name), text(l.Holder), integer(l.Token)}, nil)))
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Record implements store.Courier in two round trips: what is delivered was committed long
// ago and never changes, so it is read before the transaction. If the connection breaks, it is
// unknown whether the work was written: recording the same work again changes nothing if it
// was.
func (db *DB) Record(ctx context.Context, w store.Work) error {
	if db.options.ReadOnly {
		return ErrReadOnly
	}
	k, err := db.take(ctx, db.aside, beside)
	if err != nil {
		return wrap("record", unreachable(ctx, err))
	}
	k.patience(db.options.CommitWait)
	told := func(commits []int64) (out []store.ToldRow, err error) {
		err = k.run(over(toldOf, numbers(commits), func(r *row) error {
			x, err := toldRow(r)
			out = append(out, x)
			return err
		}))
		return out, err
	}
	if err := store.CheckDeliveries(w.Deliveries, told); err != nil {
		// A worker whose lease is lost is told so first.
		if e := k.run(slices.Concat([]*call{{sql: "BEGIN"}}, work(store.Work{Leases: w.Leases}), []*call{{sql: "ROLLBACK"}})...); e != nil {
			err = e
		}
		broken := !k.dead && k.status != 'I' && k.script("ROLLBACK") != nil
		db.giveBack(db.aside, k, broken)
		return wrap("record", outcome(err))
	}
	commit := &call{sql: "COMMIT"}
	err = k.run(slices.Concat([]*call{{sql: "BEGIN"}}, work(w), []*call{commit})...)
	if err == nil && (commit.tag != "COMMIT" || k.warned != "") {
		err = fmt.Errorf("the server said %q, and warned: %q", commit.tag, k.warned)
	}
	broken := err != nil && !k.dead && k.status != 'I' && k.script("ROLLBACK") != nil
	db.giveBack(db.aside, k, broken)
	return wrap("record", outcome(err))
}

// outcome translates an error of Record.
func outcome(err error) error {
	var e *pgconn.PgError
	switch {
	case isLost(err):
		return fmt.Errorf("it may have been written: %w", err)
	case errors.As(err, &e) && e.Code == codeLeaseLost:
		return store.ErrLeaseLost
	}
	return verdict(err)
}

// work returns the statements that write what a sender has done.
func work(w store.Work) []*call {
	var calls []*call
	if len(w.Leases) > 0 {
		held := make(tuples, len(w.Leases))
		for i, l := range w.Leases {
			held[i] = []store.Value{text(l.Name), text(l.Holder), integer(l.Token)}
		}
		calls = append(calls, over(holdLeases, held, nil, integer(int64(len(held)))))
	}
	b := &writer{}
	// In the order in which rows are locked.
	b.add(statements.deliveries, records[store.Delivery]{&store.Deliveries, slices.SortedFunc(slices.Values(w.Deliveries),
		func(a, b store.Delivery) int { return cmp.Compare(a.ID, b.ID) })})
	b.add(statements.attempts, records[store.Attempt]{&store.Attempts, w.Attempts})
	b.add(statements.cursors, records[store.Cursor]{&store.Cursors, slices.SortedFunc(slices.Values(w.Cursors),
		func(a, b store.Cursor) int { return cmp.Compare(a.Endpoint, b.Endpoint) })})
	return append(calls, b.calls...)
}

// Purge implements store.Courier. Rows that another transaction has locked are left for the
// next call.
func (db *DB) Purge(ctx context.Context, before store.Retention, limit int) (int, error) {
	total := int64(0)
	for _, kind := range []struct {
		sql string
		at  time.Time
	}{{purgeTokens, before.Tokens}, {purgeDeliveries, before.Deliveries}} {
		if kind.at.IsZero() || limit <= 0 {
			continue
		}
		count := func(r *row) error { total += r.int(0); return nil }
		if err := db.put(ctx, ask(kind.sql, []store.Value{store.Micros(kind.at), integer(int64(limit))}, count)); err != nil {
			return int(total), wrap("purge", err)
		}
	}
	return int(total), nil
}
