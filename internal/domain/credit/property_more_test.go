package credit_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// deed is something done to one of several orders, or to the company.
type deed struct {
	order  int  // -1: the company's oldest items first
	refund bool // by the merchant
	of     int  // the day of a payment to refund in part, 0 for none
	pause  int  // the order is on dispute hold for this many days
	say    bool // the company sets whether its credit pays what is due on any order
	yes    bool
	day    int // from the first capture: its effective day
	late   int // days until it is recorded
	hold   bool
	back   bool // the payment is eventually returned
	amount money.Amount
}

func (d deed) String() string {
	kind := "pay"
	switch {
	case d.refund:
		kind = "refund"
	case d.of > 0:
		kind = fmt.Sprintf("send back of day %d", d.of)
	case d.pause > 0:
		kind = fmt.Sprintf("hold for %d days", d.pause)
	case d.say:
		kind = fmt.Sprintf("apply credit to due %t", d.yes)
	}
	return fmt.Sprintf("day %d (+%d) %s %d %s hold %t back %t", d.day, d.late, kind, d.order, d.amount, d.hold, d.back)
}

// several is the life of several orders: their plans, capture days, and deeds.
type several struct {
	settings func() credit.Settings
	plans    []int
	captured []int
	deeds    []deed
	last     int  // the day on which it ends
	daily    bool // orders are served every day that they are due, else only at the end
}

