package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// calls returns the caller's CHECKOUT endpoint, "" if there is none.
func (h *house) calls(who string) string {
	h.t.Helper()
	for _, x := range h.must(200, who, "GET", "/v1/webhooks", "").body["data"].([]any) {
		if w := x.(map[string]any); w["kind"] == "CHECKOUT" {
			return w["id"].(string)
		}
	}
	return ""
}

// The first checkout with an order_complete_url creates the merchant's CHECKOUT endpoint.
// Its secret exists from the start and is shown when it is rotated. Its address and type
// cannot be changed, and it takes no test events.
func TestCheckoutMakesItsEndpoint(t *testing.T) {
	h := newHouse(t)
	body := `{"amount":1200.00,"order_complete_url":"https://shop.example/done?o=%ORDER_KEY%#x",` + cartBody + `}`
	h.checkout("")
	if id := h.calls("a"); id != "" {
		t.Fatalf("there is %s before the first checkout that is called", id)
	}
	made := h.must(201, "a", "POST", "/v1/checkouts", body)
	id := h.calls("a")
	h.must(201, "a", "POST", "/v1/checkouts", body)
	if again := h.calls("a"); again != id || id == "" {
		t.Fatalf("endpoint %q, then %q", id, again)
	}
	first := h.sealed(id)
	if len(first) != 1 || strings.Contains(made.raw, "whsec_") || strings.Contains(made.raw, id) {
		t.Errorf("%d secrets, %s", len(first), made.raw)
	}
	got := h.must(200, "a", "GET", "/v1/webhooks/"+id, "")
	if got.body["url"] != nil || got.body["secret"] != nil || got.body["enabled"] != true || fmt.Sprint(got.body["event_types"]) != "[checkout.accepted]" {
		t.Errorf("%s", got.raw)
	}
	rotated := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/rotate", "")
	if now := h.sealed(id); len(now) != 2 || now[0] != rotated.text("secret") || now[1] != first[0] {
		t.Errorf("after rotating, %d secrets sign", len(now))
	}
	for _, x := range []struct{ method, path, body, code string }{
		{"PATCH", "", `{"url":"https://shop.example/all"}`, "url_not_allowed"},
		{"PATCH", "", `{"event_types":null}`, "validation_failed"},
		{"PATCH", "", `{"event_types":["order.captured"]}`, "validation_failed"},
		{"POST", "/test", ``, "validation_failed"},
	} {
		if r := h.must(422, "a", x.method, "/v1/webhooks/"+id+x.path, x.body); r.code() != x.code {
			t.Errorf("%s%s %s: %s", x.method, x.path, x.body, r.raw)
		}
	}
	h.must(200, "a", "PATCH", "/v1/webhooks/"+id, `{"enabled":false,"description":"calls"}`)
	h.must(204, "a", "DELETE", "/v1/webhooks/"+id, "")
	h.must(201, "a", "POST", "/v1/checkouts", body)
	if again := h.calls("a"); again == id || again == "" {
		t.Errorf("after it was deleted: %q", again)
	}
}

// Another merchant's token can neither see nor change it, and a checkout of its own creates
// an endpoint of its own.
func TestCallsOfAnotherMerchant(t *testing.T) {
	h := newHouse(t)
	x := h.checkout(`,"order_complete_url":"https://shop.example/done"`)
	id := h.calls("a")
	for _, r := range []struct{ method, path, body string }{
		{"GET", "", ""}, {"PATCH", "", `{"enabled":false}`}, {"DELETE", "", ""}, {"POST", "/rotate", ""}, {"GET", "/deliveries", ""},
		{"POST", "/replay", `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`},
	} {
		h.must(404, "b", r.method, "/v1/webhooks/"+id+r.path, r.body)
	}
	h.must(404, "b", "GET", "/v1/checkouts/"+x.text("id"), "")
	if h.calls("b") != "" {
		t.Error("another merchant lists it")
	}
	h.must(201, "b", "POST", "/v1/checkouts", `{"amount":1200.00,"order_complete_url":"https://shop.example/done",`+cartBody+`}`)
	if theirs := h.calls("b"); theirs == id || theirs == "" {
		t.Errorf("the other merchant's is %q", theirs)
	}
}

// An acceptance is one event, whatever follows it. The story checkout_calls of package
// credit shows that accepting again changes nothing.
func TestAcceptedIsCalledOnce(t *testing.T) {
	h := newHouse(t)
	x := h.checkout(`,"order_complete_url":"https://shop.example/done","buyer":{"email":"ada@alder.example"}`).text("id")
	h.accept(x, "ada@alder.example", 0, 6)
	h.must(200, "a", "POST", "/v1/checkouts/"+x+"/complete", "")
	var types []string
	for _, e := range h.must(200, "a", "GET", "/v1/events?limit=100", "").body["data"].([]any) {
		if e := e.(map[string]any); e["object"].(map[string]any)["id"] == x {
			types = append(types, e["type"].(string))
		}
	}
	if !slices.Equal(types, []string{"checkout.accepted"}) {
		t.Errorf("events %v", types)
	}
}

// An order_complete_url must be one that both a browser and a webhook may be sent to: in
// live mode that means a registered origin, an open port and a public address.
func TestCallsInLiveMode(t *testing.T) {
	h := newHouse(t)
	h.service.Desk.Sandbox, h.service.Desk.Mail = false, nobody{}
	h.must(200, "ops", "PUT", "/v1/operator/merchants/"+h.a+"/shop",
		`{"origins":["https://shop.example","https://shop.example:8443","https://10.1.2.3","https://127.0.0.1"],"reason":"its shop"}`)
	for url, status := range map[string]int{
		"https://shop.example/done?o=%ORDER_KEY%": 201, "https://other.example/done": 422, "https://shop.example:8443/done": 422,
		"https://10.1.2.3/done": 422, "https://127.0.0.1/done": 422, "http://localhost/done": 422, "https://shop.example/?r=%REASON%": 422,
	} {
		r := h.must(status, "a", "POST", "/v1/checkouts", `{"amount":1200,"order_complete_url":"`+url+`",`+cartBody+`}`)
		if status == 422 && (r.code() != "url_not_allowed" || !strings.Contains(r.raw, `"pointer":"/order_complete_url"`) || strings.Contains(r.raw, url)) {
			t.Errorf("%s: %s", url, r.raw)
		}
	}
}
