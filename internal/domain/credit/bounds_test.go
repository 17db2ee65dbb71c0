package credit

import (
	"fmt"
	"testing"

	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

func refused(t *testing.T, w *world, a Actor, c Command, code string) {
	t.Helper()
	if _, r := w.do(a, c); r == nil || r.Code != code {
		t.Errorf("%s: %v, want %s", c.Name(), r, code)
	}
}

// A patch merges, so the bound holds for what is stored.
func TestMetadataIsBounded(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, CreateOrder{Company: c.ID, Amount: 120000}).(*Order)
	put := func(from, to int) UpdateOrder {
		m := map[string]*string{}
		for i := from; i < to; i++ {
			v := "x"
			m[fmt.Sprintf("key-%d", i)] = &v
		}
		return UpdateOrder{Order: o.Key, Metadata: &MapPatch[string]{Members: m}}
	}
	w.must(shop, put(0, 50))
	w.must(shop, put(10, 50)) // the same again
	refused(t, w, shop, put(50, 51), "validation_failed")
}

// An order has a bounded number of refunds, and the rest can always go back.
func TestRefundsAreBounded(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, CreateOrder{Company: c.ID, Amount: 120000, Installments: 6, Authorize: true}).(*Order)
	w.must(shop, UpdateOrder{Order: o.Key, Status: OrderCaptured})
	cent := money.Amount(1)
	many := make([]RefundItem, maxRefundItems)
	w.must(shop, RefundOrder{Order: o.Key, Amount: &cent, Items: many})
	refused(t, w, shop, RefundOrder{Order: o.Key, Amount: &cent, Items: many[:1]}, "limit_exceeded")
	for range maxRefunds - 1 {
		w.must(shop, RefundOrder{Order: o.Key, Amount: &cent})
	}
	refused(t, w, shop, RefundOrder{Order: o.Key, Amount: &cent}, "limit_exceeded")
	if o := w.must(shop, RefundOrder{Order: o.Key}).(*Order); o.Status != OrderReturned {
		t.Errorf("the rest was refunded, and the order is %s", o.Status)
	}
}

// What an expired authorization reserves cannot be raised or changed, and its
// cancel says why it ended (F14).
func TestExpiredAuthorizationStays(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, CreateOrder{Company: c.ID, Amount: 40000, Installments: 6, Authorize: true}).(*Order)
	w.at("2026-03-20")
	for _, amount := range []money.Amount{500000, 30000} {
		refused(t, w, shop, UpdateOrder{Order: o.Key, Amount: &amount}, "authorization_expired")
	}
	refused(t, w, shop, UpdateOrder{Order: o.Key, Installments: &Patch[int]{Value: 3}}, "authorization_expired")
	o = w.must(shop, UpdateOrder{Order: o.Key, Status: OrderCanceled}).(*Order)
	if o.CancelReason != "authorization_expired" {
		t.Errorf("canceled for %s", o.CancelReason)
	}
}

// Settings that would overflow a date, or say what a plan never charges, are no
// programme (F30).
func TestSettingsAreBounded(t *testing.T) {
	rate := money.MustParseRate("0.100000")
	for name, change := range map[string]func(*Settings){
		"authorization of 200,000 days":     func(s *Settings) { s.AuthorizationDays = 200000 },
		"authorization of no day":           func(s *Settings) { s.AuthorizationDays = 0 },
		"refund window beyond the calendar": func(s *Settings) { s.RefundWindowDays = 1<<31 - 1 },
		"negative grace":                    func(s *Settings) { s.LateFeeGraceDays = -1 },
		"rate on NET30":                     func(s *Settings) { s.Terms[0].AnnualRate = rate },
		"rate of its own and of the tier":   func(s *Settings) { s.Terms[1].AnnualRate = rate },
		"monthly fee on AMORTIZED":          func(s *Settings) { s.Terms[1].MonthlyFeeRate = rate },
		"flat fee with a yearly rate": func(s *Settings) {
			s.Terms[1] = Term{Installments: 3, Plan: schedule.FlatFee, AnnualRate: rate, MonthlyFeeRate: rate}
		},
	} {
		s := DefaultSettings()
		change(&s)
		if s.check() == "" {
			t.Errorf("%s is accepted", name)
		}
	}
	if s := DefaultSettings(); s.check() != "" {
		t.Errorf("the defaults are refused: %s", s.check())
	}
}
