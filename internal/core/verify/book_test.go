package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	paying "tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
)

// book is a database of an active business, with the engine that writes to it.
type book struct {
	t         testing.TB
	db        store.Backend
	engine    *engine.Engine
	zone      calendar.Zone
	now       time.Time
	seeds     uint64
	shops     []credit.Actor
	companies []int64
	clients   []string
	endpoints []string
	carrier   carrier
	accepted  map[string]int // commands by name
	refused   map[string]int // by code
}

var operator = credit.Actor{Client: "console", Operator: true}

func zone(t testing.TB) calendar.Zone {
	t.Helper()
	l, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	return calendar.NewZone(l)
}

func encodeEvent(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
	return resource.EncodeEvent(e, at, by)
}

// newBook opens a business with two shops and three companies.
func newBook(t testing.TB, db store.Backend) *book {
	t.Helper()
	b := &book{t: t, db: db, zone: zone(t), accepted: map[string]int{}, refused: map[string]int{}}
	b.now = b.zone.At(calendar.MustParse("2026-01-05"), 10, 0)
	var err error
	b.engine, err = engine.New(engine.Config{
		Backend: db, Zone: b.zone, Now: func() time.Time { return b.now }, EncodeEvent: encodeEvent, Wire: resource.APIVersion,
		Seal: sealed, Open: opened,
		NewBatchID: func() (id store.BatchID) { b.seeds++; binary.BigEndian.PutUint64(id[:], b.seeds); return id },
		Alarm:      func(a engine.Alarm) { t.Errorf("%s: %v in %+v\n%s", a.What, a.Err, a.Command, a.Stack) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"Harbor Supply", "Mill Street Tools"} {
		s := lending.DefaultSettings()
		s.Terms = append(s.Terms, credit.Term{Installments: 4, Plan: schedule.FlatFee, MonthlyFeeRate: money.MustParseRate("0.010000"), DiscountRate: money.MustParseRate("0.020000")},
			credit.Term{Installments: 2, Plan: schedule.Zero, DiscountRate: money.MustParseRate("0.025000")})
		if i == 1 {
			s.ExternalFunding, s.AccrualPosting = credit.Unfunded, credit.MonthEnd
		}
		m := b.must(operator, merchants.CreateMerchant{Title: name, Settings: s}).(*credit.Merchant)
		b.shops = append(b.shops, credit.Actor{Client: fmt.Sprint("cli_", i), Merchant: m.ID})
	}
	both := []string{b.shops[0].Merchant, b.shops[1].Merchant}
	for i, tier := range []string{"A", "B", "C"} {
		c := b.must(operator, lending.CreateCompany{
			Title: fmt.Sprint("Buyer ", i), Status: credit.CompanyApproved, Tier: tier, Limit: money.MustParse("50000.00"), Merchants: both,
			BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
		}).(*credit.Company)
		b.companies = append(b.companies, c.ID)
	}
	return b
}

// ask is a submitted command.
type ask struct {
	ticket *engine.Ticket
	result any
	why    *credit.Rejection
}

func (b *book) put(a credit.Actor, c credit.Command) *ask {
	b.t.Helper()
	b.seeds++
	x := &ask{}
	q := engine.Request{Command: c, Actor: a, Address: "192.0.2.7", Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
		if x.result, x.why = ch.Result, r; r != nil {
			b.refused[r.Code]++
			return engine.Response{Status: r.Status, Body: []byte(r.Code), ContentType: "text/plain"}
		}
		b.accepted[c.Name()]++
		_, client := ch.Result.(*credit.Client)
		return engine.Response{Status: 200, Body: fmt.Appendf(nil, "%T", ch.Result), ContentType: "text/plain", Secret: client}
	}}
	q.Actor.RequestID = fmt.Sprint("req_", b.seeds)
	if b.seeds%3 == 0 {
		q.Actor.Key = fmt.Sprint("key-", b.seeds)
		binary.BigEndian.PutUint64(q.RequestHash[:], b.seeds)
	}
	binary.BigEndian.PutUint64(q.Seed[8:], b.seeds)
	ticket, err := b.engine.Enqueue(context.Background(), q)
	if err != nil {
		b.t.Fatalf("%s: %v", c.Name(), err)
	}
	x.ticket = ticket
	return x
}

// settle processes everything that was put.
func (b *book) settle() {
	for b.engine.Step(context.Background()) {
	}
}

// must submits a command that has to be accepted and returns its result.
func (b *book) must(a credit.Actor, c credit.Command) any {
	b.t.Helper()
	x := b.put(a, c)
	b.settle()
	if _, err := x.ticket.Result(); err != nil || x.why != nil {
		b.t.Fatalf("%s on %s: %v %v", c.Name(), b.zone.Date(b.now), err, x.why)
	}
	return x.result
}

// at sets the clock to an hour of a date.
func (b *book) at(date string) { b.now = b.zone.At(calendar.MustParse(date), 10, 0) }

func amount(text string) *money.Amount {
	a := money.MustParse(text)
	return &a
}

// payment is money already received.
func payment(order, text string) paying.RecordPayment {
	return paying.RecordPayment{
		Order: order, Amount: money.MustParse(text), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}
}

// story is the orders of the fixed story, by their fate.
type story struct {
	amortized, flat, part, returned, canceled, overdue, paidOff string
	whole                                                       string // a company-level payment
	back                                                        string // a returned payment
	client, endpoint                                            string
	last                                                        string // a delivery
	rails                                                       rails
	tied                                                        tied
	bought                                                      bought
}

// live writes out the life of a small business: every noun and nearly every kind of entry
// occurs.
func (b *book) live() story {
	b.t.Helper()
	shop, other, c := b.shops[0], b.shops[1], b.companies
	create := func(a credit.Actor, company int64, text string, n int, number string) string {
		return b.must(a, lending.CreateOrder{Company: company, Amount: money.MustParse(text), Installments: n, MerchantOrderID: number, Authorize: true}).(*credit.Order).Key
	}
	capture := func(a credit.Actor, key string) {
		b.must(a, lending.UpdateOrder{Order: key, Status: credit.OrderCaptured})
	}
	var s story
	s.amortized = create(shop, c[0], "1200.00", 6, "PO-1")
	s.canceled = create(shop, c[0], "300.00", 3, "PO-2")
	s.part = create(shop, c[1], "900.00", 3, "PO-3")
	s.flat = create(shop, c[1], "800.00", 4, "")
	s.overdue = create(other, c[1], "450.00", 1, "B-1")
	s.returned = create(other, c[2], "640.00", 2, "B-2")
	s.paidOff = create(shop, c[2], "100.00", 1, "")
	b.subscribe(&s)
	s.bought = b.buy()
	b.put(shop, lending.CreateOrder{Company: c[0], Amount: money.MustParse("90000.00"), Installments: 6, Authorize: true})
	b.put(shop, lending.CreateOrder{Company: c[0], Amount: money.MustParse("9.00"), Installments: 6, MerchantOrderID: "PO-1"})
	b.at("2026-01-15")
	b.must(shop, lending.UpdateOrder{Order: s.canceled, Status: credit.OrderCanceled})
	for _, key := range []string{s.amortized, s.flat, s.paidOff} {
		capture(shop, key)
	}
	capture(other, s.overdue)
	capture(other, s.returned)
	b.must(shop, lending.CapturePart{Order: s.part, Amount: money.MustParse("250.00"), MerchantOrderID: "PO-3-1"})
	capture(shop, s.part)
	external := b.must(shop, lending.CreateOrder{Company: c[2], Amount: money.MustParse("500.00"), Installments: 2, External: true, Authorize: true}).(*credit.Order).Key
	capture(shop, external)
	b.deliver()
	b.sign("k1")
	b.at("2026-02-15")
	b.must(operator, payment(s.amortized, "207.06"))
	b.must(operator, payment(s.paidOff, "100.00"))
	b.must(shop, payment(external, "250.00"))
	b.must(operator, payment(s.flat, "500.00"))
	b.must(other, lending.RefundOrder{Order: s.returned, Reference: "R-1"})
	s.tied = b.tie()
	b.deliver()
	b.at("2026-03-15")
	back := b.must(operator, payment(s.amortized, "207.06")).(*credit.Payment)
	s.back = back.ID
	b.at("2026-04-01")
	b.must(shop, lending.RefundOrder{Order: s.amortized, Amount: amount("300.00")})
	b.must(operator, paying.ReturnPayment{Payment: back.ID, Code: "bounced"})
	late := payment(s.amortized, "350.00")
	late.EffectiveDate = calendar.MustParse("2026-03-25")
	late.ExternalID = "wire-77"
	b.must(operator, late)
	whole := paying.RecordPayment{Company: c[1], Amount: money.MustParse("600.00"), Method: credit.Check, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
	s.whole = b.must(operator, whole).(*credit.Payment).ID
	b.must(operator, paying.RefundPayment{Payment: s.whole, Amount: amount("150.00"), Reason: "paid twice"})
	b.must(shop, lending.RefundOrder{Order: s.flat, Amount: amount("400.00")})
	for _, key := range []string{s.amortized, s.part, s.overdue} {
		b.must(operator, lending.ServiceOrder{Order: key})
	}
	b.useCredit(&s.tied)
	extra := payment(s.paidOff, "40.00")
	b.must(operator, extra)
	b.sign("k1")
	b.unsubscribe(s)
	s.last = b.lastDelivery(s.endpoint)
	s.rails = b.railLife()
	b.sign("k2", "k1")
	return s
}

// trade submits random commands over random days, several in a batch.
func (b *book) trade(random *rand.Rand, commands int) {
	b.t.Helper()
	var orders, captured, paid []string
	pick := func(list []string) string {
		if len(list) == 0 {
			return "ord_none"
		}
		return list[random.IntN(len(list))]
	}
	some := func(max int) money.Amount { return money.Amount(1 + random.IntN(max)) }
	for range commands {
		if random.IntN(3) == 0 {
			b.settle()
			b.now = b.now.Add(time.Duration(random.IntN(9*24)) * time.Hour)
		}
		who := b.shops[random.IntN(2)]
		company := b.companies[random.IntN(len(b.companies))]
		var x *ask
		switch n := random.IntN(21); {
		case n < 5:
			x = b.put(who, lending.CreateOrder{
				Company: company, Amount: 5000 + some(300000), Installments: []int{0, 1, 2, 3, 4, 4, 6, 12}[random.IntN(8)],
				MerchantOrderID: []string{"", fmt.Sprint("N-", random.IntN(40))}[random.IntN(2)],
				External:        random.IntN(5) == 0, Authorize: random.IntN(3) > 0,
			})
		case n < 9:
			x = b.put(operator, lending.UpdateOrder{Order: pick(last(orders, 8)), Status: credit.OrderCaptured})
		case n == 9:
			x = b.put(operator, lending.UpdateOrder{Order: pick(orders), Status: []credit.OrderStatus{credit.OrderCanceled, credit.OrderAuthorized}[random.IntN(2)]})
		case n == 10:
			a := some(200000)
			x = b.put(operator, lending.UpdateOrder{Order: pick(orders), Amount: &a})
		case n == 11:
			x = b.put(operator, lending.CapturePart{Order: pick(last(orders, 8)), Amount: some(60000)})
		case n == 12:
			a := some(120000)
			x = b.put(operator, lending.RefundOrder{Order: pick(captured), Amount: []*money.Amount{nil, &a, &a}[random.IntN(3)]})
		case n < 16:
			p := payment(pick(captured), "1.00")
			p.Amount, p.HoldExcess = some([]int{1, 90000, 90000, 90000}[random.IntN(4)]), random.IntN(4) == 0
			if random.IntN(3) == 0 {
				p.EffectiveDate = b.zone.Date(b.now).AddDays(-random.IntN(40))
			}
			x = b.put(operator, p)
		case n == 16:
			p := payment("", "1.00")
			p.Company, p.Amount = company, some(150000)
			x = b.put([]credit.Actor{operator, who}[random.IntN(2)], p)
		case n == 17:
			a := some(50000)
			x = b.put(operator, paying.RefundPayment{Payment: pick(paid), Amount: []*money.Amount{nil, &a}[random.IntN(2)]})
		case n == 18:
			x = b.put(operator, paying.ReturnPayment{Payment: pick(paid), Code: "bounced"})
		case n == 19 && random.IntN(2) == 0:
			b.cents(who, company)
			continue
		case n == 19:
			b.access(random, who)
			continue
		default:
			x = b.put(operator, lending.ServiceOrder{Order: pick(append(captured, pick(orders)))})
		}
		if random.IntN(2) == 0 {
			b.settle()
		}
		switch r := x.result.(type) {
		case *credit.Order:
			if r.Captured > 0 && !slices.Contains(captured, r.Key) {
				captured = append(captured, r.Key)
			} else if r.Captured == 0 && !slices.Contains(orders, r.Key) {
				orders = append(orders, r.Key)
			}
		case *credit.Payment:
			if !slices.Contains(paid, r.ID) {
				paid = append(paid, r.ID)
			}
		}
	}
	b.settle()
}

// cents takes a flat fee through the smallest amounts: a cent prepays its fee, comes back
// with a full refund, and then bounces.
func (b *book) cents(who credit.Actor, company int64) {
	b.t.Helper()
	b.settle()
	do := func(a credit.Actor, c credit.Command) any {
		x := b.put(a, c)
		b.settle()
		return x.result
	}
	o, ok := do(who, lending.CreateOrder{Company: company, Amount: 40000, Installments: 4, Authorize: true}).(*credit.Order)
	if !ok {
		return // the line is used up
	}
	do(who, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	p, ok := do(operator, payment(o.Key, "0.01")).(*credit.Payment)
	do(operator, lending.RefundOrder{Order: o.Key})
	if ok {
		do(operator, paying.ReturnPayment{Payment: p.ID, Code: "bounced"})
	}
}

// last returns the end of a list.
func last(list []string, n int) []string { return list[max(0, len(list)-n):] }

// verifyBook runs verify and fails the test if it could not.
func verifyBook(t testing.TB, db store.Backend) Report {
	t.Helper()
	last := -1
	report, err := Run(context.Background(), db, Options{Scratch: memory.Scratch, Zone: zone(t), EncodeEvent: encodeEvent, Wire: resource.APIVersion, Open: opened, Keys: deployment(), Progress: func(done, total int) {
		if done < last || done > total {
			t.Errorf("progress %d after %d of %d", done, last, total)
		}
		last = done
	}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
