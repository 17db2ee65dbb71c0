package credit_test

import (
	"runtime"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// F37 when a command that changes more catches up on days: orders that a company-level payment
// has tied together, and an order that leaves nonaccrual at once. The books by value date
// equal those of days served on time.
func TestTiedOrdersServedLate(t *testing.T) {
	for _, x := range []struct {
		name string
		several
	}{
		// Order 0 is served up to today first. The late fee of order 1 on 25 May is then
		// replayed to today, which posts the charge of June to October; so the income that
		// nonaccrual takes back on 15 May is 96.00 instead of 36.00.
		{"a flat fee of which a part was prepaid", several{plans: []int{1, 9}, captured: []int{0, 4}, last: 450, deeds: []deed{
			{day: 18, order: -1, amount: 130003}}}},
		// The payment is recorded 300 days late. Order 0 is served and replayed first,
		// together with order 1. The daily runs of order 1 are then skipped until the
		// recording day, on which all its late fees fall.
		{"a payment that is recorded late", several{plans: []int{3, 6}, captured: []int{0, 4}, last: 450, deeds: []deed{
			{day: 18, order: -1, amount: 100}, {day: 21, late: 300, order: 0, amount: 60004}}}},
		// The company's first payment pays off both orders, which reopen when it comes back.
		{"a payment that comes back", several{plans: []int{4, 1}, captured: []int{0, 4}, last: 134, deeds: []deed{
			{day: 3, late: 1, order: -1, amount: 130000, back: true}, {day: 5, order: -1, amount: 130001}}}},
		// The second order is captured while the first is late, before the first one's runs
		// are caught up on.
		{"an order that is captured late", several{plans: []int{9, 6}, captured: []int{0, 200}, last: 350, deeds: []deed{
			{day: 18, order: -1, amount: 30003}}}},
		// The command that serves the 90th day past due pays the order off, as of an earlier
		// day.
		{"nonaccrual that ends as it begins", several{plans: []int{4}, captured: []int{0}, last: 134, deeds: []deed{
			{day: 78, late: 43, order: 0, amount: 130001}, {day: 79, order: 0, amount: 5002}}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := x.several
			s.settings = func() credit.Settings {
				x := marketSettings()
				x.SuspendDPD = 119 // an order is captured while another is late
				return x
			}
			late := s
			s.daily = true
			a, keys := s.live(t)
			b, others := late.live(t)
			if diff := gocmp.Diff(sumsOf(a, keys), sumsOf(b, others)); diff != "" {
				t.Errorf("figures (-served daily +in the end):\n%s", diff)
			}
			if diff := gocmp.Diff(byValueDate(a, keys), byValueDate(b, others)); diff != "" {
				t.Errorf("books by value date (-served daily +in the end):\n%s", diff)
			}
		})
	}
}

// TestTiedOrdersCost: a command of a company with tied orders looks at each of them once,
// however much credit they have left. Memory allocations count its steps: twice the orders,
// with twice the credit, take twice as many, not four times.
func TestTiedOrdersCost(t *testing.T) {
	steps := func(orders int) uint64 {
		w := newWorld(t)
		shop := w.shop("M", lending.DefaultSettings())
		company := w.buyer("A", "9000000.00", shop)
		w.must(operator, payments.RecordPayment{Company: company.ID, Amount: 100, Method: credit.Check, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
		key := ""
		for range orders {
			key = w.must(shop, lending.CreateOrder{Company: company.ID, Amount: cents("300.00"), Installments: 3, Authorize: true}).(*credit.Order).Key
			w.must(shop, lending.UpdateOrder{Order: key, Status: credit.OrderCaptured})
			w.must(operator, payment(key, "310.00"))
		}
		if n := len(w.all.Credits[company.ID]); n <= orders || !w.all.Companies[company.ID].JointReplay {
			t.Fatalf("%d orders have left %d credits", orders, n)
		}
		open := w.must(shop, lending.CreateOrder{Company: company.ID, Amount: cents("300.00"), Installments: 3, Authorize: true}).(*credit.Order).Key
		w.must(shop, lending.UpdateOrder{Order: open, Status: credit.OrderCaptured})
		w.now = w.now.AddDate(0, 0, 34) // its row is late: all are served, day by day
		e, c := w.env(operator), payment(key, "1.00")
		s := w.state(e, c)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, r := credit.Decide(s, e, c)
		runtime.ReadMemStats(&after)
		if r != nil {
			t.Fatal(r)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := steps(100), steps(200)
	t.Logf("%d bytes for 100 orders, %d for 200", few, many)
	if many > 3*few {
		t.Errorf("%d bytes for 100 orders, %d for 200", few, many)
	}
}
