package sqlite

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

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
		l.equal("json_extract(body, '$.kind')", f.Kind)
		l.unequal("json_extract(body, '$.kind')", f.NotKind)
	}
	l.compare("created_at", ">=", store.Micros(f.From))
	l.compare("created_at", "<", store.Micros(f.To))
	l.after("created_at", "id", p, text(p.AfterID))
	var out []credit.Record
	clause := l.clause() + l.newest("created_at", "id", p)
	if err := all(v.conn, t, clause, func(r *store.RecordRow) error { out = append(out, r.Record); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list %s: %w", t.Name, err)
	}
	return out, nil
}

// Mails that go before others, and the index of them alone: its condition is repeated word for
// word, or SQLite does not use it.
const (
	urgentMails = "next_at IS NOT NULL AND json_extract(body, '$.template') IN ('code', 'sign_in_link')"
	dueUrgent   = "SELECT id, next_at FROM mails INDEXED BY mails_urgent WHERE " + urgentMails + " AND next_at <= ?1 ORDER BY next_at, id LIMIT ?2"
	dueOrdinary = "SELECT id, next_at FROM mails INDEXED BY mails_next WHERE next_at IS NOT NULL AND next_at <= ?1" +
		" AND json_extract(body, '$.template') NOT IN ('code', 'sign_in_link') ORDER BY next_at, id LIMIT ?2"
)

// DueMails implements store.RecordView.
func (v *view) DueMails(now time.Time, limit int) (out []store.Due, err error) {
	for _, sql := range []string{dueUrgent, dueOrdinary} {
		left := max(limit-len(out), 0)
		err := v.query(sql, []store.Value{integer(now.UnixMicro()), integer(int64(left))}, func(s *sqlite.Stmt) error {
			out = append(out, store.Due{ID: s.ColumnText(0), At: column(s, 1, store.Instant).Time()})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("due mails: %w", err)
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
	err := each(v.conn, &store.Vault, vaultByID, distinct(ids), func(r *store.VaultRow) { out[r.ID] = r.Sealed })
	if err != nil {
		return nil, fmt.Errorf("read the vault: %w", err)
	}
	return out, nil
}

// CompaniesByEmail implements store.RecordView.
func (v *view) CompaniesByEmail(email string, limit int) ([]*credit.Company, error) {
	var out []*credit.Company
	err := all(v.conn, &store.Companies, " WHERE lower(email) = +?1 AND email <> '' ORDER BY company_id LIMIT +?2",
		func(r *store.CompanyRow) error { out = append(out, r.Company); return nil }, text(email), integer(int64(limit)))
	if err != nil {
		return nil, fmt.Errorf("companies by e-mail: %w", err)
	}
	return out, nil
}

// Scratched implements store.Scratch.
func (db *DB) Scratched(ctx context.Context, name string, now time.Time) (value []byte, version int64, found bool, err error) {
	row, err := one(ctx, db, &store.ScratchTable, text(name))
	if err != nil {
		return nil, 0, false, fmt.Errorf("read scratch: %w", err)
	}
	if row == nil || !row.Until.After(now) {
		return nil, 0, false, nil
	}
	return row.Value, row.Version, true, nil
}

const (
	putScratch = "INSERT INTO scratch (name, value, until, version) SELECT ?1, ?2, ?3, 1 WHERE ?4 = 0 OR EXISTS (SELECT 1 FROM scratch WHERE name = ?1)" +
		" ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until, version = version + 1" +
		" WHERE CASE WHEN until > ?5 THEN version = ?4 ELSE ?4 = 0 END RETURNING version"
	dropScratch  = "DELETE FROM scratch WHERE name = ?1 RETURNING name"
	sweepScratch = "DELETE FROM scratch WHERE name IN (SELECT name FROM scratch WHERE until <= ?1 ORDER BY until, name LIMIT ?2) RETURNING name"
)

// Scratch implements store.Scratch.
func (db *DB) Scratch(ctx context.Context, s store.ScratchRow, now time.Time) (kept bool, err error) {
	args := []store.Value{text(s.Name), blob(s.Value), store.Micros(s.Until), integer(s.Version), store.Micros(now)}
	n, err := db.counted(ctx, putScratch, args)
	if err != nil {
		return false, fmt.Errorf("keep scratch: %w", err)
	}
	return n > 0, nil
}

// Unscratch implements store.Scratch.
func (db *DB) Unscratch(ctx context.Context, name string) (gone bool, err error) {
	n, err := db.counted(ctx, dropScratch, []store.Value{text(name)})
	if err != nil {
		return false, fmt.Errorf("forget scratch: %w", err)
	}
	return n > 0, nil
}

// SweepScratch implements store.Scratch.
func (db *DB) SweepScratch(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := db.counted(ctx, sweepScratch, []store.Value{store.Micros(now), integer(int64(limit))})
	if err != nil {
		return 0, fmt.Errorf("sweep scratch: %w", err)
	}
	return n, nil
}

// counted runs a statement in a transaction of its own and counts the rows that it returns.
func (db *DB) counted(ctx context.Context, sql string, args []store.Value) (n int, err error) {
	err = db.write(ctx, func(k *conn) error {
		n = 0
		return k.query(sql, args, func(*sqlite.Stmt) error { n++; return nil })
	})
	return n, err
}
