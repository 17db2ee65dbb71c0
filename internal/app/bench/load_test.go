package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// seed reproduces a random test.
var seed = flag.Uint64("seed", 0, "seed of tests that draw; 0: by the clock")

// drawn returns a generator whose seed is printed.
func drawn(t *testing.T) rng {
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", from)
	return rng(from)
}

// Every value falls into the bucket whose bounds contain it, and no bucket is wider than a 64th
// of its values.
func TestHistogramBuckets(t *testing.T) {
	r := drawn(t)
	values := []uint64{0, 1, 63, 64, 65, 127, 128, 129, math.MaxInt64}
	for range 10_000 {
		values = append(values, r.next()>>(1+r.below(63)))
	}
	for _, v := range values {
		i := bucket(v)
		lowest := uint64(0)
		if i > 0 {
			lowest = upper(i-1) + 1
		}
		if v < lowest || v > upper(i) {
			t.Fatalf("%d is in bucket %d of %d to %d", v, i, lowest, upper(i))
		}
		if width := upper(i) - lowest; width > lowest>>subBits {
			t.Fatalf("bucket %d of %d to %d is too wide", i, lowest, upper(i))
		}
	}
}

// Quantiles are those of the sorted values, to within a bucket, also after merging several
// connections.
func TestHistogramQuantiles(t *testing.T) {
	r := drawn(t)
	var parts [3]histogram
	var all []time.Duration
	for i := range 5000 {
		d := time.Duration(r.below(1_000_000_000) >> r.below(20))
		all = append(all, d)
		parts[i%3].add(d)
	}
	var h histogram
	for i := range parts {
		h.merge(&parts[i])
	}
	slices.Sort(all)
	for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[min(max(int(q*float64(len(all))+0.5), 1), len(all))-1]
		if got := h.quantile(q); got < want || float64(got-want) > float64(want)/64 {
			t.Errorf("quantile %g is %d, want %d", q, got, want)
		}
	}
	if h.n != 5000 || h.max != all[len(all)-1] {
		t.Errorf("%d values up to %d", h.n, h.max)
	}
	var empty histogram
	if empty.quantile(0.5) != 0 {
		t.Error("an empty histogram has a median")
	}
	empty.add(-time.Second)
	if empty.quantile(1) != 0 {
		t.Error("a time below zero is not zero")
	}
}

// Arrivals in an open loop are evenly spaced and do not depend on the previous response.
func TestArrivals(t *testing.T) {
	begin := time.Unix(1000, 0)
	a := newArrivals(begin, 200, 50*time.Millisecond)
	for i := range 10 {
		at, more := a.take()
		if want := begin.Add(time.Duration(i) * 5 * time.Millisecond); !more || !at.Equal(want) {
			t.Errorf("arrival %d at %s (%v), want %s", i, at, more, want)
		}
	}
	if _, more := a.take(); more {
		t.Error("an eleventh arrival")
	}
}

