package explain

import (
	"cmp"
	"fmt"
	"slices"

	"tenor/internal/domain/schedule"
)

// revisions lists staff's decisions about a schedule from installment k on: due dates that
// were moved, and level payments that were fixed (F4, F9).
func (x *explainer) revisions(k int) []Input {
	var out []Input
	for i := range x.History {
		switch e := &x.History[i]; {
		case e.Order != x.o.Key:
		case e.Kind == schedule.EventReschedule && e.Installment <= k:
			out = append(out, dated(fmt.Sprintf("installment %d moved on %s by %s", e.Installment, e.Date, e.ID), e.Due))
		case e.Kind == schedule.EventReamortize && e.Date < x.now.Rows[k-1].DueDate:
			out = append(out, of(fmt.Sprintf("level payment from %s by %s", e.Date, e.ID), e.Level))
		}
	}
	return out
}

// moves are the order's reschedules in order of effect (F34).
func (x *explainer) moves() []schedule.Event {
	var out []schedule.Event
	for i := range x.History {
		if e := &x.History[i]; e.Kind == schedule.EventReschedule && e.Order == x.o.Key {
			out = append(out, e.Event)
		}
	}
	slices.SortStableFunc(out, func(a, b schedule.Event) int { return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Seq, b.Seq)) })
	return out
}

// reamortized reports whether a level payment was fixed after the capture.
func (x *explainer) reamortized() bool {
	for i := range x.History {
		if e := &x.History[i]; e.Kind == schedule.EventReamortize && e.Order == x.o.Key {
			return true
		}
	}
	return false
}
