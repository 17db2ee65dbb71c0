package store

import (
	"math/rand/v2"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// The key of the totals of due dates gives the days past due that the schedule gives, whatever holds
// there were, from the day of the last one on.
func TestHeldDaysPastDue(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	several, late := 0, 0
	for range 3000 {
		due := calendar.MustParse("2026-03-02").AddDays(r.IntN(120)).NextBankingDay()
		var holds []credit.Hold
		var relief schedule.Relief
		at := due.AddDays(-40)
		for range r.IntN(4) {
			from := at.AddDays(r.IntN(40))
			at = from.AddDays(r.IntN(25))
			holds = append(holds, credit.Hold{From: from, To: at})
			relief.Held = append(relief.Held, schedule.Span{From: from, To: at})
		}
		on := due
		if n := len(holds); n > 0 {
			on = max(on, holds[n-1].From)
		}
		on = on.AddDays(r.IntN(60))
		want := relief.Late(schedule.Row{Number: 1, DueDate: due, Principal: 100}, on)
		k := held(due, holds)
		if got := k.DPD(on); got != want || k.Due != due {
			t.Fatalf("due %s, held %v, on %s: %d by %v, want %d", due, holds, on, got, k, want)
		}
		if k.HeldDays > 0 && len(holds) > 1 {
			several++
		}
		if want > 0 {
			late++
		}
	}
	if several < 300 || late < 1000 {
		t.Errorf("only %d with several holds, %d late", several, late)
	}
}
