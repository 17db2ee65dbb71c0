package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// members formats members of a resource.
func (r reply) members(names ...string) string {
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprint(r.body[name]))
	}
	return strings.Join(out, " ")
}

// An order is captured in parts: each becomes its own order, and the parent keeps the rest
// (product, Order: partial).
func TestPartsOfAnOrder(t *testing.T) {
	s := open(t)
	parent := s.order(`{"company_id":%d,"merchant_order_id":"PO-1","amount":1000.00,"installments":3,"status":"AUTHORIZED","merchant_status":"packed",
		"metadata":{"warehouse":"7"},"charges":{"grand_total":1000.00},"cart_items":[{"name":"Shelf","price":1000}]}`, s.company)
	s.at("2026-01-12")
	r := s.must(201, "shop", "POST", "/v1/order/"+parent+"/partial", `{"amount":400.00,"items":[{"name":"Board","price":400}]}`)
	child := r.body["key"].(string)
	if got := r.members("status", "amount", "captured_amount", "authorized_amount", "parent_key", "merchant_order_id", "capture_date", "merchant_status", "metadata", "charges", "version"); got !=
		"CAPTURED 400.00 400.00 400.00 "+parent+" <nil> 2026-01-12 <nil> map[] <nil> 1" {
		t.Errorf("child: %s", got)
	}
	if r.header.Get("Location") != "/v1/order/"+child || r.header.Get("ETag") != `"1"` || r.body["invoice_id"] == nil || !strings.Contains(r.raw, "Board") {
		t.Errorf("child: %v %s", r.header, r.raw)
	}
	if rows := s.rows(child); len(rows) != 3 || !strings.HasPrefix(rows[0], "1 2026-02-12") {
		t.Errorf("the child's schedule: %v", rows)
	}
	p := s.must(200, "shop", "GET", "/v1/order/"+parent, "")
	if got := p.members("status", "amount", "authorized_amount", "captured_amount", "merchant_order_id", "version"); got != "AUTHORIZED 600.00 600.00 0.00 PO-1 2" {
		t.Errorf("parent: %s", got)
	}
	if !strings.Contains(p.raw, `"grand_total":1000.00`) || !strings.Contains(p.raw, "Shelf") {
		t.Errorf("the parent's charges and cart have changed: %s", p.raw)
	}
	line := s.must(200, "shop", "GET", fmt.Sprintf("/v2/companies/%d", s.company), "").body["credit_line"].(map[string]any)
	if fmt.Sprint(line["reserved"], line["outstanding"], line["available"]) != "600.00400.0024000.00" {
		t.Errorf("line %v", line)
	}
	for _, x := range []struct {
		path, body string
		status     int
		code       string
	}{
		{"/v1/order/" + parent + "/partial", `{"amount":600.00}`, 422, "partial_too_large"},
		{"/v1/order/" + parent + "/partial", `{"amount":600.01}`, 422, "partial_too_large"},
		{"/v1/order/" + parent + "/partial", `{"amount":0}`, 422, "validation_failed"},
		{"/v1/order/" + parent + "/partial", `{"amount":100,"merchant_order_id":"PO-1"}`, 409, "duplicate_merchant_order_id"},
		{"/v1/order/" + parent + "/partial", `{}`, 422, "validation_failed"},
		{"/v1/order/" + parent + "/partial", `{"amount":100,"status":"CAPTURED"}`, 400, "unknown_member"},
		{"/v1/order/" + child + "/partial", `{"amount":1}`, 409, "invalid_transition"},
		{"/v1/order/" + child + "/extend", ``, 409, "invalid_transition"},
	} {
		if r := s.call("shop", "POST", x.path, x.body); r.status != x.status || r.code() != x.code {
			t.Errorf("%s %s: %d %s, want %d %s", x.path, x.body, r.status, r.raw, x.status, x.code)
		}
	}
	named := s.must(201, "shop", "POST", "/v1/order/"+parent+"/partial", `{"amount":100,"merchant_order_id":"PO-1-B"}`)
	if named.members("merchant_order_id", "amount") != "PO-1-B 100.00" {
		t.Errorf("named child: %s", named.raw)
	}
	last := s.must(200, "shop", "PATCH", "/v1/order/"+parent, `{"status":"CAPTURED","amount":450.00}`)
	if got := last.members("status", "amount", "captured_amount", "authorized_amount"); got != "CAPTURED 450.00 450.00 500.00" {
		t.Errorf("the rest, captured for less: %s", got)
	}
	if r := s.call("shop", "POST", "/v1/order/"+parent+"/partial", `{"amount":1}`); r.status != 409 || r.code() != "invalid_transition" {
		t.Errorf("a part of a captured order: %d %s", r.status, r.raw)
	}
	// A child is refunded separately.
	if r := s.must(200, "shop", "PATCH", "/v1/order/"+child+"/refund", `{}`); r.members("status", "refunded_amount") != "RETURNED 400.00" {
		t.Errorf("refunded child: %s", r.raw)
	}
}

