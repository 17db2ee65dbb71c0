package verify

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	paying "tenor/internal/domain/payments"
)

// tied is the result of the story of a company whose credit pays on all its orders.
type tied struct {
	company  int64
	own, due string // orders: the payment's, and the one its credit has paid
	over     string // the payment that left credit
}

// tie opens a company with two orders, one at each shop.
func (b *book) tie() (x tied) {
	b.t.Helper()
	x.company = b.must(operator, lending.CreateCompany{
		Title: "Linden Mill", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("5000.00"), Merchants: []string{b.shops[0].Merchant, b.shops[1].Merchant},
	}).(*credit.Company).ID
	for i, key := range []*string{&x.own, &x.due} {
		*key = b.must(b.shops[i], lending.CreateOrder{Company: x.company, Amount: money.MustParse("300.00"), Installments: 3, Authorize: true}).(*credit.Order).Key
		b.must(b.shops[i], lending.UpdateOrder{Order: *key, Status: credit.OrderCaptured})
	}
	return x
}

// useCredit lets the company overpay one order, and agree to what its credit then pays on
// the other (F36).
func (b *book) useCredit(x *tied) {
	b.t.Helper()
	x.over = b.must(operator, payment(x.own, "400.00")).(*credit.Payment).ID
	on := true
	b.must(operator, paying.SetAutopay{Company: x.company, Credit: &on})
	b.must(operator, lending.ServiceOrder{Order: x.due})
	b.read(func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Payments: []string{x.over}}); err != nil {
			return err
		}
		if !slices.ContainsFunc(s.Payments[x.over].Allocations, func(a credit.Allocation) bool { return a.Order == x.due }) {
			b.t.Fatal("no credit was used")
		}
		return nil
	})
}
