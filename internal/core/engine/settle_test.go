package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/money"
)

// Settle waits for what every member was about to decide, and leaves no trace (TM3).
func TestSettle(t *testing.T) {
	s := newShop(t, 8, money.MustParse("1000.00"))
	g, err := NewGroup(s.cfg, 3)
	if err != nil {
		t.Fatal(err)
	}
	first := seqOf(t, s)
	var before []*Ticket
	for i := range 24 {
		q := s.authorize(s.companies[i%8], money.MustParse("10.00"), fmt.Sprint("order ", i))
		ticket, err := g.members[g.member(q.Command, q.Actor)].Enqueue(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, ticket)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	settled := make(chan error, 1)
	go func() { settled <- Settle(t.Context(), g) }()
	go func() { g.Run(ctx); close(done) }()
	if err := <-settled; err != nil {
		t.Fatal(err)
	}
	if n := seqOf(t, s) - first; n != 24 {
		t.Errorf("%d of 24 commands that were queued before are committed", n)
	}
	for _, ticket := range before { // callers are answered after the commit
		<-ticket.Done()
	}
	if x := g.Stats(); x.Decided != 24 || x.NotAdmitted != 3 {
		t.Errorf("decided %d, and %d asked for nothing", x.Decided, x.NotAdmitted)
	}
	stop()
	<-done
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := Settle(t.Context(), g); !errors.Is(err, ErrClosed) {
		t.Errorf("of a closed group: %v", err)
	}
}

// seqOf returns the commit sequence of a shop's books.
func seqOf(t *testing.T, s *shop) (q int64) {
	t.Helper()
	if err := s.db.View(t.Context(), func(v store.View) error { q = v.Seq(); return nil }); err != nil {
		t.Fatal(err)
	}
	return q
}
