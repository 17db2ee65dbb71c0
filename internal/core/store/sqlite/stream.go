package sqlite

import (
	"fmt"
	"math"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// readable is the condition that a merchant may read an event e.
const readable = "EXISTS (SELECT 1 FROM event_readers x WHERE x.merchant_id = +?1 AND x.q = e.q AND x.n = e.n)"

// Events implements store.View. A merchant's stream is in the order of its read
// permissions, all events are in their own order, and those of one object also in sequence
// order. A time span becomes a part of the stream: nothing outside its batches is read.
func (v *view) Events(f store.EventFilter) (out []store.EventRow, err error) {
	var l list
	from, row := " FROM events e", "e"
	if f.Merchant != "" {
		merchant := l.arg(text(f.Merchant))
		if f.ID == "" && f.Object == (credit.ObjectRef{}) {
			from, row = " FROM event_readers r CROSS JOIN events e ON e.q = r.q AND e.n = r.n", "r"
			l.where = append(l.where, "r.merchant_id = "+merchant)
		} else {
			l.where = append(l.where, readable)
		}
	}
	order := " ORDER BY " + row + ".q, " + row + ".n"
	if l.equal("e.id", f.ID); f.Object != (credit.ObjectRef{}) {
		order = " ORDER BY e.sequence"
		l.where = append(l.where, "e.object_type = "+l.arg(text(f.Object.Type)), "e.object_id = "+l.arg(text(f.Object.ID)))
	}
	if err := v.during(&l, &f, row); err != nil {
		return nil, err
	}
	l.behind(f, row)
	sql := "SELECT " + columns(store.Events.Schema(), "e.") + from + l.clause() + order + " LIMIT " + l.arg(integer(int64(max(f.Limit, 0))))
	err = v.query(sql, l.args, func(s *sqlite.Stmt) error {
		row, err := scan(v.conn, &store.Events, s)
		if err == nil {
			out = append(out, *row)
		}
		return err
	})
	if err != nil {
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

// during narrows to a time span, which begins after a place.
func (v *view) during(l *list, f *store.EventFilter, row string) error {
	if !f.From.IsZero() {
		first, _, err := v.batchBefore(f.From)
		if err != nil {
			return err
		}
		if f.After.Q < first {
			f.After = store.Place{Q: first - 1, N: math.MaxInt32}
		}
	}
	if !f.To.IsZero() {
		_, last, err := v.batchBefore(f.To)
		if err != nil {
			return err
		}
		l.where = append(l.where, row+".q <= "+l.arg(integer(last)))
	}
	l.compare("e.at", ">=", store.Micros(f.From))
	l.compare("e.at", "<", store.Micros(f.To))
	return nil
}

// batchBefore returns the commits of the last batch before an instant, 0 if there is none.
func (v *view) batchBefore(t time.Time) (first, last int64, err error) {
	err = v.query(batchBefore, []store.Value{integer(t.UnixMicro())}, func(s *sqlite.Stmt) error {
		first, last = s.ColumnInt64(0), s.ColumnInt64(1)
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("batch before %s: %w", t, err)
	}
	return first, last, nil
}
