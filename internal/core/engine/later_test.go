package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"tenor/internal/domain/compliance"
)

// taker answers every request with an error, or takes it.
type taker struct {
	mu   sync.Mutex
	err  error
	took []Request
}

func (x *taker) Submit(_ context.Context, r Request) (Result, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.took = append(x.took, r)
	}
	return Result{}, x.err
}

// What is added is submitted once; what the database refuses waits, and what there is no
// room for, or what breaks, is counted.
func TestLater(t *testing.T) {
	x := &taker{err: ErrReadOnly}
	l := NewLater(x)
	add := func(n int) {
		for i := range n {
			l.Add(Request{Command: compliance.RecordRead{Object: fmt.Sprint(i)}})
		}
	}
	add(laterRoom + 7)
	l.Flush(t.Context())
	if len(x.took) != 0 || l.Lost() != 7 {
		t.Fatalf("read-only: %d taken, %d lost", len(x.took), l.Lost())
	}
	x.err = nil
	l.Flush(t.Context())
	seen := map[string]bool{}
	for _, r := range x.took {
		if !r.Background {
			t.Fatal("a caller's room is taken")
		}
		seen[r.Command.(compliance.RecordRead).Object] = true
	}
	if len(x.took) != laterRoom || len(seen) != laterRoom || l.Lost() != 7 {
		t.Fatalf("%d taken, %d of them different, %d lost", len(x.took), len(seen), l.Lost())
	}
	x.err = ErrInternal
	add(3)
	l.Flush(t.Context())
	if l.Lost() != 10 {
		t.Errorf("broken: %d lost", l.Lost())
	}
	x.err = nil
	add(5)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := l.Run(ended); err != nil || len(x.took) != laterRoom+5 {
		t.Errorf("at the end: %d taken, %v", len(x.took), err)
	}
}
