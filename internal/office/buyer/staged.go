package buyer

import (
	"errors"
	"slices"
	"sync"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/ports/facts/sandbox"
)

// staged remembers what this process has begun to play of the carts of a sandbox that bring
// something about: since when a decision is slow, and whose fault has been seen.
type staged struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// stagedMost bounds what is remembered. Whatever is forgotten is played once more.
const stagedMost = 10_000

// begin is when something was first played: now, if it is the first time.
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

// brings reports that a cart of a sandbox has something with a SKU. Live carts bring nothing.
func (d *Desk) brings(x *credit.Checkout, sku string) bool {
	return d.Sandbox && x != nil && slices.ContainsFunc(x.Cart, func(i credit.CartItem) bool { return i.SKU == sku })
}

// ErrStaged is the fault that a cart of a sandbox has asked for.
var ErrStaged = errors.New("buyer: the cart has " + sandbox.FaultSKU + ", which triggers this fault in a sandbox")

// Stage is ErrStaged the first time that the decision is shown in a checkout whose cart asks
// for it: whoever tries again sees the page.
func (d *Desk) Stage(x *credit.Checkout) error {
	if !d.brings(x, sandbox.FaultSKU) {
		return nil
	}
	if _, first := d.staged.begin("fault "+x.ID, d.Wall()); first {
		return ErrStaged
	}
	return nil
}

// slow reports that the decision on an application has to wait, for its checkout's cart asks
// for it. A later Turn takes it up.
func (d *Desk) slow(x *credit.Checkout, application string) bool {
	if !d.brings(x, sandbox.SlowSKU) {
		return false
	}
	since, _ := d.staged.begin("slow "+application, d.Wall())
	return d.Wall().Sub(since) < sandbox.SlowFor
}
