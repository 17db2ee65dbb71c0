package storetest

import (
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

func listPayments(t *testing.T, w *World, v store.View) {
	at := func(p *credit.Payment) (time.Time, string) { return p.CreatedAt, p.ID }
	var all []*credit.Payment
	for _, id := range w.payments {
		all = append(all, w.State.Payments[id])
	}
	if len(all) == 0 {
		return
	}
	some, noDay := pick(w, all), calendar.None
	date := func(p *credit.Payment) calendar.Date {
		if p.EffectiveDate == noDay {
			return p.ScheduledDate
		}
		return p.EffectiveDate
	}
	type f = store.PaymentFilter
	cases := map[string]struct {
		f     store.PaymentFilter
		match func(*credit.Payment) bool
	}{
		"all":     {f{}, func(p *credit.Payment) bool { return true }},
		"order":   {f{Order: some.Order}, func(p *credit.Payment) bool { return some.Order == "" || pays(p, some.Order) }},
		"invoice": {f{Invoice: some.Invoice}, func(p *credit.Payment) bool { return some.Invoice == "" || p.Invoice == some.Invoice }},
		"company": {f{Company: some.Company}, func(p *credit.Payment) bool { return p.Company == some.Company }},
		"status":  {f{Status: some.Status}, func(p *credit.Payment) bool { return p.Status == some.Status }},
		"method":  {f{Method: some.Method}, func(p *credit.Payment) bool { return p.Method == some.Method }},
		"dates": {f{From: date(some), To: date(some).AddDays(2)}, func(p *credit.Payment) bool {
			return date(p) >= date(some) && date(p) <= date(some).AddDays(2)
		}},
	}
	for _, m := range w.merchants {
		cases["merchant "+m] = struct {
			f     store.PaymentFilter
			match func(*credit.Payment) bool
		}{f{Merchant: m}, func(p *credit.Payment) bool {
			return p.Merchant == m || p.Order != "" && w.State.Orders[p.Order].Merchant == m
		}}
	}
	for _, key := range paidByCompany(all) {
		o := w.State.Orders[key]
		cases["order "+key] = struct {
			f     store.PaymentFilter
			match func(*credit.Payment) bool
		}{f{Order: key}, func(p *credit.Payment) bool { return pays(p, key) }}
		cases["order "+key+" of its merchant"] = struct {
			f     store.PaymentFilter
			match func(*credit.Payment) bool
		}{f{Order: key, Merchant: o.Merchant}, func(p *credit.Payment) bool {
			return pays(p, key) && (p.Merchant == o.Merchant || p.Order != "" && w.State.Orders[p.Order].Merchant == o.Merchant)
		}}
	}
	for name, c := range cases {
		if c.f.From == 0 && c.f.To == 0 {
			c.f.From, c.f.To = noDay, noDay
		}
		want := expected(items(all, at), func(x any) bool { return c.match(x.(*credit.Payment)) })
		walk(t, "payments by "+name, want, func(p store.Page) ([]item, error) {
			list, err := store.ListPayments(v, c.f, p)
			return items(list, at), err
		})
	}
}

// paidByCompany returns some orders partly paid by a payment that names no order.
func paidByCompany(all []*credit.Payment) []string {
	var keys []string
	for _, p := range all {
		if p.Order == "" && len(p.Allocations) > 0 && len(keys) < 3 && !slices.Contains(keys, p.Allocations[0].Order) {
			keys = append(keys, p.Allocations[0].Order)
		}
	}
	return keys
}

// pays reports whether a payment names an order or has paid part of it.
func pays(p *credit.Payment, order string) bool {
	return p.Order == order || slices.ContainsFunc(p.Allocations, func(a credit.Allocation) bool { return a.Order == order })
}
