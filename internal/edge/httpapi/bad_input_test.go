package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// state returns the hash of everything stored.
func (s *shop) state() [32]byte {
	s.t.Helper()
	sum, err := s.backend.Digest(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return sum
}

// Bad input gets the documented problem and changes nothing.
func TestBadInputChangesNothing(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"merchant_order_id":"PO-1","amount":1200.00,"installments":6,"status":"AUTHORIZED"}`, s.company)
	order := func(members string) string { return fmt.Sprintf(`{"company_id":%d,%s}`, s.company, members) }
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	long := strings.Repeat("x", 256)
	cases := []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code                     string
	}{
		{"wrong type", "POST", "/order", order(`"amount":true`), nil, 422, "validation_failed"},
		{"array for an object", "POST", "/order", `[]`, nil, 422, "validation_failed"},
		{"unknown member", "POST", "/order", order(`"amount":1,"captured_amount":1`), nil, 400, "unknown_member"},
		{"other case", "POST", "/order", order(`"Amount":1`), nil, 400, "unknown_member"},
		{"duplicate member", "POST", "/order", order(`"amount":1,"amount":2`), nil, 400, "malformed_request"},
		{"exponent", "POST", "/order", order(`"amount":1e3`), nil, 400, "malformed_request"},
		{"huge exponent", "POST", "/order", order(`"amount":1e400`), nil, 400, "malformed_request"},
		{"NaN", "POST", "/order", order(`"amount":NaN`), nil, 400, "malformed_request"},
		{"grouping", "POST", "/order", order(`"amount":"1,200.00"`), nil, 422, "validation_failed"},
		{"three decimals", "POST", "/order", order(`"amount":1200.001`), nil, 422, "validation_failed"},
		{"negative", "POST", "/order", order(`"amount":-1`), nil, 422, "validation_failed"},
		{"zero", "POST", "/order", order(`"amount":0`), nil, 422, "validation_failed"},
		{"10^12", "POST", "/order", order(`"amount":1000000000000`), nil, 422, "validation_failed"},
		{"a cent too much", "POST", "/order", order(`"amount":10000000.01`), nil, 422, "validation_failed"},
		{"other currency", "POST", "/order", order(`"amount":1,"currency":"EUR"`), nil, 422, "validation_failed"},
		{"half an installment", "POST", "/order", order(`"amount":1,"installments":1.5`), nil, 422, "validation_failed"},
		{"37 installments", "POST", "/order", order(`"amount":1,"installments":37`), nil, 422, "validation_failed"},
		{"captured at birth", "POST", "/order", order(`"amount":1,"status":"CAPTURED"`), nil, 422, "validation_failed"},
		{"missing member", "POST", "/order", `{"amount":1}`, nil, 422, "validation_failed"},
		{"long text", "POST", "/order", order(`"amount":1,"merchant_status":"` + long + `"`), nil, 422, "validation_failed"},
		{"line break in a number", "POST", "/order", order(`"amount":1,"merchant_order_id":"a\r\nb"`), nil, 422, "validation_failed"},
		{"bad UTF-8", "POST", "/order", order("\"amount\":1,\"merchant_status\":\"\xff\""), nil, 400, "malformed_request"},
		{"NUL", "POST", "/order", order("\"amount\":1\x00"), nil, 400, "malformed_request"},
		{"second document", "POST", "/order", order(`"amount":1`) + "{}", nil, 400, "malformed_request"},
		{"null", "POST", "/order", `null`, nil, 400, "malformed_request"},
		{"depth 100", "POST", "/order", deep, nil, 400, "malformed_request"},
		{"no body", "POST", "/order", "", []string{"Content-Type", "application/json"}, 400, "malformed_request"},
		{"2 MiB", "POST", "/order", `{"amount":"` + strings.Repeat("1", 2<<20) + `"}`, nil, 413, "body_too_large"},
		{"plain text", "POST", "/order", order(`"amount":1`), []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type"},
		{"pages only", "GET", "/v1/order/" + key, "", []string{"Accept", "text/html"}, 406, "not_acceptable"},
		{"bad date", "POST", "/payment", `{"order_key":"` + key + `","amount":1,"method":"WIRE","effective_date":"2026-02-30"}`, nil, 422, "validation_failed"},
		{"year 0", "POST", "/payment", `{"order_key":"` + key + `","amount":1,"method":"WIRE","effective_date":"0000-01-01"}`, nil, 422, "validation_failed"},
		{"two targets", "POST", "/payment", fmt.Sprintf(`{"order_key":"%s","company_id":%d,"amount":1,"method":"WIRE"}`, key, s.company), nil, 422, "validation_failed"},
		{"not captured", "POST", "/payment", `{"order_key":"` + key + `","amount":1,"method":"WIRE"}`, nil, 409, "order_not_captured"},
		{"stale If-Match", "PATCH", "/v1/order/" + key, `{"amount":10}`, []string{"If-Match", `"7"`}, 412, "precondition_failed"},
		{"weak If-Match", "PATCH", "/v1/order/" + key, `{"amount":10}`, []string{"If-Match", `W/"1"`}, 412, "precondition_failed"},
		{"bad If-Match", "PATCH", "/v1/order/" + key, `{"amount":10}`, []string{"If-Match", `1`}, 400, "invalid_header"},
		{"long key", "PATCH", "/v1/order/" + key, `{"amount":10}`, []string{"Idempotency-Key", long}, 400, "invalid_header"},
		{"RETURNED by hand", "PATCH", "/v1/order/" + key, `{"status":"RETURNED"}`, nil, 409, "invalid_transition"},
		{"back to CREATED", "PATCH", "/v1/order/" + key, `{"status":"CREATED"}`, nil, 409, "invalid_transition"},
		{"refund before capture", "PATCH", "/v1/order/" + key + "/refund", `{}`, nil, 409, "order_not_captured"},
		{"refund without a body", "PATCH", "/v1/order/" + key + "/refund", "", []string{"Content-Type", "application/json"}, 400, "malformed_request"},
		{"extend with a stale If-Match", "POST", "/v1/order/" + key + "/extend", "", []string{"If-Match", `"7"`}, 412, "precondition_failed"},
		{"part with a stale If-Match", "POST", "/v1/order/" + key + "/partial", `{"amount":10}`, []string{"If-Match", `"7"`}, 412, "precondition_failed"},
		{"cancel with an amount out of bounds", "PATCH", "/v1/order/" + key, `{"status":"CANCELED","amount":0.5}`, nil, 422, "amount_out_of_bounds"},
		{"cancel with a term not offered", "PATCH", "/v1/order/" + key, `{"status":"CANCELED","installments":5}`, nil, 422, "term_not_available"},
		{"empty filter", "GET", "/v1/orders?merchant_order_id=", "", nil, 400, "invalid_parameter"},
		{"number taken", "POST", "/order", order(`"amount":1,"merchant_order_id":"PO-1"`), nil, 409, "duplicate_merchant_order_id"},
		{"above the line", "POST", "/order", order(`"amount":23800.01,"installments":6,"status":"AUTHORIZED"`), nil, 422, "insufficient_credit"},
		{"charges differ", "POST", "/order", order(`"amount":1,"charges":{"grand_total":2}`), nil, 422, "charges_mismatch"},
		{"term not offered", "POST", "/order", order(`"amount":1,"installments":5`), nil, 422, "term_not_available"},
		{"below the bound", "POST", "/order", order(`"amount":0.99`), nil, 422, "amount_out_of_bounds"},
		{"not chosen", "POST", "/order", order(`"amount":1,"status":"AUTHORIZED"`), nil, 409, "installments_required"},
		{"ACH without an account", "POST", "/payment", `{"order_key":"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3","amount":1,"method":"ACH"}`, nil, 404, "not_found"},
		{"unknown query", "GET", "/v1/orders?merchant_id=x", "", nil, 400, "unknown_parameter"},
		{"doubled query", "GET", "/v1/orders?limit=1&limit=2", "", nil, 400, "invalid_parameter"},
		{"limit 0", "GET", "/v1/orders?limit=0", "", nil, 400, "invalid_parameter"},
		{"limit 101", "GET", "/payments?limit=101", "", nil, 400, "invalid_parameter"},
		{"reversed range", "GET", "/payments?from=2026-02-01&to=2026-01-01", "", nil, 400, "invalid_parameter"},
		{"made-up cursor", "GET", "/v1/orders?cursor=abc", "", nil, 400, "invalid_cursor"},
		{"impossible key", "GET", "/v1/order/nonsense", "", nil, 404, "not_found"},
		{"unclean path", "GET", "/v1//orders", "", nil, 404, "not_found"},
		{"other version", "GET", "/v3/orders", "", nil, 404, "not_found"},
		{"wrong method", "DELETE", "/v1/order/" + key, "", nil, 405, "method_not_allowed"},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			before := s.state()
			r := s.call("shop", x.method, x.path, x.body, x.header...)
			if r.status != x.status || r.code() != x.code {
				t.Fatalf("%d %s, want %d %s: %s", r.status, r.code(), x.status, x.code, r.raw)
			}
			// A refusal that was decided leaves its audit row. Any other leaves nothing.
			if r.header.Get("Commit-Seq") == "" && s.state() != before {
				t.Error("the stored state has changed")
			}
			if ct := r.header.Get("Content-Type"); ct != "application/problem+json" {
				t.Errorf("Content-Type %q", ct)
			}
			if strings.Contains(r.raw, "1,200.00") || strings.Contains(r.raw, long) {
				t.Errorf("the answer echoes the value: %s", r.raw)
			}
		})
	}
	if o := s.must(200, "shop", "GET", "/v1/order/"+key, ""); fmt.Sprint(o.body["version"]) != "1" {
		t.Errorf("the order has changed: %s", o.raw)
	}
	if got := s.must(200, "shop", "GET", fmt.Sprintf("/v2/companies/%d", s.company), ""); !strings.Contains(got.raw, `"available":23800.00`) {
		t.Errorf("the line has changed: %s", got.raw)
	}
}

// A cursor is bound to its list, its filters and its merchant.
func TestListsPageOnce(t *testing.T) {
	s := open(t)
	want := map[string]bool{}
	for i := range 7 {
		want[s.order(`{"company_id":%d,"amount":%d}`, s.company, i+1)] = true
	}
	path, seen := "/v1/orders?limit=3", map[string]bool{}
	for pages := 1; path != ""; pages++ {
		r := s.must(200, "shop", "GET", path, "")
		for _, o := range r.body["data"].([]any) {
			k := o.(map[string]any)["key"].(string)
			if seen[k] || !want[k] {
				t.Errorf("%s is there twice or should not be", k)
			}
			seen[k] = true
		}
		next, _ := r.body["next_cursor"].(string)
		if (next == "") != (r.body["has_more"] == false) {
			t.Errorf("has_more %v with cursor %q", r.body["has_more"], next)
		}
		path = ""
		if next != "" {
			path = "/v1/orders?limit=3&cursor=" + next
			for token, foreign := range map[string]string{"shop": "/v1/orders?limit=3&status=CREATED&cursor=" + next, "other": path} {
				if r := s.call(token, "GET", foreign, ""); r.status != 400 || r.code() != "invalid_cursor" {
					t.Errorf("%s %s: %d %s", token, foreign, r.status, r.raw)
				}
			}
		}
		if pages > 3 {
			t.Fatal("more pages than there are")
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d orders, want %d", len(seen), len(want))
	}
}

// N concurrent authorizations against one line take exactly what fits (T17).
func TestConcurrentAuthorizationsFitTheLine(t *testing.T) {
	s := open(t)
	s.submit(lending.UpdateCompany{Company: s.company, Limit: ptr(money.MustParse("1000.00")), Reasons: []string{"credit_score"}})
	accepted, refused := 0, 0
	s.storm(160, func(i int) reply {
		return s.call("shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company))
	}, func(r reply) {
		switch {
		case r.status == 201:
			accepted++
		case r.status == 422 && r.code() == "insufficient_credit":
			refused++
		default:
			t.Errorf("%d %s", r.status, r.raw)
		}
	})
	if accepted != 10 || refused != 150 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

// 50 callers with one key cause one effect and receive the same bytes (T19).
func TestSameKeyStorm(t *testing.T) {
	s := open(t)
	bodies := map[string]bool{}
	s.storm(50, func(i int) reply {
		return s.call("shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company), "Idempotency-Key", "one")
	}, func(r reply) {
		if r.status != 201 {
			t.Errorf("%d %s", r.status, r.raw)
		}
		bodies[r.raw] = true
	})
	if len(bodies) != 1 {
		t.Errorf("%d different answers", len(bodies))
	}
	if r := s.must(200, "shop", "GET", "/v1/orders", ""); len(r.body["data"].([]any)) != 1 {
		t.Errorf("%d orders", len(r.body["data"].([]any)))
	}
}

// storm makes n calls at once, from a barrier, and passes each reply to take.
func (s *shop) storm(n int, call func(i int) reply, take func(reply)) {
	var gate, done sync.WaitGroup
	gate.Add(1)
	replies := make([]reply, n)
	for i := range n {
		done.Add(1)
		go func() {
			defer done.Done()
			gate.Wait()
			replies[i] = call(i)
		}()
	}
	gate.Done()
	done.Wait()
	for _, r := range replies {
		take(r)
	}
}
