package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tenor/client"
	"tenor/internal/app/demo"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/proof/devtest"
)

// The demo data with a history contain every status of companies, orders, loans and installments,
// failed deliveries, and correct books. They are the same each time, and need an empty sandbox.
func TestHistory(t *testing.T) {
	p := openToy(t, nil)
	began := member(t, p.do("GET", "/v1/sandbox/clock", nil), "now")
	merchant := member(t, p.do("POST", "/v1/sandbox/seed", map[string]bool{"history": true}), "merchant_id")
	if again := member(t, p.do("POST", "/v1/sandbox/seed", nil), "merchant_id"); again != merchant {
		t.Errorf("again: %s, was %s", again, merchant)
	}
	if now := member(t, p.do("GET", "/v1/sandbox/clock", nil), "now"); now != began {
		t.Errorf("the sandbox begins at %s, not at %s", now, began)
	}
	p.verified()
	x := p.past()
	for what, want := range map[string]string{
		"companies": "PENDING APPROVED DECLINED ON_HOLD SUSPENDED CLOSED", "orders": "CREATED AUTHORIZED CAPTURED CANCELED RETURNED",
		"financing": "NONE ACTIVE OVERDUE PAID_OFF CHARGED_OFF", "installments": "UPCOMING DUE PARTIALLY_PAID PAID OVERDUE CANCELED",
		"payments": "SCHEDULED PENDING SUCCEEDED FAILED CANCELED RETURNED PARTIALLY_REFUNDED REFUNDED", "checkouts": "OPEN PENDING_REVIEW ACCEPTED COMPLETED DECLINED CANCELED EXPIRED",
		"applications": "IN_REVIEW INFORMATION_REQUESTED APPROVED DECLINED WITHDRAWN EXPIRED ESTIMATED", // nothing stays SUBMITTED
	} {
		for _, status := range strings.Fields(want) {
			if n := x.counts[what][status]; n == 0 || what == "companies" && n < 2 {
				t.Errorf("%d %s are %s: %v", n, what, status, x.counts[what])
			}
		}
	}
	if days := x.first.DaysUntil(p.today()); x.orders != 62 || days < 30*demo.HistoryMonths {
		t.Errorf("%d orders of %d days, want 62 of 14 months", x.orders, days)
	}
	delivered := func() (all, good, failed int) {
		if err := p.Node().DB.View(t.Context(), func(v store.View) error {
			list, err := store.ListDeliveries(v, store.DeliveryFilter{Merchant: merchant}, store.Page{Limit: 500})
			for _, d := range list {
				switch {
				case d.State == store.DeliverySucceeded:
					good++
				case d.Attempts > 0:
					failed++
				}
			}
			all = len(list)
			return err
		}); err != nil {
			t.Error(err)
		}
		return all, good, failed
	}
	if !devtest.Comes(func() bool { all, good, failed := delivered(); return all >= 40 && good > 0 && failed > 0 }) {
		all, good, failed := delivered()
		t.Errorf("%d deliveries, %d have arrived, %d have failed", all, good, failed)
	}

	p.asShop() // its access would end: without a history the merchant has another name
	p.desk.Retries = 0
	shop := p.caller(p.desk.HTTP.Transport.(forked).shop)
	shop.Retries = 0
	var refused *client.Problem
	if _, err := shop.Do(t.Context(), "POST", "/v1/sandbox/reset", map[string]bool{"seed": true}); !errors.As(err, &refused) || refused.Status != 422 || !strings.Contains(refused.Detail, "you would lose access") {
		t.Errorf("a shop that would not be there: %v", err)
	}
	p.do("POST", "/v1/sandbox/reset", map[string]bool{"seed": true, "history": true})
	if _, err := shop.Do(t.Context(), "GET", "/v1/orders", nil); err != nil {
		t.Errorf("the shop's token: %v", err)
	}
	if again := p.past(); !slices.Equal(again.names, x.names) {
		t.Errorf("another past:\n%v\n%v", again.names, x.names)
	}
}

// A history is not created in a sandbox that is in use, nor for demo data without one.
func TestHistoryComesFirst(t *testing.T) {
	p := openToy(t, nil)
	p.do("POST", "/v1/sandbox/seed", nil)
	p.desk.Retries = 0
	p.do("POST", "/v1/operator/merchants", map[string]any{"name": "Corner Shop", "reason": "x"})
	for path, body := range map[string]any{"seed": map[string]bool{"history": true}, "reset": map[string]bool{"history": true}} {
		var refused *client.Problem
		if _, err := p.desk.Do(t.Context(), "POST", "/v1/sandbox/"+path, body); !errors.As(err, &refused) || refused.Status != 422 || refused.Code != "validation_failed" {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text := p.do("GET", "/v1/operator/merchants", nil); !strings.Contains(text, "Corner Shop") {
		t.Errorf("what was there is gone: %s", text)
	}
}

// past summarizes what a sandbox contains.
type past struct {
	counts map[string]map[string]int // by kind and status
	names  []string                  // of orders and payments, with their statuses
	orders int
	first  calendar.Date // of an order
}

func (p *toy) past() past {
	p.t.Helper()
	x := past{counts: map[string]map[string]int{"companies": {}, "orders": {}, "financing": {}, "installments": {}, "payments": {}, "checkouts": {}, "applications": {}}, first: p.today()}
	n := p.Node()
	err := n.DB.View(p.t.Context(), func(v store.View) error {
		return errors.Join(store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error {
			x.counts["companies"][string(c.Status)]++
			return nil
		}), store.EachRecord(v, credit.NounCheckout, func(r credit.Record) error {
			x.counts["checkouts"][r.Head().Status]++
			return nil
		}), store.EachRecord(v, credit.NounApplication, func(r credit.Record) error {
			x.counts["applications"][r.Head().Status]++
			x.names = append(x.names, r.Head().ID+" "+r.Head().Status)
			return nil
		}), store.EachOf(v, store.PaymentNoun, func(y *credit.Payment) error {
			x.counts["payments"][string(y.Status)]++
			x.names = append(x.names, y.ID+" "+string(y.Status))
			return nil
		}), store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
			x.orders++
			x.first = min(x.first, n.Zone.Date(o.CreatedAt))
			x.names = append(x.names, o.Key+" "+string(o.Status)+" "+string(o.Financing))
			x.counts["orders"][string(o.Status)]++
			x.counts["financing"][string(o.Financing)]++
			if l != nil {
				for _, row := range l.View(p.today()).Rows {
					x.counts["installments"][string(row.Status)]++
				}
			}
			return nil
		}))
	})
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Sort(x.names)
	return x
}

func (p *toy) today() calendar.Date { n := p.Node(); return n.Zone.Date(n.Now()) }