// An authorization can be extended once, by thirty days, under the conditions of a capture.
func TestExtensions(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company)
	created := s.order(`{"company_id":%d,"amount":100,"installments":3}`, s.company)
	late := s.order(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company)
	extend := func(order string) reply { return s.call("shop", "POST", "/v1/order/"+order+"/extend", "") }
	s.at("2026-02-08")
	if r := extend(key); r.status != 200 || r.members("authorization_expires_at", "version") != "2026-03-11T15:00:00Z 2" || r.header.Get("ETag") != `"2"` {
		t.Errorf("extended: %d %s", r.status, r.raw)
	}
	if r := extend(key); r.status != 409 || r.code() != "already_extended" {
		t.Errorf("twice: %d %s", r.status, r.raw)
	}
	if r := extend(created); r.status != 409 || r.code() != "invalid_transition" {
		t.Errorf("not authorized: %d %s", r.status, r.raw)
	}
	s.at("2026-02-09")
	for _, r := range []reply{extend(late), s.call("shop", "PATCH", "/v1/order/"+late, `{"status":"CAPTURED"}`), s.call("shop", "POST", "/v1/order/"+late+"/partial", `{"amount":1}`)} {
		if r.status != 409 || r.code() != "authorization_expired" { // even before the expiry is written
			t.Errorf("expired: %d %s", r.status, r.raw)
		}
	}
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
}

