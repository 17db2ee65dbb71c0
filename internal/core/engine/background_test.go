package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// behind is a command that nobody waits for.
func behind(id string) Request {
	r := request(id)
	r.Actor, r.Background = credit.Actor{Client: "system"}, true
	return r
}

// paced is a rig whose writer uses a clock that the test moves.
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

// Callers come first, whoever arrived first; next to sixteen of them a batch takes two
// background commands, in order, and next to one of them none.
func TestCallersComeFirst(t *testing.T) {
	r, _ := paced(t)
	r.putMany(4, behind, "b")
	r.putMany(16, request, "c")
	r.Step(context.Background())
	r.put(request("d"))
	r.Step(context.Background())
	r.Step(context.Background())
	want := ""
	for i := range 16 {
		want += fmt.Sprint("c", i, " ")
	}
	if got := r.commands(); got != want+"b0 b1 d b2 b3 " {
		t.Errorf("order %q", got)
	}
	if s := r.Stats(); s.Taken != 21 || s.Background != 4 || s.BackgroundDepth != 0 || s.QueueDepth != 0 {
		t.Errorf("stats %+v", s)
	}
}

// However small a batch is and however many callers there are, a background command does
// not wait forever: one batch in maxPassed takes one.
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

// Background commands take no room from callers, nor callers from them; each kind is
// bounded (P9).
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

// Waiting background commands end like all others: with the engine, with their context,
// with a full database; and accepted ones are decided.
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

// A background command that a neighbor leads to something else returns to its own place,
// ahead of later ones.
func TestDeferredInTheBackground(t *testing.T) {
	r, _ := paced(t)
	led := behind("led")
	led.Command.(*command).keys = func(s *credit.State) credit.Keys {
		k := credit.Keys{Companies: []int64{1}}
		if s.Companies[1] != nil {
			k.Companies = append(k.Companies, 2)
		}
		return k
	}
	r.putMany(backgroundShare, request, "c")
	x := r.put(led)
	r.put(behind("later"))
	for r.Step(context.Background()) {
	}
	r.want(x, "led", backgroundShare+1, nil)
	if got := r.commands(); !strings.HasSuffix(got, "c7 led later ") || r.Stats().Deferred != 1 {
		t.Errorf("order %q, stats %+v", got, r.Stats())
	}
}

// The size of background batches follows from their duration: aloneTarget while no callers
// are active, twice the duration of callers' own batches while they are, and at least a few
// commands.
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
	near("alone", batches(40), aloneTarget)
	p.took(1, 0, 4*time.Millisecond)
	for range 100 {
		p.took(1, 0, 4*time.Millisecond)
	}
	near("beside callers", batches(40), 8*time.Millisecond)
	for range 100 {
		p.took(500, 60, time.Second)
	}
	each = 200 * time.Microsecond
	near("beside many callers", batches(40), mostBeside)
	each = 100 * time.Microsecond
	for range 100 {
		p.took(1, 0, time.Microsecond)
	}
	near("beside quick callers", batches(40), leastBeside)
	each = time.Second
	if got := batches(40); got != leastBudget {
		t.Errorf("slow commands: %d a batch", got)
	}
	// A commit takes twenty milliseconds, whatever the batch contains: the background gets
	// more than the one command that a caller's batch holds.
	for range 100 {
		p.took(1, 1, 20*time.Millisecond)
	}
	last := 0
	for range 100 {
		last = p.room(0)
		p.took(0, last, 20*time.Millisecond+time.Duration(last)*500*time.Microsecond)
	}
	if last < 30 || last > 45 {
		t.Errorf("beside callers with slow commits: %d a batch, want about 40", last)
	}
	each = 100 * time.Microsecond
	wall = wall.Add(callersStay)
	near("when they are gone", batches(40), aloneTarget)
	each = time.Nanosecond
	if got := batches(40); got != MaxBatch {
		t.Errorf("quick commands: %d a batch", got)
	}
	p.took(0, 3, time.Nanosecond) // not full: says nothing about a fuller one
	if got := p.room(0); got != MaxBatch {
		t.Errorf("after a batch that was not full: %d", got)
	}
	if a, b := p.room(7), p.room(80); a != 0 || b != 10 {
		t.Errorf("beside 7 and 80 callers' commands: %d, %d", a, b)
	}
}