// live captures the orders and performs the deeds in recording order. Returns happen on the
// last day.
func (s several) live(t fails) (*market, []string) {
	l := &living{market: newMarketWith(t, s.settings), daily: s.daily, paid: map[int]string{}}
	l.first = l.today()
	off := false // what is debited depends on what is served on time
	l.must(operator, payments.SetAutopay{Company: l.companies[0], Enabled: &off})
	todo := slices.Clone(s.deeds)
	slices.SortStableFunc(todo, func(a, b deed) int { return cmp.Compare(a.day+a.late, b.day+b.late) })
	for i, n := range s.plans {
		for len(todo) > 0 && todo[0].day+todo[0].late < s.captured[i] {
			l.do(todo[0])
			todo = todo[1:]
		}
		l.to(s.captured[i], 9)
		o := l.must(l.shops[0], lending.CreateOrder{Company: l.companies[0], Amount: cents("1200.00"), Installments: n, Authorize: true}).(*credit.Order)
		l.must(l.shops[0], lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		l.orders = append(l.orders, o.Key)
	}
	for _, d := range todo {
		l.do(d)
	}
	l.to(s.last, 12)
	for _, id := range l.back {
		l.must(operator, payments.ReturnPayment{Payment: id})
	}
	for _, key := range l.orders {
		l.must(system, lending.ServiceOrder{Order: key})
	}
	l.verify()
	return l.market, l.orders
}

// living is a market that lives through the life of several orders.
type living struct {
	*market
	first calendar.Date
	at    int // day up to which orders have been served
	daily bool
	paid  map[int]string // payments by effective day
	back  []string       // those that are returned
}

// to moves the clock to an hour of a day.
func (l *living) to(day, hour int) {
	for l.daily && l.at < day {
		l.at++
		l.now = l.zone.At(l.first.AddDays(l.at), 6, 0)
		l.serve()
	}
	l.now = l.zone.At(l.first.AddDays(day), hour, 0)
}

// serve serves the orders that are due.
func (l *living) serve() {
	for _, key := range l.orders {
		if next := l.all.Orders[key].NextAt; !next.IsZero() && !next.After(l.now) {
			l.must(system, lending.ServiceOrder{Order: key})
		}
	}
	for _, x := range l.all.Credits[l.companies[0]] {
		if !x.NextAt.IsZero() && !x.NextAt.After(l.now) && l.all.Companies[x.Company].Servicing.CreditUse.On {
			l.must(system, lending.ServiceOrder{Order: l.orders[0]}) // and with it the credit; sending it back is not part of catching up on days
			return
		}
	}
}

func (l *living) do(d deed) {
	l.to(d.day+d.late, 15)
	switch {
	case d.refund:
		l.must(operator, lending.RefundOrder{Order: l.orders[d.order], Amount: &d.amount})
		return
	case d.of > 0:
		l.must(operator, payments.RefundPayment{Payment: l.paid[d.of], Amount: &d.amount})
		return
	case d.pause > 0:
		l.must(operator, lending.HoldOrder{Order: l.orders[d.order], Days: d.pause, Reason: "goods damaged"})
		return
	case d.say:
		l.must(operator, payments.SetAutopay{Company: l.companies[0], Credit: &d.yes})
		return
	}
	c := payments.RecordPayment{Amount: d.amount, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: l.first.AddDays(d.day), HoldExcess: d.hold}
	if d.order < 0 {
		c.Company = l.companies[0]
	} else {
		c.Order = l.orders[d.order]
	}
	l.paid[d.day] = l.must(operator, c).(*credit.Payment).ID
	if d.back {
		l.back = append(l.back, l.paid[d.day])
	}
}

// sumsOf is what is owed on each order, by the schedule and by the books, and the company's
// credit and line.
func sumsOf(m *market, keys []string) any {
	var out []any
	for _, key := range keys {
		sums := map[ledger.Account]money.Amount{}
		for _, e := range m.entries {
			for _, p := range e.Postings {
				if p.Order == key {
					sums[p.Account] += p.Amount
				}
			}
		}
		out = append(out, m.all.Orders[key].Status, m.all.Orders[key].Financing, m.all.Loans[key].View(m.today()))
		for _, a := range []ledger.Account{ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.UnearnedCharge, ledger.ChargeIncome} {
			out = append(out, sums[a])
		}
	}
	c := m.all.Companies[m.companies[0]]
	return append(out, c.Credit, c.Outstanding, c.Reserved)
}

// drawDeeds generates payments and refunds, one a day, for orders captured on the given days.
func drawDeeds(t *rapid.T, plans, captured []int, most int) []deed {
	var deeds []deed
	refunded := make([]money.Amount, len(plans))
	day := 0
	for i := range rapid.IntRange(1, most).Draw(t, "deeds") {
		day += rapid.IntRange(1, 50).Draw(t, "days")
		for slices.Contains(captured, day) {
			day++
		}
		d := deed{day: day, order: rapid.IntRange(-1, len(plans)-1).Draw(t, "order")}
		if d.order >= 0 && captured[d.order] > day {
			d.order = -1
		}
		sizes := []int{1, 5000, 20706, 21200, 60000, 130000}
		d.amount = money.Amount(rapid.SampledFrom(sizes).Draw(t, "amount")) + money.Amount(i)
		d.refund = d.order >= 0 && day < 170 && rapid.IntRange(0, 4).Draw(t, "refund") == 0
		switch {
		case d.refund && refunded[d.order]+d.amount <= cents("1200.00"):
			refunded[d.order] += d.amount
		case d.refund:
			continue
		default:
			d.hold = d.order >= 0 && rapid.IntRange(0, 5).Draw(t, "hold") == 0
			d.back = rapid.IntRange(0, 3).Draw(t, "back") == 0
			if rapid.Bool().Draw(t, "belated") {
				d.late = rapid.IntRange(1, 60).Draw(t, "late")
			}
		}
		deeds = append(deeds, d)
		if !d.refund && !d.back && rapid.IntRange(0, 3).Draw(t, "sent back") == 0 {
			day += d.late + 1
			part := money.Amount(rapid.Int64Range(1, int64(d.amount)).Draw(t, "part"))
			deeds = append(deeds, deed{day: day, order: d.order, of: d.day, amount: part})
		}
	}
	return deeds
}

// F40.5 over several orders with refunds, company-level payments, partly refunded payments and
// held excess: [p1, p2, return of p1] and [p2] give the same figures, and so do a payment
// recorded late and the same payment on time.
func TestSeveralOrdersReturnedAndBackDated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSeveral(t, 3, 5, 4)
		s.settings = feeless
		in := s
		in.deeds = nil
		for _, d := range s.deeds {
			if !d.back {
				d.late = 0
				in.deeds = append(in.deeds, d)
			}
		}
		a, keys := s.live(t)
		b, others := in.live(t)
		if x, y := sumsOf(a, keys), sumsOf(b, others); !reflect.DeepEqual(x, y) {
			t.Fatalf("orders %v captured on days %v\n%v\n%+v\n%v\n%+v", s.plans, s.captured, s.deeds, x, in.deeds, y)
		}
	})
}

// drawSeveral generates lives of some orders, captured that many days apart, with some deeds.
func drawSeveral(t *rapid.T, orders, deeds, apart int) several {
	var s several
	for i := range rapid.IntRange(1, orders).Draw(t, "orders") {
		s.plans = append(s.plans, rapid.SampledFrom([]int{1, 3, 4, 6, 9, 12}).Draw(t, "installments"))
		s.captured = append(s.captured, apart*i)
	}
	s.deeds = drawDeeds(t, s.plans, s.captured, deeds)
	s.last = s.captured[len(s.captured)-1]
	for _, d := range s.deeds {
		s.last = max(s.last, d.day+d.late)
	}
	s.last += rapid.IntRange(1, 100).Draw(t, "rest")
	return s
}

