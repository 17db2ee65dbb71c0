package httpapi_test

import (
	"fmt"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// F38: a payout never changes what it reports. What the merchant owed after it is as of the
// payout. The discount that a refund gave back is reported once, in shares if several
// payouts net its clawback.
func TestPayoutSaysTheSameForEver(t *testing.T) {
	m := newMatrix(t)
	shop := m.house.a
	m.paidOut(shop) // it has an account
	company, said := m.freshCompany(shop), map[string]string{}
	var payouts []string
	var returned, carried []money.Amount
	paid := func(sale string) (order string) {
		t.Helper()
		o := m.act(shop, lending.CreateOrder{Company: company, Amount: money.MustParse(sale), Installments: 3, Authorize: true}).(*credit.Order)
		m.act(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		m.play(m.zone.Date(m.business()).AddBankingDays(2), 16, 0)
		payouts = append(payouts, m.act("", merchants.PayMerchant{Merchant: shop}).(*credit.Payout).ID)
		for _, id := range payouts {
			r := m.must(200, "a", "GET", "/v1/payouts/"+id, "").body
			now := fmt.Sprint(r["discount_returned"], " ", r["carried"])
			if was, known := said[id]; known && was != now {
				t.Errorf("payout %s says %s, it said %s", id, now, was)
			} else if !known {
				said[id] = now
				returned, carried = append(returned, amount(t, r["discount_returned"])), append(carried, amount(t, r["carried"]))
			}
		}
		return o.Key
	}
	order := paid("101.00") // discount 3.03
	m.must(200, "a", "PATCH", "/order/"+order+"/refund", `{}`)
	for _, sale := range []string{"10.00", "21.00", "80.00"} {
		paid(sale)
	}
	if got, want := fmt.Sprint(returned, carried), "[0.00 0.30 0.63 2.10] [0.00 88.27 67.90 0.00]"; got != want {
		t.Errorf("given back and carried: %s, must be %s", got, want)
	}
}
