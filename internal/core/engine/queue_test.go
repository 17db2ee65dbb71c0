package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func from(merchant, id string) Request {
	r := request(id)
	r.Actor.Merchant = merchant
	return r
}

// Lanes are served in turn, across batches too (EN11, M15).
func TestRoundRobin(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Batch = 4 })
	for i := range 6 {
		r.put(from("flood", fmt.Sprint("f", i)))
	}
	for _, m := range []string{"x", "y"} {
		for i := range 2 {
			r.put(from(m, fmt.Sprint(m, i)))
		}
	}
	for r.Step(context.Background()) {
	}
	if got, want := r.commands(), "f0 x0 y0 f1 x1 y1 f2 f3 f4 f5 "; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
	if s := r.Stats(); s.Batches != 3 || s.Taken != 10 || s.LargestBatch != 4 || s.QueueDepth != 0 {
		t.Errorf("stats %+v", s)
	}
}

// The queue is bounded, and a flood never takes the last room (M12).
func TestRoomIsSharedFairly(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Queue = 100 })
	fill := func(merchant string) int {
		for n := 0; ; n++ {
			if _, err := r.Enqueue(context.Background(), from(merchant, "a")); err != nil {
				if !errors.Is(err, ErrOverloaded) {
					t.Fatal(err)
				}
				return n
			}
		}
	}
	for _, c := range []struct {
		merchant string
		want     int
	}{{"flood", 80}, {"second", 16}, {"flood", 0}, {"third", 4}, {"fourth", 0}} {
		if n := fill(c.merchant); n != c.want {
			t.Errorf("%s got %d places, want %d", c.merchant, n, c.want)
		}
	}
	if s := r.Stats(); s.QueueDepth != 100 || s.Overloaded != 5 {
		t.Errorf("stats %+v", s)
	}
	if r.backend.updates != 0 {
		t.Error("a refusal cost work")
	}
}

// The operator's clients have lanes of their own.
func TestOperatorLanes(t *testing.T) {
	r := newRig(t)
	for _, c := range []string{"system", "system", "console"} {
		q := from("", c)
		q.Actor.Client = c
		r.put(q)
	}
	r.Step(context.Background())
	if got := r.commands(); got != "system console system " {
		t.Errorf("order %q", got)
	}
}

// A caller whose time ends in the queue leaves it, freeing its room, at once; its command
// is never decided (EN6).
func TestEndedInTheQueue(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Queue = 5 })
	ctx, cancel := context.WithCancelCause(context.Background())
	var tickets []*Ticket
	for i := range 4 {
		x, err := r.Enqueue(ctx, keyed(fmt.Sprint("a", i), fmt.Sprint("k", i)))
		if err != nil {
			t.Fatal(err)
		}
		tickets = append(tickets, x)
	}
	cancel(errors.New("client gone"))
	if _, err := r.wait(ctx, tickets[1]); !errors.Is(err, ErrExpired) || !strings.Contains(err.Error(), "client gone") {
		t.Errorf("waiting: %v", err)
	}
	if n := r.Stats().QueueDepth; n != 3 {
		t.Errorf("%d places taken, want 3", n)
	}
	live := r.put(request("b"))
	r.Step(context.Background())
	r.want(live, "b", 1, nil)
	for _, x := range tickets {
		r.want(x, "", 0, ErrExpired)
	}
	if r.commands() != "b " || len(r.queue.keys) != 0 || len(r.queue.lanes) != 0 || r.Stats().Expired != 4 {
		t.Errorf("log %q, keys %v, stats %+v", r.commands(), r.queue.keys, r.Stats())
	}
	if _, err := r.Enqueue(ctx, request("c")); !errors.Is(err, ErrExpired) {
		t.Errorf("enqueue after the end: %v", err)
	}
}

func TestClose(t *testing.T) {
	r := newRig(t)
	x := r.put(request("a"))
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.want(x, "", 0, ErrClosed) // nothing runs it
	if _, err := r.Enqueue(context.Background(), request("b")); !errors.Is(err, ErrClosed) || !errors.Is(r.Health(), ErrClosed) {
		t.Errorf("after close: %v, health %v", err, r.Health())
	}
}

func TestConfigIsChecked(t *testing.T) {
	good := newRig(t).cfg
	for name, change := range map[string]func(*Config){
		"backend": func(c *Config) { c.Backend = nil },
		"clock":   func(c *Config) { c.Now = nil },
		"batch":   func(c *Config) { c.Batch = MaxBatch + 1 },
		"queue":   func(c *Config) { c.Queue = -1 },
	} {
		bad := good
		change(&bad)
		if _, err := New(bad); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
	if id := randomBatchID(); id == randomBatchID() {
		t.Error("batch ids repeat")
	}
}
