package years

import (
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/sim"
)

// Years is a lender over years of business time, in one goroutine except for the senders of
// events: some nodes with the real engine, the real scheduler and the real sender on one store;
// people who order, ship, pay and decide; a bank and a processor behind connections that fail;
// and receivers of events that fail, hang, disappear for days and come back. Commits fail, calls
// are lost before or after they took effect, nodes die and sleep past their lease, files come
// late, cut short, or twice, a backup is restored (T4, T20, T21, T24, T33). There is no model:
// what must be true is checked on the books (F40), on what the bank itself has moved (PO5, PO6),
// on what arrived at each receiver (EV2–EV6), and for all who wait for an answer.
type Years struct {
	Source     sim.Source
	Clock      *sim.Clock // the bank's, and mostly everyone's
	Mix        Troubles
	Situations *sim.Situations
	Faulty     *sim.Faulty
	Trouble    map[string]int // faults by kind, except those of commits

	zone    calendar.Zone
	nodes   []*node
	bank    *bankSide
	people  *cast
	post    *post
	backup  *backup
	healed  bool // no more faults
	busy    bool // people do much manually; decided on the first day, without a draw
	resting bool // nobody sends requests any more
	seeds   uint64
	batches uint64
	days    int
	restore int   // the day from which a backup is restored, once
	wrong   error // the first thing that must never happen
	sheets  map[page]sheet
}

// Troubles says how often each fault happens, in thousandths of its opportunities. Each seed
// generates its own.
type Troubles struct {
	Commits                                sim.Mix // of the store's own commits
	CallLost, CallUnheard, Crash           int     // of each call of a scheduler: before it took effect, after it, the process dies
	Meanwhile, Paused                      int     // another node works in between; this one sleeps past its lease first
	LineDown, Unheard, Refused, Rejected   int     // of the bank: no connection, answer lost, a whole file refused, an entry
	Twice, Renamed, Late, Cut              int     // of each file that it leaves
	Returned, Unauthorized, Broken, Change int     // of each entry: insufficient funds, not authorized, account closed or frozen, corrected
	Statement                              int     // of each day: the bank's statement comes; 0: never
	Questioned                             int     // stopped by its payer or not as agreed; of money for somebody: refused
	Declined, Disputed, NewsTwice          int     // of each charge
	RequestLost, AnswerLost, Echo          int     // of each request of a person
	Asleep, WrongClock                     int     // of each day: no node runs for up to 40 days; a node's clock is an hour off
	Ill                                    int     // of each receiver of events, each day that it is well
	RecordLost, RecordUnheard              int     // of what a sender of events records
	SenderDies, SenderPaused               int     // likewise: the process dies, before or after; it sleeps past its leases
}

// drawTroubles generates a mix in which some troubles are frequent and some are absent.
func drawTroubles(s sim.Source) Troubles {
	often := func(most int) int {
		if sim.Chance(s, 35) {
			return 0
		}
		return 1 + s.Intn(most)
	}
	m := Troubles{
		Commits: sim.Mix{NotCommitted: often(50), Conflict: often(50), UnknownApplied: often(50), UnknownLost: often(50), Full: often(4), CrashBefore: often(10), CrashAfter: often(10), CrashResolving: often(100)}, CallLost: often(8), CallUnheard: often(8), Crash: often(4),
		Meanwhile: often(12), Paused: often(300), LineDown: often(150), Unheard: often(200), Refused: often(60), Rejected: often(30),
		Twice: often(400), Renamed: often(300), Late: often(300), Cut: often(300),
		Returned: often(300), Unauthorized: often(30), Broken: often(20), Change: often(40), Questioned: often(40),
		Declined: often(200), Disputed: often(150), NewsTwice: often(300),
		RequestLost: often(200), AnswerLost: often(200), Echo: often(300), Asleep: often(12), WrongClock: often(40),
		Ill: often(150), RecordLost: often(60), RecordUnheard: often(60), SenderDies: often(15), SenderPaused: often(15),
	}
	if sim.Chance(s, 35) {
		m.Statement = 50 + s.Intn(400)
	}
	return m
}

