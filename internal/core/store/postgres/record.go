package postgres

import (
	"context"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// The texts of the vault and of what is short-lived.
const (
	eraseVault = "DELETE FROM vault WHERE id = ANY($1::text[])"
	putScratch = "INSERT INTO scratch AS t (name, value, until, version) SELECT $1::text, $2::bytea, $3::timestamptz, 1" +
		" WHERE $4::bigint = 0 OR EXISTS (SELECT FROM scratch WHERE name = $1)" +
		" ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until, version = t.version + 1" +
		" WHERE CASE WHEN t.until > $5::timestamptz THEN t.version = $4 ELSE $4 = 0 END RETURNING version"
	dropScratch  = "DELETE FROM scratch WHERE name = $1 RETURNING name"
	sweepScratch = "DELETE FROM scratch WHERE name IN (SELECT name FROM scratch WHERE until <= $1::timestamptz ORDER BY until, name LIMIT $2) RETURNING name"
)

// secrets writes what is personal of records.
func (t *tx) secrets(w *writer, r *store.Rows) {
	put(w, &store.Vault, putVault, r.Vault)
	erased := make(texts, len(r.Erased))
	for i, x := range r.Erased {
		erased[i] = x.ID
	}
	w.add(eraseVault, erased)
}

// Records implements store.RecordView.
func (v *view) Records(n credit.Noun, f store.RecordFilter, p store.Page) ([]credit.Record, error) {
	t, err := store.RecordsOf(n)
	if err != nil {
		return nil, err
	}
	var l list
	l.equal("of_key", f.Of)
	l.company("company_id", f.Company)
	l.equal("merchant_id", f.Merchant)
	l.equal("status", f.Status)
	if n == credit.NounApplication {
		l.equal("body::json->>'kind'", f.Kind)
		l.unequal("body::json->>'kind'", f.NotKind)
	}
	l.compare("created_at", ">=", store.Micros(f.From))
	l.compare("created_at", "<", store.Micros(f.To))
	l.after("created_at", "id", p, text(p.AfterID))
	var out []credit.Record
	clause := l.clause() + l.newest("created_at", "id", p)
	err = all(v, t, clause, func(r *store.RecordRow) error { out = append(out, r.Record); return nil }, l.args...)
	return out, wrap("list "+t.Name, err)
}

// Mails that go before others; the index mails_urgent has the same condition.
const (
	dueUrgent = "SELECT id, next_at FROM mails WHERE next_at <= $1::timestamptz AND next_at IS NOT NULL" +
		" AND body::json->>'template' IN ('code', 'sign_in_link') ORDER BY next_at, id LIMIT $2"
	dueOrdinary = "SELECT id, next_at FROM mails WHERE next_at <= $1::timestamptz AND next_at IS NOT NULL" +
		" AND body::json->>'template' NOT IN ('code', 'sign_in_link') ORDER BY next_at, id LIMIT $2"
)

// DueMails implements store.RecordView.
func (v *view) DueMails(now time.Time, limit int) (out []store.Due, err error) {
	for _, sql := range []string{dueUrgent, dueOrdinary} {
		left := max(limit-len(out), 0)
		err := v.query(sql, []store.Value{store.Micros(now), integer(int64(left))}, func(r *row) error {
			at, err := r.value(1, store.Instant)
			out = append(out, store.Due{ID: r.text(0), At: at.Time()})
			return err
		})
		if err != nil {
			return nil, wrap("list due mails", err)
		}
	}
	return out, nil
}

// Secrets implements store.RecordView.
func (v *view) Secrets(ids []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	if len(ids) == 0 {
		return out, nil
	}
	err := walk(v, over(secretsByID, texts(ids), nil), func(r *row) (*store.VaultRow, error) { return scan(&store.Vault, r) },
		func(r *store.VaultRow) error { out[r.ID] = r.Sealed; return nil })
	return out, wrap("read the vault", err)
}

// CompaniesByEmail implements store.RecordView.
func (v *view) CompaniesByEmail(email string, limit int) ([]*credit.Company, error) {
	var out []*credit.Company
	err := all(v, &store.Companies, " WHERE lower(email) = $1 AND email <> '' ORDER BY company_id LIMIT "+number(max(limit, 0)),
		func(r *store.CompanyRow) error { out = append(out, r.Company); return nil }, text(email))
	return out, wrap("companies by e-mail", err)
}

// Scratched implements store.Scratch.
func (db *DB) Scratched(ctx context.Context, name string, now time.Time) (value []byte, version int64, found bool, err error) {
	row, err := one(ctx, db, &store.ScratchTable, text(name))
	if err != nil {
		return nil, 0, false, wrap("read scratch", err)
	}
	if row == nil || !row.Until.After(now) {
		return nil, 0, false, nil
	}
	return row.Value, row.Version, true, nil
}

// Scratch implements store.Scratch.
func (db *DB) Scratch(ctx context.Context, s store.ScratchRow, now time.Time) (kept bool, err error) {
	n, err := db.counted(ctx, putScratch, []store.Value{text(s.Name), blob(s.Value), store.Micros(s.Until), integer(s.Version), store.Micros(now)})
	return n > 0, wrap("keep scratch", err)
}

// Unscratch implements store.Scratch.
func (db *DB) Unscratch(ctx context.Context, name string) (gone bool, err error) {
	n, err := db.counted(ctx, dropScratch, []store.Value{text(name)})
	return n > 0, wrap("forget scratch", err)
}

// SweepScratch implements store.Scratch.
func (db *DB) SweepScratch(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := db.counted(ctx, sweepScratch, []store.Value{store.Micros(now), integer(int64(limit))})
	return n, wrap("sweep scratch", err)
}

// counted runs a statement in a transaction of its own and counts the rows that it returns.
func (db *DB) counted(ctx context.Context, sql string, args []store.Value) (n int, err error) {
	c := ask(sql, args, func(*row) error { n++; return nil })
	return n, db.again(ctx, c)
}
