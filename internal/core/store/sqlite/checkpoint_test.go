package sqlite

import (
	"math"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

// The checkpointer learns from the log how much a command adds to it, so that it moves the
// log at the intended length, whatever the commands are.
func TestCheckpointIsInTime(t *testing.T) {
	const wanted = 1000
	for _, each := range []float64{1, 2.5, 8, 25, 60} {
		c := &checkpointer{db: &DB{options: Options{AutoCheckpoint: wanted}}, wake: make(chan struct{}, 1), each: firstPerCommand}
		length, since := 0.0, 0.0
		grow := func() {
			c.grown(5, false)
			length, since = length+5*each, since+5*each
		}
		for round := range 20 {
			for len(c.wake) == 0 {
				grow()
			}
			<-c.wake
			if round > 10 && (since > 1.1*wanted+5*each || since < 0.9*wanted) {
				t.Errorf("%v pages a command: moved after %v pages, %v wanted", each, since, wanted)
			}
			if grow(); len(c.wake) > 0 {
				t.Fatal("woken while it is busy")
			}
			c.moved(int(length))
			c.ended()
			if since = 0; length > 4*wanted { // the log restarts
				length = 0
			}
		}
	}
}

// Background commits while callers are active are moved in pieces.
func TestCheckpointInPieces(t *testing.T) {
	c := &checkpointer{db: &DB{options: Options{AutoCheckpoint: 350}}, wake: make(chan struct{}, 1), each: 10}
	for commands, beside := range []bool{false, true, true} {
		if c.grown(4, beside); len(c.wake) > 0 && commands < 2 {
			t.Fatalf("moved after %d commits", commands+1)
		}
	}
	if len(c.wake) == 0 {
		t.Error("4 commands of callers and 8 of the background, of 10 pages each, are not moved, as 350 pages are to be")
	}
}

// The log is moved while commits continue, and restarts with the next one, unless somebody
// still reads from it.
func TestTheLogBeginsAnew(t *testing.T) {
	db := open(t)
	defer db.Close()
	db.moving.stop() // it is moved manually
	defer func() { db.moving = nil }()
	k, err := connect(db.path, db.options, writing)
	if err != nil {
		t.Fatal(err)
	}
	defer k.c.Close()
	a := storetest.NewAuthorizations(t, db, 10)
	commit := func(n int) {
		t.Helper()
		b, _ := a.Batch(n)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(b) }); err != nil {
			t.Fatal(err)
		}
	}
	length := func() int {
		t.Helper()
		log, _, err := k.passive()
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	move := func() {
		t.Helper()
		if err := db.moving.move(k); err != nil {
			t.Fatal(err)
		}
	}
	commit(100)
	before := length()
	commit(1)
	move()
	if commit(1); length() >= before {
		t.Errorf("the log is %d pages long; it was %d before it was moved", length(), before)
	}
	commit(100)
	if err := db.View(t.Context(), func(v store.View) error {
		_ = v.Seq()
		commit(1)
		move()
		before = length()
		commit(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if length() <= before {
		t.Errorf("the log is %d pages long; it was %d, and somebody read it", length(), before)
	}
}

// A log that has restarted, and a check that found nothing new, teach nothing.
func TestCheckpointLearnsNothing(t *testing.T) {
	c := &checkpointer{db: &DB{}, each: 10, length: 500}
	c.commands = 3
	c.moved(20)
	if c.each != 10 || c.length != 20 || c.commands != 0 {
		t.Errorf("a new log: %v a command, length %d", c.each, c.length)
	}
	c.moved(900)
	if c.each != 10 {
		t.Errorf("no command: %v", c.each)
	}
	c.commands = 1
	if c.moved(math.MaxInt32); c.each != mostPerCommand {
		t.Errorf("a command of gigabytes: %v", c.each)
	}
	c.each = 10
	c.caughtUp(4000, true)
	c.commands = 100
	if c.moved(2000); c.each != 15 {
		t.Errorf("a log that has begun anew, and has 20 pages of each command: %v", c.each)
	}
	c.caughtUp(2000, true)
	c.commands = 100
	if c.moved(3000); c.each != 15 {
		t.Errorf("a log that may have begun anew: %v", c.each)
	}
	c.caughtUp(3000, false)
	c.commands = 100
	if c.moved(3500); c.each != 10 {
		t.Errorf("a log that goes on, with 5 pages of each command: %v", c.each)
	}
}
