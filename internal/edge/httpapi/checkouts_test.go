package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tenor/internal/domain/lending"
	"tenor/internal/edge/httpapi/sandboxapi"
	"tenor/internal/office/buyer"
)

const cartBody = `"return_url":"https://shop.example/done?o=%ORDER_KEY%","cancel_url":"https://shop.example/cart?r=%REASON%"`

// checkout creates a checkout of merchant A.
func (h *house) checkout(more string) reply {
	h.t.Helper()
	return h.must(201, "a", "POST", "/v1/checkouts", `{"amount":1200.00,`+cartBody+more+`}`)
}

// accept completes a checkout as a person with an e-mail: as a person of a company, or with
// an application for a magic tax number.
func (h *house) accept(id, email string, company int64, installments int) {
	h.t.Helper()
	if err := h.service.Desk.Stand(context.Background(), buyer.Stand{Checkout: id, Email: email, Company: company, EIN: "00-0000001", Installments: installments, Papers: sandboxapi.API{Service: h.service}.PapersOf}); err != nil {
		h.t.Fatalf("accept %s: %v", id, err)
	}
}

// A shop creates a checkout, the buyer accepts it, the shop completes it.
func TestCheckoutIsAcceptedAndCompleted(t *testing.T) {
	h := newHouse(t)
	made := h.checkout(`,"remote_id":"cart-1","buyer":{"email":"ada@alder.example","first_name":"Ada","last_name":"Marsh"},"metadata":{"till":"7"}`)
	id, key := made.text("id"), made.text("order_key")
	if made.text("status") != "OPEN" || !strings.HasPrefix(made.text("checkout_url"), "http://tenor.test/c/") || made.header.Get("Location") != "/v1/checkouts/"+id {
		t.Fatalf("made %s %v", made.raw, made.header)
	}
	h.must(404, "a", "GET", "/v1/order/"+key, "")
	open := h.must(409, "a", "POST", "/v1/checkouts/"+id+"/complete", "")
	if open.code() != "checkout_not_accepted" || open.text("checkout_status") != "OPEN" {
		t.Errorf("complete of an open checkout: %s", open.raw)
	}
	h.accept(id, "ada@alder.example", 0, 6)
	got := h.must(200, "a", "GET", "/v1/checkouts/"+id, "")
	if got.text("status") != "ACCEPTED" || fmt.Sprint(got.body["installments"]) != "6" || got.body["company_id"] == nil || got.text("checkout_url") != made.text("checkout_url") {
		t.Errorf("accepted: %s", got.raw)
	}
	if o := h.must(200, "a", "GET", "/v1/order/"+key, ""); o.text("status") != "CREATED" {
		t.Errorf("order %s", o.raw)
	}
	done := h.must(200, "a", "POST", "/v1/checkouts/"+id+"/complete", "")
	if done.text("status") != "AUTHORIZED" || done.text("key") != key {
		t.Errorf("completed: %s", done.raw)
	}
	if again := h.must(200, "a", "POST", "/v1/checkouts/"+id+"/complete", ""); again.raw != done.raw {
		t.Errorf("completed again: %s", again.raw)
	}
	if r := h.must(409, "a", "POST", "/v1/checkouts/"+id+"/expire", ""); r.code() != "checkout_already_completed" {
		t.Errorf("expire after complete: %s", r.raw)
	}
	if r := h.must(409, "a", "POST", "/v1/checkouts", `{"amount":1200.00,`+cartBody+`,"remote_id":"cart-1"}`); r.code() != "checkout_already_completed" || r.text("order_key") != key {
		t.Errorf("the cart again: %s", r.raw)
	}
}

// The same remote_id with the same cart returns the same checkout, byte for byte, whatever
// the request's key. Another cart replaces it.
func TestSameCartSameBytes(t *testing.T) {
	h := newHouse(t)
	first := h.checkout(`,"remote_id":"cart-1","installments":[6,3]`)
	same := h.must(200, "a", "POST", "/v1/checkouts", `{"installments":[3,6,3],"remote_id":"cart-1","amount":"1200.00",`+cartBody+`}`, "Idempotency-Key", "k2")
	again := h.must(200, "a", "POST", "/v1/checkouts", `{"installments":[3,6,3],"remote_id":"cart-1","amount":"1200.00",`+cartBody+`}`, "Idempotency-Key", "k2")
	if same.raw != first.raw || again.raw != first.raw || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %s\nsame  %s\nagain %s %v", first.raw, same.raw, again.raw, again.header)
	}
	other := h.must(201, "a", "POST", "/v1/checkouts", `{"amount":1300.00,`+cartBody+`,"remote_id":"cart-1"}`)
	old := h.must(200, "a", "GET", "/v1/checkouts/"+first.text("id"), "")
	if other.text("id") == first.text("id") || old.text("status") != "CANCELED" || old.text("reason") != "replaced" {
		t.Errorf("another cart: %s, the old one %s", other.raw, old.raw)
	}
	// Without remote_id every request creates a new one.
	if one, two := h.checkout(""), h.checkout(""); one.text("id") == two.text("id") {
		t.Error("two carts without remote_id are one")
	}
}

