package sqlite

import (
	"math"
	"testing"
)

// The checkpointer learns from the log how much a command adds to it, so that it moves
// the log when it is as long as it should be, whatever the commands are.
func TestCheckpointIsInTime(t *testing.T) {
	const wanted = 1000
	for _, each := range []float64{1, 2.5, 8, 25, 60} {
		c := &checkpointer{db: &DB{options: Options{AutoCheckpoint: wanted}}, wake: make(chan struct{}, 1), each: firstPerCommand}
		length, since := 0.0, 0.0
		grow := func() {
			c.grown(5)
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
			if since = 0; length > 4*wanted { // the log begins anew
				length = 0
			}
		}
	}
}

// A log that has begun anew, and a check that found nothing new, teach nothing.
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
}
