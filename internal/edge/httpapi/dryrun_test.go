package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// published is the contract in the repository, read once.
var published = sync.OnceValues(func() (*openapi3.T, error) { return openapi3.NewLoader().LoadFromFile(publishedContract) })

// conforms checks a response against the contract's schema.
func conforms(t *testing.T, method, path string, r reply) {
	t.Helper()
	doc, err := published()
	if err != nil {
		t.Fatal(err)
	}
	media := doc.Paths.Find(path).GetOperation(method).Responses.Value(fmt.Sprint(r.status)).Value.Content[r.header.Get("Content-Type")]
	if err := doc.ValidateSchemaJSON(media.Schema.Value, parsed(t, []byte(r.raw))); err != nil {
		t.Errorf("%s %s: %v\n%s", method, path, err, r.raw)
	}
}

// A dry run returns what the contract says: the resource with null for what is not
// generated, the schedule, the entries and the line. Nothing of it is stored.
func TestDryRunAnswers(t *testing.T) {
	s := open(t)
	dry := func(token, method, path, pattern, body string) map[string]any {
		t.Helper()
		before := s.state()
		r := s.must(200, token, method, path, body, "Prefer", "respond-async, dry-run", "Idempotency-Key", "k")
		if s.state() != before {
			t.Errorf("%s %s has changed something", method, path)
		}
		if r.header.Get("Preference-Applied") != "dry-run" || r.header.Get("As-Of-Seq") == "" || r.header.Get("Commit-Seq") != "" ||
			r.header.Get("ETag") != "" || r.header.Get("Location") != "" || r.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s %s: headers %v", method, path, r.header)
		}
		conforms(t, method, pattern, r)
		return r.body
	}
	create := fmt.Sprintf(`{"company_id":%d,"amount":1200.00,"installments":6,"status":"AUTHORIZED","merchant_order_id":"PO-1","metadata":{"a":"b"}}`, s.company)
	got := dry("shop", "POST", "/order", "/order", create)
	o := got["result"].(map[string]any)
	for _, name := range []string{"key", "created_at", "updated_at", "authorized_at", "authorization_expires_at"} {
		if v, there := o[name]; v != nil || !there {
			t.Errorf("%s is %v, and was not drawn", name, v)
		}
	}
	if o["status"] != "AUTHORIZED" || fmt.Sprint(o["amount"]) != "1200.00" || o["merchant_order_id"] != "PO-1" || fmt.Sprint(o["version"]) != "1" {
		t.Errorf("order %v", o)
	}
	schedule := got["schedule"].(map[string]any)
	if schedule["status"] != "ESTIMATED" || len(schedule["installments"].([]any)) != 6 || schedule["order_key"] != nil {
		t.Errorf("schedule %v", schedule)
	}
	entry := got["entries"].([]any)[0].(map[string]any)
	if entry["event"] != "ORDER_AUTHORIZED" || entry["id"] != nil || entry["cause"] != nil || entry["commit_seq"] != nil {
		t.Errorf("entry %v", entry)
	}
	line := got["credit_line"].(map[string]any)
	if b, a := line["before"].(map[string]any), line["after"].(map[string]any); fmt.Sprint(b["available"], a["available"], a["reserved"]) != "25000.0023800.001200.00" {
		t.Errorf("line %v", line)
	}
	// The dry run's key is free, and so is its order number.
	r := s.must(201, "shop", "POST", "/order", create, "Idempotency-Key", "k")
	key := r.body["key"].(string)
	dry("shop", "PATCH", "/v1/order/"+key, "/v1/order/{key}", `{"status":"CAPTURED"}`)
	dry("shop", "POST", "/v1/order/"+key+"/extend", "/v1/order/{key}/extend", "")
	dry("shop", "POST", "/v1/order/"+key+"/partial", "/v1/order/{key}/partial", `{"amount":100}`)
	// With a used key it reports what would happen now, not what has happened.
	if again := s.must(409, "shop", "POST", "/order", create, "Idempotency-Key", "k", "Prefer", "dry-run"); again.code() != "duplicate_merchant_order_id" {
		t.Errorf("the same call again: %s", again.raw)
	}
	s.at("2026-01-15")
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	dry("shop", "PATCH", "/v1/order/"+key+"/refund", "/v1/order/{key}/refund", `{"amount":300}`)
	paid := dry("shop", "POST", "/payment", "/payment", `{"order_key":"`+key+`","amount":207.06,"method":"WIRE"}`)
	if p := paid["result"].(map[string]any); p["id"] != nil || p["order_key"] != key || len(p["allocations"].([]any)) == 0 || paid["schedule"].(map[string]any)["order_key"] != key {
		t.Errorf("payment %v", p)
	}
	if all := dry("ops", "POST", "/payment", "/payment", fmt.Sprintf(`{"company_id":%d,"amount":10,"method":"WIRE"}`, s.company)); all["schedule"] != nil {
		t.Errorf("a payment of no order has the schedule %v", all["schedule"])
	}
	id := s.must(201, "ops", "POST", "/payment", `{"order_key":"`+key+`","amount":207.06,"method":"WIRE"}`).body["id"].(string)
	dry("ops", "POST", "/payment/"+id+"/refund", "/payment/{id}/refund", `{}`)
	dry("ops", "POST", "/v1/operator/payments/"+id+"/return", "/v1/operator/payments/{id}/return", `{"code":"bounced"}`)
	dry("ops", "POST", "/v1/operator/order/"+key+"/service", "/v1/operator/order/{key}/service", "")
}

