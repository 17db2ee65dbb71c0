package buyer

import (
	"errors"
	"slices"
	"sync"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/ports/facts/sandbox"
)

// staged remembers what this process has started to play for a sandbox's special carts:
// since when a decision is slow, and whose fault has been shown.
type staged struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// stagedMost bounds what is remembered. Whatever is forgotten is played once more.
const stagedMost = 10_000

// begin returns when something was first played: now, if it is the first time.
func (s *staged) begin(what string, now time.Time) (since time.Time, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.since[what]; ok {
		return at, false
	}
	if s.since == nil || len(s.since) >= stagedMost {
		s.since = map[string]time.Time{}
	}
	s.since[what] = now
	return now, true
}

// brings reports whether a sandbox cart contains a SKU. Live carts trigger nothing.
func (d *Desk) brings(x *credit.Checkout, sku string) bool {
	return d.Sandbox && x != nil && slices.ContainsFunc(x.Cart, func(i credit.CartItem) bool { return i.SKU == sku })
}

// ErrStaged is the fault that a sandbox cart has requested.
var ErrStaged = errors.New("buyer: the cart has " + sandbox.FaultSKU + ", which triggers this fault in a sandbox")

// Stage returns ErrStaged the first time that the decision is shown in a checkout whose
// cart requests it: a retry shows the page.
func (d *Desk) Stage(x *credit.Checkout) error {
	if !d.brings(x, sandbox.FaultSKU) {
		return nil
	}
	if _, first := d.staged.begin("fault "+x.ID, d.Wall()); first {
		return ErrStaged
	}
	return nil
}

// slow reports whether the decision on an application has to wait, because its checkout's
// cart requests it. A later RunDue decides it.
func (d *Desk) slow(x *credit.Checkout, application string) bool {
	if !d.brings(x, sandbox.SlowSKU) {
		return false
	}
	since, _ := d.staged.begin("slow "+application, d.Wall())
	return d.Wall().Sub(since) < sandbox.SlowFor
}
