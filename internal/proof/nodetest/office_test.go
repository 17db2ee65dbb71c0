//go:build linux

package nodetest

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/pgtest"
)

// office is a database with two desks, with a time set by the test: the race happens on a banking
// day at 16:00, and no server waits for that. Its bank is a folder that accepts files and returns
// nothing.
type office struct {
	t     *testing.T
	zone  calendar.Zone
	clock *clock.Settable
	ring  seal.Ring
	bank  *ach.Folder
	db    store.Backend
	desks [2]desk
	seeds int
	// meet runs two functions concurrently, and learn is told which of them came first.
	meet  func(pay, back func(), payFavoured bool)
	learn func(paidFirst bool)
}

// desk is an engine and a clockwork. On PostgreSQL each is a node with its own connections.
type desk struct {
	engine *engine.Engine
	clock  *clockwork.Scheduler
}

func newOffice(t *testing.T) *office {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{t: t, zone: calendar.NewZone(location)}
	o.clock = clock.NewSettable(o.zone.At(calendar.MustParse("2026-01-05"), 9, 0))
	if o.ring, err = seal.New(seal.Derive([]byte("a key for tests that is long enough"), "test")); err != nil {
		t.Fatal(err)
	}
	if o.bank, err = ach.NewFolder(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return o
}

// officeOnPostgres has two nodes. What is to race waits at a gate until both are ready.
func officeOnPostgres(t *testing.T) *office {
	t.Helper()
	o, url := newOffice(t), pgtest.Database(t)
	for i, name := range []string{"node-1", "node-2"} {
		db, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { o.no(db.Close()) })
		o.db = db
		o.desks[i] = o.desk(db, o.engine(db, name), name)
	}
	g := newGateOfLines(t, url)
	o.meet = func(pay, back func(), payFavoured bool) {
		first, second := back, pay
		if payFavoured {
			first, second = pay, back
		}
		g.shut()
		var both sync.WaitGroup
		both.Go(first)
		g.await(1, 0)
		both.Go(second)
		g.await(2, 0)
		g.open()
		both.Wait()
	}
	o.learn = func(bool) {}
	return o
}

// officeOnSQLite has one engine, because one process has the file open, with two desks using it.
// Its writer processes one after the other: the test searches for the moment at which a refund
// just overtakes the payout, or just fails to.
func officeOnSQLite(t *testing.T) *office {
	t.Helper()
	o := newOffice(t)
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "tenor.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.no(db.Close()) })
	o.db = db
	e := o.engine(db, "node")
	o.desks = [2]desk{o.desk(db, e, "desk-1"), o.desk(db, e, "desk-2")}
	lead := time.Millisecond
	o.meet = func(pay, back func(), _ bool) {
		var both sync.WaitGroup
		both.Go(pay)
		time.Sleep(lead)
		both.Go(back)
		both.Wait()
	}
	o.learn = func(paidFirst bool) {
		if paidFirst {
			lead = lead * 2 / 3
		} else {
			lead = lead*3/2 + 100*time.Microsecond
		}
	}
	return o
}

// no fails the test if there is an error.
func (o *office) no(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// engine starts an engine that ends with the test, before its database is closed.
func (o *office) engine(db store.Backend, node string) *engine.Engine {
	o.t.Helper()
	e, err := engine.New(engine.Config{
		Backend: db, Zone: o.zone, Now: o.clock.Now, Node: node, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { o.t.Errorf("alarm: %s: %v %+v", a.What, a.Err, a.Command) },
	})
	o.no(err)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { e.Run(ctx) })
	o.t.Cleanup(func() { stop(); running.Wait() })
	return e
}

func (o *office) desk(db store.Backend, e *engine.Engine, name string) desk {
	o.t.Helper()
	s, err := clockwork.New(clockwork.Config{
		Backend: db, Submit: e, Now: o.clock.Now, Zone: o.zone, Node: name, Alone: true, Bank: o.bank, Origin: fake.Origin(),
		Open: o.ring.Open, Seal: o.ring.Seal, Fingerprint: func(routing, number string) string { return routing + "/" + number },
	})
	o.no(err)
	return desk{e, s}
}

