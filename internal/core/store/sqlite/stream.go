package sqlite

import (
	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Events implements store.View. The rows stand packed in the audit log, and are found
// through it, by what a merchant may read or by an object.
func (v *view) Events(f store.EventFilter) ([]store.EventRow, error) {
	return store.EventsOf(v, f, v.told, v.damaged)
}

// told reads rows of the audit log, as store.ToldReader.
func (v *view) told(q store.ToldQuery) (out []store.ToldRow, err error) {
	sql, args := toldAll, []store.Value{integer(q.Low), integer(q.High), integer(int64(q.Limit))}
	switch {
	case q.Merchant != "":
		sql, args = toldByMerchant, append(args, text(q.Merchant))
	case q.Object != (credit.ObjectRef{}):
		sql, args = toldByObject, append(args, text(q.Object.Type), text(q.Object.ID))
		if company := store.CompanyOf(q.Object); company != 0 {
			sql, args = toldByCompany, append(args, integer(company))
		}
	}
	err = v.query(sql, args, func(s *sqlite.Stmt) error { out = append(out, toldRow(s)); return nil })
	return out, err
}

func toldRow(s *sqlite.Stmt) store.ToldRow {
	told := make([]byte, s.ColumnLen(2))
	s.ColumnBytes(2, told)
	return store.ToldRow{Q: s.ColumnInt64(0), At: column(s, 1, store.Instant).Time(), Told: told}
}

// The statements that find events: ?1 ≤ q ≤ ?2, at most ?3 rows. Each way to an object gives
// as many as are wanted, so that no way is read to its end.
const (
	toldAll        = "SELECT q, at, told FROM audit WHERE q BETWEEN +?1 AND +?2 AND told IS NOT NULL ORDER BY q LIMIT +?3"
	toldByMerchant = "SELECT a.q, a.at, a.told FROM event_readers r CROSS JOIN audit a ON a.q = r.q " +
		"WHERE r.merchant_id = +?4 AND r.q BETWEEN +?1 AND +?2 ORDER BY r.q LIMIT +?3"
	toldByObject  = "SELECT q, at, told FROM audit WHERE q IN (" + asObject + " UNION " + besideObject + ") AND told IS NOT NULL ORDER BY q LIMIT +?3"
	toldByCompany = "SELECT q, at, told FROM audit WHERE q IN (" + asObject + " UNION " + besideObject + " UNION " + asCompany +
		") AND told IS NOT NULL ORDER BY q LIMIT +?3"

	asObject     = "SELECT q FROM (SELECT q FROM audit WHERE object = +?5 AND object <> '' AND q BETWEEN +?1 AND +?2 AND told IS NOT NULL ORDER BY q LIMIT +?3)"
	besideObject = "SELECT q FROM (SELECT o.q FROM event_objects o CROSS JOIN audit b ON b.q = o.q AND b.told IS NOT NULL" +
		" WHERE o.object_type = +?4 AND o.object_id = +?5 AND o.q BETWEEN +?1 AND +?2 ORDER BY o.q LIMIT +?3)"
	asCompany = "SELECT q FROM (SELECT q FROM audit WHERE company_id = +?6 AND company_id <> 0 AND q BETWEEN +?1 AND +?2 AND told IS NOT NULL ORDER BY q LIMIT +?3)"

	toldOf = "SELECT a.q, a.at, a.told FROM input i CROSS JOIN audit a ON a.q = i.c0"
)

// events walks all events, in order.
func (v *view) events(fn func(store.EventRow) error) error {
	return v.query("SELECT q, at, told FROM audit WHERE told IS NOT NULL ORDER BY q", nil, func(s *sqlite.Stmt) error {
		return toldRow(s).Each(fn)
	})
}

// answer decodes a stored answer. The two columns after its own say whether it stands in the
// audit log, and how.
func (k *conn) answer(s *sqlite.Stmt) (*store.AnswerRow, error) {
	row, err := scan(k, &store.Idempotency, s)
	at := len(store.Idempotency.Columns)
	if err != nil || s.ColumnInt64(at) == 0 {
		return row, err
	}
	told := make([]byte, s.ColumnLen(at+1))
	s.ColumnBytes(at+1, told)
	row.InLog(told, row.At)
	return row, nil
}