// merchant_status and metadata belong to the shop: they are always writable, merge, and
// change nothing else. The document's members are locked after capture and on a canceled
// order.
func TestTheShopsOwnFieldsStayOpen(t *testing.T) {
	s := open(t)
	captured := s.captured()
	canceled := s.order(`{"company_id":%d,"amount":100,"metadata":{"a":"1"}}`, s.company)
	s.must(200, "shop", "PATCH", "/v1/order/"+canceled, `{"status":"CANCELED"}`)
	returned := s.captured()
	s.must(200, "shop", "PATCH", "/v1/order/"+returned+"/refund", `{}`)
	for status, key := range map[string]string{"CAPTURED": captured, "CANCELED": canceled, "RETURNED": returned} {
		before := s.must(200, "shop", "GET", "/v1/order/"+key, "")
		patch := func(body string) reply { return s.call("shop", "PATCH", "/v1/order/"+key, body) }
		r := patch(`{"merchant_status":"delivered","metadata":{"a":null,"b":"2","c":"3"}}`)
		if r.status != 200 || r.members("status", "merchant_status", "metadata") != status+" delivered map[b:2 c:3]" {
			t.Errorf("%s: %d %s", status, r.status, r.raw)
		}
		same := patch(`{"merchant_status":"delivered","metadata":{"b":"2","gone":null}}`)
		if same.status != 200 || same.header.Get("ETag") != r.header.Get("ETag") || same.raw != r.raw {
			t.Errorf("%s: equal values are a change: %s", status, same.raw)
		}
		if r := patch(`{"merchant_status":null,"metadata":null}`); r.members("merchant_status", "metadata") != "<nil> map[]" {
			t.Errorf("%s: cleared: %s", status, r.raw)
		}
		if r := patch(fmt.Sprintf(`{"amount":%v}`, before.body["amount"])); r.status != 200 {
			t.Errorf("%s: the same amount: %d %s", status, r.status, r.raw)
		}
		amount := "amount_locked"
		if status == "CANCELED" {
			amount = "order_locked"
		}
		for body, code := range map[string]string{
			`{"amount":1}`: amount, `{"merchant_order_id":"X"}`: "order_locked", `{"cart_items":[]}`: "",
			`{"cart_items":[{"name":"x","price":1}]}`: "order_locked", `{"shipping_address":{"city":"Albany"}}`: "order_locked",
			`{"installments":6}`: "order_locked", `{"amount":1,"shipping_address":{"city":"Albany"}}`: amount,
			`{"merchant_status":"x","amount":1}`: amount, `{"metadata":{"k":"` + strings.Repeat("v", 501) + `"}}`: "validation_failed",
			`{"metadata":{"` + strings.Repeat("k", 41) + `":"v"}}`: "validation_failed", `{"metadata":{"k":1}}`: "validation_failed",
			`{"merchant_status":"` + strings.Repeat("x", 256) + `"}`: "validation_failed",
		} {
			if r := patch(body); r.code() != code {
				t.Errorf("%s %.60s: %d %s, want %s", status, body, r.status, r.raw, code)
			}
		}
		if after := s.must(200, "shop", "GET", "/v1/order/"+key, ""); after.members("amount", "status", "merchant_status", "cart_items") != before.members("amount", "status", "merchant_status", "cart_items") {
			t.Errorf("%s: %s, was %s", status, after.raw, before.raw)
		}
	}
	entries := func(n, from int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"k%d":"v"`, from+i))
		}
		return `{"metadata":{` + strings.Join(list, ",") + `}}`
	}
	s.must(200, "shop", "PATCH", "/v1/order/"+captured, entries(50, 0))
	for _, body := range []string{entries(51, 0), entries(1, 50)} { // in one request, and by merging
		if r := s.call("shop", "PATCH", "/v1/order/"+captured, body); r.status != 422 || r.code() != "validation_failed" {
			t.Errorf("51 entries: %d %s", r.status, r.raw)
		}
	}
}

// Returned items are shown with the refund that names them: in the order, in its events and
// in the changes of an event. Another form of naming is shown as given, and a refund that
// names nothing has an empty list.
func TestRefundsShowWhatCameBack(t *testing.T) {
	s := open(t)
	key := s.captured()
	path := "/v1/order/" + key
	items := func(order map[string]any) (out []string) {
		for _, r := range order["refunds"].([]any) {
			out = append(out, text(r.(map[string]any)["items"]))
		}
		return out
	}
	first := `[{"sku":"SHELF-1","merchant_id":null,"quantity":2},{"sku":null,"merchant_id":"sku-100","quantity":1}]`
	r := s.must(200, "shop", "PATCH", path+"/refund", `{"amount":10,"items":[{"sku":"SHELF-1","quantity":2},{"merchant_id":"sku-100","quantity":1}]}`)
	conforms(t, "PATCH", "/v1/order/{key}/refund", r)
	s.must(200, "shop", "PATCH", path+"/refund", `{"amount":5}`)
	last := s.must(200, "shop", "GET", path, "")
	conforms(t, "GET", "/v1/order/{key}", last)
	var want []any
	for _, list := range []string{first, `[]`} {
		var x any
		if err := json.Unmarshal([]byte(list), &x); err != nil {
			t.Fatal(err)
		}
		want = append(want, text(x))
	}
	equal := func(what string, order map[string]any, n int) {
		if got := items(order); fmt.Sprint(got) != fmt.Sprint(want[:n]) {
			t.Errorf("%s: %v, want %v", what, got, want[:n])
		}
	}
	equal("the answer", r.body, 1)
	equal("the order", last.body, 2)
	seen := 0
	for _, x := range s.must(200, "shop", "GET", path+"/events?limit=100", "").body["data"].([]any) {
		if e := x.(map[string]any); e["type"] == "order.refunded" {
			data := e["data"].(map[string]any)
			seen++
			equal("an event", data["object"].(map[string]any), seen)
			equal("what it has changed", data["previous_attributes"].(map[string]any), seen-1)
		}
	}
	if seen != 2 {
		t.Errorf("%d events of refunds", seen)
	}
}
