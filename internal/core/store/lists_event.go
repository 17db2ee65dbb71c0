package store

import (
	"time"

	"tenor/internal/domain/credit"
)

// EventFilter narrows reads of events; zero members do not.
type EventFilter struct {
	ID       string
	Object   credit.ObjectRef // its events are then also in order of sequence
	Merchant string           // that may read them
	From, To time.Time        // From ≤ At < To
	After    Place            // in commit order
	Behind   string           // alternative to After: the id of an event; nothing follows an unknown one
	Limit    int              // at most
}

// Stream lists the events that a merchant may read, in commit order after a place; "" lists
// all.
func Stream(v View, merchant string, after Place, limit int) ([]EventRow, error) {
	return v.Events(EventFilter{Merchant: merchant, After: after, Limit: limit})
}

// EventOf returns an event by its identifier, nil if there is none, and whether the
// merchant may read it; "" may read all.
func EventOf(v View, id, merchant string) (*EventRow, bool, error) {
	if id == "" {
		return nil, false, nil
	}
	for _, m := range []string{merchant, ""} {
		found, err := v.Events(EventFilter{ID: id, Merchant: m, Limit: 1})
		if err != nil {
			return nil, false, err
		}
		if len(found) > 0 {
			return &found[0], m == merchant, nil
		}
		if merchant == "" {
			break
		}
	}
	return nil, false, nil
}

// SeqAt is the largest commit sequence whose batch was made at or before t.
func SeqAt(v View, t time.Time) (int64, error) {
	last, err := lastBatch(v, t)
	return last.LastQ, err
}