// NewYears sets up a lender: three merchants whose programs together have every plan, some
// companies with accounts and cards, on a store without faults until the people begin. Its
// senders of events have goroutines and wait for time: pass lets the given time pass for them,
// and returns when they wait again. Close stops them.
func NewYears(db store.Backend, s sim.Source, pass func(time.Duration)) (*Years, error) {
	location, err := sim.BusinessZone()
	if err != nil {
		return nil, err
	}
	y := &Years{Source: s, Situations: sim.NewSituations(), Trouble: map[string]int{}, sheets: map[page]sheet{}, zone: calendar.NewZone(location), healed: true}
	y.Clock = &sim.Clock{}
	y.Clock.Set(y.firstDay())
	y.busy = y.zone.Date(y.Clock.Now())%5 >= 3
	y.backup = newBackup(db)
	y.Faulty = sim.NewFaulty(y.backup, s, sim.Mix{})
	y.Faulty.Clock = y.Clock
	y.bank = newBankSide(y, fake.New(y.zone, y.Clock.Now))
	y.post = newPost(y, pass)
	for n := range 1 + s.Intn(3) {
		x := &node{y: y, name: fmt.Sprint("node ", n+1)}
		y.nodes = append(y.nodes, x)
		if err := x.start(); err != nil {
			return nil, err
		}
	}
	y.people = newCast(y)
	if err := y.found(); err != nil {
		return nil, err
	}
	y.Mix, y.healed = drawTroubles(s), false
	y.restore = 20 + s.Intn(200)
	y.Faulty.Mix = y.Mix.Commits
	return y, nil
}

// firstDay decides when a lender begins: within eleven years, and often just before an unusual
// day of months, leap years or clocks.
func (y *Years) firstDay() time.Time {
	year := 2023 + y.Source.Intn(11)
	first := calendar.Of(year, time.January, 1)
	switch y.Source.Intn(4) {
	case 0:
		first += calendar.Date(26 + y.Source.Intn(5)) // 27 to 31 January
	case 1:
		first += calendar.Date(57 + y.Source.Intn(3)) // the end of February
	case 2:
		first += calendar.Date(64 + y.Source.Intn(8)) // before the clocks go forward
	default:
		first += calendar.Date(y.Source.Intn(365))
	}
	return y.zone.At(first, 9, y.Source.Intn(60))
}

func (y *Years) found() error {
	for n, name := range []string{"Harbor Supply", "Quarry Tools", "Mill Works"} {
		m, err := y.people.must(merchants.CreateMerchant{Title: name, Settings: yearsSettings(n)})
		if err != nil {
			return err
		}
		y.people.merchants = append(y.people.merchants, m)
		if _, err := y.people.must(merchants.SetMerchantAccount{Merchant: m, Bank: y.people.account(payments.PaidAccount(m), "merchant", fmt.Sprintf("2001002%02d", n)), Debits: n != 1}); err != nil {
			return err
		}
		if _, err := y.people.must(y.people.endpoint(m)); err != nil {
			return err
		}
	}
	for n := range 2 + y.Source.Intn(3) {
		c := lending.CreateCompany{
			Title: fmt.Sprint("Buyer ", n+1), Email: fmt.Sprintf("accounts@buyer%d.example", n+1), Status: credit.CompanyApproved, Tier: string("ABC"[n%3]), Limit: money.MustParse("60000.00"),
			Merchants: y.people.merchants, BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
		}
		if _, err := y.people.must(c); err != nil {
			return err
		}
	}
	_, err := y.people.must(compliance.MoveFunding{Amount: money.MustParse("900000.00"), Reference: "first"})
	if err != nil {
		return err
	}
	return y.people.equip()
}

// yearsSettings returns those of the n-th merchant: the first has every plan, the second bounds,
// short windows and unfunded external orders, the third a due day, charges posted at each month's
// end, and quick clawbacks.
func yearsSettings(n int) credit.Settings {
	s, usual := sim.Settings(min(n, 1)), lending.DefaultSettings()
	s.LateFeeRate, s.SuspendDPD, s.NonaccrualDPD, s.ChargeOffDPD = usual.LateFeeRate, usual.SuspendDPD, usual.NonaccrualDPD, usual.ChargeOffDPD
	if n == 2 {
		s.DueDay, s.AccrualPosting, s.ClawbackDebitDays, s.ClawbackWriteOff = 1, credit.MonthEnd, 5, 20
		s.Terms = append(s.Terms[:0:0], sim.Settings(0).Terms...)
		s.DayCount = schedule.Actual365
	}
	return s
}

// Live lets the given number of days pass with all their faults.
func (y *Years) Live(days int) error {
	for range days {
		if y.chance(y.Mix.Asleep) {
			y.sleep()
		}
		if err := y.day(); err != nil {
			return err
		}
	}
	return nil
}

// chance is true in the given thousandths of cases, and never once everything has healed.
func (y *Years) chance(per int) bool {
	return !y.healed && per > 0 && y.Source.Intn(1000) < per
}

