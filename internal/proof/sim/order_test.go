package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// A batch of independent commands gives the same answers and the same records in any order, and
// every element of it is decided (T3).
func TestOrderInBatch(t *testing.T) {
	mixed := 0
	for seed := range SeedsUntil(t, 30, func() bool { return mixed > 0 }) {
		a, requests := beforeBatch(t, seed, nil)
		b, _ := beforeBatch(t, seed, a.Log)
		b.World.Clock.Set(a.World.Clock.Now())
		turned := slices.Clone(requests)
		source := NewRand(^seed)
		for k := len(turned) - 1; k > 0; k-- {
			j := source.Intn(k + 1)
			turned[k], turned[j] = turned[j], turned[k]
		}
		first, second := a.World.numbered(requests, requests), b.World.numbered(turned, requests)
		refused := 0
		for k, q := range requests {
			x, y := first[k], second[slices.IndexFunc(turned, func(r Request) bool { return r.Actor.RequestID == q.Actor.RequestID })]
			if x.Err != nil || x.Status != y.Status || string(x.Body) != string(y.Body) {
				t.Fatalf("seed %d: %s: %d and %d (%v), bodies differ (-one order +another):\n%s", seed, Describe(q), x.Status, y.Status, x.Err,
					gocmp.Diff(strings.Split(string(x.Body), ","), strings.Split(string(y.Body), ",")))
			}
			if x.Code != "" {
				refused++
			}
		}
		if refused > 0 && refused < len(requests) {
			mixed++
		}
		if diff := gocmp.Diff(recordsOf(t, a.World.DB), recordsOf(t, b.World.DB)); diff != "" {
			t.Fatalf("seed %d: the records differ (-one order +another):\n%s", seed, diff)
		}
	}
	if mixed == 0 {
		t.Error("no batch held both accepted and refused commands")
	}
}

// beforeBatch drives a run, or repeats one, and generates a request for each company.
func beforeBatch(t *testing.T, seed uint64, log []Logged) (*Run, []Request) {
	t.Helper()
	r, err := NewRun(memory.New(), NewRand(seed), 9)
	if err != nil {
		t.Fatal(err)
	}
	if log != nil {
		if err := r.Repeat(log); err != nil {
			t.Fatal(err)
		}
		return r, nil
	}
	if err := r.Drive(60); err != nil {
		t.Fatal(err)
	}
	var requests []Request
	done := map[string]bool{}
	for range 200 {
		q, ok := r.Generator.Draw(Pick(r.Generator.Source, Weighted()), r.Today())
		company := r.companyOf(q.Command)
		if !ok || company == "" || done[company] || claims(q.Command) || q.Actor.Key != "" {
			continue
		}
		done[company] = true
		q.Actor.RequestID = fmt.Sprint("request ", len(requests))
		requests = append(requests, q)
	}
	return r, requests
}

// companyOf returns the company that a command belongs to, "" if it is not known.
func (r *Run) companyOf(c credit.Command) string {
	company := int64(0)
	switch x := c.(type) {
	case lending.CreateOrder:
		company = x.Company
	case lending.UpdateCompany:
		company = x.Company
	case payments.RefundPayment:
		company = r.Model.payment(x.Payment).company
	case payments.ReturnPayment:
		company = r.Model.payment(x.Payment).company
	case payments.RecordPayment:
		company = x.Company
	}
	if o := r.Model.order(OrderOf(c)); o != nil {
		company = o.company
	}
	if company == 0 {
		return ""
	}
	return fmt.Sprint(company)
}

// claims reports whether a command may compete with another company's for a name.
func claims(c credit.Command) bool {
	switch x := c.(type) {
	case lending.CreateOrder:
		return x.MerchantOrderID != ""
	case lending.UpdateOrder:
		return x.MerchantOrderID != nil
	case lending.CapturePart:
		return x.MerchantOrderID != ""
	case payments.RecordPayment:
		return x.ExternalID != "" || x.Invoice != ""
	}
	return false
}

