package store

import (
	"math"
	"time"
)

// Span returns the commit sequences of the filter's instants, low < q ≤ high. Commit times
// never decrease, so the rows of a time span are contiguous.
func (f AuditFilter) Span(seqAt func(time.Time) (int64, error)) (low, high int64, err error) {
	high = math.MaxInt64
	if !f.From.IsZero() {
		if low, err = seqAt(f.From.Add(-time.Microsecond)); err != nil {
			return 0, 0, err
		}
	}
	if !f.To.IsZero() {
		high, err = seqAt(f.To.Add(-time.Microsecond))
	}
	return low, high, err
}

// Takes reports whether the filter accepts a row, ignoring its instant.
func (f AuditFilter) Takes(a *AuditRow) bool {
	same := func(want, is string) bool { return want == "" || want == is }
	return same(f.Client, a.Actor.Client) && same(f.Merchant, a.Actor.Merchant) && same(f.Object, a.Object) &&
		same(f.Command, a.Command) && same(f.RequestID, a.Actor.RequestID) && (f.Company == 0 || f.Company == a.Company)
}
