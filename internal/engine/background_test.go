package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/credit"
)

// behind is a command that nobody waits for.
func behind(id string) Request {
	r := request(id)
	r.Actor, r.Background = credit.Actor{Client: "system"}, true
	return r
}

// paced is a rig whose writer looks at a clock that the test moves.
func paced(t *testing.T, change ...func(*Config)) (r *rig, wall *time.Time) {
	wall = new(time.Time)
	*wall = start
	return newRig(t, append(change, func(c *Config) { c.Wall = func() time.Time { return *wall } })...), wall
}

func (r *rig) putMany(n int, make func(id string) Request, name string) (list []*Ticket) {
	for i := range n {
		list = append(list, r.put(make(fmt.Sprint(name, i))))
	}
	return list
}

// Callers come first, whoever was there first; beside sixteen of them a batch holds two
// background commands, in their order, and beside one of them one.
func TestCallersComeFirst(t *testing.T) {
	r, _ := paced(t)
	r.putMany(4, behind, "b")
	r.putMany(16, request, "c")
	r.Step(context.Background())
	r.put(request("d"))
	r.Step(context.Background())
	want := ""
	for i := range 16 {
		want += fmt.Sprint("c", i, " ")
	}
	if got := r.commands(); got != want+"b0 b1 d b2 " {
		t.Errorf("order %q", got)
	}
	if s := r.Stats(); s.Taken != 20 || s.Background != 3 || s.BackgroundDepth != 1 || s.QueueDepth != 0 {
		t.Errorf("stats %+v", s)
	}
}

// However small a batch is and however many callers there are, a background command
// does not wait for ever: one batch in maxPassed has one.
func TestBackgroundIsNotStarved(t *testing.T) {
	for _, c := range []struct{ batch, batches, want int }{{1, 27, 3}, {4, 27, 3}, {16, 5, 5}} {
		r, _ := paced(t, func(g *Config) { g.Batch = c.batch })
		r.putMany(100, behind, "b")
		for i := range c.batches {
			r.putMany(c.batch, request, fmt.Sprint("c", i, "_"))
			r.Step(context.Background())
		}
		if got := strings.Count(r.commands(), "b"); got != c.want {
			t.Errorf("batches of %d: %d background commands in %d of them, want %d", c.batch, got, c.batches, c.want)
		}
	}
}

// Background commands take no room from callers, and callers none from them; each kind
// is bounded (P9).
func TestRoomOfTheBackground(t *testing.T) {
	r, _ := paced(t, func(c *Config) { c.Queue = 10 })
	r.putMany(BackgroundQueue, behind, "b")
	if _, err := r.Enqueue(context.Background(), behind("more")); !errors.Is(err, ErrOverloaded) {
		t.Errorf("one more of the background: %v", err)
	}
	r.putMany(8, request, "c") // a lone merchant's four fifths
	if _, err := r.Enqueue(context.Background(), request("more")); !errors.Is(err, ErrOverloaded) {
		t.Errorf("one more of the merchant: %v", err)
	}
	if s := r.Stats(); s.QueueDepth != 8 || s.BackgroundDepth != BackgroundQueue || s.Overloaded != 2 {
		t.Errorf("stats %+v", s)
	}
	r.Step(context.Background())
	r.put(behind("room again"))
}

