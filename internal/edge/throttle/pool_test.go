package throttle

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func TestPool(t *testing.T) {
	p := NewPool(4, 2)
	for range 2 {
		if !p.Enter("a") {
			t.Error("a key has two places")
		}
	}
	if p.Enter("a") {
		t.Error("a key has two places, not three")
	}
	if !p.Enter("b") || !p.Enter("c") || p.Enter("d") {
		t.Error("there are four places in all")
	}
	p.Leave("a")
	if !p.Enter("d") || p.Enter("a") {
		t.Error("what was left is free once")
	}
	for _, key := range []string{"a", "b", "c", "d"} {
		p.Leave(key)
	}
	for i := range 1000 {
		key := fmt.Sprint(i)
		if !p.Enter(key) {
			t.Fatal("a place was not given back")
		}
		p.Leave(key)
	}
	if len(p.each) != 0 {
		t.Errorf("%d keys of those who have left", len(p.each))
	}
}

// A waiting caller gets the place that becomes free, and holds nothing if none does.
func TestPoolWaits(t *testing.T) {
	p := NewPool(2, 1)
	p.Enter("a")
	got := make(chan bool)
	go func() { got <- p.EnterWithin(context.Background(), "a", time.Minute) }()
	select {
	case <-got:
		t.Fatal("two places of one")
	case <-time.After(20 * time.Millisecond):
	}
	p.Leave("a")
	if !<-got {
		t.Error("the place that became free was not given")
	}
	p.Enter("b")
	ended, end := context.WithCancel(context.Background())
	end()
	for name, ok := range map[string]bool{
		"of its key": p.EnterWithin(context.Background(), "a", time.Millisecond), "in all": p.EnterWithin(context.Background(), "c", time.Millisecond),
		"nobody waits": p.EnterWithin(ended, "c", time.Hour),
	} {
		if ok {
			t.Errorf("%s: a place that there is not", name)
		}
	}
	p.Leave("a")
	p.Leave("b")
	if len(p.each) != 0 || len(p.all) != 0 {
		t.Errorf("left behind: %d keys, %d places", len(p.each), len(p.all))
	}
}
