package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ulid"
)

// ToldQuery asks for rows of the audit log whose events may match a filter, in commit order:
// Low ≤ q ≤ High, at most Limit. Of Merchant and Object at most one is set.
type ToldQuery struct {
	Merchant  string           // with events that it may read
	Object    credit.ObjectRef // with events of it
	Low, High int64
	Limit     int
}

// ToldRow is what a command told others, packed.
type ToldRow struct {
	Q    int64
	At   time.Time
	Told []byte
}

// ToldReader reads rows of the audit log; every row that may match is in its answer.
type ToldReader func(ToldQuery) ([]ToldRow, error)

// Damaged is called with a commit whose events cannot be read and are missing from a list: one
// damaged row must not keep the events of all merchants back. It may be called by several
// goroutines, and often with the same commit.
type Damaged func(q int64, err error)

// Each calls fn with the events of the row, for those who compare whole tables. Events that
// cannot be read are one event without an identifier, which no event lacks.
func (r ToldRow) Each(fn func(EventRow) error) error {
	t, err := Unpack(r.Told, r.Q, r.At)
	if err != nil {
		t.Events = []EventRow{{Q: r.Q, At: r.At}}
	}
	for _, e := range t.Events {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// EventsOf lists events for a database that keeps them packed. Without damaged, a commit that
// cannot be read fails the list (ErrTold).
func EventsOf(v View, f EventFilter, read ToldReader, damaged Damaged) ([]EventRow, error) {
	if f.Limit <= 0 {
		return nil, nil
	}
	if f.Behind != "" {
		at, found, err := placeOf(v, f.Behind, read, damaged)
		if err != nil || !found {
			return nil, err
		}
		if later(at, f.After) {
			f.After = at
		}
	}
	q := ToldQuery{Merchant: f.Merchant, Object: f.Object, Low: f.After.Q, High: math.MaxInt64}
	if f.Object != (credit.ObjectRef{}) {
		q.Merchant = ""
	}
	if f.ID != "" {
		q.Merchant, q.Object = "", credit.ObjectRef{}
	}
	if err := f.span(v, &q); err != nil {
		return nil, err
	}
	return f.collect(q, read, damaged)
}

// span narrows a query to the commits of the filter's instants and of its event.
func (f *EventFilter) span(v View, q *ToldQuery) error {
	from, to := f.From, f.To
	if f.ID != "" {
		made, ok := madeAt(f.ID)
		if !ok {
			q.High = -1 // nothing has this identifier
			return nil
		}
		from, to = made, made.Add(time.Millisecond)
	}
	if !from.IsZero() {
		b, err := lastBatch(v, from.Add(-time.Microsecond))
		if err != nil {
			return err
		}
		q.Low = max(q.Low, b.FirstQ)
	}
	if !to.IsZero() {
		b, err := lastBatch(v, to.Add(-time.Microsecond))
		if err != nil {
			return err
		}
		q.High = b.LastQ
	}
	return nil
}

// collect reads until it has as many events as were asked for.
func (f *EventFilter) collect(q ToldQuery, read ToldReader, damaged Damaged) (out []EventRow, err error) {
	const most = 500
	for q.Low <= q.High {
		q.Limit = min(f.Limit-len(out)+1, most)
		rows, err := read(q)
		if err != nil {
			return nil, fmt.Errorf("list events: %w", err)
		}
		for _, row := range rows {
			t, err := Unpack(row.Told, row.Q, row.At)
			switch {
			case err != nil && (damaged == nil || !errors.Is(err, ErrTold)):
				return nil, fmt.Errorf("list events: %w", err)
			case err != nil:
				damaged(row.Q, err)
			}
			for _, e := range t.Events {
				if !f.takes(&e) {
					continue
				}
				if out = append(out, e); len(out) == f.Limit {
					return out, nil
				}
			}
		}
		if len(rows) < q.Limit {
			break
		}
		q.Low = rows[len(rows)-1].Q + 1
	}
	return out, nil
}

// takes reports whether the filter accepts an event.
func (f *EventFilter) takes(e *EventRow) bool {
	return (f.ID == "" || f.ID == e.ID) && (f.Object == (credit.ObjectRef{}) || f.Object == e.Object) &&
		(f.Merchant == "" || slices.Contains(e.Readers, f.Merchant)) && !e.At.Before(f.From) && (f.To.IsZero() || e.At.Before(f.To)) &&
		(f.After == (Place{}) || later(Place{e.Q, e.N}, f.After))
}

func later(a, b Place) bool { return a.Q > b.Q || a.Q == b.Q && a.N > b.N }

// placeOf finds an event by its identifier.
func placeOf(v View, id string, read ToldReader, damaged Damaged) (Place, bool, error) {
	list, err := EventsOf(v, EventFilter{ID: id, Limit: 1}, read, damaged)
	if err != nil || len(list) == 0 {
		return Place{}, false, err
	}
	return Place{list[0].Q, list[0].N}, true, nil
}

// madeAt is the millisecond in which an identifier was made: it is the instant of its
// command, so that no index is needed to find an event.
func madeAt(id string) (time.Time, bool) {
	ms, ok := ulid.Millisecond(id)
	return time.UnixMilli(ms).UTC(), ok
}

// lastBatch is the last batch made at or before an instant, the zero value if there is none.
func lastBatch(v View, t time.Time) (BatchRow, error) {
	q := Query{From: RowsOf(&Batches), Order: []string{"at", "last_q"}, Down: true, Limit: 1, Index: "batches_at"}
	q.holds("tombstone", Is, Value{Kind: Bool})
	q.where("at", AtMost, Micros(t))
	last, _, err := first[BatchRow](v, q)
	if err != nil {
		return BatchRow{}, fmt.Errorf("batch at %s: %w", t, err)
	}
	return last, nil
}

// CheckDeliveries refuses a delivery that does not match the event at its place, or whose
// merchant may not read it (EV6). At lists the rows of some commits, in any order. A delivery
// made before its event was damaged cannot be compared, but can still end: one damaged row must
// not keep the results of all other deliveries from being recorded.
func CheckDeliveries(list []Delivery, at func(commits []int64) ([]ToldRow, error)) error {
	commits := make([]int64, 0, len(list))
	for i := range list {
		commits = append(commits, list[i].Place.Q)
	}
	slices.Sort(commits)
	commits = slices.Compact(commits)
	if len(commits) == 0 {
		return nil
	}
	rows, err := at(commits)
	if err != nil {
		return err
	}
	told, damaged := make(map[int64][]EventRow, len(rows)), map[int64]bool{}
	for _, row := range rows {
		t, err := Unpack(row.Told, row.Q, row.At)
		if err != nil && !errors.Is(err, ErrTold) {
			return err
		}
		told[row.Q], damaged[row.Q] = t.Events, err != nil
	}
	for i := range list {
		d := &list[i]
		if damaged[d.Place.Q] {
			continue
		}
		events := told[d.Place.Q]
		if d.Place.N < 0 || d.Place.N >= len(events) {
			return fmt.Errorf("%w: delivery %s is of no event", ErrRefused, d.ID)
		}
		e := &events[d.Place.N]
		if e.ID != d.Event || e.Type != d.Type || e.Object != d.Object || e.Sequence != d.Sequence || !slices.Contains(e.Readers, d.Merchant) {
			return fmt.Errorf("%w: delivery %s does not match its event", ErrRefused, d.ID)
		}
	}
	return nil
}