// Concurrent requests for one cart return one checkout and its address.
func TestOneCartAtOnce(t *testing.T) {
	h := newHouse(t)
	var wait sync.WaitGroup
	answers := make([]reply, 12)
	for i := range answers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			answers[i] = h.call("a", "POST", "/v1/checkouts", `{"amount":1200.00,`+cartBody+`,"remote_id":"cart-1"}`)
		}()
	}
	wait.Wait()
	for _, r := range answers {
		if r.raw != answers[0].raw || !strings.HasPrefix(r.text("checkout_url"), "http://tenor.test/c/") {
			t.Errorf("%d %s\n%s", r.status, r.raw, answers[0].raw)
		}
	}
}

// Invalid checkouts are refused.
func TestCheckoutIsRefused(t *testing.T) {
	h := newHouse(t)
	order := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, h.company)).text("key")
	for _, x := range []struct {
		body, code, at string
		status         int
	}{
		{`{` + cartBody + `}`, "validation_failed", "/amount", 422},
		{`{"amount":1200}`, "validation_failed", "/return_url", 422},
		{`{"amount":1200,"return_url":"https://shop.example/"}`, "validation_failed", "/cancel_url", 422},
		{`{"amount":1200,"charges":{"grand_total":1100},` + cartBody + `}`, "charges_mismatch", "", 422},
		{`{"amount":0.5,` + cartBody + `}`, "amount_out_of_bounds", "", 422},
		{`{"amount":1200,"installments":[5],` + cartBody + `}`, "term_not_available", "", 422},
		{`{"amount":1200,"expires_in":899,` + cartBody + `}`, "validation_failed", "/expires_in", 422},
		{`{"amount":1200,"expires_in":2592001,` + cartBody + `}`, "validation_failed", "/expires_in", 422},
		{`{"amount":1200,"currency":"EUR",` + cartBody + `}`, "validation_failed", "/currency", 422},
		{`{"amount":1200,"mode":"popup",` + cartBody + `}`, "validation_failed", "/mode", 422},
		{`{"amount":1200,"mode":"link"}`, "validation_failed", "", 422},
		{`{"amount":1200,"buyer":{"email":"no"},` + cartBody + `}`, "validation_failed", "/buyer/email", 422},
		{`{"order_key":"` + order + `",` + cartBody + `}`, "validation_failed", "/order_key", 422},
		{`{"order_key":"` + order + `","amount":5,"mode":"link"}`, "validation_failed", "/amount", 422},
		{`{"order_key":"` + order + `","mode":"link","buyer":{"email":"a@b.example"}}`, "invalid_transition", "", 409},
		{`{"order_key":"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3","mode":"link","buyer":{"email":"a@b.example"}}`, "not_found", "", 404},
		{fmt.Sprintf(`{"amount":1200,"company_id":%d,%s}`, h.unlinked, cartBody), "company_not_linked", "", 403},
		{`{"amount":1200,"company_id":3000000000,` + cartBody + `}`, "not_found", "", 404},
		{`{"amount":1200,"status":"ACCEPTED",` + cartBody + `}`, "unknown_member", "", 400},
		{`{"amount":1200,"return_url":"http://shop.example/","cancel_url":"https://shop.example/"}`, "url_not_allowed", "/return_url", 422},
		{`{"amount":1200,"return_url":"https://shop.example/?r=%REASON%","cancel_url":"https://shop.example/"}`, "url_not_allowed", "/return_url", 422},
		{`{"amount":1200,"return_url":"https://shop.example/","cancel_url":"javascript:alert(1)"}`, "url_not_allowed", "/cancel_url", 422},
		{`{"amount":1200,"order_complete_url":"https://169.254.169.254/latest",` + cartBody + `}`, "url_not_allowed", "/order_complete_url", 422},
		{`{"amount":1200,"return_url":"https://%CKKEY%.example/","cancel_url":"https://shop.example/"}`, "url_not_allowed", "/return_url", 422},
	} {
		r := h.call("a", "POST", "/v1/checkouts", x.body)
		if r.status != x.status || r.code() != x.code || x.at != "" && !strings.Contains(r.raw, `"pointer":"`+x.at+`"`) {
			t.Errorf("%s: %d %s", x.body, r.status, r.raw)
		}
		for _, part := range []string{"169.254", "alert", "http://shop"} {
			if strings.Contains(r.raw, part) {
				t.Errorf("the refused address comes back: %s", r.raw)
			}
		}
	}
}

