package sqlite

import (
	"fmt"
	"math"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// Stream implements store.View.
func (v *view) Stream(merchant string, after store.Place, limit int) ([]store.EventRow, error) {
	return v.stream(merchant, after, limit, nil)
}

// Span implements store.View. Time becomes a part of the stream: nothing outside of
// its batches is read.
func (v *view) Span(merchant string, from, to time.Time, after store.Place, limit int) ([]store.EventRow, error) {
	first, _, err := v.batchBefore(from)
	if err != nil {
		return nil, err
	}
	_, last, err := v.batchBefore(to)
	if err != nil {
		return nil, err
	}
	if after.Q < first {
		after = store.Place{Q: first - 1, N: math.MaxInt32}
	}
	return v.stream(merchant, after, limit, func(l *list, prefix string) {
		l.where = append(l.where, prefix+"q <= "+l.arg(integer(last)))
		l.where = append(l.where, "e.at >= "+l.arg(integer(from.UnixMicro())), "e.at < "+l.arg(integer(to.UnixMicro())))
	})
}

// batchBefore returns the commits of the last batch that was made before an instant,
// 0 if there is none.
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

// stream lists events in order of commit: a merchant's by its index, all in their
// own order.
func (v *view) stream(merchant string, after store.Place, limit int, narrow func(l *list, prefix string)) ([]store.EventRow, error) {
	var l list
	from, prefix := " FROM events e", "e."
	if merchant != "" {
		from, prefix = " FROM event_readers r CROSS JOIN events e ON e.q = r.q AND e.n = r.n", "r."
		l.equal("r.merchant_id", merchant)
	}
	l.where = append(l.where, "("+prefix+"q, "+prefix+"n) > ("+l.arg(integer(after.Q))+", "+l.arg(integer(int64(after.N)))+")")
	if narrow != nil {
		narrow(&l, prefix)
	}
	sql := "SELECT " + columns(store.Events.Schema(), "e.") + from + l.clause() +
		" ORDER BY " + prefix + "q, " + prefix + "n LIMIT " + l.arg(integer(int64(max(limit, 0))))
	var out []store.EventRow
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		row, err := scan(v.conn, &store.Events, s)
		if err == nil {
			out = append(out, *row)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stream of events: %w", err)
	}
	return out, nil
}

// Event implements store.View.
func (v *view) Event(id, merchant string) (row *store.EventRow, may bool, err error) {
	err = v.query(eventAndReader, []store.Value{text(id), text(merchant)}, func(s *sqlite.Stmt) error {
		may = merchant == "" || s.ColumnBool(len(store.Events.Columns))
		row, err = scan(v.conn, &store.Events, s)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("event %s: %w", id, err)
	}
	return row, may, nil
}
