package clockwork_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/fake"
)

// watched is a backend and an engine that record which orders were read before their
// command was submitted.
type watched struct {
	store.Backend
	engine.Submitter
	err    error // of reading orders
	hangs  bool  // rereading orders hangs until it is canceled
	refuse error // the engine's answer to a command

	mu       sync.Mutex
	read     map[string]bool
	views    int // open views
	early    int // commands submitted before their data was read
	commands int
}

func (w *watched) View(ctx context.Context, fn func(store.View) error) error {
	w.count(&w.views, 1)
	defer w.count(&w.views, -1)
	return w.Backend.View(ctx, func(v store.View) error { return fn(watchedView{v, w, ctx}) })
}

func (w *watched) count(n *int, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*n += by
}

func (w *watched) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if c, ok := r.Command.(lending.ServiceOrder); ok {
		w.mu.Lock()
		w.commands++
		if !w.read[c.Order] {
			w.early++
		}
		w.mu.Unlock()
		if w.refuse != nil {
			return engine.Result{}, w.refuse
		}
	}
	return w.Submitter.Submit(ctx, r)
}

type watchedView struct {
	store.View
	of  *watched
	ctx context.Context
}

func (v watchedView) Load(s *credit.State, k credit.Keys) error {
	if err := v.View.Load(s, k); err != nil {
		return err
	}
	if len(k.Orders) == 0 {
		return nil
	}
	v.of.mu.Lock()
	again := len(v.of.read) > 0
	for _, key := range k.Orders {
		v.of.read[key] = true
	}
	v.of.mu.Unlock()
	if again && v.of.hangs {
		<-v.ctx.Done()
		return v.ctx.Err()
	}
	return v.of.err
}

// due returns a world with so many orders due now.
func due(t *testing.T, orders int) *world {
	t.Helper()
	w := newWorld(t, "2026-01-10 10:00")
	m := w.merchant("Harbor Supply", twelve(6))
	company := w.company("Alder Kitchens", fake.Account, m)
	w.do(operator, lending.UpdateCompany{Company: company.ID, Limit: ptr(toAmount(1_000_000_00))})
	for range orders {
		w.capture(m, w.order(m, company, "", 300_00, 6, false))
	}
	if _, err := w.clock.AdvanceTo(w.instant("2026-02-11 12:00")); err != nil {
		t.Fatal(err)
	}
	return w
}

// The data of a page's commands is read before they are submitted, if configured, and a
// failing reader delays none of them.
func TestReadsAhead(t *testing.T) {
	const orders = 300 // more than are read ahead
	for _, c := range []struct {
		name  string
		ahead bool
		err   error
		early int
	}{
		{"ahead", true, nil, 0}, {"not ahead", false, nil, orders}, {"it cannot be read", true, errors.New("the disk is gone"), 0},
	} {
		w := due(t, orders)
		x := &watched{Backend: w.db, Submitter: w.eng, read: map[string]bool{}, err: c.err}
		s := w.schedulerWith(clockwork.Config{Backend: x, Submit: x, Node: "test", Alone: true, Ahead: c.ahead})
		r, err := s.RunDue(t.Context())
		if err != nil || r.Orders < orders || r.Stuck > 0 {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		if x.commands < orders || x.early < c.early || c.early == 0 && x.early > 0 {
			t.Errorf("%s: of %d commands %d came before what they need", c.name, x.commands, x.early)
		}
	}
}

// A turn that ends early leaves no reader behind, however slow its disk is.
func TestReadsAheadNoLonger(t *testing.T) {
	w := due(t, 40)
	gone := errors.New("the engine is gone")
	x := &watched{Backend: w.db, Submitter: w.eng, read: map[string]bool{}, hangs: true, refuse: gone}
	s := w.schedulerWith(clockwork.Config{Backend: x, Submit: x, Node: "test", Alone: true, Ahead: true})
	if _, err := s.RunDue(t.Context()); !errors.Is(err, gone) || x.views != 0 || len(x.read) == 0 || len(x.read) == 40 {
		t.Errorf("%v, %d views are open, %d orders were read", err, x.views, len(x.read))
	}
}
