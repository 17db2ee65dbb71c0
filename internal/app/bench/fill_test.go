package bench

import (
	"context"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
)

// BenchmarkForge decides orders in full batches; BenchmarkFill also commits them to SQLite. The
// second one's profile, less the first's, is that of the store's writes alone.
func BenchmarkForge(b *testing.B) {
	forgeOrders(b, memory.New(), func(store.Batch) error { return nil })
}

func BenchmarkFill(b *testing.B) {
	ctx := context.Background()
	db, err := openFile(ctx, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	into := newFiller(ctx, db)
	forgeOrders(b, db, into.put)
	if err := into.close(); err != nil {
		b.Fatal(err)
	}
}

// forgeOrders creates b.N orders of 10,000 companies.
func forgeOrders(b *testing.B, db store.Backend, sink func(store.Batch) error) {
	ctx := context.Background()
	f, err := newForge(ctx, db, newYork(b), 1, engine.MaxBatch)
	if err != nil {
		b.Fatal(err)
	}
	f.sink = sink
	ids, err := f.found(ctx, 10_000)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for left := b.N; left > 0; {
		commands := make([]credit.Command, min(left, engine.MaxBatch))
		left -= len(commands)
		for i := range commands {
			commands[i] = f.order(ids[f.rng.below(len(ids))])
		}
		made, err := f.decide(ctx, commands)
		if err != nil {
			b.Fatal(err)
		}
		for _, x := range made {
			f.forget(x.(*credit.Order).Key)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
}
