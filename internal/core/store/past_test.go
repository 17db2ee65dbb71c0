package store

import (
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// A loan of an earlier instant counts what counted then: a disputed payment that was won back later
// is unpaid in between and paid after, and a refund that did not arrive has taken nothing. What was
// withdrawn before instants were stored has never counted; a refund of a returned payment still
// counts until the return is recorded.
func TestWhatCountedThen(t *testing.T) {
	day := calendar.MustParse("2026-02-02")
	at := func(hour int) time.Time { return time.Date(2026, 2, 2, hour, 0, 0, 0, time.UTC) }
	event := func(id string, kind schedule.EventKind, hour int) credit.MoneyEvent {
		return credit.MoneyEvent{Event: schedule.Event{Kind: kind, ID: id, Date: day, Seq: int64(hour), Payment: "pay"}, At: at(hour)}
	}
	capture, pay := event("ord", schedule.EventCapture, 1), event("pay", schedule.EventPayment, 2)
	capture.Payment, pay.Payment = "", ""
	back := event("rtn", schedule.EventReturn, 5)
	won := back
	won.Returned, won.GoneAt = true, at(8).UnixMicro()
	older := won
	older.GoneAt = 0
	refund := event("rfd", schedule.EventPaymentRefund, 3)
	failed := refund
	failed.Returned, failed.GoneAt = true, at(4).UnixMicro()
	unknown := failed
	unknown.GoneAt = 0
	for name, c := range map[string]struct {
		history []credit.MoneyEvent
		want    map[int]string // by hour
	}{
		"returned":                        {[]credit.MoneyEvent{capture, pay, back}, map[int]string{1: "ord", 2: "ord pay", 4: "ord pay", 5: "ord pay rtn", 9: "ord pay rtn"}},
		"returned, and won":               {[]credit.MoneyEvent{capture, pay, won}, map[int]string{4: "ord pay", 5: "ord pay rtn", 7: "ord pay rtn", 8: "ord pay", 9: "ord pay"}},
		"won at an unknown time":          {[]credit.MoneyEvent{capture, pay, older}, map[int]string{4: "ord pay", 6: "ord pay", 9: "ord pay"}},
		"refund that did not arrive":      {[]credit.MoneyEvent{capture, pay, failed}, map[int]string{2: "ord pay", 3: "ord pay rfd", 4: "ord pay", 9: "ord pay"}},
		"the same at an unknown time":     {[]credit.MoneyEvent{capture, pay, unknown}, map[int]string{3: "ord pay", 9: "ord pay"}},
		"refund of what is returned then": {[]credit.MoneyEvent{capture, pay, unknown, back}, map[int]string{3: "ord pay rfd", 4: "ord pay rfd", 5: "ord pay rfd rtn"}},
	} {
		state := credit.NewState()
		state.History["ord"] = c.history
		for hour, want := range c.want {
			got := ""
			for i, e := range eventsUntil(state, []string{"ord"}, at(hour)) {
				if i > 0 {
					got += " "
				}
				got += e.ID
			}
			if got != want {
				t.Errorf("%s: at %d it is %q, want %q", name, hour, got, want)
			}
		}
	}
}
