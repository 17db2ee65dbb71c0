package clockwork_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/ports/screening"
)

// world is a lender in one process: the real engine on the reference store, the real
// clockwork, and the sandbox's bank behind real files.
type world struct {
	t     testing.TB
	db    store.Backend
	eng   *engine.Engine
	clock *clock.Settable
	zone  calendar.Zone
	bank  *fake.Bank
	ring  seal.Ring
	work  *clockwork.Scheduler
	seeds int
	other int64 // company whose order the specification's journal leaves out

	killed bool                 // the clockwork may fail: it is restarted
	second *clockwork.Scheduler // works next to work
	gate   sync.Mutex           // held by the second's turn: the clock does not jump under it

	submit engine.Submitter // where the clockwork submits
	rail   rails.Bank       // where it sends
	cards  rails.Processor  // where it charges cards

	sanctions *screening.List
	log       *slog.Logger
}

func newWorld(t testing.TB, at string) *world {
	t.Helper()
	return newWorldOn(t, at, memory.New())
}

// newWorldOn returns a world on a database of its own.
func newWorldOn(t testing.TB, at string, db store.Backend) *world {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, zone: calendar.NewZone(location)}
	w.clock = clock.NewSettable(w.instant(at))
	w.eng = w.engine(db, "test")
	if w.ring, err = seal.New(seal.Derive([]byte("a key for tests that is long enough"), "test")); err != nil {
		t.Fatal(err)
	}
	w.bank = fake.New(w.zone, w.clock.Now)
	w.submit, w.rail, w.cards = w.eng, w.bank, w.bank.Cards()
	w.work = w.scheduler(w.db)
	return w
}

