package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// What one authorized order may allocate at most on SQLite, from its request to its answer, if it
// is alone in its batch: a fifth above the current values, because what is allocated has to be
// collected. The race detector makes pools forget, so nothing is bounded then.
const (
	mostAllocations    = 720
	mostAllocatedBytes = 128_000
)

// TestAnOrderAllocatesLittle counts what an order of two items with an Idempotency-Key allocates.
func TestAnOrderAllocatesLittle(t *testing.T) {
	l, n := newLibrary(t, 2), 0
	order := func() {
		n++
		l.authorize(t, fmt.Sprintf("k-%d", n), l.companies[n%2])
	}
	const warm, orders = 30, 200
	for range warm {
		order()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range orders {
		order()
	}
	runtime.ReadMemStats(&after)
	allocations, size := (after.Mallocs-before.Mallocs)/orders, (after.TotalAlloc-before.TotalAlloc)/orders
	t.Logf("%d allocations, %d bytes", allocations, size)
	if !raced && (allocations > mostAllocations || size > mostAllocatedBytes) {
		t.Errorf("%d allocations and %d bytes, more than %d and %d", allocations, size, mostAllocations, mostAllocatedBytes)
	}
}

// authorize creates an order that must be authorized.
func (l *library) authorize(t *testing.T, key string, company int64) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/order", strings.NewReader(fmt.Sprintf(
		`{"company_id":%d,"merchant_order_id":%q,"amount":"1200.00","installments":6,"status":"AUTHORIZED","cart_items":[`+
			`{"merchant_id":"sku-100","name":"Steel shelf","price":"400.00","sku":"S-1","quantity":2},`+
			`{"merchant_id":"sku-200","name":"Bracket","price":"5.00","sku":"B-2","quantity":80}]}`, company, key)))
	r.Header.Set("Authorization", "Bearer shop")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	w := &sink{header: http.Header{}}
	l.api.ServeHTTP(w, r)
	if w.status != http.StatusCreated && w.status != http.StatusOK {
		t.Fatalf("%s: status %d", key, w.status)
	}
}
