package clockwork_test

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// A same-day debit is dated the day of its file in the file, settles in the evening, and is
// returned two banking days after that day, as the bank read it (F22). Another one is a
// banking day later in all of this.
func TestSameDay(t *testing.T) {
	for _, c := range []struct {
		sameDay                bool
		before, settled, there string // the last minute before it settles, when it has settled, and when it is returned
	}{
		{true, "2026-01-15 17:59", "2026-01-15 18:00", "2026-01-20 08:30"}, // Mon 01-19 is a holiday
		{false, "2026-01-16 08:29", "2026-01-16 08:30", "2026-01-21 08:30"},
	} {
		w := newWorld(t, "2026-01-15 10:00")
		harbor := w.merchant("Harbor Supply", twelve(6))
		alder := w.company("Alder Kitchens", "100000001", harbor) // returned as R01
		o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
		w.capture(harbor, o)
		p := w.do(operator, payments.RecordPayment{
			Order: o.Key, Amount: 500_00, Method: credit.ACH, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		}).(*credit.Payment)
		if c.sameDay {
			w.do(operator, payments.SendSameDay{Transfer: p.Transfer, Reason: "promised"})
		}
		status := func() credit.TransferStatus {
			s := credit.NewState()
			w.view(func(v store.View) error { return v.Load(s, credit.Keys{Transfers: []string{p.Transfer}}) })
			return s.Transfers[p.Transfer].Status
		}
		for _, step := range []struct {
			at   string
			want credit.TransferStatus
		}{
			{"2026-01-15 15:59", credit.TransferQueued}, {c.before, credit.TransferSent}, {c.settled, credit.TransferSettled}, {c.there, credit.TransferReturned},
		} {
			w.to(step.at)
			if got := status(); got != step.want {
				t.Errorf("same day %v: %s at %s, want %s", c.sameDay, got, step.at, step.want)
			}
		}
		if n := len(w.entriesOf(p.Transfer)); n != 1 {
			t.Errorf("same day %v: it stands in files %d times", c.sameDay, n)
		}
	}
}
