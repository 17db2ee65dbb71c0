package bench

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/rails/fake"
	"tenor/internal/store"
	"tenor/internal/wire"
)

// The callers beside a day: few, at a fixed rate, so that they show what the day does
// to them and not what they do to it.
const (
	lightCallers = 4
	lightRate    = 200.0 // requests a second: four fifths read, one fifth authorizes
	heapEvery    = 10 * time.Millisecond
)

// callers sends a light load for as long as something else takes.
func (r *runner) callers(ctx context.Context, b *dayBook, until func(context.Context) error) (*result, error) {
	b.shop.series++
	var list []*caller
	for i := range lightCallers {
		list = append(list, &caller{shop: b.shop, rng: b.shop.rng.fork(), name: fmt.Sprintf("%d-%d", b.shop.series, i)})
	}
	load, stop := context.WithCancel(ctx)
	res := make(chan *result, 1)
	go func() {
		const aDay = 24 * time.Hour // it is stopped before
		res <- openLoop(load, list, lightRate, aDay, func(c *caller) error { return b.light(ctx, c) })
	}()
	err := until(ctx)
	stop()
	sum := <-res
	for _, c := range list {
		b.shop.acked.add(&c.acked)
	}
	if sum.errors > 0 && err == nil && ctx.Err() == nil {
		r.invalid("%s: %s: %d of %d requests failed: %v", b.kind, b.name(), sum.errors, sum.requests, sum.first)
	}
	return sum, err
}

// light is what an edge does for a request, without HTTP: both sides of the ratio lack
// the same.
func (b *dayBook) light(ctx context.Context, c *caller) error {
	if c.rng.below(5) == 0 {
		return b.authorize(ctx, c)
	}
	key := b.shop.orders[c.rng.below(len(b.shop.orders))]
	return b.db.View(ctx, func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Orders: []string{key}}); err != nil {
			return err
		}
		o := s.Orders[key]
		if o == nil || s.Loans[key] == nil {
			return fmt.Errorf("order %s is not there", key)
		}
		w := wire.NewOrder(o)
		_, err := wire.Encode(&w)
		return err
	})
}

// authorize places an order that stays authorized.
func (b *dayBook) authorize(ctx context.Context, c *caller) error {
	c.n++
	name := fmt.Sprintf("PO-%s-%d", c.name, c.n)
	var made string
	res, err := b.eng.Submit(ctx, engine.Request{
		Command: credit.CreateOrder{
			Company: b.shop.companies[c.rng.below(len(b.shop.companies))], Amount: orderAmount, MerchantOrderID: name,
			Installments: installments, Cart: cart(), Authorize: true,
		},
		Actor: credit.Actor{Client: client, Merchant: b.shop.merchant, RequestID: name}, Seed: c.rng.draw(),
		Encode: func(x credit.Changes, no *credit.Rejection) engine.Response {
			if o, ok := x.Result.(*credit.Order); ok {
				made = o.Key
			}
			return respond(x, no)
		},
	})
	if err == nil && res.Rejection != nil {
		err = res.Rejection
	}
	if err == nil {
		c.acked.created = append(c.acked.created, made)
	}
	return err
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// heapWatch looks at the heap of this process.
type heapWatch struct {
	done chan struct{}
	most chan uint64
}

// watchHeap begins with a heap from which what is no longer needed is gone.
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

// stop returns the most that was in use, in bytes.
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

// countingSubmitter counts the commands of a clockwork, and says when there were as
// many as it may submit.
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

// countingBank is the sandbox's bank, and counts the debits in each file that it gets.
type countingBank struct {
	*fake.Bank

	mu    sync.Mutex
	files map[string]int // debits by the file's name: a bank takes a name once
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

// debits is how many debits the bank was sent in all.
func (b *countingBank) debits() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.files {
		n += x
	}
	return n
}
