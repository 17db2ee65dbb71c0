package sim

import (
	"fmt"
	"slices"
	"strings"
)

// Situation names what a run must have reached, or it proves little: good generators have missed
// bugs because they never produced the situation.
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
	ReversedAndReturned  Situation = "return of a debit that was reversed"
	Overpayment          Situation = "overpayment"
	HeldExcess           Situation = "excess held back"
	BackDated            Situation = "backdated payment"
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
	CancelMeetsCapture   Situation = "cancel against capture in flight"
)

// Situations counts what one or more runs reached.
type Situations struct{ count map[Situation]int }

// NewSituations returns an empty count.
func NewSituations() *Situations { return &Situations{map[Situation]int{}} }

// Reached counts one more.
func (s *Situations) Reached(name Situation) { s.count[name]++ }

// Count returns how often a situation was reached.
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

// String lists the counts, one per line, in alphabetical order.
func (s *Situations) String() string {
	var lines []string
	for name, n := range s.count {
		lines = append(lines, fmt.Sprintf("%6d %s", n, name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[7:], b[7:]) })
	return strings.Join(lines, "\n")
}

// The situations of years: nodes, the scheduler, the bank and the processor.
const (
	TwoSchedulers         Situation = "two schedulers at once"
	LeaseHeld             Situation = "lease held by another node"
	PausedPastItsLease    Situation = "a node paused past its lease"
	CrashInATurn          Situation = "crash after a call of the clockwork"
	NoticeTwice           Situation = "the same notice twice"
	SameKeyTwoNodes       Situation = "same key on two nodes"
	OutageOfAMonth        Situation = "nobody there for a month"
	WrongClock            Situation = "a clock an hour wrong"
	DayOfClockChange      Situation = "a day of 23 or 25 hours"
	FileSentTwice         Situation = "file sent to the bank twice"
	FileRefused           Situation = "file refused by the bank"
	EntryRejected         Situation = "entry rejected by the bank"
	FileCutShort          Situation = "file of the bank cut short"
	FileLeftTwice         Situation = "file of the bank left twice"
	FileUnderTwoNames     Situation = "file of the bank under two names"
	ReturnedForFunds      Situation = "returned for want of funds"
	ReturnedAfterWeeks    Situation = "returned after seven weeks or more"
	CreditReturned        Situation = "money for a merchant or a buyer returned"
	Declined              Situation = "card declined"
	ChargedAgainByKey     Situation = "charge asked for again with its key"
	CardRefund            Situation = "card refunded"
	CardRefundDeclined    Situation = "refund of a card declined"
	Disputed              Situation = "charge disputed"
	DisputedBeforePaidOut Situation = "charge disputed before it was paid out"
	DisputeWon            Situation = "dispute won"
	NewsTwice             Situation = "news of the processor twice"

	Nonaccrual             Situation = "an order in nonaccrual"
	DueOnLeapDay           Situation = "due on 29 February"
	RetryPaid              Situation = "a retry has paid"
	SecondRetry            Situation = "a second retry"
	RetryDropped           Situation = "a retry dropped"
	CreditUsed             Situation = "credit paid what was due by consent"
	MethodDisabledByReturn Situation = "an account that is debited no more"
	MatchConfirmed         Situation = "a company on a sanctions list"
	MerchantConfirmed      Situation = "a merchant on a sanctions list"
	LinesTwice             Situation = "lines of the bank's statement twice"
	MatchUndone            Situation = "a match of the bank's lines undone"
	MatchedByName          Situation = "a line of the bank matched by what it says"
	MatchedByAmount        Situation = "a line of the bank matched by its amount"
	Recovered              Situation = "money for an order that was charged off"
	PrenoteReturned        Situation = "prenote returned"
	ClawbackReturned       Situation = "a merchant's debit returned"
	ClosedAndOwing         Situation = "a closed company that owes"
	CaptureChanged         Situation = "captured for another amount"
	CanceledByShop         Situation = "canceled by the shop"
	AmountChanged          Situation = "amount changed before capture"
	SuspendedByHand        Situation = "company suspended by staff"
	SeveralInABatch        Situation = "several commands in a batch"

	ReceiverSlow          Situation = "a receiver of events that answers slowly"
	ReceiverHangs         Situation = "a receiver of events that does not answer"
	ReceiverBackAfterDays Situation = "a receiver of events back after days"
	EndpointGone          Situation = "endpoint disabled, its receiver answered 410"
	EndpointBack          Situation = "endpoint enabled again after a 410"
	AcceptedTwice         Situation = "event accepted twice"
	EventParked           Situation = "webhook parked"
	ParkedThenReplayed    Situation = "webhook parked then replayed"
	EventCanceled         Situation = "webhook canceled with its endpoint"
	SenderLeaseStolen     Situation = "lease of a sender stolen"

	Restored             Situation = "a backup restored"
	RestoredThenOlderKey Situation = "restore then an older key"
	LostKeyUsedAgain     Situation = "restore then a key that it has lost"
	ToldAndLost          Situation = "an event was told and lost by a restore"
)
