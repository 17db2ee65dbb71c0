//go:build linux

package nodetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/proof/suite"
)

// Each race has a merchant of its own. It has two orders to be paid for, one of them with a
// refund while it is paid, and later a third one for 500.00, whose payout offsets everything. The
// discount is 3 % everywhere.

// takeBack is what races a payout, with the required result of either end of the race.
type takeBack struct {
	name         string
	amount       money.Amount // of the order
	installments int
	reported     money.Amount // paid to the merchant, which manages the order itself
	back         money.Amount // of the order, or of the payment
	ofPayment    bool
	before       ending // it is refunded before the payout
	after        ending
}

// ending is the result of a race: lines with their kind, amount, discount and refunds, and what
// the merchant finally gets.
type ending struct {
	lines   string // of the payout
	payout  credit.Payout
	waiting string // lines after it
	// again is the result of a second payout of the same run: what the merchant is owed for the
	// refunded money may be in time for one, or wait for the next day.
	again *ending
	next  money.Amount // net of the next day's payout
	owed  money.Amount // balance of 1200 after it
}

var takeBacks = []takeBack{
	{name: "a part of an order (F13, F32)", amount: 1200_00, installments: 6, back: 300_00,
		before: ending{
			lines: "CAPTURE 485.00 15.00 0.00, CAPTURE 873.00 27.00 300.00", next: 485_00,
			payout: credit.Payout{Gross: 1700_00, Discount: 42_00, Refunds: 300_00, Net: 1358_00},
		},
		after: ending{
			lines: "CAPTURE 1164.00 36.00 0.00, CAPTURE 485.00 15.00 0.00", waiting: "CLAWBACK 291.00", next: 194_00,
			payout: credit.Payout{Gross: 1700_00, Discount: 51_00, Net: 1649_00},
		}},
	{name: "all of an order (F13, F32)", amount: 1200_00, installments: 6, back: 1200_00,
		before: ending{
			lines: "CAPTURE 0.00 0.00 1200.00, CAPTURE 485.00 15.00 0.00", next: 485_00,
			payout: credit.Payout{Gross: 1700_00, Discount: 15_00, Refunds: 1200_00, Net: 485_00},
		},
		after: ending{
			lines: "CAPTURE 1164.00 36.00 0.00, CAPTURE 485.00 15.00 0.00", waiting: "CLAWBACK 1164.00", owed: 679_00,
			payout: credit.Payout{Gross: 1700_00, Discount: 51_00, Net: 1649_00},
		}},
	{name: "all of an order that the merchant manages (F33)", amount: 1000_00, installments: 1, reported: 400_00, back: 1000_00,
		before: ending{
			lines: "CAPTURE 0.00 0.00 1000.00, CAPTURE 485.00 15.00 0.00", next: 485_00,
			payout: credit.Payout{Gross: 1500_00, Discount: 15_00, Refunds: 1000_00, Net: 485_00},
		},
		after: ending{
			lines: "CAPTURE 485.00 15.00 0.00, CAPTURE 970.00 30.00 0.00, COLLECTED 400.00", waiting: "CLAWBACK 970.00, REPAID 400.00", owed: 85_00,
			payout: credit.Payout{Gross: 1500_00, Discount: 45_00, Collected: 400_00, Net: 1055_00},
			again: &ending{
				lines: "CLAWBACK 400.00, REPAID 400.00", waiting: "CLAWBACK 570.00", owed: 85_00,
				payout: credit.Payout{Repaid: 400_00, Clawback: 400_00},
			},
		}},
	{name: "a part of a payment that the merchant has (F33, F35)", amount: 1000_00, installments: 1, reported: 400_00, back: 150_00, ofPayment: true,
		before: ending{
			lines: "CAPTURE 485.00 15.00 0.00, CAPTURE 970.00 30.00 0.00, COLLECTED 250.00", next: 485_00,
			payout: credit.Payout{Gross: 1500_00, Discount: 45_00, Collected: 250_00, Net: 1205_00},
		},
		after: ending{
			lines: "CAPTURE 485.00 15.00 0.00, CAPTURE 970.00 30.00 0.00, COLLECTED 400.00", waiting: "REPAID 150.00", next: 635_00,
			payout: credit.Payout{Gross: 1500_00, Discount: 45_00, Collected: 400_00, Net: 1055_00},
			again:  &ending{lines: "REPAID 150.00", next: 485_00, payout: credit.Payout{Repaid: 150_00, Net: 150_00}},
		}},
}

