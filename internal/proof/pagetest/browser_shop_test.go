package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"tenor/internal/app/cli/operate"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

// clerk is a merchant's side of a sandbox: the server that creates checkouts, and the site to
// which buyers return. The site has an origin of its own.
type clerk struct {
	operate.World
	site string
}

// openShop starts a sandbox and a merchant's site.
func openShop(t *testing.T) *clerk {
	t.Helper()
	mux := http.NewServeMux()
	for _, path := range []string{"/cart", "/thanks"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>The shop</title><link rel="icon" href="data:,"><main><h1>The shop</h1></main>`)
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return &clerk{devtest.Sandbox(t, t.Cleanup), s.URL}
}

// fields are the members of a JSON object.
type fields map[string]any

// ask calls the API with the merchant's token.
func (c *clerk) ask(t *testing.T, method, path string, body fields) (int, fields) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		text = nil
	}
	r, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	out := fields{}
	if err := json.NewDecoder(a.Body).Decode(&out); err != nil {
		t.Fatalf("%s %s: %d, %v", method, path, a.StatusCode, err)
	}
	return a.StatusCode, out
}

// must makes an API call that must succeed.
func (c *clerk) must(t *testing.T, method, path string, body fields) fields {
	t.Helper()
	status, out := c.ask(t, method, path, body)
	if status >= 300 {
		t.Fatalf("%s %s: %d %v", method, path, status, out)
	}
	return out
}

// purchase is a checkout as known to the shop.
type purchase struct{ id, url, order string }

// sell creates a checkout for a buyer and an amount; more are additional members.
func (c *clerk) sell(t *testing.T, email string, amount float64, more fields) purchase {
	t.Helper()
	address := fields{"first_name": "Avery", "last_name": "Alder", "company_name": "Alder Kitchens LLC", "phone_number": "(503) 555-0142", "street": "27 Cannery Street",
		"city": "Portland", "state": "OR", "postal_code": "97209", "country": "US", "email": email}
	body := fields{
		"amount": amount, "billing_address": address, "shipping_address": address, "buyer": fields{"email": email},
		"cart_items": []fields{{"sku": "OVEN-HALF", "name": "Convection oven", "price": amount, "quantity": 1}},
		"return_url": c.site + "/thanks?order=%ORDER_KEY%", "cancel_url": c.site + "/cart?reason=%REASON%",
	}
	for k, v := range more {
		body[k] = v
	}
	x := c.must(t, "POST", "/v1/checkouts", body)
	return purchase{x["id"].(string), x["checkout_url"].(string), x["order_key"].(string)}
}

// stands describes the state of a checkout and its order: "CANCELED/declined, no order".
func (c *clerk) stands(t *testing.T, x purchase) string {
	t.Helper()
	now := c.must(t, "GET", "/v1/checkouts/"+x.id, nil)
	out := now["status"].(string)
	if r, ok := now["reason"].(string); ok {
		out += "/" + r
	}
	status, order := c.ask(t, "GET", "/v1/order/"+x.order, nil)
	if status == http.StatusNotFound {
		return out + ", no order"
	}
	return out + ", order " + fmt.Sprint(order["status"])
}

// application returns the one submitted through a checkout.
func (c *clerk) application(t *testing.T, email string) string {
	t.Helper()
	list := c.must(t, "GET", "/v1/applications?email="+email, nil)["data"].([]any)
	if len(list) != 1 {
		t.Fatalf("%d applications of %s", len(list), email)
	}
	return list[0].(map[string]any)["id"].(string)
}

// visits is a buyer with a browser at a checkout.
func visits(t *testing.T, b *browsertest.Browser, c *clerk, v browsertest.View) *patron {
	t.Helper()
	return &patron{Tab: b.Tab(t, v), t: t, url: c.URL, view: v}
}

// enters opens a checkout and proves an email.
func (s *patron) enters(url string) *patron {
	s.t.Helper()
	s.Go(url + "/email")
	s.Press("Send the code")
	s.Put("code", "000000")
	s.Press("Continue")
	return s
}

// applies answers everything for a business with an EIN.
func (s *patron) applies(ein string) *patron {
	s.t.Helper()
	s.Await("/business")
	s.Put("ein", ein, "revenue", "480,000", "formed", "3/2019")
	s.Press("Continue")
	s.Await("/you")
	s.Put("first_name", "Ana", "last_name", "Ruiz", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209",
		"may_apply", "yes", "credit_check", "yes", "electronic", "yes")
	s.Press("Apply")
	return s
}

// agrees goes from the terms to the acceptance, and fills it in.
func (s *patron) agrees() *patron {
	s.t.Helper()
	s.Await("/terms")
	s.Put("plan", "6")
	s.Press("Continue")
	s.Await("/repay")
	s.Press("Continue")
	s.Await("/accept")
	return s.signs()
}

// places accepts, and returns to the shop at once instead of after two seconds.
func (s *patron) places(x purchase) {
	s.t.Helper()
	s.Press("Accept and place order")
	s.Go(x.url + "/return")
	s.Await("/thanks")
}

// signs fills in the acceptance.
func (s *patron) signs() *patron {
	s.t.Helper()
	s.Put("name", "Ana Ruiz", "agree", "yes")
	if strings.Contains(s.Text(), "I sign the master agreement") {
		s.Put("master", "yes")
	}
	return s
}

// sees checks that the browser shows a page of a checkout with texts, and that it is accessible.
func (s *patron) sees(step string, texts ...string) *patron {
	s.t.Helper()
	s.Await(step)
	for _, text := range texts { // a decision appears on its page a moment later
		if !devtest.Comes(func() bool { return strings.Contains(s.Text(), text) }) {
			s.t.Errorf("%s does not say %q:\n%s", step, text, s.Text())
		}
	}
	s.looks(strings.ReplaceAll(strings.Trim(s.t.Name()+"-"+step, "/"), "/", "-"))
	return s
}

// letter returns the newest mail of a kind to a person in the sandbox's mailbox.
func (c *clerk) letter(t *testing.T, kind, to string) string {
	t.Helper()
	text := ""
	if !devtest.Comes(func() bool {
		status, box := c.ask(t, "GET", "/v1/sandbox/mail?limit=100&kind="+kind, nil)
		if status == http.StatusTooManyRequests { // too many requests, because the machine is busy
			return false
		}
		for _, m := range box["data"].([]any) {
			if m := m.(map[string]any); m["to"] == to {
				text, _ = m["text"].(string)
				return text != ""
			}
		}
		return false
	}) {
		t.Fatalf("%s has no %s", to, kind)
	}
	return text
}

// code returns the newest code mailed to a person, once it differs from the previous one.
func (c *clerk) code(t *testing.T, to, before string) (code string) {
	t.Helper()
	six := regexp.MustCompile(`\b[0-9]{6}\b`)
	if !devtest.Comes(func() bool {
		code = six.FindString(strings.ReplaceAll(c.letter(t, "CODE", to), " ", ""))
		return code != before
	}) {
		t.Fatalf("%s has no new code", to)
	}
	return code
}

// link returns the address of a checkout from the newest mail to a person that contains one.
func (c *clerk) link(t *testing.T, to string) string {
	t.Helper()
	return regexp.MustCompile(`https?://\S+/c/[a-z0-9]+`).FindString(c.letter(t, "CHECKOUT_LINK", to))
}
