package webhook

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// With many merchants the common stream shows which have news. Events of a company go to
// every merchant linked when they happened, and soon (EV6, RS3).
func TestManyMerchants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var shops []string
		for i := range 3 * fewMerchants {
			shops = append(shops, w.merchant(fmt.Sprint("Shop ", i)))
			w.endpoint(shops[i], fmt.Sprintf("https://shop%d.example/hook", i))
		}
		company := w.submit(lending.CreateCompany{
			Title: "Buyer", Status: credit.CompanyApproved, Tier: "A", Merchants: shops[:3], BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
		}).Result.(*credit.Company)
		start := time.Now()
		w.start()
		time.Sleep(time.Second)
		for i, shop := range shops {
			w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderCreatedEvent)
		}
		time.Sleep(time.Second)
		for i := range shops {
			want := 1
			if i < 3 {
				want = 2 // plus the company's creation
			}
			got := w.net.received(fmt.Sprintf("shop%d.example", i))
			if len(got) != want {
				t.Fatalf("merchant %d received %d, want %d", i, len(got), want)
			}
		}
		w.submit(lending.UpdateCompany{Company: company.ID, Unlink: []string{shops[1]}})
		w.submit(lending.UpdateCompany{Company: company.ID, Link: []string{shops[40]}})
		time.Sleep(time.Second)
		for i, want := range map[int]int{0: 4, 1: 2, 2: 4, 40: 2} {
			if got := w.net.received(fmt.Sprintf("shop%d.example", i)); len(got) != want {
				t.Errorf("merchant %d received %d, want %d", i, len(got), want)
			}
		}
		for i := range shops {
			for _, m := range w.net.received(fmt.Sprintf("shop%d.example", i)) {
				if lag := m.at.Sub(start); lag > 5*time.Second {
					t.Errorf("merchant %d: a message after %v", i, lag)
				}
			}
		}
	})
}

// A hint can be missed: the merchant was linked when the event happened, and no longer is
// when it is read. The sweep finds it.
func TestMissedHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var shops []string
		for i := range 2 * fewMerchants {
			shops = append(shops, w.merchant(fmt.Sprint("Shop ", i)))
			w.endpoint(shops[i], fmt.Sprintf("https://shop%d.example/hook", i))
		}
		w.start()
		time.Sleep(time.Minute)
		if err := w.tryEmit("", []string{shops[7]}, credit.ObjectRef{Type: "company", ID: "1"}, credit.CompanyUpdatedEvent); err != nil {
			t.Fatal(err) // of a company that nobody is linked to now
		}
		time.Sleep(sweepEvery + time.Second)
		if n := len(w.net.received("shop7.example")); n != 1 {
			t.Errorf("received %d", n)
		}
	})
}

// One merchant of a thousand is slow: the lag of the others is unchanged.
func TestOneSlowAmongAThousand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		const n = 1000
		w.net.answer("shop0.example", func(*message) reply { return reply{after: time.Hour} })
		var shops []string
		for i := range n {
			shops = append(shops, fmt.Sprintf("mch_%026d", i))
		}
		w.found(shops)
		w.start(func(c *Config) { c.Poll = time.Second })
		emitted := map[string]time.Time{}
		for round := range 3 {
			for i, shop := range shops {
				w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderUpdatedEvent)
				if i == 0 {
					for k := range 50 {
						w.emit(shop, order(fmt.Sprint("slow", round, k)), credit.OrderUpdatedEvent)
					}
				}
			}
			for _, e := range w.sent {
				if emitted[e.ID].IsZero() {
					emitted[e.ID] = time.Now()
				}
			}
			time.Sleep(10 * time.Second)
		}
		worst := time.Duration(0)
		for i := range n {
			got := w.net.received(fmt.Sprintf("shop%d.example", i))
			if i > 0 && len(got) != 3 {
				t.Fatalf("merchant %d received %d", i, len(got))
			}
			for _, m := range got {
				if i > 0 {
					worst = max(worst, m.at.Sub(emitted[m.id]))
				}
			}
		}
		if worst > 2*time.Second {
			t.Errorf("lag up to %v", worst)
		}
	})
}

// found creates merchants with an endpoint each, in one commit: the engine would take
// longer.
func (w *world) found(shops []string) {
	w.Helper()
	var d store.Decided
	for i, shop := range shops {
		d.Changes.Merchants = append(d.Changes.Merchants, &credit.Merchant{ID: shop, Name: shop})
		id := fmt.Sprintf("whk_%026d", i)
		d.Changes.Endpoints = append(d.Changes.Endpoints, &credit.Endpoint{
			ID: id, Merchant: shop, URL: fmt.Sprintf("https://shop%d.example/hook", i), Enabled: true, Version: 1,
			Secrets: []credit.EndpointSecret{{Sealed: seal(newSecret(), credit.SigningSecretOf(id))}}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		})
	}
	if err := w.commit(&d); err != nil {
		w.Fatal(err)
	}
}
