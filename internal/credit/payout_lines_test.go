package credit

import (
	"fmt"
	"testing"
)

// A merchant that has collected in more pieces than a payout has lines is paid for a
// newer capture all the same: what it owes does not hide what it is owed (F32, F33).
func TestMerchantThatOwesManyLinesIsPaid(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("M", marketSettings())
	w.must(operator, SetMerchantAccount{Merchant: shop.Merchant, Bank: &BankAccount{Routing: "073000228", Last4: "1111"}})
	c := w.buyer("A", "5000.00", shop)
	o := w.must(shop, CreateOrder{Company: c.ID, Amount: cents("1200.00"), Installments: 3, External: true, Authorize: true}).(*Order)
	w.must(shop, UpdateOrder{Order: o.Key, Status: OrderCaptured})
	w.now = w.zone.At(w.today().AddBankingDays(1), 16, 0)
	w.must(system, PayMerchant{Merchant: shop.Merchant})
	var collected Changes // as by so many payments
	for i := range MaxLines + 1 {
		collected.Lines = append(collected.Lines, &PayoutLine{
			ID: fmt.Sprintf("pol_%05d", i), Merchant: shop.Merchant, Kind: LineCollected, Company: c.ID, Order: o.Key, Source: "pay",
			Amount: 10, Due: w.today(), At: w.now, Version: 1,
		})
	}
	w.apply(collected)
	if _, paid := w.must(system, PayMerchant{Merchant: shop.Merchant}).(*Payout); paid {
		t.Fatal("a payout of nothing")
	}
	next := w.must(shop, CreateOrder{Company: c.ID, Amount: cents("500.00"), Installments: 3, Authorize: true}).(*Order)
	w.must(shop, UpdateOrder{Order: next.Key, Status: OrderCaptured})
	w.now = w.zone.At(w.today().AddBankingDays(1), 16, 0)
	p, paid := w.must(system, PayMerchant{Merchant: shop.Merchant}).(*Payout)
	if !paid || p.Gross != cents("500.00") || p.Collected != cents("100.00") || p.Net != p.Gross.Sub(p.Discount).Sub(p.Collected) {
		t.Errorf("%+v", p)
	}
}