// struck is chance, and counts what struck.
func (y *Years) struck(per int, what string) bool {
	if !y.chance(per) {
		return false
	}
	y.Trouble[what]++
	return true
}

func (y *Years) reach(yes bool, s sim.Situation) {
	if yes {
		y.Situations.Reached(s)
	}
}

// never notes something that must never happen.
func (y *Years) never(format string, args ...any) {
	if y.wrong == nil {
		y.wrong = fmt.Errorf("%s: "+format, append([]any{y.Clock.Now().Format(time.RFC3339)}, args...)...)
	}
}

// sleep: no node runs for some days, or for weeks. The bank and the processor continue.
func (y *Years) sleep() {
	y.Trouble["asleep"]++
	days := 1 + y.Source.Intn(5)
	if sim.Chance(y.Source, 30) {
		days = 30 + y.Source.Intn(11)
	}
	y.reach(days >= 30, sim.OutageOfAMonth)
	for _, n := range y.nodes {
		n.dead = true
	}
	y.days += days
	for range days {
		y.pass(y.Clock.Now().Add(24 * time.Hour))
		y.bank.passing()
	}
}

// day is one business date: some instants at which nodes look for work, and some at which people
// act.
func (y *Years) day() error {
	y.days++
	today := y.zone.Date(y.Clock.Now())
	next := y.zone.Start(today + 1)
	wakes := []time.Time{y.zone.At(today, 8, 30), y.zone.At(today, 16, 0)}
	for range y.Source.Intn(3) {
		wakes = append(wakes, y.zone.At(today, 9+y.Source.Intn(12), y.Source.Intn(60)))
	}
	y.reach(y.zone.Start(today+1).Sub(y.zone.Start(today)) != 24*time.Hour, sim.DayOfClockChange)
	wakes = append(wakes, next)
	for _, at := range sim.Sorted(wakes) {
		if !sim.Chance(y.Source, 60) {
			at = at.Add(time.Duration(y.Source.Intn(3600)) * time.Second)
		}
		y.pass(at)
		if err := y.wake(); err != nil {
			return err
		}
	}
	return y.check(today)
}

// pass lets time pass in which only senders and receivers of events work.
func (y *Years) pass(until time.Time) {
	y.post.until(until)
	y.Clock.Set(until)
}

// Close stops what would continue by itself.
func (y *Years) Close() { y.post.close() }

// wake is one instant: the bank's news, people's actions, the nodes' work.
func (y *Years) wake() error {
	if err := y.lose(); err != nil {
		return fmt.Errorf("after a restore: %w", err)
	}
	y.bank.passing()
	if err := y.statement(); err != nil {
		return err
	}
	y.mend()
	if !y.resting {
		if err := errors.Join(y.people.act(), y.people.visit()); err != nil {
			return err
		}
	}
	first := y.Source.Intn(len(y.nodes))
	for i := range y.nodes {
		n := y.nodes[(first+i)%len(y.nodes)]
		n.look()
	}
	return y.wrong
}

// mend starts dead nodes, and sets a clock right or wrong.
func (y *Years) mend() {
	for _, n := range y.nodes {
		n.skew = 0
		if y.struck(y.Mix.WrongClock, "wrong clock") {
			n.skew = time.Hour - time.Duration(y.Source.Intn(2))*2*time.Hour
			y.Situations.Reached(sim.WrongClock)
		}
		if n.dead {
			if err := n.start(); err != nil {
				y.never("%w", err)
			}
			y.Trouble["restarts"]++
		}
	}
}

// check checks the books from time to time: on the first of a month, and each week once
// everything has healed.
func (y *Years) check(today calendar.Date) error {
	if _, _, d := today.Civil(); d != 1 && (!y.healed || y.days%7 != 0) || y.wrong != nil {
		return y.wrong
	}
	books, err := sim.ReadBooks(y.Faulty.Backend)
	if err != nil {
		return err
	}
	if err := errors.Join(books.Check(), inFlight(books), attempts(books), y.reconciled(books)); err != nil {
		return fmt.Errorf("%s: %w", today, err)
	}
	y.people.draw.Books = books
	if _, _, d := today.Civil(); d == 1 {
		return y.keepSheets(books, today)
	}
	return nil
}

// alarm is called for bugs, and for the faults that the run injected.
func (y *Years) alarm(a engine.Alarm) {
	switch a.What {
	case engine.AlarmUnknown, engine.AlarmCommit:
	default:
		y.never("alarm %s: %w\n%+v\n%s", a.What, errors.Join(a.Err), a.Command, sim.Inside(a.Stack))
	}
}