// After a background batch the writer owes active callers one and a quarter times its
// duration, but no more than the maximum target: resting for a stall helps nobody. It owes
// nothing after a batch with callers' own commands, nor when they are gone.
func TestRestOfTheBackground(t *testing.T) {
	wall := start
	p := newPace(func() time.Time { return wall })
	after := func(callers int, d time.Duration) time.Duration {
		p.took(callers, p.room(callers), d)
		return p.rest
	}
	if got := after(0, 5*time.Millisecond); got != 0 {
		t.Errorf("before a caller was there: %s", got)
	}
	for range 100 {
		p.took(1, 0, 4*time.Millisecond)
	}
	if got := after(0, 8*time.Millisecond); got != 10*time.Millisecond {
		t.Errorf("after a batch of 8 ms: %s", got)
	}
	if got := after(0, time.Second); got != mostBeside {
		t.Errorf("after a stall: %s", got)
	}
	if got := after(1, 6*time.Millisecond); got != 0 {
		t.Errorf("after a caller's batch: %s", got)
	}
	wall = wall.Add(callersStay)
	if got := after(0, 6*time.Millisecond); got != 0 {
		t.Errorf("when callers are gone: %s", got)
	}
}

// The writer rests after a background batch. More background commands do not end the rest;
// time does, and a caller or closing the engine end it at once.
func TestRestEnds(t *testing.T) {
	for _, x := range []struct {
		name string
		end  func(r *rig, rested chan<- time.Time)
		want string
	}{
		{"in time", func(r *rig, rested chan<- time.Time) { rested <- start }, "c b0 b1 "},
		{"for a caller", func(r *rig, rested chan<- time.Time) { <-r.put(request("d")).Done() }, "c b0 d b1 "},
		{"to close", func(r *rig, _ chan<- time.Time) { r.queue.close() }, "c b0 b1 "},
	} {
		t.Run(x.name, func(t *testing.T) {
			resting, rested := make(chan time.Duration, 8), make(chan time.Time, 8)
			r, wall := paced(t, func(c *Config) {
				c.After = func(d time.Duration) <-chan time.Time { resting <- d; return rested }
			})
			r.put(request("c"))
			r.Step(context.Background())
			first := behind("b0")
			first.Command.(*command).decide = func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
				*wall = wall.Add(2 * time.Millisecond)
				return raise(s, e)
			}
			r.put(first)
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() { r.Run(ctx); close(ended) }()
			if d := <-resting; d != 2500*time.Microsecond {
				t.Errorf("it rests for %s", d)
			}
			second := r.put(behind("b1"))
			select {
			case <-second.Done():
				t.Error("one more of the background has ended the rest")
			case <-time.After(20 * time.Millisecond): // as long as it likes
			}
			x.end(r, rested)
			<-second.Done()
			stop()
			<-ended
			if got := r.commands(); got != x.want {
				t.Errorf("order %q, want %q", got, x.want)
			}
		})
	}
}

// Ended receives every batch.
func TestEnded(t *testing.T) {
	var told []Ended
	r, wall := paced(t, func(c *Config) { c.Ended = func(e Ended) { told = append(told, e) } })
	slow := deciding("c", func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
		*wall = wall.Add(7 * time.Millisecond)
		return raise(s, e)
	})
	r.put(slow)
	r.putMany(7, request, "d")
	r.put(behind("b"))
	r.Step(context.Background())
	if len(told) != 1 || told[0] != (Ended{Callers: 8, Background: 1, Took: 7 * time.Millisecond}) {
		t.Errorf("told %+v", told)
	}
}

// calling is a background command during whose decision a caller's command arrives.
func (r *rig) calling(id string, then ...string) Request {
	b := behind(id)
	b.Command.(*command).decide = func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
		if len(then) > 0 {
			r.put(request(then[0]))
			then = then[1:]
		}
		return raise(s, e)
	}
	return b
}