// TestPayoutRace: money is refunded at one node while the other pays the merchant for it.
// Whichever comes first, the merchant keeps what it is due and no cent more (PO1, PO2, PO3). On
// SQLite, which has one node, two callers of it race.
func TestPayoutRace(t *testing.T) {
	for _, x := range []struct {
		name string
		open func(*testing.T) *office
	}{{"PostgreSQL", officeOnPostgres}, {"SQLite", officeOnSQLite}} {
		t.Run(x.name, func(t *testing.T) {
			begin, o := time.Now(), x.open(t)
			rounds := max(*roundsFlag, suite.By(2, 4)) // one for each favourite by day, two at night
			first := map[bool]int{}                    // rounds by whether the payout came first
			missing := func() bool { return first[true] == 0 || first[false] == 0 }
			for round := 0; round < rounds || missing() && round < 10*rounds; round++ { // which side a lock favors is random
				for i, c := range takeBacks {
					paid := o.contest(round+i, c)
					if first[paid]++; t.Failed() {
						t.Fatalf("round %d, %s: paid first: %t", round+1, c.name, paid)
					}
				}
			}
			t.Logf("payout races: %d / the payout came first in %d, second in %d / %s", first[true]+first[false], first[true], first[false], time.Since(begin).Round(time.Millisecond))
			if missing() {
				t.Error("one of the two orders never came about")
			}
		})
	}
}

// contested is a race: its participants, and the money that is refunded.
type contested struct {
	takeBack
	*office
	shop     credit.Actor
	company  int64
	order    string // whose money is refunded
	captured calendar.Date
	command  credit.Command
}

// contest runs a race and its consequences, and reports whether the payout was first.
func (o *office) contest(n int, c takeBack) (paidFirst bool) {
	o.t.Helper()
	x := o.prepare(c)
	raced := x.captured.AddBankingDays(1)
	o.until(raced, 15, 59)
	_, err := o.clock.AdvanceTo(o.zone.At(raced, 16, 0))
	o.no(err)
	q := x.race(n)
	list := x.payouts()
	paidFirst = x.madeAt(list[0]) < q
	o.learn(paidFirst)
	want := x.before
	if paidFirst {
		want = x.after
	}
	want = x.checkPayouts(list, want)
	x.checkRefund(paidFirst)
	x.checkBooks(list, want)
	o.captured(x.shop, x.company, 500_00, 1, false)
	o.until(raced.AddBankingDays(2), 9, 0)
	x.checkEnd(len(list), want)
	return paidFirst
}

