package years

import (
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/store/memory"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/suite"
)

var (
	yearsSeeds = flag.Int("sim.seeds", 16, "how many lenders TestYears lets live: an eighth of them with every change, or as many as reach every situation, ten times as many in a night")
	yearsDays  = flag.Int("sim.days", 300, "for how many days each, before all heals")
)

// Lenders run for years with nodes that die, two schedulers at once, commits and calls that are
// lost, and a bank that reports late, twice, cut short or not at all. Once everything has healed
// everything has an outcome, and the books agree with the bank to the cent; and every event has
// reached everyone entitled to it, or is parked, and was resent when that was requested (T4, T20,
// T21, T24). It continues until each situation has been reached.
//
// On every change it runs the same lives unless -seed says otherwise: about one life in a hundred
// reveals something new, which says nothing about the change under test. Those are looked for in
// long nights, with random seeds.
func TestYears(t *testing.T) {
	total, trouble, commands, days := sim.NewSituations(), map[string]int{}, 0, 0
	seeds, accepted := 0, map[string]int{}
	first := suite.By(yearsFrom, uint64(time.Now().UnixNano())%1_000_000_007)
	for seed := range sim.SeedsFrom(t, sim.SeedOr(t, first), *yearsSeeds, func() bool { return len(total.Missing(yearsReach()...)) == 0 }, telling()...) {
		y := lifeOf(t, seed, *yearsDays)
		total.Add(y.Situations)
		for name, n := range y.Trouble {
			trouble[name] += n
		}
		for name, n := range y.Faulty.Counts {
			trouble["commit: "+name] += n
		}
		for kind, n := range y.people.accepted {
			accepted[kind] += n
		}
		seeds++
		commands += len(y.people.calls)
		days += y.days
	}
	t.Logf("%d seeds, %d requests of people, %.1f years, accepted %v, faults %v, reached %d of %d:\n%s", seeds, commands, float64(days)/365.25, accepted, trouble,
		len(yearsReach())-len(total.Missing(yearsReach()...)), len(yearsReach()), total)
	if missing := total.Missing(yearsReach()...); len(missing) > 0 {
		t.Errorf("never reached: %q", missing)
	}
}

// lifeOf runs one lender, and settles it.
func lifeOf(t *testing.T, seed uint64, days int) (y *Years) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if y, err = NewYears(memory.New(), sim.NewRand(seed), pass); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		defer y.Close()
		if err := y.Live(days); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := y.Settle(); err != nil {
			t.Fatalf("seed %d: settle: %v", seed, err)
		}
	})
	return y
}

// pass advances virtual time.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// yearsFrom is the first seed of TestYears.
const yearsFrom uint64 = 100

// telling are the seeds with which it begins by day: of the first forty those that between them
// have reached every situation. What they miss after a change, those from yearsFrom on must reach.
func telling() []uint64 {
	if *yearsSeeds != 16 || suite.By(false, true) {
		return nil
	}
	return []uint64{100, 123, 124, 127, 138, 139}
}

