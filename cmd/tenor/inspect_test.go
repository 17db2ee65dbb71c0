package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/proof/devtest"
)

// With the pages alone, a developer sees how deliveries to a failing receiver are retried, sends
// a waiting one at once, resends one that arrived, and reads why a message is refused.
func TestInspector(t *testing.T) {
	s, w := devtest.NewShopper(t)
	if to := s.Form("/sandbox/enter", url.Values{"code": {w.Enter[strings.LastIndex(w.Enter, "/")+1:]}}); to != "/sandbox" {
		t.Fatalf("the link leads to %s", to)
	}
	s.Page("/sandbox/webhooks", "No receivers yet", "The sandbox’s clock shows")
	if to := s.Form("/sandbox/webhooks", url.Values{"name": {"shop"}}); to != "/sandbox/webhooks/shop" {
		t.Fatalf("it leads to %s", to)
	}
	const got = "/v1/sandbox/receivers/shop/deliveries"
	s.Form("/sandbox/webhooks/shop/behavior", url.Values{"behavior": {"fail"}, "times": {"2"}})
	s.Form("/sandbox/webhooks/shop/test", url.Values{})
	s.Until("two attempts", got, func(list []map[string]any) bool { return len(list) == 2 })
	hook := s.List("/v1/webhooks")[0]["id"].(string)
	waiting := s.Until("a delivery waits for minutes", "/v1/webhooks/"+hook+"/deliveries?state=PENDING", func(list []map[string]any) bool {
		return len(list) == 1 && list[0]["attempts_made"].(float64) == 2
	})
	id := waiting[0]["id"].(string)
	s.Page("/sandbox/webhooks/shop", "In transit", id, "fail: 500")
	s.Form("/sandbox/webhooks/shop/now", url.Values{"delivery": {id}})
	list := s.Until("the third", got, func(list []map[string]any) bool { return len(list) == 3 })
	if x := list[0]; x["behavior"] != "accept" || x["check"].(map[string]any)["verdict"] != "GOOD" || x["event_id"] != list[2]["event_id"] || x["event_type"] != "webhook.test" {
		t.Errorf("%v", x)
	}
	s.Until("it succeeds", "/v1/webhooks/"+hook+"/deliveries?state=SUCCEEDED", func(list []map[string]any) bool { return len(list) == 1 })

	one := "/sandbox/webhooks/shop/" + list[0]["id"].(string)
	s.Page(one, `state-good">good`, "function verify(", "def verify(", "func Verify(", "webhook-signature", "Redeliver")
	s.Form(one+"/redeliver", url.Values{})
	s.Until("the fourth", got, func(list []map[string]any) bool { return len(list) == 4 })

	to := s.Form(one+"/send", url.Values{"id": {"evt_mine"}, "body": {"{}"}, "timestamp": {"1"}})
	s.Page(to, `state-bad">refused`, "at most five minutes")
	s.Form(one+"/check", url.Values{"secret": {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}})
	s.Page(one, "With the secret that you typed in", `state-bad">refused`)
	s.Page(one, `state-good">good`)
	s.API(404, "POST", "/v1/sandbox/deliveries/"+id+"/send-now", "{}") // it no longer waits

	other := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.OtherToken(t, w), HTTP: s.HTTP}
	if list := other.List(got); len(list) != 0 || len(other.List("/v1/sandbox/receivers")) != 0 {
		t.Errorf("another merchant sees %v", list)
	}
	if answer, err := http.Post(w.URL+"/sandbox/receive/nobody", "application/json", strings.NewReader("{}")); err != nil || answer.StatusCode != 404 {
		t.Errorf("a name that nobody has: %v, %v", answer, err)
	}
}

