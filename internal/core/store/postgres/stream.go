package postgres

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Events implements store.View. A merchant's stream is found through its read permissions,
// in their order; all events are in their own order, and those of one object also in
// sequence order.
func (v *view) Events(f store.EventFilter) (out []store.EventRow, err error) {
	var l list
	from, row := " FROM events e", "e"
	switch {
	case f.Merchant == "":
	case f.ID == "" && f.Object == (credit.ObjectRef{}):
		from, row = " FROM event_readers r CROSS JOIN LATERAL (SELECT * FROM events x WHERE x.q = r.q AND x.n = r.n OFFSET 0) e", "r"
		l.equal("r.merchant_id", f.Merchant)
	default:
		l.where = append(l.where, "EXISTS (SELECT FROM event_readers r WHERE r.merchant_id = "+l.arg(text(f.Merchant))+" AND r.q = e.q AND r.n = e.n)")
	}
	l.during(f, row)
	end := " ORDER BY " + row + ".q, " + row + ".n LIMIT " + number(max(f.Limit, 0))
	switch {
	case f.ID != "":
		l.equal("e.id", f.ID)
		end = ""
	case f.Object != (credit.ObjectRef{}):
		l.where = append(l.where, "e.object_type = "+l.arg(text(f.Object.Type)), "e.object_id = "+l.arg(text(f.Object.ID)))
		end = " ORDER BY e.sequence LIMIT " + number(max(f.Limit, 0))
	}
	l.behind(f, row)
	sql := "SELECT " + columns(store.Events.Schema(), "e.") + from + l.clause() + end
	if err := v.query(sql, l.args, every(&store.Events, func(r *store.EventRow) { out = append(out, *r) })); err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return out, nil
}

// behind starts after an event or a place.
func (l *list) behind(f store.EventFilter, row string) {
	place := "(" + row + ".q, " + row + ".n) > "
	switch {
	case f.Behind == "" && f.ID == "" && (f.Object == (credit.ObjectRef{}) || f.After != (store.Place{})):
		l.where = append(l.where, place+"("+l.arg(integer(f.After.Q))+", "+l.arg(integer(int64(f.After.N)))+")")
	case f.Behind != "" && f.Object != (credit.ObjectRef{}):
		l.where = append(l.where, "e.sequence > (SELECT sequence FROM events WHERE id = "+l.arg(text(f.Behind))+")")
	case f.Behind != "":
		l.where = append(l.where, place+"(SELECT q, n FROM events WHERE id = "+l.arg(text(f.Behind))+")")
	}
}

// during narrows to a time span. An event is dated at or after its batch and at or before
// the next one, and batches are in chronological order (TM1): so the index of batches gives
// the commits that bound the span, and the events' own times decide.
func (l *list) during(f store.EventFilter, row string) {
	const batch = "(SELECT %s FROM batches WHERE NOT tombstone AND at < %s ORDER BY at DESC, last_q DESC LIMIT 1)"
	if !f.To.IsZero() {
		end := l.arg(store.Micros(f.To))
		l.where = append(l.where, row+".q <= coalesce("+fmt.Sprintf(batch, "last_q", end)+", 0)", "e.at < "+end)
	}
	if !f.From.IsZero() {
		begin := l.arg(store.Micros(f.From))
		l.where = append(l.where, row+".q >= coalesce("+fmt.Sprintf(batch, "first_q", begin)+", 0)", "e.at >= "+begin)
	}
}