// A background batch gives way to a caller who arrives before its COMMIT: nothing of it
// happens, its commands keep their places, and they are decided again afterwards.
func TestGivesWay(t *testing.T) {
	r, _ := paced(t)
	x := r.put(r.calling("b0", "c"))
	y := r.put(behind("b1"))
	r.Step(context.Background())
	if got, s := r.commands(), r.Stats(); got != "" || s.GaveWay != 1 || s.BackgroundDepth != 2 || s.Decided != 0 {
		t.Errorf("given up: order %q, stats %+v", got, s)
	}
	for r.Step(context.Background()) {
	}
	if got := r.commands(); got != "c b0 b1 " {
		t.Errorf("order %q", got)
	}
	r.want(x, "b0", 2, nil)
	r.want(y, "b1", 3, nil)
}

// Once COMMIT has begun it is too late, and a batch that includes a caller's command never
// gives way.
func TestGivesNoWay(t *testing.T) {
	r, _ := paced(t)
	r.backend.committing = func() {
		r.backend.committing = nil
		r.put(request("c"))
	}
	r.put(behind("b"))
	for r.Step(context.Background()) {
	}
	many := r.calling("with", "late")
	r.putMany(8, request, "d")
	r.put(many)
	for r.Step(context.Background()) {
	}
	if got, s := r.commands(), r.Stats(); got != "b c d0 d1 d2 d3 d4 d5 d6 d7 with late " || s.GaveWay != 0 {
		t.Errorf("order %q, stats %+v", got, s)
	}
}

// Callers who keep arriving make a batch give way only so many times. After one finished
// batch it may give way again.
func TestGivesWayOnlySoOften(t *testing.T) {
	r, _ := paced(t)
	r.put(r.calling("x", "c0", "c1", "c2", "c3"))
	for r.Step(context.Background()) {
	}
	r.put(r.calling("y", "c4"))
	for r.Step(context.Background()) {
	}
	if got, s := r.commands(), r.Stats(); got != "c0 c1 c2 x c3 c4 y " || s.GaveWay != maxGaveWay+1 {
		t.Errorf("order %q, stats %+v", got, s)
	}
}

// The attempt after a commit in doubt is finished, whoever arrives: its outcome is not
// known yet.
func TestGivesNoWayInDoubt(t *testing.T) {
	for _, ended := range []outcome{unknownApplied, unknownLost} {
		r, _ := paced(t)
		r.backend.script = []outcome{ended}
		r.backend.committing = func() {
			r.backend.committing = nil
			r.put(request("c"))
		}
		r.put(behind("b"))
		for r.Step(context.Background()) {
		}
		want := "b c "
		if ended == unknownLost {
			want = "c b " // the second attempt gives way
		}
		if got := r.commands(); got != want {
			t.Errorf("outcome %d: order %q, want %q", ended, got, want)
		}
	}
}

// A batch in which the schema refuses one command is split to the end.
func TestGivesNoWayApart(t *testing.T) {
	r, _ := paced(t)
	r.backend.rule = func(d store.Decided) error {
		if d.Audit.Command != "test.bad" {
			return nil
		}
		if r.Stats().QueueDepth == 0 {
			r.put(request("c"))
		}
		return store.ErrRefused
	}
	a, bad, z := r.put(behind("a")), r.put(behind("bad")), r.put(behind("z"))
	for r.Step(context.Background()) {
	}
	r.want(a, "a", 1, nil)
	r.want(bad, "", 0, ErrInternal)
	r.want(z, "z", 2, nil)
	if got := r.commands(); got != "a z c " {
		t.Errorf("order %q", got)
	}
}

// The backend learns which batches are background work while callers are active.
func TestBesideCallers(t *testing.T) {
	r, wall := paced(t)
	said := func(x Request) bool {
		r.put(x)
		r.Step(context.Background())
		return r.backend.batches[len(r.backend.batches)-1].Background
	}
	if said(behind("b0")) {
		t.Error("no caller was there yet")
	}
	if said(request("c")) {
		t.Error("a caller's own")
	}
	if !said(behind("b1")) {
		t.Error("a caller has just been there")
	}
	if said(request("d")) {
		t.Error("a caller's own, after one of the background")
	}
	*wall = wall.Add(callersStay)
	if said(behind("b2")) {
		t.Error("callers are gone")
	}
}
