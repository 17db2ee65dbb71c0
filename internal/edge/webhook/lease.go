package webhook

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
)

const (
	// dutyCount is into how many duties the endpoints are divided. A duty is leased as a
	// whole: a lease per endpoint would cost repeated writes for each.
	dutyCount = 16
	// renewals is how often a lease is renewed during its time.
	renewals = 3
	// leaseTimeout is how long one request for a lease may take.
	leaseTimeout = 5 * time.Second
)

func dutyName(i int) string { return fmt.Sprintf("webhook/duty/%02d", i) }

// dutyOf is the duty of an endpoint: the same in every process.
func dutyOf(endpoint string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(endpoint)) // a hash accepts everything
	return dutyName(int(h.Sum32() % dutyCount))
}

// tenure is a lease with the instant until which it is certainly ours, by the monotonic
// clock: setting the wall clock does not extend it.
type tenure struct {
	store.Lease
	until time.Time
}

// holding is what the keeper reports to the desk: all leases that it now has, and which of
// them another process should get.
type holding struct {
	leases map[string]tenure
	give   map[string]bool
}

// drained reports that nothing is in progress anymore under a lease.
type drained struct{ lease store.Lease }

// keeper takes and renews leases (EN16). Processes share the duties equally: each holds one
// place in a row, so that each knows how many there are.
type keeper struct {
	s      *Sender
	held   map[string]tenure
	give   map[string]bool
	place  store.Lease // in the row of processes; without a name if none
	index  int         // of the place
	nodes  int         // how many at the last count
	excess int         // consecutive counts in which we held more than our share
}

func newKeeper(s *Sender) *keeper {
	return &keeper{s: s, held: map[string]tenure{}, give: map[string]bool{}, nodes: 1}
}

func (k *keeper) run(ctx context.Context) {
	if k.s.cfg.Alone {
		for i := range dutyCount {
			k.held[dutyName(i)] = tenure{Lease: store.Lease{Name: dutyName(i)}}
		}
		k.tell()
		<-ctx.Done()
		return
	}
	beat := time.NewTicker(k.s.cfg.Lease / renewals)
	defer beat.Stop()
	k.beat(ctx)
	for {
		select {
		case <-ctx.Done():
			k.leave(context.WithoutCancel(ctx))
			return
		case list := <-k.s.drained:
			for _, d := range list {
				k.release(ctx, d.lease)
				delete(k.held, d.lease.Name)
				delete(k.give, d.lease.Name)
			}
		case <-k.s.recheck:
			k.beat(ctx)
		case <-beat.C:
			k.beat(ctx)
		}
	}
}

// leave gives everything back, so that others need not wait for expiry.
func (k *keeper) leave(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(k.held)) {
		k.release(ctx, k.held[name].Lease)
	}
	if k.place.Name != "" {
		k.release(ctx, k.place)
	}
}

// beat renews what is held and takes what is free, up to our share.
func (k *keeper) beat(ctx context.Context) {
	k.count(ctx)
	share := (dutyCount + k.nodes - 1) / k.nodes
	for i := range dutyCount {
		name := dutyName((k.index*share + i) % dutyCount)
		_, mine := k.held[name]
		if !mine && len(k.held) >= share {
			continue
		}
		asked := time.Now()
		switch l, ok, err := k.lease(ctx, name); {
		case err != nil:
			k.s.cfg.Log.Warn("webhook: lease", slog.String("duty", name), slog.Any("error", err))
		case ok:
			k.held[name] = tenure{l, asked.Add(k.s.cfg.Lease)}
		case mine:
			k.s.cfg.Log.Warn("webhook: lost a lease to another process", slog.String("duty", name))
			delete(k.held, name)
			delete(k.give, name)
		}
	}
	k.yield(share)
	k.tell()
}

// yield marks what others should get. One count may be wrong, because another process was
// just checking a place; two in a row are believed.
func (k *keeper) yield(share int) {
	if len(k.held)-len(k.give) <= share {
		k.excess = 0
		return
	}
	if k.excess++; k.excess < 2 {
		return
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(k.held))) {
		if len(k.held)-len(k.give) > share {
			k.give[name] = true
		}
	}
}

// count determines how many processes there are. Each holds the first place that it found
// free; the row ends at the first free one.
func (k *keeper) count(ctx context.Context) {
	nodes := 0
	for i := range dutyCount {
		l, ok, err := k.lease(ctx, fmt.Sprintf("webhook/process/%02d", i))
		switch {
		case err != nil:
			return // as many as before
		case !ok: // another process's
			if i == k.index {
				k.place = store.Lease{}
			}
		case k.place.Name == "" || i == k.index:
			k.place, k.index = l, i
		case i < k.index: // the one before us has gone
			k.release(ctx, k.place)
			k.place, k.index = l, i
		default:
			k.release(ctx, l)
			k.nodes = max(nodes, 1)
			return
		}
		nodes++
	}
	k.nodes = nodes
}

func (k *keeper) lease(ctx context.Context, name string) (store.Lease, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseTimeout)
	defer cancel()
	now := k.s.now()
	return k.s.cfg.Backend.Lease(ctx, name, k.s.holder, now, now.Add(k.s.cfg.Lease))
}

func (k *keeper) release(ctx context.Context, l store.Lease) {
	ctx, cancel := context.WithTimeout(ctx, leaseTimeout)
	defer cancel()
	if err := k.s.cfg.Backend.Release(ctx, l); err != nil {
		k.s.cfg.Log.Warn("webhook: release a lease", slog.String("lease", l.Name), slog.Any("error", err))
	}
}

// tell gives the desk the latest news, replacing older news.
func (k *keeper) tell() {
	select {
	case <-k.s.leases:
	default:
	}
	k.s.leases <- holding{maps.Clone(k.held), maps.Clone(k.give)}
}
