package sim

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
	"tenor/internal/core/store/memory"
)

// Random commands on three companies and two merchants, with every answer and every figure
// compared with the naive model (T3). Failures are shrunk.
func TestCore(t *testing.T) {
	seed := SeedOf(t)
	for _, s := range Kept(t, "TestCore") {
		checkSeed(t, s, 1, 60, coreProperty)
	}
	checkSeed(t, seed, Lives(120), 60, coreProperty)
}

func coreProperty(t *rapid.T) {
	r, err := NewRun(memory.New(), drawn{t}, 3)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v\nhistory:\n%s", err, r.History())
		}
	}
	actions := map[string]func(*rapid.T){
		"again":   func(*rapid.T) { must(r.Again()) },
		"advance": func(*rapid.T) { must(r.Advance()) },
	}
	for i, kind := range Weighted() {
		actions[fmt.Sprintf("%s %d", kind, i)] = func(*rapid.T) { must(r.Step(kind)) }
	}
	t.Repeat(actions)
}

// FuzzCore runs the same property under the standard library's fuzzer.
func FuzzCore(f *testing.F) { f.Fuzz(rapid.MakeFuzz(coreProperty)) }

// The same on long histories, which must reach every situation of money and lines.
func TestHistories(t *testing.T) {
	total, steps := NewSituations(), 0
	for seed := range SeedsUntil(t, 150, func() bool { return len(total.Missing(mustLive()...)) == 0 }) {
		r, err := NewRun(memory.New(), NewRand(seed), 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Drive(130); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		steps += len(r.Log)
		total.Add(r.Situations)
	}
	t.Logf("%d requests, reached:\n%s", steps, total)
	if missing := total.Missing(mustLive()...); len(missing) > 0 {
		t.Errorf("never reached: %q", missing)
	}
}

// mustLive lists the situations of money and lines without which TestHistories proves little.
func mustLive() []Situation {
	return []Situation{
		DeclinedByOneCent, LineFilledExactly, CaptureBelow, CaptureAbove, CaptureOn31st, CaptureAtExpiry, ExpiredByService, PartialThenCancel,
		RefundOfRest, RefundAfterPayoff, RefundRepeated, ReturnAfterPayoff, ReturnAfterRefund, Overpayment, HeldExcess, BackDated,
		BackDatedOverRefund, CompanyLevel, PaymentRefunded, UnfundedOrder, SameKeyTwice, OtherBody,
	}
}
