package httpapi_test

import (
	"fmt"
	"testing"

	"tenor/internal/domain/calendar"
)

// A star subscribes to every type of event, alone or with others.
func TestStarAsksForEveryEvent(t *testing.T) {
	h := newHouse(t)
	id, _ := h.endpoint(`,"event_types":["*"]`)
	got := func() string { return fmt.Sprint(h.must(200, "a", "GET", "/v1/webhooks/"+id, "").body["event_types"]) }
	if got() != "[]" {
		t.Errorf("made with a star: %s", got())
	}
	h.must(200, "a", "PATCH", "/v1/webhooks/"+id, `{"event_types":["order.captured"]}`)
	h.must(200, "a", "PATCH", "/v1/webhooks/"+id, `{"event_types":["order.captured","*"]}`)
	if got() != "[]" {
		t.Errorf("changed to a star: %s", got())
	}
	if r := h.call("a", "POST", "/v1/webhooks", `{"url":"https://shop.example/hooks/tenor","event_types":["order.*"]}`); r.status != 422 {
		t.Errorf("another pattern: %d %s", r.status, r.raw)
	}
}

// A debit that names no account uses the only one that can be debited, even with autopay
// off. With two it requires a name. Methods may be written in lower case.
func TestOnlyAccountIsDebited(t *testing.T) {
	h := newHouse(t)
	company := h.freshCompany(h.a)
	h.play(calendar.MustParse("2026-01-12"), 10, 0)
	r := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":300,"installments":3,"status":"AUTHORIZED"}`, company))
	order := r.text("key")
	invoice := h.must(200, "a", "PATCH", "/v1/order/"+order, `{"status":"CAPTURED"}`).text("invoice_id")
	targets := []string{`"order_key":"` + order + `"`, `"invoice_id":"` + invoice + `"`, fmt.Sprintf(`"company_id":%d`, company)}
	pay := func(target, method string) reply {
		return h.call("a", "POST", "/payment", `{`+target+`,"amount":20,"method":"`+method+`"}`)
	}
	refused := func(what, method string) {
		t.Helper()
		for _, target := range targets {
			if r := pay(target, method); r.status != 422 || r.code() != "payment_method_required" {
				t.Errorf("%s, %s: %d %s", what, target, r.status, r.raw)
			}
		}
	}
	refused("no account", "ACH")
	h.must(200, "ops", "POST", fmt.Sprintf("/v1/operator/companies/%d/link", company), `{"merchant_id":"`+h.b+`"}`)
	h.must(201, "b", "POST", fmt.Sprintf("/v1/companies/%d/payment_methods", company),
		`{"type":"ach","routing_number":"021000021","account_number":"7777","holder_name":"Ann","authorization":{"channel":"WEB","accepted_at":"2026-01-10T10:00:00Z","reference":"c"}}`)
	refused("an account of another merchant", "ACH")
	h.must(200, "ops", "POST", fmt.Sprintf("/v1/operator/companies/%d/unlink", company), `{"merchant_id":"`+h.b+`"}`)
	account := h.methodOf(company, "123456789").ID
	for i, method := range []string{"ACH", "ach", "ACH"} {
		if r := pay(targets[i], method); r.status != 201 || r.text("payment_method_id") != account || r.text("method") != "ACH" {
			t.Errorf("%s, %s: %d %s", targets[i], method, r.status, r.raw)
		}
	}
	refused("a bank account for a card", "card")
	if r := h.call("b", "POST", "/payment", `{`+targets[0]+`,"amount":20,"method":"ACH"}`); r.status != 404 {
		t.Errorf("another merchant's order: %d %s", r.status, r.raw)
	}
	if r := h.call("b", "POST", "/payment", `{`+targets[2]+`,"amount":20,"method":"ACH"}`); r.status != 403 {
		t.Errorf("a company that is not linked: %d %s", r.status, r.raw)
	}
	h.methodOf(company, "1234")
	refused("two accounts", "ACH")
	for word, status := range map[string]int{"wire": 201, "WIRE": 201, "Wire": 422, "swift": 422} {
		if r := pay(targets[0], word); r.status != status {
			t.Errorf("%s: %d %s", word, r.status, r.raw)
		}
	}
	if r := h.must(200, "a", "GET", "/payments?method=wire&order_key="+order, ""); len(r.body["data"].([]any)) != 2 {
		t.Errorf("payments by wire: %s", r.raw)
	}
}