// engine starts an engine of a node with this name.
func (w *world) engine(db store.Backend, node string) *engine.Engine {
	w.t.Helper()
	e, err := engine.New(engine.Config{
		Backend: db, Zone: w.zone, Now: w.clock.Now, Wire: resource.APIVersion, Node: node,
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
		Alarm: func(a engine.Alarm) { w.t.Errorf("alarm: %s: %v %+v", a.What, a.Err, a.Command) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Add(1)
	go func() { defer running.Done(); e.Run(ctx) }()
	w.t.Cleanup(func() { stop(); running.Wait() })
	return e
}

func (w *world) scheduler(db store.Backend) *clockwork.Scheduler {
	return w.schedulerWith(clockwork.Config{Backend: db, Submit: w.submit, Node: "test", Alone: true})
}

// schedulerWith fills in the world's part of a configuration.
func (w *world) schedulerWith(c clockwork.Config) *clockwork.Scheduler {
	w.t.Helper()
	c.Now, c.Zone = w.clock.Now, w.zone
	c.Bank, c.Origin, c.Cards = w.rail, fake.Origin(), w.cards
	c.Open, c.Seal, c.Fingerprint, c.Sanctions, c.Log = w.ring.Open, w.ring.Seal, fingerprint, w.sanctions, w.log
	s, err := clockwork.New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func fingerprint(routing, number string) string {
	h := sha256.Sum256([]byte(routing + "/" + number))
	return hex.EncodeToString(h[:])
}

// instant parses "2026-01-10 10:00" in the business zone.
func (w *world) instant(text string) time.Time {
	w.t.Helper()
	t, err := time.ParseInLocation("2006-01-02 15:04", text, w.zone.Location())
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

// to moves the clock stop by stop.
func (w *world) to(at string) {
	w.t.Helper()
	ctx := context.Background()
	if w.second != nil {
		done := make(chan struct{})
		var running sync.WaitGroup
		running.Add(1)
		go func() {
			defer running.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				w.gate.Lock()
				_, err := w.second.RunDue(ctx)
				w.gate.Unlock()
				if err != nil {
					w.t.Errorf("the second: %v", err)
				}
			}
		}()
		defer running.Wait()
		defer close(done)
	}
	for range 10_000 {
		err := w.work.Advance(ctx, gated{w}, w.instant(at), nil)
		if err == nil {
			return
		}
		if !w.killed || !errors.Is(err, errKilled) {
			w.t.Fatal(err)
		}
		w.work = w.scheduler(w.db) // only stored data survives
	}
	w.t.Fatal("it never got there")
}

// gated is the world's clock, which stops while the second takes a turn: a real clock does
// not jump from one cut-off to the next in the middle of one.
type gated struct{ w *world }

func (g gated) Now() time.Time { return g.w.clock.Now() }

func (g gated) AdvanceTo(t time.Time) (time.Time, error) {
	g.w.gate.Lock()
	defer g.w.gate.Unlock()
	return g.w.clock.AdvanceTo(t)
}

// seq is the commit sequence of the last command.
func (w *world) seq() (q int64) {
	w.view(func(v store.View) error { q = v.Seq(); return nil })
	return q
}

func toAmount(cents int) money.Amount { return money.Amount(cents) }

// do submits a command and returns its result; a refusal fails the test.
func (w *world) do(by credit.Actor, c credit.Command) any {
	w.t.Helper()
	var made any
	w.seeds++
	r := engine.Request{Command: c, Actor: by, Seed: [16]byte{byte(w.seeds), byte(w.seeds >> 8), 7}}
	r.Encode = func(c credit.Changes, _ *credit.Rejection) engine.Response {
		made = c.Result
		return engine.Response{Status: 200}
	}
	res, err := w.eng.Submit(context.Background(), r)
	if err != nil || res.Rejection != nil {
		w.t.Fatalf("%s: %v %v", c.Name(), err, res.Rejection)
	}
	return made
}

var operator = credit.Actor{Client: "cli_operator", Operator: true}

func shop(m *credit.Merchant) credit.Actor { return credit.Actor{Client: "cli_shop", Merchant: m.ID} }

// sealed is a holder's account at the sandbox's bank, sealed for the place in which it is to
// stand.
func (w *world) sealed(place, number, holder string) *credit.BankAccount {
	w.t.Helper()
	details := credit.AccountDetails{Routing: fake.Routing, Number: number, Holder: holder}
	b, err := payments.SealedAccount(place, details, credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, fingerprint, w.ring.Seal)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// opened returns an account's sealed details.
func (w *world) opened(place string, b *credit.BankAccount) credit.AccountDetails {
	w.t.Helper()
	x, err := b.Open(place, w.ring.Open)
	if err != nil {
		w.t.Errorf("the account does not open: %v", err)
	}
	return x
}

// account is an account of Alder Kitchens, sealed for the place in which it is to stand.
func (w *world) account(place, number string) *credit.BankAccount {
	w.t.Helper()
	return w.sealed(place, number, "Alder Kitchens")
}

// merchant creates a merchant that is paid, with one term.
func (w *world) merchant(name string, terms ...credit.Term) *credit.Merchant {
	s := lending.DefaultSettings()
	s.Terms = terms
	m := w.do(operator, merchants.CreateMerchant{Title: name, Settings: s}).(*credit.Merchant)
	w.do(operator, merchants.SetMerchantAccount{Merchant: m.ID, Bank: w.account(payments.PaidAccount(m.ID), "200100200")})
	return m
}

// methodID draws the identifier of a payment method that is named otherwise.
func (w *world) methodID(of string) string {
	var seed [16]byte
	copy(seed[:], of)
	return payments.MethodID(seed, w.clock.Now())
}

// company makes an approved company that pays from an account by autopay.
func (w *world) company(name, account string, m *credit.Merchant) *credit.Company {
	c := w.do(operator, lending.CreateCompany{Title: name, Status: credit.CompanyApproved, Tier: "A", Limit: 25_000_00, Merchants: []string{m.ID}}).(*credit.Company)
	id := w.methodID(name + account)
	pm := w.do(operator, payments.AddPaymentMethod{ID: id, Company: c.ID, Type: credit.ACH, Bank: w.account(payments.MethodAccount(id), account),
		Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: w.clock.Now(), Reference: "signed"}}).(*credit.PaymentMethod)
	on := true
	w.do(operator, payments.SetAutopay{Company: c.ID, Enabled: &on, Method: &pm.ID})
	return c
}

func (w *world) order(m *credit.Merchant, c *credit.Company, number string, amount money.Amount, n int, external bool) *credit.Order {
	return w.do(shop(m), lending.CreateOrder{Company: c.ID, MerchantOrderID: number, Amount: amount, Installments: n, External: external, Authorize: true}).(*credit.Order)
}

func (w *world) capture(m *credit.Merchant, o *credit.Order) {
	w.do(shop(m), lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
}

func (w *world) view(fn func(store.View) error) {
	w.t.Helper()
	if err := w.db.View(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// booked formats an entry as its book date and its lines by account.
func booked(e store.EntryRow) string {
	sums := map[string]int64{}
	for _, p := range e.Postings {
		sums[fmt.Sprint(int(p.Account))] += int64(p.Amount)
	}
	return e.BookDate.String() + " " + lines(sums)
}

func lines(sums map[string]int64) string {
	var out []string
	for a, x := range sums {
		out = append(out, fmt.Sprintf("%s %d", a, x))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// journalOfVector returns the worked example's journal.
func journalOfVector(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../../app/demo/journal.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Vectors []struct {
			Journal []struct {
				Date  string
				Lines []struct {
					Account       string
					Debit, Credit *string
				}
			}
		}
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, j := range v.Vectors[0].Journal {
		sums := map[string]int64{}
		for _, l := range j.Lines {
			if l.Debit != nil {
				sums[l.Account] += int64(money.MustParse(*l.Debit))
			} else {
				sums[l.Account] -= int64(money.MustParse(*l.Credit))
			}
		}
		out = append(out, j.Date+" "+lines(sums))
	}
	return out
}

func twelve(n int) credit.Term {
	return credit.Term{Installments: n, Plan: schedule.Amortized, AnnualRate: money.MustParseRate("0.120000"), DiscountRate: money.MustParseRate("0.030000")}
}