// lender is the actor with every permission.
var lender = credit.Actor{Client: "cli_operator", Operator: true}

// ask makes a desk run a command and returns the result with its position in the single order of
// decisions.
func (o *office) ask(d desk, by credit.Actor, c credit.Command, seed int) (result any, q int64, err error) {
	r := engine.Request{Command: c, Actor: by, Seed: [16]byte{byte(seed), byte(seed >> 8), 3}}
	r.Encode = func(ch credit.Changes, _ *credit.Rejection) engine.Response {
		result = ch.Result
		return engine.Response{Status: 200}
	}
	res, err := d.engine.Submit(o.t.Context(), r)
	if err == nil && res.Rejection != nil {
		err = res.Rejection
	}
	return result, res.Q, err
}

func (o *office) seed() int { o.seeds++; return o.seeds }

// do makes the first desk run a command that must be accepted.
func (o *office) do(by credit.Actor, c credit.Command) any {
	o.t.Helper()
	result, _, err := o.ask(o.desks[0], by, c, o.seed())
	if err != nil {
		o.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// until advances the clock to an hour of a day, with everything due before.
func (o *office) until(day calendar.Date, hour, minute int) {
	o.t.Helper()
	o.no(o.desks[0].clock.Advance(o.t.Context(), o.clock, o.zone.At(day, hour, minute), nil))
}

// merchant creates one with a payout account that offers 1 and 6 installments.
func (o *office) merchant() *credit.Merchant {
	o.t.Helper()
	s := lending.DefaultSettings()
	discount := money.MustParseRate("0.030000")
	s.Terms = []credit.Term{
		{Installments: 1, Plan: schedule.Net30, DiscountRate: discount},
		{Installments: 6, Plan: schedule.Amortized, AnnualRate: money.MustParseRate("0.120000"), DiscountRate: discount},
	}
	m := o.do(lender, merchants.CreateMerchant{Title: fmt.Sprint("Shop ", o.seeds), Settings: s}).(*credit.Merchant)
	b := &credit.BankAccount{Last4: "0200", AccountType: "CHECKING", HolderType: "BUSINESS", Fingerprint: fake.Routing + "/200100200"}
	o.no(b.Seal(payments.PaidAccount(m.ID), credit.AccountDetails{Routing: fake.Routing, Number: "200100200", Holder: "Harbor Supply"}, o.ring.Seal))
	o.do(lender, merchants.SetMerchantAccount{Merchant: m.ID, Bank: b})
	return m
}

// captured is an order captured on the day.
func (o *office) captured(shop credit.Actor, company int64, amount money.Amount, installments int, external bool) string {
	o.t.Helper()
	made := o.do(shop, lending.CreateOrder{Company: company, Amount: amount, Installments: installments, External: external, Authorize: true}).(*credit.Order)
	o.do(shop, lending.UpdateOrder{Order: made.Key, Status: credit.OrderCaptured})
	return made.Key
}

func (o *office) view(fn func(store.View) error) {
	o.t.Helper()
	o.no(o.db.View(o.t.Context(), fn))
}

// balances adds up by account what is posted with the dimensions accepted by keep.
func (o *office) balances(keep func(ledger.Dimensions) bool) map[ledger.Account]money.Amount {
	o.t.Helper()
	sums := map[ledger.Account]money.Amount{}
	o.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			for _, p := range e.Postings {
				if keep(p.Dimensions) {
					sums[p.Account] += p.Amount
				}
			}
			return nil
		})
	})
	return sums
}

// verify recomputes the books from end to end (EN14).
func (o *office) verify() {
	o.t.Helper()
	report, err := verify.Run(o.t.Context(), o.db, verify.Options{Scratch: memory.Scratch, Zone: o.zone, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion})
	o.no(err)
	if !report.Clean() {
		o.t.Errorf("%d violations: %v", len(report.Violations)+report.More, report.Violations[:min(5, len(report.Violations))])
	}
}
