package httpapi_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/edge/rest"
)

// Guessing tokens from one address ends in 429. A valid token continues to work, there and
// elsewhere, whether or not it has been seen before.
func TestFailedAuthentications(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxFailures = 20 })
	h.must(200, "a", "GET", "/v1/orders", "")
	steps, last := 0, reply{}
	for ; steps < 100; steps++ {
		if last = h.call(fmt.Sprint("tnr_", steps), "GET", "/v1/orders", ""); last.status != 401 {
			break
		}
	}
	if steps != 20 || last.status != 429 || last.code() != "rate_limited" || last.header.Get("Retry-After") != "3" {
		t.Errorf("after %d failures: %d %v %s", steps, last.status, last.header, last.raw)
	}
	for name, header := range map[string][]string{
		"no token": {"Authorization", ""}, "basic": {"Authorization", "Basic eDp5"}, "a path that there is not": {"X-Request-Id", "r"},
	} {
		if r := h.call("tnr_X", "GET", "/v1/nothing", "", header...); r.status != 429 {
			t.Errorf("%s: %d", name, r.status)
		}
	}
	h.must(200, "a", "GET", "/v1/orders", "") // valid before
	h.must(200, "b", "GET", "/v1/orders", "") // not seen yet
	h.from = "192.0.2.11"
	h.must(200, "b", "GET", "/v1/orders", "")
	h.must(401, "tnr_X", "GET", "/v1/orders", "")
	h.from = "192.0.2.10"
	h.must(200, "b", "GET", "/v1/orders", "")
	h.pass(3 * time.Second)
	h.must(401, "tnr_X", "GET", "/v1/orders", "")
	if r := h.call("tnr_X", "GET", "/v1/orders", ""); r.status != 429 {
		t.Errorf("one more was allowed: %d", r.status)
	}
}

// An expired or revoked token counts like any other invalid one.
func TestEndedTokensAreCounted(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxFailures = 20 })
	h.must(200, "a", "GET", "/v1/orders", "")
	h.pass(25 * time.Hour)
	refused := map[int]int{}
	for range 30 {
		refused[h.call("a", "GET", "/v1/orders", "").status]++
	}
	if refused[401] != 20 || refused[429] != 10 {
		t.Errorf("%v", refused)
	}
}

// IPv6 addresses are counted by network, because one host has very many.
func TestFailuresOfANetwork(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxFailures = 20 })
	steps := 0
	for ; steps < 100; steps++ {
		h.from = fmt.Sprintf("2001:db8::%x", steps+1)
		if h.call("tnr_X", "GET", "/v1/orders", "").status != 401 {
			break
		}
	}
	if steps != 20 {
		t.Errorf("%d failures from one network", steps)
	}
}

// A18: what a stranger writes into X-Forwarded-For neither frees it from its limit nor
// limits somebody else.
func TestForgedAddresses(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) {
		c.MaxFailures = 20
		c.TrustedProxies = prefixes("10.0.0.0/8")
	})
	steps := 0
	for ; steps < 100; steps++ {
		if h.call("tnr_X", "GET", "/v1/orders", "", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", steps)).status != 401 {
			break
		}
	}
	if steps != 20 {
		t.Errorf("%d failures with forged addresses", steps)
	}
	h.from = "10.0.0.1" // our own proxy: callers behind it are distinguished
	for i := range 40 {
		if r := h.call("tnr_X", "GET", "/v1/orders", "", "X-Forwarded-For", fmt.Sprintf("9.9.9.9, 203.0.113.%d", i)); r.status != 401 {
			t.Fatalf("caller %d behind the proxy: %d", i, r.status)
		}
	}
}