// Many callers share the arrivals: each one is taken once.
func TestArrivalsAreSharedOut(t *testing.T) {
	a := newArrivals(time.Unix(0, 0), 1000, time.Second)
	var mu sync.Mutex
	seen := map[time.Time]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for at, more := a.take(); more; at, more = a.take() {
				mu.Lock()
				seen[at]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for at, n := range seen {
		if n != 1 {
			t.Errorf("arrival at %s taken %d times", at, n)
		}
	}
	if len(seen) != 1000 {
		t.Errorf("%d arrivals, want 1000", len(seen))
	}
}

// Latency counts from the scheduled arrival: it includes the time that a caller's second request
// waited for its first.
func TestOpenLoopCountsFromTheArrival(t *testing.T) { synctest.Test(t, openLoopCountsFromTheArrival) }

func openLoopCountsFromTheArrival(t *testing.T) {
	const pause = 20 * time.Millisecond
	var sent atomic.Int64
	r := openLoop(context.Background(), []*caller{{}}, 1000, 4*time.Millisecond, func(*caller) error {
		if sent.Add(1) == 1 {
			time.Sleep(pause)
		}
		return nil
	})
	if r.requests != 4 || r.errors != 0 || sent.Load() != 4 {
		t.Fatalf("%d requests, %d errors, %d sent", r.requests, r.errors, sent.Load())
	}
	// The others arrived 1, 2 and 3 ms after the first and could not be sent before
	// it was answered.
	if first := r.latency.quantile(0.01); first < pause-3*time.Millisecond {
		t.Errorf("the quickest answer took %s: the wait was forgotten", first)
	}
}

// What cannot be sent in time is counted as an error, not left out.
func TestOpenLoopCountsWhatWasNotSent(t *testing.T) { synctest.Test(t, openLoopCountsWhatWasNotSent) }

func openLoopCountsWhatWasNotSent(t *testing.T) {
	r := openLoop(context.Background(), []*caller{{}}, 1000, 10*time.Millisecond, func(*caller) error {
		time.Sleep(1100 * time.Millisecond) // beyond the limit
		return nil
	})
	if r.requests != 10 || r.errors == 0 || !errors.Is(r.first, errLate) {
		t.Errorf("%d requests, %d errors: %v", r.requests, r.errors, r.first)
	}
}

// A closed loop counts every request, whether it succeeds or not, and a caller whose connection
// broke stops.
func TestClosedLoop(t *testing.T) { synctest.Test(t, closedLoopCounts) }

func closedLoopCounts(t *testing.T) {
	var sent atomic.Int64
	r := closedLoop(context.Background(), make([]*caller, 4), 20*time.Millisecond, func(*caller) error {
		if sent.Add(1)%2 == 0 {
			return errors.New("wrong")
		}
		time.Sleep(time.Millisecond)
		return nil
	})
	if r.requests != sent.Load() || r.errors != sent.Load()/2 || r.latency.n != r.requests-r.errors {
		t.Errorf("%d requests, %d errors, %d times; %d were sent", r.requests, r.errors, r.latency.n, sent.Load())
	}
	r = closedLoop(context.Background(), make([]*caller, 3), time.Hour, func(*caller) error { return &lostError{errors.New("reset")} })
	if r.requests != 3 || r.errors != 3 {
		t.Errorf("%d requests, %d errors of 3 callers that were cut off", r.requests, r.errors)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if r := closedLoop(done, []*caller{{}}, time.Hour, func(*caller) error { return nil }); r.requests != 0 || r.rate() != 0 {
		t.Errorf("%d requests after the end", r.requests)
	}
}

// A spread is the median with its bounds; ratios are taken within a round.
func TestSpreadAndRatios(t *testing.T) {
	for _, x := range []struct {
		values []float64
		want   spread
	}{
		{nil, spread{}},
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{5, 1, 3}, spread{3, 1, 5}},
		{[]float64{4, 1, 2, 9}, spread{3, 1, 9}},
	} {
		given := slices.Clone(x.values)
		if got := spreadOf(x.values); got != x.want || !slices.Equal(given, x.values) {
			t.Errorf("spread of %v is %v, want %v", x.values, got, x.want)
		}
	}
	// The machine was half as fast in the second round, which the ratio does not show.
	a, b := []float64{200, 100, 300}, []float64{100, 50, 100, 7}
	if got := ratios(a, b); !slices.Equal(got, []float64{2, 2, 3}) {
		t.Errorf("ratios %v", got)
	}
	if got := ratios([]float64{1, 2}, []float64{0, 4}); !slices.Equal(got, []float64{0.5}) {
		t.Errorf("ratios by zero %v", got)
	}
}

// The same seed gives the same numbers, and below stays below its bound.
func TestRng(t *testing.T) {
	a, b := rng(7), rng(7)
	if a.draw() != b.draw() || a.next() != b.next() {
		t.Error("the same seed gave something else")
	}
	counts := make([]int, 10)
	for range 10_000 {
		counts[a.below(10)]++
	}
	for i, n := range counts {
		if n < 700 {
			t.Errorf("%d was drawn %d times of 10,000: %s", i, n, fmt.Sprint(counts))
		}
	}
}
