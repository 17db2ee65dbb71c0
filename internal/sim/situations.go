package sim

import (
	"fmt"
	"slices"
	"strings"
)

// Situation names what a run must have come through, or it proves little: good
// generators have missed bugs because they never made the situation.
type Situation string

// The situations of money and lines.
const (
	DeclinedByOneCent    Situation = "declined by one cent"
	LineFilledExactly    Situation = "line filled exactly"
	CaptureBelow         Situation = "capture below the reservation"
	CaptureAbove         Situation = "capture above the reservation"
	CaptureOn31st        Situation = "capture on the 31st"
	CaptureAtExpiry      Situation = "expiry at the same instant as capture"
	ExpiredByService     Situation = "authorization expired"
	PartialThenCancel    Situation = "partial then cancel"
	RefundOfRest         Situation = "refund = rest"
	RefundAfterPayoff    Situation = "refund after payoff"
	RefundRepeated       Situation = "refund with the same reference"
	ReturnAfterPayoff    Situation = "return after payoff"
	ReturnAfterRefund    Situation = "return of a payment that was refunded"
	Overpayment          Situation = "overpayment"
	HeldExcess           Situation = "excess held back"
	BackDated            Situation = "back-dated payment"
	BackDatedOverRefund  Situation = "payment dated before a refund"
	CompanyLevel         Situation = "payment over several orders"
	PaymentRefunded      Situation = "payment refund re-opens items"
	LimitBelowUse        Situation = "limit cut below what is used"
	UnfundedOrder        Situation = "unfunded external order captured"
	RaisedWhileSuspended Situation = "raise refused by the company's status"
)

// The situations of commits, keys and batches.
const (
	SameKeyTwice         Situation = "same key twice"
	OtherBody            Situation = "same key, other body"
	OneRefusalInBatch    Situation = "one refusal in a batch"
	FullBatch            Situation = "full batch"
	UnknownApplied       Situation = "unknown commit was applied"
	AppliedAfterRestart  Situation = "unknown-applied answered as success after restart"
	UnknownLostRunOnce   Situation = "unknown-not-applied run once"
	NotCommittedThenRun  Situation = "not committed, then run by a retry"
	ConflictDecidedAgain Situation = "conflict decided again"
	FullAndBack          Situation = "database full in and out"
	CrashBeforeApply     Situation = "crash before the writes"
	CrashAfterApply      Situation = "crash after the commit, before the answer"
	TimedOutInQueue      Situation = "caller's time ended in the queue"
	Shed                 Situation = "overload refused"
	OldPacket            Situation = "old packet again"
)

// Situations counts what a run, or many, came through.
type Situations struct{ count map[Situation]int }

// NewSituations returns an empty count.
func NewSituations() *Situations { return &Situations{map[Situation]int{}} }

// Reached counts one more.
func (s *Situations) Reached(name Situation) { s.count[name]++ }

// Count is how often a situation was reached.
func (s *Situations) Count(name Situation) int { return s.count[name] }

// Add adds the counts of another run.
func (s *Situations) Add(other *Situations) {
	for name, n := range other.count {
		s.count[name] += n
	}
}

// Missing lists the situations that were never reached.
func (s *Situations) Missing(names ...Situation) []Situation {
	return slices.DeleteFunc(slices.Clone(names), func(n Situation) bool { return s.count[n] > 0 })
}

// String lists the counts, one a line, in alphabetical order.
func (s *Situations) String() string {
	var lines []string
	for name, n := range s.count {
		lines = append(lines, fmt.Sprintf("%6d %s", n, name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[7:], b[7:]) })
	return strings.Join(lines, "\n")
}
