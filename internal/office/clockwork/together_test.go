package clockwork

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"tenor/internal/core/store"
)

// MaxStuck is how many stuck objects a turn remembers, for the tests of the package.
const MaxStuck = maxStuck

// Notices about one transfer are processed one after the other, and one about a whole file
// alone.
func TestIndependent(t *testing.T) {
	for _, c := range []struct {
		transfers []string
		want      []int
	}{
		{[]string{"a", "b", "c"}, []int{3}},
		{[]string{"a", "b", "a", "c"}, []int{2, 2}},
		{[]string{"a", "a", "a"}, []int{1, 1, 1}},
		{[]string{"", "a", "b"}, []int{1, 2}},
		{[]string{"a", "", "", "b"}, []int{1, 1, 1, 1}},
	} {
		var list []store.BankNotice
		for _, x := range c.transfers {
			list = append(list, store.BankNotice{Transfer: x})
		}
		var got []int
		for len(list) > 0 {
			n := independent(list)
			got, list = append(got, n), list[n:]
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: runs of %v, want %v", c.transfers, got, c.want)
		}
	}
}

// together does each thing once, and never more than inFlight at a time; it returns the
// first failure, and starts little after it.
func TestTogether(t *testing.T) {
	var running, most, done atomic.Int64
	work := func(_ context.Context, _ int) error {
		n := running.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		done.Add(1)
		running.Add(-1)
		return nil
	}
	if err := together(context.Background(), inFlight, 3*inFlight, work); err != nil || done.Load() != 3*inFlight || most.Load() > inFlight {
		t.Errorf("%v, %d done, %d at a time", err, done.Load(), most.Load())
	}
	first, begun := errors.New("the first"), atomic.Int64{}
	err := together(context.Background(), inFlight, 10*inFlight, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 0 {
			return first
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, first) || begun.Load() > inFlight+1 {
		t.Errorf("%v after %d had begun", err, begun.Load())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := together(ctx, inFlight, 1, func(context.Context, int) error { return errors.New("it began") }); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if err := together(context.Background(), inFlight, 0, nil); err != nil {
		t.Errorf("nothing: %v", err)
	}
}
