package postgres

import (
	"fmt"
	"time"

	"tenor/internal/core/store"
)

// Stream implements store.View.
func (v *view) Stream(merchant string, after store.Place, limit int) ([]store.EventRow, error) {
	return v.stream(merchant, after, limit, &list{})
}

// Span implements store.View. An event is dated at or after its batch and before or at
// the next one, and batches are in order of their time (TM1): so the index of batches
// says between which commits the span lies, and the events' own times decide.
func (v *view) Span(merchant string, from, to time.Time, after store.Place, limit int) ([]store.EventRow, error) {
	if to.IsZero() {
		return nil, nil
	}
	const batch = "(SELECT %s FROM batches WHERE NOT tombstone AND at < %s ORDER BY at DESC, last_q DESC LIMIT 1)"
	var l list
	row, end := placed(merchant), l.arg(store.Micros(to))
	l.where = append(l.where, row+".q <= coalesce("+fmt.Sprintf(batch, "last_q", end)+", 0)", "e.at < "+end)
	if !from.IsZero() {
		begin := l.arg(store.Micros(from))
		l.where = append(l.where, row+".q >= coalesce("+fmt.Sprintf(batch, "first_q", begin)+", 0)", "e.at >= "+begin)
	}
	return v.stream(merchant, after, limit, &l)
}

// placed names the rows that put a stream in order: a merchant's events are found by
// the rows that say what it may read.
func placed(merchant string) string {
	if merchant == "" {
		return "e"
	}
	return "r"
}

// stream lists events in order of commit, which is the order of an index.
func (v *view) stream(merchant string, after store.Place, limit int, l *list) ([]store.EventRow, error) {
	from, row := " FROM events e", placed(merchant)
	if merchant != "" {
		from = " FROM event_readers r CROSS JOIN LATERAL (SELECT * FROM events x WHERE x.q = r.q AND x.n = r.n OFFSET 0) e"
		l.equal("r.merchant_id", merchant)
	}
	l.where = append(l.where, "("+row+".q, "+row+".n) > ("+l.arg(integer(after.Q))+", "+l.arg(integer(int64(after.N)))+")")
	sql := "SELECT " + columns(store.Events.Schema(), "e.") + from + l.clause() +
		" ORDER BY " + row + ".q, " + row + ".n LIMIT " + number(max(limit, 0))
	var out []store.EventRow
	if err := v.query(sql, l.args, every(&store.Events, func(r *store.EventRow) { out = append(out, *r) })); err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return out, nil
}

// Event implements store.View.
func (v *view) Event(id, merchant string) (event *store.EventRow, may bool, err error) {
	s := store.Events.Schema()
	sql := "SELECT " + columns(s, "e.") + ", $2::text = '' OR EXISTS (SELECT FROM event_readers r" +
		" WHERE r.merchant_id = $2::text AND r.q = e.q AND r.n = e.n) FROM events e WHERE e.id = $1"
	err = v.query(sql, []store.Value{text(id), text(merchant)}, func(r *row) error {
		x, err := scan(&store.Events, r)
		event, may = x, r.fields[len(s.Columns)][0] == 1
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("find event: %w", err)
	}
	return event, may, nil
}