// What waits in the background ends like everything else that waits: with the engine,
// with its context, with a database that is full; and what is accepted is decided.
func TestEndsOfTheBackground(t *testing.T) {
	r, _ := paced(t)
	ctx, cancel := context.WithCancel(context.Background())
	gone, err := r.Enqueue(ctx, behind("gone"))
	if err != nil {
		t.Fatal(err)
	}
	left, err := r.Enqueue(context.Background(), behind("left"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.wait(ctx, left); !errors.Is(err, ErrExpired) || r.Stats().BackgroundDepth != 1 {
		t.Errorf("withdrawn: %v, %+v", err, r.Stats())
	}
	r.put(behind("stays"))
	r.Step(context.Background())
	r.want(gone, "", 0, ErrExpired)
	if got := r.commands(); got != "stays " {
		t.Errorf("decided %q", got)
	}
	waits := r.put(behind("waits"))
	r.Halt(errors.New("found to be wrong"))
	r.want(waits, "", 0, ErrReadOnly)

	r, _ = paced(t)
	waits = r.put(behind("waits"))
	r.queue.close()
	if r.queue.drained() {
		t.Error("the queue is empty although a background command waits")
	}
	r.Step(context.Background())
	r.want(waits, "waits", 1, nil)
	if !r.queue.drained() {
		t.Error("the queue is not empty at the end")
	}
}

// A background command that a neighbour leads on to something else goes back to its own
// place, before those that came later.
func TestDeferredInTheBackground(t *testing.T) {
	r, _ := paced(t)
	led := behind("led")
	led.Command.(*command).keys = func(s *credit.State) credit.Keys {
		k := credit.Keys{Companies: []int64{1}}
		if s.Companies[1] != nil && s.Companies[1].Version == 1 {
			k.Companies = append(k.Companies, 2)
		}
		return k
	}
	r.put(request("c"))
	x := r.put(led)
	r.put(behind("later"))
	for r.Step(context.Background()) {
	}
	r.want(x, "led", 2, nil)
	if got := r.commands(); got != "c led later " || r.Stats().Deferred != 1 {
		t.Errorf("order %q, stats %+v", got, r.Stats())
	}
}

// The length of background batches follows from how long they take: aloneTarget while
// nobody is there, as long as callers' own batches take while callers are, and not
// below one command.
func TestPace(t *testing.T) {
	wall := start
	p := newPace(func() time.Time { return wall })
	each := 100 * time.Microsecond
	batches := func(n int) (last int) {
		for range n {
			last = p.room(0)
			p.took(0, last, time.Duration(last)*each)
		}
		return last
	}
	near := func(what string, got int, want time.Duration) {
		t.Helper()
		if n := int(want / each); got < n*9/10 || got > max(1, n*11/10) {
			t.Errorf("%s: %d commands of %s a batch, want about %d", what, got, each, n)
		}
	}
	near("alone", batches(20), aloneTarget)
	p.took(1, 0, 4*time.Millisecond)
	for range 30 {
		p.took(1, 0, 4*time.Millisecond)
	}
	near("beside callers", batches(20), 4*time.Millisecond)
	for range 30 {
		p.took(500, 60, time.Second)
	}
	near("beside many callers", batches(20), mostBeside)
	for range 30 {
		p.took(1, 0, time.Microsecond)
	}
	near("beside quick callers", batches(20), leastBeside)
	each = time.Second
	if got := batches(20); got != 1 {
		t.Errorf("slow commands: %d a batch", got)
	}
	each = 100 * time.Microsecond
	wall = wall.Add(callersStay)
	near("when they are gone", batches(20), aloneTarget)
	each = time.Nanosecond
	if got := batches(20); got != MaxBatch {
		t.Errorf("quick commands: %d a batch", got)
	}
	p.took(0, 3, time.Nanosecond) // not full: says nothing of a fuller one
	if got := p.room(0); got != MaxBatch {
		t.Errorf("after a batch that was not full: %d", got)
	}
	if a, b := p.room(7), p.room(80); a != 1 || b != 10 {
		t.Errorf("beside 7 and 80 callers' commands: %d, %d", a, b)
	}
}

// Whoever watches is told of every batch.
func TestEnded(t *testing.T) {
	var told []Ended
	r, wall := paced(t, func(c *Config) { c.Ended = func(e Ended) { told = append(told, e) } })
	slow := deciding("c", func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
		*wall = wall.Add(7 * time.Millisecond)
		return raise(s, e)
	})
	r.put(slow)
	r.put(behind("b"))
	r.Step(context.Background())
	if len(told) != 1 || told[0] != (Ended{Callers: 1, Background: 1, Took: 7 * time.Millisecond}) {
		t.Errorf("told %+v", told)
	}
}
