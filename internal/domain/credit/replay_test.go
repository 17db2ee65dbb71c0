package credit_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// pay is one payment of a life: on a day after capture, recorded some days late.
type pay struct {
	day, late int
	amount    money.Amount
}

// feeless are settings under which lateness leaves no trace: balances are equal apart from
// fees (F40.5), and income does not depend on the payment date.
func feeless() credit.Settings {
	s := marketSettings()
	s.LateFeeCap, s.NonaccrualDPD = 0, lending.MaxDays
	return s
}

// life captures one order and records payments in recording order; those to be returned come
// back on the last day.
func life(t fails, installments int, pays []pay, returned []bool) (*market, *credit.Order) {
	m := newMarketWith(t, feeless)
	m.must(m.shops[0], lending.CreateOrder{Company: m.companies[0], Amount: cents("1200.00"), Installments: installments, Authorize: true})
	var key string
	for k := range m.all.Orders {
		key = k
	}
	o := m.must(m.shops[0], lending.UpdateOrder{Order: key, Status: credit.OrderCaptured}).(*credit.Order)
	m.orders = []string{key}
	byRecording := slices.Clone(pays)
	slices.SortStableFunc(byRecording, func(a, b pay) int { return a.day + a.late - b.day - b.late })
	var back []string
	for _, p := range byRecording {
		m.now = m.zone.At(o.CaptureDate.AddDays(p.day+p.late), 12, 0)
		c := payment(key, p.amount.String())
		c.EffectiveDate = o.CaptureDate.AddDays(p.day)
		id := m.must(operator, c).(*credit.Payment).ID
		m.verify()
		if i := slices.Index(pays, p); i < len(returned) && returned[i] {
			back = append(back, id)
		}
	}
	m.now = m.zone.At(o.CaptureDate.AddDays(400), 12, 0)
	for _, id := range back {
		m.must(operator, payments.ReturnPayment{Payment: id})
		m.verify()
	}
	m.must(operator, lending.ServiceOrder{Order: key})
	return m, m.all.Orders[key]
}

// balances are an order's sums as the ledger and the schedule show them.
func balances(m *market, o *credit.Order) any {
	var lines []money.Amount
	for _, a := range []ledger.Account{ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.UnearnedCharge, ledger.ChargeIncome, ledger.BorrowerCredit} {
		sum := money.Amount(0)
		for _, e := range m.entries {
			for _, p := range e.Postings {
				if p.Account == a {
					sum += p.Amount
				}
			}
		}
		lines = append(lines, sum)
	}
	return []any{lines, m.all.Loans[o.Key].View(m.today()), m.all.Companies[o.Company].Credit, m.all.Companies[o.Company].Outstanding}
}

func drawPays(t *rapid.T, late bool) []pay {
	var pays []pay
	for i := range rapid.IntRange(1, 5).Draw(t, "payments") {
		p := pay{day: rapid.IntRange(0, 300).Draw(t, "day"), amount: money.Amount(rapid.SampledFrom([]int{1, 5000, 20706, 21200, 60000, 130000}).Draw(t, "amount")) + money.Amount(i)}
		if late {
			p.late = rapid.IntRange(0, 60).Draw(t, "late")
		}
		pays = append(pays, p)
	}
	slices.SortStableFunc(pays, func(a, b pay) int { return a.day - b.day })
	for i := range pays { // one a day, so that the order within a day does not matter
		if i > 0 && pays[i].day <= pays[i-1].day {
			pays[i].day = pays[i-1].day + 1
		}
	}
	return pays
}

// F40.5, PA5: returned payments leave no trace, and a payment recorded late equals one
// recorded on time.
func TestReturnedAndBackDated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 3, 4, 6, 9, 12}).Draw(t, "installments")
		pays := drawPays(t, true)
		returned := make([]bool, len(pays))
		var kept []pay
		for i := range pays {
			if returned[i] = rapid.Bool().Draw(t, "returned"); !returned[i] {
				kept = append(kept, pay{day: pays[i].day, amount: pays[i].amount})
			}
		}
		a, o := life(t, n, pays, returned)
		b, p := life(t, n, kept, nil)
		if x, y := balances(a, o), balances(b, p); !reflect.DeepEqual(x, y) {
			t.Fatalf("with %v of which %v came back\n%+v\nwith %v\n%+v", pays, returned, x, kept, y)
		}
	})
}

// F13, F40.6: a refund of a cent, and then of everything that is left, works on every day.
func TestRefundOnEveryDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 3, 4, 6, 9, 12}).Draw(t, "installments")
		m, o := life(t, n, drawPays(t, false), nil)
		m.now = m.zone.At(o.CaptureDate.AddDays(rapid.IntRange(0, 180).Draw(t, "day")), 12, 0)
		if m.today() < m.all.Loans[o.Key].AsOf {
			m.now = m.zone.At(m.all.Loans[o.Key].AsOf, 13, 0)
		}
		s := m.all.Merchants[o.Merchant]
		wide := *s
		wide.Programs = slices.Clone(s.Programs)
		wide.Programs[0].Settings.RefundWindowDays = 1000
		m.all.Merchants[o.Merchant] = &wide
		cent := money.Amount(1)
		m.must(operator, lending.RefundOrder{Order: o.Key, Amount: &cent})
		m.verify()
		o = m.must(operator, lending.RefundOrder{Order: o.Key}).(*credit.Order)
		m.verify()
		if o.Status != credit.OrderReturned || m.all.Loans[o.Key].UnpaidPrincipal() != 0 || o.DiscountBack != o.Discount {
			t.Fatalf("%+v", o)
		}
	})
}
