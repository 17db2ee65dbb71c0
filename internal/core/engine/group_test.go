package engine

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// Two engines write to one backend: together they decide as one would, a company's commands
// go to one of them, and a failure found by one stops both.
func TestGroup(t *testing.T) {
	s := newShop(t, 4, money.MustParse("1000.00"))
	cfg := s.cfg
	alarms := 0
	cfg.Alarm = func(Alarm) { alarms++ }
	g, err := NewGroup(cfg, 2)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { g.Run(t.Context()); close(done) }()
	var callers sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	var last []Result
	for i := range 80 {
		q := s.authorize(s.companies[i%4], money.MustParse("100.00"), fmt.Sprint("order ", i))
		callers.Go(func() {
			x, err := g.Submit(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			statuses[x.Status]++
			last = append(last, x)
			mu.Unlock()
		})
	}
	callers.Wait()
	if statuses[201] != 40 || statuses[422] != 40 {
		t.Errorf("statuses %v, want 40 accepted and 40 refused", statuses)
	}
	checkChain(t, s.db, 85)
	qs := make([]int64, len(last))
	for i, x := range last {
		qs[i] = x.Q
	}
	if slices.Sort(qs); qs[0] != 6 || qs[79] != 85 || len(slices.Compact(qs)) != 80 {
		t.Errorf("commit sequences %v", qs)
	}
	if x := g.Stats(); x.Decided != 80 || x.QueueLimit != DefaultQueue {
		t.Errorf("the counts sum to %+v", x)
	}
	g.Halt(errors.New("the books are wrong"))
	for i, e := range g.members {
		if !errors.Is(e.Health(), ErrReadOnly) || alarms != 1 {
			t.Errorf("member %d goes on after an alarm; %d alarms", i, alarms)
		}
	}
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-done
}

// A company's commands go to one member, including those that name only an order.
func TestGroupKeepsCompaniesApart(t *testing.T) {
	s := newShop(t, 16, money.Max)
	g, err := NewGroup(s.cfg, 4)
	if err != nil {
		t.Fatal(err)
	}
	used := map[int]bool{}
	for _, id := range s.companies {
		r := s.authorize(id, 10_000, "")
		m := g.member(r.Command, r.Actor)
		used[m] = true
		if again := s.authorize(id, 500, ""); g.member(again.Command, again.Actor) != m {
			t.Errorf("company %d changes its member", id)
		}
		// An order's company becomes known with the order.
		key := fmt.Sprint("ord_", id)
		g.remember([]*credit.Order{{Key: key, Company: id}})
		if g.member(lending.UpdateOrder{Order: key, Status: credit.OrderCaptured}, r.Actor) != m {
			t.Errorf("an order of company %d goes to another member", id)
		}
	}
	if len(used) < 2 {
		t.Error("all companies have one member")
	}
}

// Writes to a book in another epoch are refused, and writing stops (EN16).
func TestFenced(t *testing.T) {
	r := newRig(t, fast)
	r.want(r.batch(request("a"))[0], "a", 1, nil)
	r.backend.head.Epoch++
	ticket := r.batch(request("b"))[0]
	if _, err := ticket.Result(); !errors.Is(err, ErrReadOnly) || !errors.Is(r.Health(), ErrReadOnly) {
		t.Errorf("after a restore: %v, health %v", err, r.Health())
	}
	if n := len(r.alarms); n != 1 || r.alarms[0].What != AlarmFenced {
		t.Errorf("alarms %+v", r.alarms)
	}
}

// A batch that another node has overtaken is decided again, and dated no further ahead than
// that node's (TM1): the clocks of two nodes must not push each other forward.
func TestOvertaken(t *testing.T) {
	r := newRig(t, fast)
	r.want(r.batch(request("a"))[0], "a", 1, nil)
	r.backend.script = []outcome{overtakes, overtakes}
	r.want(r.batch(request("b"))[0], "b", 2, nil)
	if r.backend.updates != 4 {
		t.Errorf("%d updates, want 4", r.backend.updates)
	}
	// The other node was a millisecond ahead each time.
	if got := r.backend.head.At.Sub(r.now); got > 2*time.Millisecond {
		t.Errorf("the batch is dated %s ahead of the clock", got)
	}
}