// yearsReach lists the situations without which TestYears proves little.
func yearsReach() []sim.Situation {
	list := []sim.Situation{
		sim.TwoSchedulers, sim.LeaseHeld, sim.PausedPastItsLease, sim.CrashInATurn, sim.CrashBeforeApply, sim.CrashAfterApply, sim.NoticeTwice, sim.SameKeyTwice, sim.SameKeyTwoNodes,
		sim.OldPacket, sim.OutageOfAMonth, sim.WrongClock, sim.DayOfClockChange, sim.SeveralInABatch, sim.FileSentTwice, sim.FileRefused, sim.EntryRejected, sim.FileCutShort, sim.FileLeftTwice,
		sim.FileUnderTwoNames, sim.ReturnedForFunds, sim.ReturnedAfterWeeks, sim.CreditReturned, sim.Declined, sim.ChargedAgainByKey, sim.CardRefund, sim.Disputed, sim.DisputedBeforePaidOut,
		sim.DisputeWon, sim.NewsTwice, sim.CaptureOn31st, sim.Nonaccrual, sim.RetryPaid, sim.SecondRetry, sim.RetryDropped, sim.MethodDisabledByReturn, sim.CreditUsed,
		sim.ExpiredByService, sim.Recovered, sim.BackDated, sim.HeldExcess, sim.ReturnAfterRefund, sim.PrenoteReturned,
		sim.ReceiverSlow, sim.ReceiverHangs, sim.ReceiverBackAfterDays, sim.EndpointGone, sim.EndpointBack, sim.AcceptedTwice, sim.EventParked, sim.ParkedThenReplayed, sim.EventCanceled, sim.SenderLeaseStolen,
		sim.Restored, sim.RestoredThenOlderKey, sim.LostKeyUsedAgain, sim.ToldAndLost,
		sim.CaptureChanged, sim.CanceledByShop, sim.AmountChanged, sim.SuspendedByHand, sim.RefundRepeated, sim.MatchConfirmed, sim.MerchantConfirmed, sim.MatchedByName, pagesOfLateOrders,
	}
	for _, event := range []string{
		"PAYMENT_REFUND_PAID", "CREDIT_SENT", "CREDIT_APPLIED", "CLAWBACK_NETTED", "CLAWBACK_DEBITED", "COLLECTED_NETTED", "COLLECTED_REMITTED",
		"MERCHANT_PAYOUT_FAILED", "ORDER_CHARGED_OFF", "PROVISION_MADE", "PROVISION_RELEASED", "FEE_WAIVED", "FLAT_FEE_REBATED", "LATE_FEE_ASSESSED",
		"NSF_FEE_ASSESSED", "RETURN_COST", "PAYMENT_RETURNED", "ACH_RETURNED", "ACH_REVERSED", "CARD_CHARGEBACK",
	} {
		list = append(list, Posted(event))
	}
	list = append(list, everyCommand()...)
	if sim.Lives(*yearsSeeds) >= 100 {
		list = append(list, seldom()...)
	}
	return list
}

// seldom lists situations that dozens of lives may not reach: a long run must reach them.
func seldom() []sim.Situation {
	return []sim.Situation{
		sim.PartialThenCancel, sim.LinesTwice, sim.MatchUndone, sim.MatchedByAmount, sim.ClawbackReturned, sim.ClosedAndOwing, sim.DueOnLeapDay, sim.CardRefundDeclined, sim.ReversedAndReturned, Posted("CLAWBACK_WRITTEN_OFF"), Posted("CLAWBACK_DEBIT_RETURNED"), Posted("REFUND_CANCELED"),
		Posted("MERCHANT_ACCOUNTS_SETTLED"), Posted("CHARGE_WAIVED"), Posted("NONACCRUAL_ENDED"),
	}
}

// A seed determines one life: the same events, the same faults, and the same next choice (T5).
// The lives are the first one of TestYears, at night two; a long run of it checks whether random ones keep all
// rules. -seed chooses others.
func TestYearsAreTheSeeds(t *testing.T) {
	first := sim.SeedOr(t, yearsFrom)
	for _, seed := range append(sim.Kept(t, t.Name()), []uint64{first, first + 1}[:suite.By(1, 2)]...) {
		var lives [2]string
		for i := range lives {
			y := lifeOf(t, seed, 90)
			books, err := sim.ReadBooks(y.Faulty.Backend)
			if err != nil {
				t.Fatal(err)
			}
			lives[i] = fmt.Sprint(y.hash(t, books), y.Trouble, y.Faulty.Counts, y.Source.(*sim.Rand).Uint64())
		}
		if lives[0] != lives[1] {
			t.Errorf("seed %d: two runs differ:\n%s\n%s", seed, lives[0], lives[1])
		}
	}
}

// hash is the trace of a life, including what it would choose next.
func (y *Years) hash(t *testing.T, books *sim.Books) sim.Trace {
	t.Helper()
	return sim.TraceOf(t, &sim.Run{World: &sim.World{DB: y.Faulty.Backend}, Books: books}, sim.NewRand(0), sim.AnswersOf(books))
}
