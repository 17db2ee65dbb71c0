package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
)

// shopper is a merchant at a sandbox of a test.
type shopper struct {
	*testing.T
	url, token string
	http       *http.Client // with a browser's cookies; it follows nothing
}

func newShopper(t *testing.T, args ...string) (*shopper, operate.World) {
	t.Helper()
	w := startSandbox(t, t.Cleanup, args...)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &shopper{t, w.URL, w.Token, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, w
}

// api calls the API and reads the answer, which must have the status.
func (s *shopper) api(status int, method, path, body string) map[string]any {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	if answer.StatusCode != status {
		s.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return out
}

// command runs a command line with the token, and returns what it prints.
func (s *shopper) command(code int, args ...string) string {
	s.Helper()
	var out, errs pipe
	a := testApp(&out, &errs)
	a.Getenv = func(name string) string {
		return map[string]string{"TENOR_TOKEN": s.token}[name]
	}
	if got := cli.Run(context.Background(), append(args, "--url", s.url), a); got != code {
		s.Errorf("%v ended with %d: %s", args, got, errs.String())
	}
	return out.String()
}

// list is what a list of the API holds.
func (s *shopper) list(path string) (out []map[string]any) {
	s.Helper()
	for _, x := range s.api(200, "GET", path, "")["data"].([]any) {
		out = append(out, x.(map[string]any))
	}
	return out
}

// until asks for a list until it fits.
func (s *shopper) until(what, path string, fits func([]map[string]any) bool) []map[string]any {
	s.Helper()
	for end := time.Now().Add(longest); ; time.Sleep(200 * time.Millisecond) { // the rate limit has room for that
		if list := s.list(path); fits(list) {
			return list
		}
		if time.Now().After(end) {
			s.Fatalf("never: %s", what)
		}
	}
}

// page gets a page, which must have the texts. Code is read without its colors.
func (s *shopper) page(path string, want ...string) string {
	s.Helper()
	r, err := s.http.Get(s.url + path)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	raw, _ := io.ReadAll(r.Body)
	body := regexp.MustCompile(`<span class="hl-[a-z]+">([^<]*)</span>`).ReplaceAllString(string(raw), "$1")
	for _, x := range want {
		if r.StatusCode != 200 || !strings.Contains(body, x) {
			s.Errorf("%s: %d, without %q", path, r.StatusCode, x)
		}
	}
	return body
}

// form sends a form, and returns where it leads.
func (s *shopper) form(path string, fields url.Values) string {
	s.Helper()
	fields.Set("key", fmt.Sprint(time.Now().UnixNano()))
	r, err := s.http.PostForm(s.url+path, fields)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusSeeOther {
		body, _ := io.ReadAll(r.Body)
		s.Fatalf("%s: %d %s", path, r.StatusCode, body)
	}
	return r.Header.Get("Location")
}

// A developer sees by the pages alone how a receiver that fails is tried again, sends
// what waits at once, sends again what came, and reads why a message is refused.
func TestInspector(t *testing.T) {
	s, w := newShopper(t)
	if to := s.form("/sandbox/enter", url.Values{"code": {w.Enter[strings.LastIndex(w.Enter, "/")+1:]}}); to != "/sandbox" {
		t.Fatalf("the link leads to %s", to)
	}
	s.page("/sandbox/webhooks", "No receivers yet", "The sandbox’s clock shows")
	if to := s.form("/sandbox/webhooks", url.Values{"name": {"shop"}}); to != "/sandbox/webhooks/shop" {
		t.Fatalf("it leads to %s", to)
	}
	const got = "/v1/sandbox/receivers/shop/deliveries"
	s.form("/sandbox/webhooks/shop/behavior", url.Values{"behavior": {"fail"}, "times": {"2"}})
	s.form("/sandbox/webhooks/shop/test", url.Values{})
	s.until("two attempts", got, func(list []map[string]any) bool { return len(list) == 2 })
	hook := s.list("/v1/webhooks")[0]["id"].(string)
	waiting := s.until("a delivery waits for minutes", "/v1/webhooks/"+hook+"/deliveries?state=PENDING", func(list []map[string]any) bool {
		return len(list) == 1 && list[0]["attempts_made"].(float64) == 2
	})
	id := waiting[0]["id"].(string)
	s.page("/sandbox/webhooks/shop", "In transit", id, "fail: 500")
	s.form("/sandbox/webhooks/shop/now", url.Values{"delivery": {id}})
	list := s.until("the third", got, func(list []map[string]any) bool { return len(list) == 3 })
	if x := list[0]; x["behavior"] != "accept" || x["check"].(map[string]any)["verdict"] != "GOOD" || x["event_id"] != list[2]["event_id"] || x["event_type"] != "webhook.test" {
		t.Errorf("%v", x)
	}
	s.until("it succeeds", "/v1/webhooks/"+hook+"/deliveries?state=SUCCEEDED", func(list []map[string]any) bool { return len(list) == 1 })

	one := "/sandbox/webhooks/shop/" + list[0]["id"].(string)
	s.page(one, `state-good">good`, "function verify(", "def verify(", "func Verify(", "webhook-signature", "Redeliver")
	s.form(one+"/redeliver", url.Values{})
	s.until("the fourth", got, func(list []map[string]any) bool { return len(list) == 4 })

	to := s.form(one+"/send", url.Values{"id": {"evt_mine"}, "body": {"{}"}, "timestamp": {"1"}})
	s.page(to, `state-bad">refused`, "at most five minutes")
	s.form(one+"/check", url.Values{"secret": {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}})
	s.page(one, "With the secret that you typed in", `state-bad">refused`)
	s.page(one, `state-good">good`)
	s.api(404, "POST", "/v1/sandbox/deliveries/"+id+"/send-now", "{}") // it waits no more

	other := &shopper{t, w.URL, otherToken(t, w), s.http}
	if list := other.list(got); len(list) != 0 || len(other.list("/v1/sandbox/receivers")) != 0 {
		t.Errorf("another merchant sees %v", list)
	}
	if answer, err := http.Post(w.URL+"/sandbox/receive/nobody", "application/json", strings.NewReader("{}")); err != nil || answer.StatusCode != 404 {
		t.Errorf("a name that nobody has: %v, %v", answer, err)
	}
}

// otherToken is a token of the demo's other merchant.
func otherToken(t *testing.T, w operate.World) string {
	t.Helper()
	return strings.TrimSpace(sandboxToken(t, w, "--merchant", otherMerchantOf(t, w)))
}

// sandboxToken makes a token with the command line.
func sandboxToken(t *testing.T, w operate.World, args ...string) string {
	t.Helper()
	var out, errs pipe
	if code := cli.Run(context.Background(), append([]string{"token", "--data", w.Data}, args...), testApp(&out, &errs)); code != exit.Done {
		t.Fatalf("token: %s", errs.String())
	}
	return strings.TrimSpace(out.String())
}

func otherMerchantOf(t *testing.T, w operate.World) string {
	t.Helper()
	lender := &shopper{T: t, url: w.URL, token: sandboxToken(t, w, "--operator")}
	for _, m := range lender.list("/v1/operator/merchants") {
		if m["name"] == demo.OtherMerchant {
			return m["id"].(string)
		}
	}
	t.Fatal("there is no other merchant")
	return ""
}

// The mailbox has what the books have: an invoice, a payout advice, a statement of the
// month that is over, a notice. A merchant sees what is its own.
func TestMailbox(t *testing.T) {
	s, w := newShopper(t)
	s.api(200, "POST", "/v1/sandbox/clock/freeze", "{}")
	o := s.api(201, "POST", "/order", `{"company_id":1000000002,"amount":120.00,"installments":3,"status":"AUTHORIZED"}`)
	s.api(200, "PATCH", "/v1/order/"+o["key"].(string), `{"status":"CAPTURED"}`)
	s.api(201, "POST", "/order", `{"company_id":1000000001,"amount":120.00,"installments":3,"status":"AUTHORIZED"}`)
	lender := &shopper{T: t, url: w.URL, token: sandboxToken(t, w, "--operator")}
	lender.api(200, "PATCH", "/v1/operator/companies/1000000006", `{"limit":100.00,"reason":"x","reasons":["credit_score"]}`)
	s.api(200, "POST", "/v1/sandbox/clock/advance", `{"duration":"840h"}`)
	s.until("the clock is there", "/v1/sandbox/mail", func([]map[string]any) bool { return s.api(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
	all := s.list("/v1/sandbox/mail?limit=100")
	found := map[string]map[string]any{}
	for i, m := range all {
		found[m["kind"].(string)] = m
		if i > 0 && m["date"].(string) > all[i-1]["date"].(string) {
			t.Errorf("%s stands after %s", m["date"], all[i-1]["date"])
		}
		if one := s.api(200, "GET", "/v1/sandbox/mail/"+m["id"].(string), ""); one["text"] != m["text"] || one["html"] != m["html"] {
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
		if only := s.list("/v1/sandbox/mail?kind=" + kind); len(only) == 0 || only[0]["kind"] != kind {
			t.Errorf("only %s: %v", kind, only)
		}
	}
	if first := s.api(200, "GET", "/v1/sandbox/mail?limit=1", ""); first["has_more"] != true || s.list("/v1/sandbox/mail?limit=1&cursor=" + first["next_cursor"].(string))[0]["id"] != all[1]["id"] {
		t.Error("the second page does not begin with the second message")
	}
	other := &shopper{T: t, url: w.URL, token: otherToken(t, w)}
	if list := other.list("/v1/sandbox/mail"); len(list) != 0 {
		t.Errorf("another merchant gets %v", list)
	}
	other.api(404, "GET", "/v1/sandbox/mail/"+all[0]["id"].(string), "")

	s.form("/sandbox/enter", url.Values{"token": {w.Token}})
	m := found["INVOICE"]
	if out := s.command(exit.Done, "sandbox", "mail", "list", "--kind", "INVOICE", "-q"); out != m["id"].(string)+"\n" {
		t.Errorf("the command line lists %s", out)
	}
	if out := s.command(exit.Done, "sandbox", "mail", "get", m["id"].(string)); !strings.Contains(out, m["text"].(string)) || !strings.Contains(out, "Birch Street Bakery <buyer-02@sandbox.example>") {
		t.Errorf("the command line shows %s", out)
	}
	s.command(exit.NotFound, "sandbox", "mail", "get", "mail_1")
	s.page("/sandbox/mail", m["subject"].(string), "Notice: your credit line was lowered")
	s.page("/sandbox/mail/"+m["id"].(string), "buyer-02@sandbox.example", "$120.00")
	s.page("/sandbox/mail/"+m["id"].(string)+"/html", "<h1>Invoice")
}

// A scenario is played from its page, and the page says how it ended.
func TestScenarioFromItsPage(t *testing.T) {
	s, w := newShopper(t)
	s.form("/sandbox/enter", url.Values{"token": {w.Token}})
	s.page("/sandbox/scenarios", "happy-path", "authorization-expires</span></button>")
	at := s.form("/sandbox/scenarios/authorization-expires/run", url.Values{})
	page := s.page(at)
	for end := time.Now().Add(longest); strings.Contains(page, "Reload this page") && time.Now().Before(end); page = s.page(at) {
		time.Sleep(200 * time.Millisecond) // the rate limit has room for that
	}
	if !strings.Contains(page, "Passed. Every check holds.") || !strings.Contains(page, "POST /order") {
		t.Error(page)
	}
}
