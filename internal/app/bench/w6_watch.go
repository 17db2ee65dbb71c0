package bench

import (
	"bytes"
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/ports/rails/fake"
)

// heapEvery is how often the heap is sampled while a day is measured.
const heapEvery = 10 * time.Millisecond

// heapWatch samples the heap of this process.
type heapWatch struct {
	done chan struct{}
	most chan uint64
}

// watchHeap starts from a collected heap.
func watchHeap() *heapWatch {
	runtime.GC()
	w := &heapWatch{make(chan struct{}), make(chan uint64, 1)}
	go func() {
		ticker := time.NewTicker(heapEvery)
		defer ticker.Stop()
		most := heapInUse()
		for {
			select {
			case <-w.done:
				w.most <- max(most, heapInUse())
				return
			case <-ticker.C:
				most = max(most, heapInUse())
			}
		}
	}()
	return w
}

// stop returns the maximum in use, in bytes.
func (w *heapWatch) stop() uint64 {
	close(w.done)
	return <-w.most
}

// heapInUse is runtime.MemStats.HeapInuse, read without stopping the program.
func heapInUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}

// countingSubmitter counts a clockwork's commands, and reports when it reaches the maximum.
type countingSubmitter struct {
	engine.Submitter
	n    atomic.Int64
	most int64
	full func() // nil: never
}

// Submit implements engine.Submitter.
func (c *countingSubmitter) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if c.n.Add(1) == c.most && c.full != nil {
		c.full()
	}
	return c.Submitter.Submit(ctx, r)
}

func (c *countingSubmitter) count() int64 { return c.n.Load() }

// countingBank is the sandbox's bank, and counts the debits in each file that it receives.
type countingBank struct {
	*fake.Bank

	mu    sync.Mutex
	files map[string]int // debits by file name: a bank accepts a name once
}

// Send implements rails.Bank.
func (b *countingBank) Send(ctx context.Context, name string, content []byte) error {
	n := 0
	for line := range bytes.Lines(content) {
		// An entry, record type 6, with a code that debits a checking account.
		if bytes.HasPrefix(line, []byte("627")) {
			n++
		}
	}
	b.mu.Lock()
	b.files[name] = n
	b.mu.Unlock()
	return b.Bank.Send(ctx, name, content)
}

// debits returns how many debits the bank was sent in total.
func (b *countingBank) debits() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.files {
		n += x
	}
	return n
}