// F37: days that are caught up on, one by one, give the same books by value date as days
// served on time: what is owed, late fees, suspended income, held credit, and one order's
// credit that pays another with the company's consent. Company-level payments tie orders
// together, including those captured much later.
func TestBooksDoNotDependOnTheScheduler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSeveral(t, 2, 3, rapid.SampledFrom([]int{4, 70}).Draw(t, "apart"))
		posting := rapid.SampledFrom([]credit.AccrualPosting{credit.PeriodEnd, credit.MonthEnd}).Draw(t, "posting")
		s.settings = func() credit.Settings {
			x := marketSettings()
			x.AccrualPosting, x.SuspendDPD = posting, 100 // the second order is captured while the first is late
			return x
		}
		for i := range s.deeds {
			d := &s.deeds[i]
			if d.of != 0 || d.refund || slices.ContainsFunc(s.deeds, func(x deed) bool { return x.of == d.day }) {
				continue
			}
			switch n := rapid.IntRange(0, 5).Draw(t, "instead"); {
			case n == 0 && d.order >= 0:
				*d = deed{order: d.order, day: d.day, pause: rapid.IntRange(1, 30).Draw(t, "pause days")}
			case n == 1:
				*d = deed{day: d.day, say: true, yes: rapid.IntRange(0, 3).Draw(t, "no") != 3}
			}
		}
		late := s
		s.daily = true
		a, keys := s.live(t)
		b, others := late.live(t)
		x, y := []any{sumsOf(a, keys), byValueDate(a, keys)}, []any{sumsOf(b, others), byValueDate(b, others)}
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("orders %v captured on days %v\n%v\nserved daily\n%+v\nin the end\n%+v\n%s", s.plans, s.captured, s.deeds, x[0], y[0], gocmp.Diff(x[1], y[1]))
		}
	})
}

// byValueDate are the books by value date, account and order.
func byValueDate(m *market, keys []string) map[string]money.Amount {
	sums := map[string]money.Amount{}
	for _, e := range m.entries {
		for _, p := range e.Postings {
			key := fmt.Sprintf("%s %d order %d", e.ValueDate, p.Account, slices.Index(keys, p.Order))
			if sums[key] += p.Amount; sums[key] == 0 {
				delete(sums, key)
			}
		}
	}
	return sums
}

// F40.8: authorizing and canceling an order leaves the line exactly as it was, whatever was
// done before.
func TestCancelRestoresTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		for range rapid.IntRange(0, 15).Draw(t, "steps") {
			if m.ask(m.shops[0], m.draw(t)); len(m.orders) > 0 {
				m.step(t)
			}
		}
		company := rapid.SampledFrom(m.companies).Draw(t, "company")
		before := *m.all.Companies[company]
		ch, r := m.do(m.shops[0], lending.CreateOrder{Company: company, Amount: amount(t, 100000) + 400, Installments: 3, Authorize: true})
		if r != nil {
			if after := m.all.Companies[company]; after.Available() != before.Available() {
				t.Fatalf("a refusal moved the line from %s to %s", before.Available(), after.Available())
			}
			return
		}
		o := ch.Result.(*credit.Order)
		m.orders = append(m.orders, o.Key)
		if got, want := m.all.Companies[company].Available(), before.Available()-o.Amount; got != want || want < 0 {
			t.Fatalf("%s is available with %s reserved, want %s", got, o.Amount, want)
		}
		m.must(m.shops[0], lending.UpdateOrder{Order: o.Key, Status: credit.OrderCanceled})
		m.verify()
		after := m.all.Companies[company]
		if after.Available() != before.Available() || after.Reserved != before.Reserved || after.Outstanding != before.Outstanding || after.OnHold != before.OnHold {
			t.Fatalf("%+v before, %+v after", before, after)
		}
	})
}

// F13, F40.6: however a captured amount is refunded, in parts of any size, the discount shares
// given back add up to the whole discount, and none is negative.
func TestDiscountSharesSumToTheDiscount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		total := amount(t, 150000) + 400
		o := m.must(m.shops[0], lending.CreateOrder{Company: m.companies[0], Amount: total, Installments: 3, Authorize: true}).(*credit.Order)
		o = m.must(m.shops[0], lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
		m.orders = []string{o.Key}
		given := money.Amount(0)
		for left := total; left > 0; {
			x := min(left, amount(t, int(total)))
			if rapid.IntRange(0, 7).Draw(t, "rest") == 0 {
				x = left
			}
			if len(m.entries) > 150 {
				x = left
			}
			before := m.all.Orders[o.Key].DiscountBack
			m.must(operator, lending.RefundOrder{Order: o.Key, Amount: &x})
			m.verify()
			left -= x
			share := m.all.Orders[o.Key].DiscountBack - before
			given += share
			if share < 0 || share > x {
				t.Fatalf("a refund of %s gives %s of the discount %s back", x, share, o.Discount)
			}
		}
		if given != o.Discount {
			t.Fatalf("%s of the discount %s went back", given, o.Discount)
		}
	})
}
