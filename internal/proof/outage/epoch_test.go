//go:build unix

package outage

import (
	"errors"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/proof/pgtest"
)

// EN16: the books enter a new epoch behind a running node's back: a backup was restored, or
// another deployment has taken over. The node's next batch is refused, it stops writing, and its
// reads continue. A node that starts now belongs to the new epoch.
func TestNewEpoch(t *testing.T) {
	t.Parallel()
	s, n := newSite(t, pgtest.New(t, pgtest.Options{}), steady())
	s.several(t.Context(), n, callers)
	written := s.count(t, "SELECT q FROM books")
	s.query(t, "UPDATE books SET epoch = epoch + 1")
	for _, o := range s.several(t.Context(), n, callers) {
		if !errors.Is(o.err, engine.ErrReadOnly) {
			t.Errorf("in a new epoch an order is answered with %d %s, %v", o.answer.Status, o.answer.Body, o.err)
		}
	}
	eventually(t, "the alarm", func() bool { return n.fenced.Load() > 0 }) // it may come after the responses
	if !errors.Is(n.Health(), engine.ErrReadOnly) || n.fenced.Load() != 1 {
		t.Errorf("health %v, %d alarms", n.Health(), n.fenced.Load())
	}
	err := n.backend.View(t.Context(), func(v store.View) error {
		if v.Seq() != written {
			t.Errorf("the books are at %d, before the new epoch at %d", v.Seq(), written)
		}
		return nil
	})
	if err != nil {
		t.Errorf("a read: %v", err)
	}
	s.wantSound(t, "in the new epoch")
	next := s.start(t, s.server.Addr(), steady())
	s.one(t, next, true)
	c := s.settle(t, next)
	t.Logf("1 new epoch × %d operations: all refused by the old node, whose reads go on; %d acknowledged, %d lost", callers, c.acked, len(c.lost))
}
