package sim

import (
	"fmt"
	"testing"

	"tenor/internal/core/store/memory"
)

// Callers with timeouts, retries and old packets around an engine whose commits fail in every way
// a commit can, and whose process dies: every answer is the model's at its commit, nothing
// acknowledged is lost, nothing is done twice, and once the faults end every caller has an answer
// (T4).
func TestFaults(t *testing.T) {
	total := NewSituations()
	sent, commits, crashes, faults := 0, int64(0), 0, map[string]int{}
	for s := range SeedsUntil(t, 140, func() bool { return len(total.Missing(mustReach()...)) == 0 }) {
		c := callersOf(t, s)
		sent, commits, crashes = sent+c.Sent(), commits+c.Heard(), crashes+c.Crashes
		for name, n := range c.Faulty.Counts {
			faults[name] += n
		}
		total.Add(c.Situations)
	}
	t.Logf("%d requests, %d commits, %d crashes, faults %v, reached:\n%s", sent, commits, crashes, faults, total)
	if missing := total.Missing(mustReach()...); len(missing) > 0 {
		t.Errorf("never reached: %q", missing)
	}
}

// callersOf runs one seed to its end.
func callersOf(t *testing.T, seed uint64) *Clients {
	t.Helper()
	source := NewRand(seed)
	c, err := NewClients(memory.New(), source, 3+source.Intn(10))
	if err != nil {
		t.Fatal(err)
	}
	for range 400 {
		if err := c.Tick(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if err := c.Settle(); err != nil {
		t.Fatalf("seed %d: settle: %v", seed, err)
	}
	return c
}

// mustReach lists the situations without which the test proves little.
func mustReach() []Situation {
	return []Situation{
		DeclinedByOneCent, LineFilledExactly, CaptureBelow, CaptureOn31st, PartialThenCancel, RefundOfRest, RefundAfterPayoff,
		ReturnAfterPayoff, Overpayment, BackDated, SameKeyTwice, OneRefusalInBatch, FullBatch, UnknownApplied, AppliedAfterRestart,
		UnknownLostRunOnce, NotCommittedThenRun, ConflictDecidedAgain, FullAndBack, CrashBeforeApply, CrashAfterApply, TimedOutInQueue,
		Shed, OldPacket, CaptureAtExpiry, PaymentRefunded, ReturnAfterRefund, RefundRepeated, CaptureAbove, ExpiredByService,
		CancelMeetsCapture,
	}
}

// A seed determines the run under faults too (T5).
func TestFaultsAreTheSeeds(t *testing.T) {
	for _, seed := range seedsOf(t, 10) {
		var hashes [2]string
		for i := range hashes {
			c := callersOf(t, seed)
			state, err := Hash(c.Faulty)
			if err != nil {
				t.Fatal(err)
			}
			hashes[i] = fmt.Sprint(state, c.Faulty.Counts, c.Generator.Source.(*Rand).Uint64())
		}
		if hashes[0] != hashes[1] {
			t.Errorf("seed %d: two runs differ: %s and %s", seed, hashes[0], hashes[1])
		}
	}
}
