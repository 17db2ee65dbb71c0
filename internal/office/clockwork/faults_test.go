package clockwork_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
)

var errKilled = errors.New("killed")

// mortal lets the clockwork die at random moments: before a command is submitted, or after
// it was committed and before the answer arrived.
type mortal struct {
	engine.Submitter
	rand   *rand.Rand
	odds   int // one in so many
	deaths int
	mu     sync.Mutex
}

func (m *mortal) dies() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rand.IntN(m.odds) != 0 {
		return false
	}
	m.deaths++
	return true
}

func (m *mortal) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if m.dies() {
		return engine.Result{}, errKilled
	}
	res, err := m.Submitter.Submit(ctx, r)
	if err == nil && m.dies() {
		return engine.Result{}, errKilled
	}
	return res, err
}

// line is a bank whose connection drops at random moments, and that delivers each file
// twice.
type line struct {
	rails.Bank
	m    *mortal
	left map[string]bool // files delivered a second time
}

func (l *line) Send(ctx context.Context, name string, content []byte) error {
	if l.m.dies() {
		return errKilled
	}
	if err := l.Bank.Send(ctx, name, content); err != nil || !l.m.dies() {
		return err
	}
	return errKilled
}

func (l *line) Done(ctx context.Context, name string) error {
	if l.m.dies() {
		return errKilled
	}
	if !l.left[name] {
		l.left[name] = true
		return nil // it will be delivered again
	}
	return l.Bank.Done(ctx, name)
}

// A clockwork that is killed in every turn, on a bad connection to a bank that repeats
// itself, makes the same books as one that never dies: each entry once, on its day.
func TestKilledAtEveryTurn(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t, "2026-01-10 10:00")
		m := &mortal{Submitter: w.eng, rand: rand.New(rand.NewPCG(seed, 1)), odds: 4}
		w.submit, w.rail = m, &line{w.bank, m, map[string]bool{}}
		w.work = w.scheduler(w.db)
		w.killed = true
		w.workedExample()
		sameJournal(t, w.journal(), journalOfVector(t))
		if m.deaths < 20 {
			t.Errorf("seed %d: it died only %d times", seed, m.deaths)
		}
	}
}

// Two schedulers unaware of each other work on one book at the same time: nothing is done
// twice (TM2).
func TestTwoAtOnce(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	w.second = w.scheduler(w.db)
	w.workedExample()
	got, want := w.journal(), journalOfVector(t)
	slices.Sort(got)
	slices.Sort(want)
	sameJournal(t, got, want)
}

// Missed days are caught up in order: the books by value date are those of a clockwork that
// was running (F37). Nothing is debited here, because what is sent late settles late.
func TestCaughtUp(t *testing.T) {
	books := func(late bool) []string {
		w := newWorld(t, "2026-01-10 10:00")
		m := w.merchant("Harbor Supply", twelve(6))
		c := w.company("Alder Kitchens", fake.Account, m)
		w.do(operator, payments.SetAutopay{Company: c.ID, Enabled: ptr(false)})
		for _, amount := range []int{1200_00, 333_33, 5000_00} {
			o := w.do(shop(m), lending.CreateOrder{Company: c.ID, Amount: toAmount(amount), Installments: 6, Authorize: true}).(*credit.Order)
			w.capture(m, o)
		}
		if late {
			for _, at := range []string{"2026-01-30 12:00", "2026-02-28 12:00", "2026-04-20 03:00", "2026-05-01 12:00"} {
				if _, err := w.clock.AdvanceTo(w.instant(at)); err != nil {
					t.Fatal(err)
				}
				w.to(at)
			}
		} else {
			w.to("2026-05-01 12:00")
		}
		var out []string
		w.view(func(v store.View) error {
			return store.EachEntry(v, func(e store.EntryRow) error {
				if len(e.Postings) > 0 && e.Postings[0].Merchant == m.ID && e.Event != "MERCHANT_PAYOUT_INITIATED" && e.Event != "MERCHANT_PAYOUT_SETTLED" {
					e.BookDate = e.ValueDate
					out = append(out, e.Event+" "+booked(e))
				}
				return nil
			})
		})
		slices.Sort(out)
		return out
	}
	want, got := books(false), books(true)
	if len(want) < 20 || !slices.ContainsFunc(want, func(s string) bool { return s[:8] == "LATE_FEE" }) {
		t.Fatalf("the books tell little: %v", want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("late\n%v\nin time\n%v", got, want)
	}
}

// A turn with nothing due does nothing, and leaves no trace in the command log.
func TestIdle(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	m := w.merchant("Harbor Supply", twelve(6))
	w.capture(m, w.order(m, w.company("Alder Kitchens", fake.Account, m), "PO-1", 1200_00, 6, false))
	w.to("2026-01-15 12:00")
	before := w.seq()
	for range 3 {
		r, err := w.work.RunDue(context.Background())
		if err != nil || !r.Idle() {
			t.Errorf("%+v %v", r, err)
		}
	}
	if after := w.seq(); after != before {
		t.Errorf("%d commands for nothing", after-before)
	}
	next, err := w.work.Next(context.Background())
	if err != nil || len(next) == 0 || !next[0].At.After(w.clock.Now()) {
		t.Errorf("next: %v %v", next, err)
	}
	status, err := w.work.Status(context.Background())
	if err != nil || status.Lag != 0 || status.Payouts != "2026-01-14" {
		t.Errorf("%+v %v", status, err)
	}
	if _, err := w.clock.AdvanceTo(w.instant("2026-02-20 12:00")); err != nil {
		t.Fatal(err)
	}
	if status, err = w.work.Status(context.Background()); err != nil || status.Lag < 24*time.Hour {
		t.Errorf("%+v %v", status, err)
	}
}