// prepare creates the merchant and its orders, on the day before the payout.
func (o *office) prepare(c takeBack) *contested {
	o.t.Helper()
	m := o.merchant()
	buyer := o.do(lender, lending.CreateCompany{Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A", Limit: 9_000_00, Merchants: []string{m.ID}}).(*credit.Company)
	x := &contested{takeBack: c, office: o, shop: credit.Actor{Client: "cli_shop", Merchant: m.ID}, company: buyer.ID, captured: o.zone.Date(o.clock.Now())}
	x.order = o.captured(x.shop, x.company, c.amount, c.installments, c.reported > 0)
	o.captured(x.shop, x.company, 500_00, 1, false)
	amount := c.back
	x.command = lending.RefundOrder{Order: x.order, Amount: &amount}
	if c.reported > 0 {
		paid := o.do(x.shop, payments.RecordPayment{
			Order: x.order, Amount: c.reported, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		}).(*credit.Payment)
		if c.ofPayment {
			x.command = payments.RefundPayment{Payment: paid.ID, Amount: &amount}
		}
	}
	return x
}

// race pays merchants at one desk and refunds money at the other, favoring each of the two in
// turn, and returns the position of the refund.
func (x *contested) race(n int) (q int64) {
	x.t.Helper()
	var failed, stuck error
	seed, payer, other := x.seed(), x.desks[n/2%2], x.desks[1-n/2%2]
	pay := func() { _, stuck = payer.clock.RunDue(x.t.Context()) }
	back := func() { _, q, failed = x.ask(other, x.shop, x.command, seed) }
	x.meet(pay, back, n%2 == 0)
	x.no(failed)
	x.no(stuck)
	return q
}

// payouts returns all payouts of the merchant, in creation order.
func (x *contested) payouts() (list []*credit.Payout) {
	x.t.Helper()
	x.view(func(v store.View) (err error) {
		list, err = store.ListPayouts(v, store.PayoutFilter{Merchant: x.shop.Merchant}, store.Page{Limit: 10})
		return err
	})
	if len(list) == 0 {
		x.t.Fatal("the merchant was not paid")
	}
	slices.SortFunc(list, func(a, b *credit.Payout) int { return cmp.Compare(x.madeAt(a), x.madeAt(b)) })
	return list
}

// madeAt returns the payout's position in the single order of decisions.
func (x *contested) madeAt(p *credit.Payout) (q int64) {
	x.t.Helper()
	x.view(func(v store.View) error {
		events, err := v.Events(store.EventFilter{Object: credit.ObjectRef{Type: "payout", ID: p.ID}, Limit: 1})
		if err == nil && len(events) == 1 {
			q = events[0].Q
		}
		return err
	})
	if q == 0 {
		x.t.Fatalf("payout %s has no event", p.ID)
	}
	return q
}

// lines formats lines like an ending, sorted.
func (x *contested) lines(f store.LineFilter) string {
	x.t.Helper()
	var out []string
	x.view(func(v store.View) error {
		all, err := store.ListPayoutLines(v, f, store.Page{Limit: 100})
		for _, l := range all {
			text := fmt.Sprintf("%s %s", l.Kind, l.Amount)
			if l.Kind == credit.LineCapture {
				text += fmt.Sprintf(" %s %s", l.Discount, l.Refunds)
			}
			out = append(out, text)
		}
		return err
	})
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// checkPayouts compares the payouts of the run and their lines, and what is pending after them,
// with the ending (PO2), and returns the ending of the last one.
func (x *contested) checkPayouts(list []*credit.Payout, want ending) ending {
	x.t.Helper()
	for i, p := range list {
		if i > 0 && want.again == nil {
			x.t.Fatalf("another payout: %+v", p)
		}
		if i > 0 {
			want = *want.again
		}
		got := credit.Payout{Gross: p.Gross, Discount: p.Discount, Refunds: p.Refunds, Repaid: p.Repaid, Clawback: p.Clawback, Collected: p.Collected, Net: p.Net}
		if got != want.payout {
			x.t.Errorf("payout %+v\nexpected %+v", got, want.payout)
		}
		if got := x.lines(store.LineFilter{Payout: p.ID}); got != want.lines {
			x.t.Errorf("lines of the payout %s\nexpected %s", got, want.lines)
		}
	}
	if got := x.lines(store.LineFilter{Waiting: x.shop.Merchant}); got != want.waiting {
		x.t.Errorf("lines that wait: %s\nexpected %s", got, want.waiting)
	}
	return want
}

// checkRefund checks that a refund says whether it came too late for the payout (F13).
func (x *contested) checkRefund(paidFirst bool) {
	x.t.Helper()
	if x.ofPayment {
		return
	}
	s := credit.NewState()
	x.view(func(v store.View) error { return v.Load(s, credit.Keys{Orders: []string{x.order}}) })
	if r := s.Orders[x.order].Refunds; len(r) != 1 || r[0].Amount != x.back || r[0].Clawback != paidFirst {
		x.t.Errorf("refunds %+v, to be clawed back: %t", r, paidFirst)
	}
}

// checkBooks compares the merchant's and the order's accounts with the ending, with the payouts
// in transit to the bank, and verifies everything.
func (x *contested) checkBooks(list []*credit.Payout, want ending) {
	x.t.Helper()
	expected := map[ledger.Account]money.Amount{}
	for _, p := range list {
		expected[ledger.ACHCreditsInTransit] -= p.Net
	}
	for text := range strings.SplitSeq(want.waiting, ", ") {
		kind, amount, _ := strings.Cut(text, " ")
		switch kind {
		case "CLAWBACK":
			expected[ledger.ClawbackReceivable] = money.MustParse(amount)
		case "REPAID":
			expected[ledger.MerchantPayable] = -money.MustParse(amount)
		}
	}
	x.compare(expected, x.balances(func(d ledger.Dimensions) bool { return d.Merchant == x.shop.Merchant }),
		ledger.MerchantPayable, ledger.ACHCreditsInTransit, ledger.ClawbackReceivable, ledger.DueFromMerchant)
	x.compare(x.loan(), x.balances(func(d ledger.Dimensions) bool { return d.Order == x.order }),
		ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.BorrowerCredit)
	x.verify()
}

// loan returns what the order owes in either case: the payout does not affect the buyer. The
// charge for the days since the capture is earned when the principal ends (F7, F13).
func (x *contested) loan() map[ledger.Account]money.Amount {
	owed := map[ledger.Account]money.Amount{}
	switch {
	case x.ofPayment:
		owed[ledger.LoanPrincipal] = x.amount - x.reported + x.back
	case x.back < x.amount:
		owed[ledger.LoanPrincipal] = x.amount - x.back
	case x.installments > 1:
		const period = 12_00 // of the first month: 1 % of 1,200.00
		days, all := int(x.zone.Date(x.clock.Now())-x.captured), int(x.captured.AddMonths(1)-x.captured)
		owed[ledger.ChargeReceivable] = money.Amount((2*period*days + all) / (2 * all))
	}
	return owed
}

// compare checks the balances of accounts.
func (x *contested) compare(want, got map[ledger.Account]money.Amount, accounts ...ledger.Account) {
	x.t.Helper()
	for _, a := range accounts {
		if got[a] != want[a] {
			x.t.Errorf("account %d is %s, expected %s", a, got[a], want[a])
		}
	}
}

// checkEnd checks the state after the next day's payout has also settled: what the merchant has
// received, less what it still owes, is what it was to get for its orders less the refund,
// whichever came first (PO1).
func (x *contested) checkEnd(before int, want ending) {
	x.t.Helper()
	list := x.payouts()
	if len(list) != before+1 || list[before].Net != want.next {
		x.t.Errorf("the payouts are %+v, expected %d and one of %s", list, before, want.next)
	}
	paid := money.Amount(0)
	for _, p := range list {
		if paid = paid.Add(p.Net); p.Status != credit.PayoutSettled {
			x.t.Errorf("payout %s is %s", p.ID, p.Status)
		}
	}
	due := (x.amount + 1000_00 - x.back) * 97 / 100 // a buyer's money held by the merchant is refunded from there
	if x.ofPayment {
		due = (x.amount+1000_00)*97/100 - (x.reported - x.back)
	}
	if paid-want.owed != due {
		x.t.Errorf("the merchant got %s and owes %s, expected %s", paid, want.owed, due)
	}
	x.compare(map[ledger.Account]money.Amount{ledger.ClawbackReceivable: want.owed, ledger.Cash: -paid},
		x.balances(func(d ledger.Dimensions) bool { return d.Merchant == x.shop.Merchant }),
		ledger.MerchantPayable, ledger.ACHCreditsInTransit, ledger.ClawbackReceivable, ledger.DueFromMerchant, ledger.Cash)
	x.verify()
}