// A dry run needs the rights of the call, reveals nothing that the call would not, and is
// refused where there is none (A20).
func TestDryRunIsNoProbe(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company)
	create := func(amount string) string {
		return fmt.Sprintf(`{"company_id":%d,"amount":%s,"installments":3,"status":"AUTHORIZED"}`, s.company, amount)
	}
	for _, x := range []struct {
		name, token, method, path, body string
		status                          int
		code                            string
	}{
		{"no token", "nobody", "POST", "/order", create("1"), 401, "unauthorized"},
		{"a token that only reads", "reader", "POST", "/order", create("1"), 403, "insufficient_scope"},
		{"a token that only reads captures", "reader", "PATCH", "/v1/order/" + key, `{"status":"CAPTURED"}`, 403, "insufficient_scope"},
		{"a token that only reads pays", "reader", "POST", "/payment", `{"order_key":"` + key + `","amount":1,"method":"WIRE"}`, 403, "insufficient_scope"},
		{"the operator creates", "ops", "POST", "/order", create("1"), 403, "insufficient_scope"},
		{"an unlinked merchant", "other", "POST", "/order", create("1"), 403, "company_not_linked"},
		{"another's order", "other", "PATCH", "/v1/order/" + key, `{"status":"CAPTURED"}`, 404, "not_found"},
		{"nobody's order", "shop", "PATCH", "/v1/order/ord_none", `{"status":"CAPTURED"}`, 404, "not_found"},
		{"above the line", "shop", "POST", "/order", create("24900.01"), 422, "insufficient_credit"},
		{"no term", "shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1,"installments":5}`, s.company), 422, "term_not_available"},
		{"bad body", "shop", "POST", "/order", `{"amount":-1}`, 422, "validation_failed"},
		{"not captured", "shop", "PATCH", "/v1/order/" + key + "/refund", `{}`, 409, "order_not_captured"},
		{"nothing to cancel", "shop", "PATCH", "/v1/order/" + key, `{"status":"RETURNED"}`, 409, "invalid_transition"},
		{"a webhook", "ops", "POST", "/v1/operator/merchants", `{"name":"x"}`, 400, "invalid_header"},
	} {
		before := s.state()
		r := s.call(x.token, x.method, x.path, x.body, "Prefer", "dry-run")
		if r.status != x.status || r.code() != x.code || r.header.Get("Commit-Seq") != "" {
			t.Errorf("%s: %d %s, want %d %s", x.name, r.status, r.raw, x.status, x.code)
		}
		if s.state() != before {
			t.Errorf("%s: something has changed", x.name)
		}
	}
	if r := s.call("shop", "POST", "/order", create("24900.01"), "Prefer", "dry-run"); fmt.Sprint(r.body["available"]) != "24900.00" || r.header.Get("Preference-Applied") != "dry-run" || r.header.Get("As-Of-Seq") == "" {
		t.Errorf("refusal of a dry run: %v %s", r.header, r.raw)
	}
	// A precondition also applies to a dry run, and a read cannot be run dry.
	if r := s.call("shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`, "Prefer", "dry-run", "If-Match", `"7"`); r.status != 412 {
		t.Errorf("stale If-Match: %d %s", r.status, r.raw)
	}
	if r := s.must(200, "shop", "GET", "/v1/order/"+key, "", "Prefer", "dry-run"); r.header.Get("Preference-Applied") != "" || !strings.Contains(r.raw, key) {
		t.Errorf("a read with Prefer: %v", r.header)
	}
}