// numbered sends requests in one batch with the seeds that they have in a list, so that
// identifiers do not depend on the order.
func (w *World) numbered(requests, list []Request) []Answer {
	start := w.seeds
	answers, tickets := make([]Answer, len(requests)), make([]*engine.Ticket, len(requests))
	for i, r := range requests {
		at := slices.IndexFunc(list, func(x Request) bool { return x.Actor.RequestID == r.Actor.RequestID })
		q, err := NewRequest(r, start+uint64(at)+1)
		if err == nil {
			tickets[i], err = w.Engine.Enqueue(context.Background(), q)
		}
		if err != nil {
			return nil
		}
	}
	for w.Engine.Step(context.Background()) && w.Engine.Stats().QueueDepth > 0 {
	}
	for i, t := range tickets {
		answers[i] = AnswerOf(t)
	}
	return answers
}

// records is what a backend holds, without commit sequences.
type records struct {
	Companies map[int64]*credit.Company
	Orders    map[string]*credit.Order
	Loans     map[string]*schedule.Loan
	Payments  map[string]*credit.Payment
	Invoices  map[string]*credit.Invoice
	Credits   map[int64][]credit.Credit
	Claims    map[credit.Claim]string
	Balances  map[string]int64
}

func recordsOf(t *testing.T, db store.Backend) records {
	t.Helper()
	b, err := ReadBooks(db)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	r := records{b.Companies, b.Orders, b.Loans, b.Payments, b.Invoices, b.Credits, b.Claims, map[string]int64{}}
	for k, x := range b.Balances {
		r.Balances[k.String()] = x
	}
	return r
}

// A returned payment leaves no trace: [p1, p2, return p1] gives the balances of
// [p2]; and a payment recorded late gives those of the same payment in time
// (F40.5).
func TestReturnedAndLatePayments(t *testing.T) {
	for _, seed := range seedsOf(t, 60) {
		a, b, late := halfway(t, seed), halfway(t, seed), halfway(t, seed)
		draw := NewRand(seed ^ 1<<32)
		keys := slices.DeleteFunc(a.Model.Orders(), func(k string) bool { return a.Model.order(k).captured == 0 })
		if len(keys) == 0 {
			continue
		}
		key := Pick(draw, keys)
		pay := func(r *Run, amount int64, day calendar.Date) string {
			c := payments.RecordPayment{Order: key, Amount: money.Amount(amount), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: day}
			answer := r.World.Do(Request{Operator(), c})
			if answer.Err != nil || answer.Code != "" {
				t.Fatalf("seed %d: pay: %+v", seed, answer)
			}
			return answer.ID
		}
		p1, p2 := Between(draw, 1, 60_000), Between(draw, 1, 60_000)
		day := a.Today()
		later := a.World.Clock.Now().Add(time.Duration(Between(draw, 1, 50)) * 24 * time.Hour)

		first := pay(a, p1, day)
		for _, r := range []*Run{a, b, late} {
			if r == late {
				r.World.Clock.Set(later)
			}
			pay(r, p2, day)
			r.World.Clock.Set(later)
		}
		if answer := a.World.Do(Request{Operator(), payments.ReturnPayment{Payment: first}}); answer.Code != "" || answer.Err != nil {
			t.Fatalf("seed %d: return: %+v", seed, answer)
		}
		want := owedBy(t, b, key)
		if diff := gocmp.Diff(want, owedBy(t, a, key)); diff != "" {
			t.Errorf("seed %d: order %s after a return (-never paid +returned):\n%s", seed, key, diff)
		}
		if diff := gocmp.Diff(want, owedBy(t, late, key)); diff != "" {
			t.Errorf("seed %d: order %s recorded late (-in time +late):\n%s", seed, key, diff)
		}
	}
}

// halfway returns a run after some steps.
func halfway(t *testing.T, seed uint64) *Run {
	t.Helper()
	r, err := NewRun(memory.New(), NewRand(seed), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Drive(40); err != nil {
		t.Fatal(err)
	}
	return r
}

// owedBy returns an order's schedule today without fees, and its company's line.
func owedBy(t *testing.T, r *Run, key string) any {
	t.Helper()
	b, err := ReadBooks(r.World.DB)
	if err != nil {
		t.Fatal(err)
	}
	for _, held := range append(b.Held(), key) {
		r.World.Do(Request{Operator(), lending.ServiceOrder{Order: held}})
	}
	if b, err = ReadBooks(r.World.DB); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	v := b.Loans[key].View(r.Today())
	c := b.Companies[b.Orders[key].Company]
	return struct {
		Rows                []schedule.RowView
		Outstanding, Credit int64
	}{v.Rows, int64(c.Outstanding), int64(c.Credit)}
}
