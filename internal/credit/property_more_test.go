package credit

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/calendar"
	"tenor/internal/ledger"
	"tenor/internal/money"
)

// deed is something that is done to one of several orders, or to the company.
type deed struct {
	order  int  // -1: the company's oldest items first
	refund bool // by the merchant
	of     int  // the day of a payment of which a part is sent back, 0 for none
	day    int  // from the first capture: when it counts
	late   int  // and how much later it is recorded
	hold   bool
	back   bool // the payment comes back in the end
	amount money.Amount
}

func (d deed) String() string {
	kind := "pay"
	switch {
	case d.refund:
		kind = "refund"
	case d.of > 0:
		kind = fmt.Sprintf("send back of day %d", d.of)
	}
	return fmt.Sprintf("day %d (+%d) %s %d %s hold %t back %t", d.day, d.late, kind, d.order, d.amount, d.hold, d.back)
}

// several captures orders on their days and does deeds in the order of recording. What
// comes back does so on the last day.
func several(t fails, plans, captured []int, deeds []deed) (*market, []string) {
	m := newMarketWith(t, feeless)
	first := m.today()
	var keys, back []string
	paid := map[int]string{}
	todo := slices.Clone(deeds)
	slices.SortStableFunc(todo, func(a, b deed) int { return cmp.Compare(a.day+a.late, b.day+b.late) })
	do := func(d deed) {
		m.now = m.zone.At(first.AddDays(d.day+d.late), 15, 0)
		switch {
		case d.refund:
			m.must(operator, RefundOrder{Order: keys[d.order], Amount: &d.amount})
			return
		case d.of > 0:
			m.must(operator, RefundPayment{Payment: paid[d.of], Amount: &d.amount})
			return
		}
		c := RecordPayment{Amount: d.amount, Method: Wire, ScheduledDate: calendar.None, EffectiveDate: first.AddDays(d.day), HoldExcess: d.hold}
		if d.order < 0 {
			c.Company = m.companies[0]
		} else {
			c.Order = keys[d.order]
		}
		id := m.must(operator, c).(*Payment).ID
		paid[d.day] = id
		if d.back {
			back = append(back, id)
		}
	}
	for i, n := range plans {
		for len(todo) > 0 && todo[0].day+todo[0].late < captured[i] {
			do(todo[0])
			todo = todo[1:]
		}
		m.now = m.zone.At(first.AddDays(captured[i]), 9, 0)
		o := m.must(m.shops[0], CreateOrder{Company: m.companies[0], Amount: cents("1200.00"), Installments: n, Authorize: true}).(*Order)
		m.must(m.shops[0], UpdateOrder{Order: o.Key, Status: OrderCaptured})
		keys = append(keys, o.Key)
		m.orders = append(m.orders, o.Key)
	}
	for _, d := range todo {
		do(d)
	}
	m.now = m.zone.At(first.AddDays(450), 12, 0)
	for _, id := range back {
		m.must(operator, ReturnPayment{Payment: id})
	}
	for _, key := range keys {
		m.must(operator, ServiceOrder{Order: key})
	}
	m.verify()
	return m, keys
}

// sumsOf is what is owed on each order, by the schedule and by the books, and the
// company's credit and line.
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

// drawDeeds draws payments and refunds, one a day, of some orders that are captured on
// some days.
func drawDeeds(t *rapid.T, plans, captured []int) []deed {
	var deeds []deed
	refunded := make([]money.Amount, len(plans))
	day := 0
	for i := range rapid.IntRange(1, 7).Draw(t, "deeds") {
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

// F40.5 over several orders with refunds, payments of the company, parts of payments
// that are sent back and excess that is held: [p1, p2, return of p1] and [p2] give the same figures, and so do a payment
// recorded late and the same payment in time.
func TestSeveralOrdersReturnedAndBackDated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plans, captured []int
		for i := range rapid.IntRange(1, 3).Draw(t, "orders") {
			plans = append(plans, rapid.SampledFrom([]int{1, 3, 4, 6, 9, 12}).Draw(t, "installments"))
			captured = append(captured, 4*i)
		}
		deeds := drawDeeds(t, plans, captured)
		var kept []deed
		for _, d := range deeds {
			if !d.back {
				d.late = 0
				kept = append(kept, d)
			}
		}
		a, keys := several(t, plans, captured, deeds)
		b, others := several(t, plans, captured, kept)
		if x, y := sumsOf(a, keys), sumsOf(b, others); !reflect.DeepEqual(x, y) {
			t.Fatalf("orders %v captured on days %v\n%v\n%+v\n%v\n%+v", plans, captured, deeds, x, kept, y)
		}
	})
}

// F40.8: an order that is authorized and canceled leaves the line exactly as it was,
// whatever was done before.
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
		ch, r := m.do(m.shops[0], CreateOrder{Company: company, Amount: amount(t, 100000) + 400, Installments: 3, Authorize: true})
		if r != nil {
			if after := m.all.Companies[company]; after.Available() != before.Available() {
				t.Fatalf("a refusal moved the line from %s to %s", before.Available(), after.Available())
			}
			return
		}
		o := ch.Result.(*Order)
		m.orders = append(m.orders, o.Key)
		if got, want := m.all.Companies[company].Available(), before.Available()-o.Amount; got != want || want < 0 {
			t.Fatalf("%s is available with %s reserved, want %s", got, o.Amount, want)
		}
		m.must(m.shops[0], UpdateOrder{Order: o.Key, Status: OrderCanceled})
		m.verify()
		after := m.all.Companies[company]
		if after.Available() != before.Available() || after.Reserved != before.Reserved || after.Outstanding != before.Outstanding || after.OnHold != before.OnHold {
			t.Fatalf("%+v before, %+v after", before, after)
		}
	})
}

// F13, F40.6: however a captured amount is refunded, in parts of any size, the shares of
// the discount that go back are the whole discount, and none is negative.
func TestDiscountSharesSumToTheDiscount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		total := amount(t, 150000) + 400
		o := m.must(m.shops[0], CreateOrder{Company: m.companies[0], Amount: total, Installments: 3, Authorize: true}).(*Order)
		o = m.must(m.shops[0], UpdateOrder{Order: o.Key, Status: OrderCaptured}).(*Order)
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
			m.must(operator, RefundOrder{Order: o.Key, Amount: &x})
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
