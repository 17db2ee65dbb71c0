package clockwork_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/fake"
)

// deaf claims that some orders have been served, and does nothing.
type deaf struct {
	engine.Submitter
	to func(order string) bool

	mu    sync.Mutex
	asked map[string]int // how often, by order
}

func (d *deaf) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if c, ok := r.Command.(lending.ServiceOrder); ok {
		d.mu.Lock()
		d.asked[c.Order]++
		d.mu.Unlock()
		if d.to(c.Order) {
			return engine.Result{}, nil
		}
	}
	return d.Submitter.Submit(ctx, r)
}

// Orders that are still due after being served block nobody and end no turn, even if there
// are more of them than a turn remembers. The next turn tries again.
func TestStuckOrdersHoldUpNobody(t *testing.T) {
	const stuck, well = clockwork.MaxStuck + 200, 50
	w := newWorld(t, "2026-01-10 10:00")
	m := w.merchant("Harbor Supply", twelve(6))
	c := w.company("Alder Kitchens", fake.Account, m)
	w.do(operator, payments.SetAutopay{Company: c.ID, Enabled: ptr(false)})
	w.do(operator, lending.UpdateCompany{Company: c.ID, Limit: ptr(toAmount(100_000_000_00))})
	bad := map[string]bool{}
	for i := range stuck + well {
		o := w.order(m, c, "", 100_00, 6, false)
		w.capture(m, o)
		if i%25 != 0 {
			bad[o.Key] = true
		}
	}
	d := &deaf{Submitter: w.eng, to: func(order string) bool { return bad[order] }, asked: map[string]int{}}
	w.submit = d
	w.work = w.scheduler(w.db)
	if _, err := w.clock.AdvanceTo(w.instant("2026-02-11 12:00")); err != nil {
		t.Fatal(err)
	}
	r, err := w.work.RunDue(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Orders < well || r.Stuck < stuck {
		t.Errorf("%+v, want %d served and %d stuck", r, well, stuck)
	}
	again := 0
	for order := range bad {
		switch n := d.asked[order]; {
		case n == 0:
			t.Fatalf("%s was never asked", order)
		case n > 1:
			again++
		}
	}
	if want := len(bad) - clockwork.MaxStuck; again != want {
		t.Errorf("%d stuck orders were asked again in the turn, want only the %d that it cannot remember", again, want)
	}
	if r, err = w.work.RunDue(context.Background()); err != nil || r.Orders != 0 || r.Stuck < stuck {
		t.Errorf("the next turn: %+v %v", r, err)
	}
	bad = map[string]bool{}
	if r, err = w.work.RunDue(context.Background()); err != nil || r.Orders < stuck || r.Stuck != 0 {
		t.Errorf("the turn after the repair: %+v %v", r, err)
	}
}

// The work reported during a turn adds up to the report at its end.
func TestWorkIsTold(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	m := w.merchant("Harbor Supply", twelve(6))
	c := w.company("Alder Kitchens", fake.Account, m)
	for range 3 {
		w.capture(m, w.order(m, c, "", 300_00, 6, false))
	}
	if _, err := w.clock.AdvanceTo(w.instant("2026-02-10 17:00")); err != nil {
		t.Fatal(err)
	}
	var told, all clockwork.Report
	pieces, turns := 0, 0
	work, err := clockwork.New(clockwork.Config{
		Backend: w.db, Submit: w.eng, Now: w.clock.Now, Zone: w.zone, Node: "test", Alone: true, Bank: w.bank, Origin: fake.Origin(), Cards: w.bank.Cards(),
		Open: w.ring.Open, Seal: w.ring.Seal, Fingerprint: fingerprint,
		Worked: func(r clockwork.Report) {
			if !r.Idle() {
				pieces++
			}
			told.Orders, told.Transfers, told.Payouts = told.Orders+r.Orders, told.Transfers+r.Transfers, told.Payouts+r.Payouts
			told.Files, told.Notices, told.Charges, told.Stuck = told.Files+r.Files, told.Notices+r.Notices, told.Charges+r.Charges, told.Stuck+r.Stuck
			told.Credits, told.Provisions, told.Screenings = told.Credits+r.Credits, told.Provisions+r.Provisions, told.Screenings+r.Screenings
		},
		Ran: func(r clockwork.Report, _ time.Duration, err error) {
			turns++
			if all = r; err != nil {
				t.Error(err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := work.RunDue(context.Background())
	if err != nil || r != all || r != told || turns != 1 || pieces < 3 || r.Orders < 3 || r.Transfers == 0 || r.Files == 0 || r.Payouts == 0 {
		t.Errorf("%v: the turn did %+v, its end was told as %+v (%d times), its %d pieces add up to %+v", err, r, all, turns, pieces, told)
	}
}
