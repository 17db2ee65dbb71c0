package credit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/calendar"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// world is a whole deployment in memory. Each command sees only what its Keys
// name, as it would from a database.
type world struct {
	t       testing.TB
	all     *State
	zone    calendar.Zone
	now     time.Time
	seed    uint64
	entries []ledger.Entry
	events  []Event
}

func newWorld(t testing.TB) *world {
	l, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, all: NewState(), zone: calendar.NewZone(l), now: time.Date(2026, 1, 10, 15, 0, 0, 0, time.UTC)}
}

func (w *world) at(date string) {
	w.now = w.zone.At(calendar.MustParse(date), 10, 0)
}

// load copies what the keys name into a state.
func (w *world) load(s *State, k Keys) {
	for _, id := range k.Merchants {
		s.Merchants[id] = w.all.Merchants[id]
	}
	for _, id := range k.Companies {
		s.Companies[id] = w.all.Companies[id]
		s.Credits[id] = w.all.Credits[id]
	}
	for _, c := range k.Claims {
		s.Claims[c] = w.all.Claims[c]
	}
	for _, id := range k.Payments {
		s.Payments[id] = w.all.Payments[id]
	}
	for _, id := range k.Invoices {
		s.Invoices[id] = w.all.Invoices[id]
	}
	for _, key := range k.Orders {
		w.loadOrder(s, key)
	}
	for _, key := range k.History {
		w.loadHistory(s, key)
	}
	for _, id := range k.Accounts {
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(w.all.Orders)) {
			if o := w.all.Orders[key]; o.Company == id && o.Captured > 0 {
				keys = append(keys, key)
				w.loadOrder(s, key)
				w.loadHistory(s, key)
			}
		}
		s.Accounts[id] = keys
	}
}

func (w *world) loadOrder(s *State, key string) {
	o := w.all.Orders[key]
	s.Orders[key] = o
	if o == nil {
		return
	}
	s.Loans[key] = w.all.Loans[key]
	if o.Invoice != "" {
		s.Invoices[o.Invoice] = w.all.Invoices[o.Invoice]
	}
}

func (w *world) loadHistory(s *State, key string) {
	s.History[key] = w.all.History[key]
	for _, e := range w.all.History[key] {
		if e.Kind == schedule.EventPayment {
			s.Payments[e.ID] = w.all.Payments[e.ID]
		}
	}
}

// do decides a command as the actor and applies what comes of it.
func (w *world) do(a Actor, c Command) (Changes, *Rejection) {
	w.seed++
	e := Env{Now: w.now, Zone: w.zone, Actor: a}
	copy(e.Seed[:], fmt.Sprintf("%016d", w.seed))
	s := NewState()
	for round := 0; round < 4; round++ {
		w.load(s, c.Keys(s, e))
	}
	if r := Admit(s, e, c); r != nil {
		return Changes{}, r
	}
	ch, r := Decide(s, e, c)
	if r != nil {
		return Changes{}, r
	}
	if err := ch.Check(s); err != nil {
		w.t.Fatalf("%s: %v", c.Name(), err)
	}
	for _, o := range ch.Orders {
		if _, ok := w.all.History[o.Key]; !ok {
			w.all.History[o.Key] = nil
		}
	}
	w.all.Apply(ch)
	w.entries = append(w.entries, ch.Entries...)
	w.events = append(w.events, ch.Events...)
	return ch, nil
}

func (w *world) must(a Actor, c Command) any {
	w.t.Helper()
	ch, r := w.do(a, c)
	if r != nil {
		w.t.Fatalf("%s: %v", c.Name(), r)
	}
	return ch.Result
}

// since lists the postings after a mark, one entry a line.
func (w *world) since(mark int) []string {
	var out []string
	for _, e := range w.entries[mark:] {
		var debit, credit []string
		for _, p := range e.Postings {
			if p.Amount > 0 {
				debit = append(debit, fmt.Sprintf("%d %s", p.Account, p.Amount))
			} else {
				credit = append(credit, fmt.Sprintf("%d %s", p.Account, -p.Amount))
			}
		}
		out = append(out, fmt.Sprintf("%s %s: D %s | C %s", e.ValueDate, e.Event, strings.Join(debit, ", "), strings.Join(credit, ", ")))
	}
	return out
}

var operator = Actor{Client: "ops", Operator: true}

func example(t *testing.T) (*world, Actor, *Company) {
	w := newWorld(t)
	m := w.must(operator, CreateMerchant{Title: "Harbor Supply", Settings: DefaultSettings()}).(*Merchant)
	c := w.must(operator, CreateCompany{Title: "Alder Kitchens", Status: CompanyApproved, Tier: "A", Limit: money.MustParse("25000.00"), Merchants: []string{m.ID}}).(*Company)
	return w, Actor{Client: "shop", Merchant: m.ID}, c
}

func TestExampleByWire(t *testing.T) {
	w, shop, c := example(t)
	o := w.must(shop, CreateOrder{Company: c.ID, Amount: money.MustParse("1200.00"), MerchantOrderID: "PO-1", Installments: 6, Authorize: true}).(*Order)
	w.at("2026-01-15")
	w.must(shop, UpdateOrder{Order: o.Key, Status: OrderCaptured})
	pay := func(date, amount string) *Payment {
		w.at(date)
		return w.must(operator, RecordPayment{Order: o.Key, Amount: money.MustParse(amount), Method: Wire, EffectiveDate: calendar.None, ScheduledDate: calendar.None}).(*Payment)
	}
	pay("2026-02-15", "207.06")
	p2 := pay("2026-03-15", "207.06")
	w.at("2026-04-01")
	a := money.MustParse("300.00")
	w.must(shop, RefundOrder{Order: o.Key, Amount: &a})
	for _, line := range w.since(0) {
		t.Log(line)
	}
	for _, r := range w.all.Loans[o.Key].View(calendar.MustParse("2026-04-01")).Rows {
		t.Log(r.Number, r.DueDate, r.Principal, r.Charge, r.Paid, r.Status)
	}
	mark := len(w.entries)
	w.must(operator, ReturnPayment{Payment: p2.ID, Code: "bounced"})
	w.must(operator, RecordPayment{Order: o.Key, Amount: money.MustParse("500.00"), Method: Check, EffectiveDate: calendar.MustParse("2026-03-25"), ScheduledDate: calendar.None})
	for _, line := range w.since(mark) {
		t.Log(line)
	}
	for _, e := range w.events {
		t.Log(e.Type, e.Object, e.Sequence, e.Previous)
	}
}