// A9: companies cannot be found by guessing. What the caller may see stays readable.
func TestCompaniesAreNotEnumerated(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxMisses = 10 })
	own, foreign := fmt.Sprintf("/v2/companies/%d", h.company), fmt.Sprintf("/v2/companies/%d", h.unlinked)
	misses := map[int]int{}
	for i := range 30 {
		r := h.call("a", "GET", fmt.Sprintf("/v1/companies/%d", 2_000_000_000+i), "")
		misses[r.status]++
		if r.status == 429 && r.header.Get("Retry-After") != "6" {
			t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
		}
		h.must(200, "a", "GET", own, "")
	}
	if misses[404] != 10 || misses[429] != 20 {
		t.Errorf("%v", misses)
	}
	// Unknown and not linked are no longer distinguishable, in orders and payments either.
	order := func(company int64) string { return fmt.Sprintf(`{"company_id":%d,"amount":1}`, company) }
	for name, r := range map[string]reply{
		"foreign": h.call("a", "GET", foreign, ""), "unknown": h.call("a", "GET", "/v2/companies/3000000000", ""),
		"order of a foreign one": h.call("a", "POST", "/order", order(h.unlinked)), "order of an unknown one": h.call("a", "POST", "/order", order(3_000_000_000)),
		"payment of an unknown one": h.call("a", "POST", "/payment", `{"company_id":3000000000,"amount":1,"method":"WIRE"}`),
	} {
		if r.status != 429 || r.code() != "rate_limited" {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	h.must(201, "a", "POST", "/order", order(h.company))
	h.must(403, "b", "GET", own, "") // another client has its own allowance
	for range 30 {
		h.must(404, "ops", "GET", "/v2/companies/3000000000", "") // the operator sees all companies anyway
	}
	h.pass(6 * time.Second)
	h.must(403, "a", "GET", foreign, "")
}

// busy is a store whose first reads block until released.
type busy struct {
	store.Backend
	held    atomic.Int64 // reads still to be blocked
	entered chan struct{}
	release chan struct{}
}

func (b *busy) View(ctx context.Context, fn func(store.View) error) error {
	if b.held.Add(-1) >= 0 {
		b.entered <- struct{}{}
		<-b.release
	}
	return b.Backend.View(ctx, fn)
}

// A60: one merchant cannot take all places.
func TestNoMerchantTakesAllPlaces(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxInFlight = 12 })
	const share = 3 // a quarter
	b := &busy{Backend: h.backend, entered: make(chan struct{}), release: make(chan struct{})}
	b.held.Store(share)
	h.service.Store = b
	var done sync.WaitGroup
	for range share {
		done.Add(1)
		go func() {
			defer done.Done()
			if r := h.call("a", "GET", "/v1/orders", ""); r.status != 200 {
				t.Errorf("a request that had a place: %d %s", r.status, r.raw)
			}
		}()
		<-b.entered
	}
	r := h.call("a", "GET", "/v1/orders", "")
	if r.status != 503 || r.code() != "overloaded" || r.header.Get("Retry-After") == "" {
		t.Errorf("one more of that merchant: %d %v %s", r.status, r.header, r.raw)
	}
	h.must(200, "b", "GET", "/v1/orders", "")
	h.must(200, "ops", "GET", "/v1/orders", "")
	if r := h.form("/oauth/token", "grant_type=client_credentials"); r.status != 401 {
		t.Errorf("a token: %d", r.status)
	}
	close(b.release)
	done.Wait()
	h.must(200, "a", "GET", "/v1/orders", "")
}

// A client's own settings apply at once, and the burst is what may arrive at once.
func TestRateOfAClient(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, `,"rate_per_minute":60,"burst":4`)
	token := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	for i := range 3 {
		r := h.must(200, token, "GET", "/v1/orders", "")
		if want := fmt.Sprintf(`"default";r=%d;t=%d`, 2-i, 2+i); r.header.Get("RateLimit") != want || r.header.Get("RateLimit-Policy") != `"default";q=60;w=60` {
			t.Errorf("request %d: %s of %s", i, r.header.Get("RateLimit"), r.header.Get("RateLimit-Policy"))
		}
	}
	before := h.state()
	r := h.call(token, "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1}`, h.company))
	if r.status != 429 || r.code() != "rate_limited" || r.header.Get("Retry-After") != "1" || h.state() != before {
		t.Errorf("%d %v %s", r.status, r.header, r.raw)
	}
	if r := h.call(token, "GET", "/v1/nothing", ""); r.status != 429 {
		t.Errorf("rate before route: %d", r.status)
	}
	h.pass(time.Second)
	h.must(200, token, "GET", "/v1/orders", "")
}
