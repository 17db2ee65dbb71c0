package linear

import (
	"flag"
	"testing"
	"time"

	"tenor/internal/core/store"
)

var operationsFlag = flag.Int("operations", 4000, "calls of the main test on each backend")

// T18 on one node: with concurrent clients, there is a single order of events, that of the commit
// sequences.
func TestOneOrderOfThings(t *testing.T) {
	seed := seedOf(t)
	backends(t, func(t *testing.T, db store.Backend) {
		d := startServer(t, db, 3, nil).driver(seed)
		d.Clients, d.Operations, d.Unit = 16, *operationsFlag, 4000
		begin := time.Now()
		h, initial := record(t, d)
		drove := time.Since(begin)
		begin = time.Now()
		report := Check(h, initial)
		t.Logf("%s", report)
		t.Logf("drove %s, checked in %s", drove.Round(time.Millisecond), time.Since(begin).Round(time.Microsecond))
		if !report.OK() {
			t.Fail()
		}
		busy(t, h)
		begin = time.Now()
		cross, err := CrossCheck(h, initial, Window{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("porcupine: %d operations in %d windows, %d illegal, %s", cross.Operations, cross.Windows, len(cross.Illegal), time.Since(begin).Round(time.Millisecond))
		if !cross.OK() {
			t.Error(cross.Illegal)
		}
	})
}

// busy checks that the history is worth checking: each operation accepted and each refusal of the
// model occurred, replays, and concurrent calls.
func busy(t *testing.T, h History) {
	t.Helper()
	accepted, refused, replays, filled := map[Op]int{}, map[string]int{}, 0, 0
	for _, c := range h {
		switch a := c.Answer; {
		case a.Replayed:
			replays++
		case a.Code != "":
			refused[a.Code]++
		default:
			accepted[c.Request.Op]++
			if c.Request.Op == ReadCompany && a.View.Available == 0 {
				filled++
			}
		}
	}
	t.Logf("accepted %v, refused %v, replays %d, lines seen full to the cent %d", accepted, refused, replays, filled)
	for op := Authorize; op <= ReadCompany; op++ {
		if accepted[op] == 0 {
			t.Errorf("no %s was accepted", op)
		}
	}
	for _, code := range []string{"insufficient_credit", "amount_locked", "order_locked", "invalid_transition", "order_not_captured", "refund_exceeds_captured"} {
		if refused[code] == 0 {
			t.Errorf("nothing was refused with %s", code)
		}
	}
	if replays == 0 {
		t.Error("nothing was replayed")
	}
}

// A node that goes away and comes back repeatedly: its clients lose connections and find nobody,
// use the other node under the same keys, and all of it is a single order of events.
func TestNodeThatComesAndGoes(t *testing.T) {
	seed := seedOf(t)
	backends(t, func(t *testing.T, db store.Backend) {
		s := startServer(t, db, 2, nil)
		base, times := interrupted(t, s.handler, 60)
		d := s.driver(seed)
		d.Bases[1] = base
		d.Clients, d.Operations, d.Unit = 8, 1500, 4000
		h, initial := record(t, d)
		report := Check(h, initial)
		t.Logf("gone %d times: %s", times.Load(), report)
		if !report.OK() || times.Load() == 0 || report.Unanswered == 0 {
			t.Fail()
		}
		if cross, err := CrossCheck(h, initial, Window{}); err != nil || !cross.OK() {
			t.Errorf("porcupine: %+v, %v", cross, err)
		}
	})
}
