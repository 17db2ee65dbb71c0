package credit_test

import (
	"fmt"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

func refused(t *testing.T, w *world, a credit.Actor, c credit.Command, code string) {
	t.Helper()
	if _, r := w.do(a, c); r == nil || r.Code != code {
		t.Errorf("%s: %v, want %s", c.Name(), r, code)
	}
}

// A patch merges, so the bound applies to the stored result.
func TestMetadataIsBounded(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: 120000}).(*credit.Order)
	put := func(from, to int) lending.UpdateOrder {
		m := map[string]*string{}
		for i := from; i < to; i++ {
			v := "x"
			m[fmt.Sprintf("key-%d", i)] = &v
		}
		return lending.UpdateOrder{Order: o.Key, Metadata: &lending.MapPatch[string]{Members: m}}
	}
	w.must(shop, put(0, 50))
	w.must(shop, put(10, 50)) // the same again
	refused(t, w, shop, put(50, 51), "validation_failed")
}

// An order has a bounded number of refunds, and the remainder can always be refunded.
func TestRefundsAreBounded(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: 120000, Installments: 6, Authorize: true}).(*credit.Order)
	w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	cent := money.Amount(1)
	many := make([]credit.RefundItem, lending.MaxRefundItems)
	w.must(shop, lending.RefundOrder{Order: o.Key, Amount: &cent, Items: many})
	refused(t, w, shop, lending.RefundOrder{Order: o.Key, Amount: &cent, Items: many[:1]}, "limit_exceeded")
	for range lending.MaxRefunds - 1 {
		w.must(shop, lending.RefundOrder{Order: o.Key, Amount: &cent})
	}
	refused(t, w, shop, lending.RefundOrder{Order: o.Key, Amount: &cent}, "limit_exceeded")
	if o := w.must(shop, lending.RefundOrder{Order: o.Key}).(*credit.Order); o.Status != credit.OrderReturned {
		t.Errorf("the rest was refunded, and the order is %s", o.Status)
	}
}

// What an expired authorization reserves cannot be raised or changed, and its cancellation
// says why it ended (F14).
func TestExpiredAuthorizationStays(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: 40000, Installments: 6, Authorize: true}).(*credit.Order)
	w.at("2026-03-20")
	for _, amount := range []money.Amount{500000, 30000} {
		refused(t, w, shop, lending.UpdateOrder{Order: o.Key, Amount: &amount}, "authorization_expired")
	}
	refused(t, w, shop, lending.UpdateOrder{Order: o.Key, Installments: &lending.Patch[int]{Value: 3}}, "authorization_expired")
	o = w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCanceled}).(*credit.Order)
	if o.CancelReason != "authorization_expired" {
		t.Errorf("canceled for %s", o.CancelReason)
	}
}

// Settings that would overflow a date, or set what a plan never charges, are rejected (F30).
func TestSettingsAreBounded(t *testing.T) {
	rate := money.MustParseRate("0.100000")
	for name, change := range map[string]func(*credit.Settings){
		"authorization of 200,000 days":     func(s *credit.Settings) { s.AuthorizationDays = 200000 },
		"authorization of no day":           func(s *credit.Settings) { s.AuthorizationDays = 0 },
		"refund window beyond the calendar": func(s *credit.Settings) { s.RefundWindowDays = 1<<31 - 1 },
		"negative grace":                    func(s *credit.Settings) { s.LateFeeGraceDays = -1 },
		"rate on NET30":                     func(s *credit.Settings) { s.Terms[0].AnnualRate = rate },
		"rate of its own and of the tier":   func(s *credit.Settings) { s.Terms[1].AnnualRate = rate },
		"monthly fee on AMORTIZED":          func(s *credit.Settings) { s.Terms[1].MonthlyFeeRate = rate },
		"flat fee with a yearly rate": func(s *credit.Settings) {
			s.Terms[1] = credit.Term{Installments: 3, Plan: schedule.FlatFee, AnnualRate: rate, MonthlyFeeRate: rate}
		},
	} {
		s := lending.DefaultSettings()
		change(&s)
		if lending.CheckSettings(s) == "" {
			t.Errorf("%s is accepted", name)
		}
	}
	if s := lending.DefaultSettings(); lending.CheckSettings(s) != "" {
		t.Errorf("the defaults are refused: %s", lending.CheckSettings(s))
	}
}