// The mailbox contains what the books contain: an invoice, a payout advice, a statement of the
// past month, a notice. A merchant sees only its own.
func TestMailbox(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s.API(200, "POST", "/v1/sandbox/clock/freeze", "{}")
	o := s.API(201, "POST", "/order", `{"company_id":1000000002,"amount":120.00,"installments":3,"status":"AUTHORIZED"}`)
	s.API(200, "PATCH", "/v1/order/"+o["key"].(string), `{"status":"CAPTURED"}`)
	s.API(201, "POST", "/order", `{"company_id":1000000001,"amount":120.00,"installments":3,"status":"AUTHORIZED"}`)
	lender := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator")}
	lender.API(200, "PATCH", "/v1/operator/companies/1000000006", `{"limit":100.00,"reason":"x","reasons":["credit_score"]}`)
	s.API(200, "POST", "/v1/sandbox/clock/advance", `{"duration":"840h"}`)
	s.Until("the clock is there", "/v1/sandbox/mail", func([]map[string]any) bool { return s.API(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
	all := s.List("/v1/sandbox/mail?limit=100")
	found := map[string]map[string]any{}
	for i, m := range all {
		found[m["kind"].(string)] = m
		if i > 0 && m["date"].(string) > all[i-1]["date"].(string) {
			t.Errorf("%s stands after %s", m["date"], all[i-1]["date"])
		}
		if one := s.API(200, "GET", "/v1/sandbox/mail/"+m["id"].(string), ""); one["text"] != m["text"] || one["html"] != m["html"] {
			t.Errorf("%s alone is another", m["id"])
		}
	}
	for kind, want := range map[string][]string{
		"INVOICE":       {"Birch Street Bakery", "buyer-02@sandbox.example", "Invoice", "$120.00", "invoice"},
		"PAYOUT_ADVICE": {demo.Merchant, "", "Payout", "$116.40", "payout"},
		"STATEMENT":     {"Birch Street Bakery", "buyer-02@sandbox.example", "Statement of Jan 1, 2026 to Jan 31, 2026", "$120.00", "statement"},
		"NOTICE":        {"Fir Valley Farms", "buyer-06@sandbox.example", "Notice: your credit line was lowered", "Equal Credit Opportunity Act", "notice"},
	} {
		m := found[kind]
		if m == nil {
			t.Errorf("no %s in %v", kind, all)
			continue
		}
		to, _ := m["to"].(string)
		if m["name"] != want[0] || to != want[1] || !strings.Contains(m["subject"].(string), want[2]) || !strings.Contains(m["text"].(string), want[3]) ||
			!strings.Contains(m["html"].(string), want[3]) || m["object"].(map[string]any)["type"] != want[4] {
			t.Errorf("%s: %v", kind, m)
		}
		if only := s.List("/v1/sandbox/mail?kind=" + kind); len(only) == 0 || only[0]["kind"] != kind {
			t.Errorf("only %s: %v", kind, only)
		}
	}
	if first := s.API(200, "GET", "/v1/sandbox/mail?limit=1", ""); first["has_more"] != true || s.List("/v1/sandbox/mail?limit=1&cursor=" + first["next_cursor"].(string))[0]["id"] != all[1]["id"] {
		t.Error("the second page does not begin with the second message")
	}
	other := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.OtherToken(t, w)}
	if list := other.List("/v1/sandbox/mail"); len(list) != 0 {
		t.Errorf("another merchant gets %v", list)
	}
	other.API(404, "GET", "/v1/sandbox/mail/"+all[0]["id"].(string), "")

	s.Form("/sandbox/enter", url.Values{"token": {w.Token}})
	m := found["INVOICE"]
	if out := s.Command(exit.Done, "sandbox", "mail", "list", "--kind", "INVOICE", "-q"); out != m["id"].(string)+"\n" {
		t.Errorf("the command line lists %s", out)
	}
	if out := s.Command(exit.Done, "sandbox", "mail", "get", m["id"].(string)); !strings.Contains(out, m["text"].(string)) || !strings.Contains(out, "Birch Street Bakery <buyer-02@sandbox.example>") {
		t.Errorf("the command line shows %s", out)
	}
	s.Command(exit.NotFound, "sandbox", "mail", "get", "mail_1")
	s.Page("/sandbox/mail", m["subject"].(string), "Notice: your credit line was lowered")
	s.Page("/sandbox/mail/"+m["id"].(string), "buyer-02@sandbox.example", "$120.00")
	s.Page("/sandbox/mail/"+m["id"].(string)+"/html", "<h1>Invoice")
}

// A scenario is played from its page, and the page shows the result.
func TestScenarioFromItsPage(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s.Form("/sandbox/enter", url.Values{"token": {w.Token}})
	s.Page("/sandbox/scenarios", "happy-path", "authorization-expires</span></button>")
	at := s.Form("/sandbox/scenarios/authorization-expires/run", url.Values{})
	page := s.Page(at)
	for end := time.Now().Add(devtest.Longest); strings.Contains(page, "Reload this page") && time.Now().Before(end); page = s.Page(at) {
		time.Sleep(200 * time.Millisecond) // within the rate limit
	}
	if !strings.Contains(page, "Passed. Every check holds.") || !strings.Contains(page, "POST /order") {
		t.Error(page)
	}
}
