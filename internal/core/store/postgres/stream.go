package postgres

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Events implements store.View. The rows stand packed in the audit log, and are found
// through it, by what a merchant may read or by an object.
func (v *view) Events(f store.EventFilter) ([]store.EventRow, error) {
	return store.EventsOf(v, f, v.told, v.db.options.Damaged)
}

// told reads rows of the audit log, as store.ToldReader.
func (v *view) told(q store.ToldQuery) (out []store.ToldRow, err error) {
	sql, args := toldAll, []store.Value{integer(q.Low), integer(q.High)}
	switch {
	case q.Merchant != "":
		sql, args = toldByMerchant, append(args, text(q.Merchant))
	case q.Object != (credit.ObjectRef{}):
		sql, args = toldByObject, append(args, text(q.Object.Type), text(q.Object.ID))
		if company := store.CompanyOf(q.Object); company != 0 {
			sql, args = toldByCompany, append(args, integer(company))
		}
	}
	args = append(args, integer(int64(q.Limit)))
	err = v.query(sql, args, func(r *row) error {
		x, err := toldRow(r)
		out = append(out, x)
		return err
	})
	return out, err
}

func toldRow(r *row) (store.ToldRow, error) {
	at, err := r.value(1, store.Instant)
	return store.ToldRow{Q: r.int(0), At: at.Time(), Told: slices.Clone(r.fields[2])}, err
}

// The statements that find events: $1 ≤ q ≤ $2, at most as many rows as the last parameter
// says. Each way to an object gives as many as are wanted, so that no way is read to its end.
const (
	toldAll        = "SELECT q, at, told FROM audit WHERE q BETWEEN $1 AND $2 AND told IS NOT NULL ORDER BY q LIMIT $3"
	toldByMerchant = "SELECT a.q, a.at, a.told FROM (SELECT q FROM event_readers WHERE merchant_id = $3 AND q BETWEEN $1 AND $2 ORDER BY q LIMIT $4) r" +
		" CROSS JOIN LATERAL (SELECT * FROM audit x WHERE x.q = r.q OFFSET 0) a ORDER BY r.q"
	toldByObject = "SELECT a.q, a.at, a.told FROM (" + asObject + " LIMIT $5) UNION (" + besideObject + " LIMIT $5) ORDER BY q LIMIT $5) o" +
		" CROSS JOIN LATERAL (SELECT * FROM audit x WHERE x.q = o.q OFFSET 0) a ORDER BY o.q"
	toldByCompany = "SELECT a.q, a.at, a.told FROM (" + asObject + " LIMIT $6) UNION (" + besideObject + " LIMIT $6) UNION (" + asCompany +
		" LIMIT $6) ORDER BY q LIMIT $6) o CROSS JOIN LATERAL (SELECT * FROM audit x WHERE x.q = o.q OFFSET 0) a ORDER BY o.q"

	asObject     = "(SELECT q FROM audit WHERE object = $4 AND object <> '' AND q BETWEEN $1 AND $2 AND told IS NOT NULL ORDER BY q"
	besideObject = "SELECT o.q FROM event_objects o CROSS JOIN LATERAL (SELECT 1 FROM audit x WHERE x.q = o.q AND x.told IS NOT NULL OFFSET 0) a" +
		" WHERE o.object_type = $3 AND o.object_id = $4 AND o.q BETWEEN $1 AND $2 ORDER BY o.q"
	asCompany = "SELECT q FROM audit WHERE company_id = $5 AND company_id <> 0 AND q BETWEEN $1 AND $2 AND told IS NOT NULL ORDER BY q"

	toldOf = "SELECT a.q, a.at, a.told FROM unnest($1::bigint[]) i(q) CROSS JOIN LATERAL (SELECT * FROM audit x WHERE x.q = i.q OFFSET 0) a"
)

// events walks all events, in order.
func (v *view) events(fn func(store.EventRow) error) error {
	c := ask("SELECT q, at, told FROM audit WHERE told IS NOT NULL ORDER BY q", nil, nil)
	return walk(v, c, toldRow, func(row store.ToldRow) error { return row.Each(fn) })
}

// answerOf decodes a stored answer. The two columns after its own say whether it stands in the
// audit log, and how.
func answerOf(r *row) (*store.AnswerRow, error) {
	row, err := scan(&store.Idempotency, r)
	if err != nil {
		return nil, err
	}
	at := len(store.Idempotency.Columns)
	inLog, err := r.value(at, store.Bool)
	if err != nil || inLog.Int == 0 {
		return row, err
	}
	row.InLog(slices.Clone(r.fields[at+1]), row.At)
	return row, nil
}