// In live mode buyers are sent only to the merchant's registered origins, and a buyer who
// cannot be reached by mail is not asked to accept.
func TestCheckoutInLiveMode(t *testing.T) {
	h := newHouse(t)
	h.service.Desk.Sandbox = false
	if r := h.must(503, "a", "POST", "/v1/checkouts", `{"amount":1200,`+cartBody+`}`); r.code() != "mail_unavailable" {
		t.Errorf("without a mail server: %s", r.raw)
	}
	h.service.Desk.Mail = nobody{}
	sells := func(origins string, status int) {
		t.Helper()
		h.must(status, "ops", "PUT", "/v1/operator/merchants/"+h.a+"/shop", `{"origins":[`+origins+`],"reason":"its shop"}`)
	}
	for _, origins := range []string{`"http://shop.example"`, `"https://shop.example/a"`, `"https://u@shop.example"`, `"https://"`, `"shop.example"`, `"https://*.example"`, `"https://sh op.example"`, `""`} {
		sells(origins, 422)
	}
	h.must(403, "a", "PUT", "/v1/operator/merchants/"+h.a+"/shop", `{"origins":["https://shop.example"],"reason":"its shop"}`)
	for _, origins := range []string{``, `"https://other.example"`, `"https://shop.example:8443"`, `"https://shop.example.evil.example"`} {
		sells(origins, 200)
		if r := h.must(422, "a", "POST", "/v1/checkouts", `{"amount":1200,`+cartBody+`}`); r.code() != "url_not_allowed" {
			t.Errorf("with %v: %s", origins, r.raw)
		}
	}
	sells(`"https://other.example","https://Shop.example:443"`, 200)
	h.checkout("")
	if r := h.must(422, "b", "POST", "/v1/checkouts", `{"amount":1200,`+cartBody+`}`); r.code() != "url_not_allowed" {
		t.Errorf("another merchant's origin: %s", r.raw)
	}
}

// A direct order takes its terms from the buyer. Only people of its company may accept, and
// it stays CREATED if they do not.
func TestDirectOrderByLink(t *testing.T) {
	h := newHouse(t)
	key := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1200}`, h.company)).text("key")
	x := h.must(201, "a", "POST", "/v1/checkouts", `{"order_key":"`+key+`","mode":"link","buyer":{"email":"ada@alder.example"}}`)
	if x.text("order_key") != key || fmt.Sprint(x.body["company_id"]) != fmt.Sprint(h.company) {
		t.Fatalf("made %s", x.raw)
	}
	ended := h.must(200, "a", "POST", "/v1/checkouts/"+x.text("id")+"/expire", "")
	if o := h.must(200, "a", "GET", "/v1/order/"+key, ""); ended.text("status") != "CANCELED" || o.text("status") != "CREATED" {
		t.Errorf("ended %s, order %s", ended.raw, o.raw)
	}
}

// A merchant that knows the company reads why a checkout ended, and its event says the
// same. For a merchant that does not know it, both withhold the reason alike.
func TestEventOfAnEndedCheckoutSaysWhatItsReadSays(t *testing.T) {
	h := newHouse(t)
	for company, want := range map[int64]string{h.company: "CANCELED", h.unlinked: "DECLINED"} {
		id := h.checkout("").text("id")
		if err := h.service.Desk.Enter(context.Background(), id, h.owner(company, fmt.Sprintf("who%d@birch.example", company)), company, ""); err != nil {
			t.Fatal(err)
		}
		if err := h.service.Desk.End(context.Background(), id, lending.EndNotEligible, ""); err != nil {
			t.Fatal(err)
		}
		told := h.lastEvent("a")
		if r := h.must(200, "a", "GET", "/v1/checkouts/"+id, ""); r.text("status") != want || told["id"] != id || told["status"] != want || told["reason"] != r.body["reason"] {
			t.Errorf("read as %s, told as %v %v; must be %s", r.raw, told["status"], told["reason"], want)
		}
	}
}

// lastEvent returns the object data of a merchant's newest event.
func (h *house) lastEvent(who string) map[string]any {
	h.t.Helper()
	events := h.must(200, who, "GET", "/v1/events?limit=100", "").body["data"].([]any)
	return events[len(events)-1].(map[string]any)["data"].(map[string]any)["object"].(map[string]any)
}

// A merchant must not learn the company of a checkout that it is not linked to, nor why
// that company could not buy. Nothing reveals it, not even a list's filter.
func TestMerchantLearnsNothingOfAStranger(t *testing.T) {
	h := newHouse(t)
	id := h.checkout("").text("id")
	person := h.owner(h.unlinked, "birch@birch.example")
	if err := h.service.Desk.Enter(context.Background(), id, person, h.unlinked, ""); err != nil {
		t.Fatal(err)
	}
	if r := h.must(200, "a", "GET", "/v1/checkouts/"+id, ""); r.body["company_id"] != nil {
		t.Errorf("before the acceptance: %s", r.raw)
	}
	if err := h.service.Desk.End(context.Background(), id, lending.EndInsufficientCredit, ""); err != nil {
		t.Fatal(err)
	}
	if e := h.lastEvent("a"); e["id"] != id || e["status"] != "DECLINED" || e["reason"] != "declined" || e["company_id"] != nil {
		t.Errorf("as its event tells it: %v", e)
	}
	plain := h.checkout("").text("id")
	if err := h.service.Desk.End(context.Background(), plain, lending.EndBuyerCanceled, ""); err != nil {
		t.Fatal(err)
	}
	r := h.must(200, "a", "GET", "/v1/checkouts/"+id, "")
	if r.text("status") != "DECLINED" || r.text("reason") != "declined" || r.body["company_id"] != nil || strings.Contains(r.raw, fmt.Sprint(h.unlinked)) {
		t.Errorf("as its merchant reads it: %s", r.raw)
	}
	if r := h.must(200, "ops", "GET", "/v1/checkouts/"+id, ""); r.text("status") != "CANCELED" || r.text("reason") != "insufficient_credit" || r.body["checkout_url"] != nil {
		t.Errorf("as the lender reads it: %s", r.raw)
	}
	for status, want := range map[string]string{"DECLINED": id, "CANCELED": plain} {
		list := h.must(200, "a", "GET", "/v1/checkouts?status="+status, "").body["data"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["id"] != want {
			t.Errorf("status=%s: %v", status, list)
		}
	}
	if r := h.must(200, "a", "POST", "/v1/checkouts/"+id+"/expire", ""); r.text("status") != "DECLINED" || r.body["company_id"] != nil {
		t.Errorf("ended again: %s", r.raw)
	}
	h.must(403, "a", "GET", fmt.Sprintf("/v2/companies/%d", h.unlinked), "")
	for _, target := range []string{"/v1/checkouts/" + id, "/v1/checkouts/" + plain} {
		h.must(404, "b", "GET", target, "")
		h.must(404, "b", "POST", target+"/complete", "")
		h.must(404, "b", "POST", target+"/expire", "")
	}
}

// Paging through a list skips nothing, whatever the filter hides.
func TestCheckoutsArePaged(t *testing.T) {
	h := newHouse(t)
	want := map[string]bool{}
	for i := range 7 {
		id := h.checkout("").text("id")
		want[id] = true
		if i%2 == 0 {
			h.must(200, "a", "POST", "/v1/checkouts/"+id+"/expire", "")
		}
	}
	for filter, most := range map[string]int{"": 7, "&status=CANCELED": 4, "&status=OPEN": 3, "&from=2026-01-10&to=2026-01-10": 7, "&from=2026-01-11": 0} {
		seen := map[string]bool{}
		for next := "/v1/checkouts?limit=2" + filter; next != ""; {
			r := h.must(200, "a", "GET", next, "")
			for _, x := range r.body["data"].([]any) {
				seen[x.(map[string]any)["id"].(string)] = true
			}
			if next = ""; r.text("next_cursor") != "" {
				next = "/v1/checkouts?limit=2" + filter + "&cursor=" + r.text("next_cursor")
			}
		}
		if len(seen) != most {
			t.Errorf("%q: %d, want %d", filter, len(seen), most)
		}
	}
}

// A16: a token for the buyer's pages does not work on the API, and the reverse.
func TestTokensStayWhereTheyAre(t *testing.T) {
	h := newHouse(t)
	x := h.checkout("")
	token := strings.TrimPrefix(x.text("checkout_url"), "http://tenor.test/c/")
	for _, target := range []string{"/v1/checkouts/" + x.text("id"), "/v1/orders", "/v1/applications"} {
		if r := h.call(token, "GET", target, ""); r.status != 401 {
			t.Errorf("%s with a checkout's token: %d", target, r.status)
		}
	}
	for _, token := range []string{h.tokens["a"], h.tokens["ops"], x.text("id"), ""} {
		if _, err := h.service.Desk.Find(context.Background(), token); err == nil {
			t.Errorf("the token %q opens a checkout's pages", token)
		}
	}
	if _, err := h.service.Desk.Find(context.Background(), token); err != nil {
		t.Errorf("its own token: %v", err)
	}
	if strings.Contains(h.log.String(), token) {
		t.Error("the log has the token of a checkout")
	}
}
