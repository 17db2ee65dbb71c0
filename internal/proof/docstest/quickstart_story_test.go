package docstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// road connects a program to Tenor, records its requests, and may be closed.
type road struct {
	url string

	mu     sync.Mutex
	asked  []asked
	closed bool
}

// asked is one request of a program.
type asked struct{ path, key, authorization, body string }

func openRoad(t *testing.T, to string) *road {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	r := &road{}
	onward := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(q.Body) // Tenor will refuse a broken body
		q.Body = http.NoBody
		if body.Len() > 0 {
			q.Body = readCloser{bytes.NewReader(body.Bytes())}
		}
		if !r.pass(asked{q.URL.EscapedPath(), q.Header.Get("Idempotency-Key"), q.Header.Get("Authorization"), body.String()}) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"status": 503, "code": "overloaded"}`)
			return
		}
		onward.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

type readCloser struct{ *bytes.Reader }

// Close does nothing.
func (readCloser) Close() error { return nil }

func (r *road) pass(a asked) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, a)
	return !r.closed
}

func (r *road) close(closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = closed
}

// to lists the requests to addresses with this ending.
func (r *road) to(end string) []asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.asked), func(a asked) bool { return !strings.HasSuffix(a.path, end) })
}

// ask calls Tenor as the merchant, bypassing the program.
func (s *stall) ask(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		text = nil
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.town.url+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	var out map[string]any
	if v := s.visit(t, r); json.Unmarshal([]byte(v.text), &out) != nil || v.status >= 400 && v.status != 404 {
		t.Fatalf("%s %s: %d %s", method, path, v.status, v.text)
	}
	return out
}

// accept plays a buyer who applies with a business that is approved, and accepts.
func (s *stall) accept(t *testing.T, checkout string) {
	t.Helper()
	s.ask(t, "POST", "/v1/sandbox/checkouts/"+checkout+"/accept", map[string]any{"installments": 6, "ein": "00-0000001"})
}

// pressesTheButton: the browser is redirected to Tenor's pages with a 303, for the amount set by
// the server, with an Idempotency-Key; a second click changes nothing. An invalid cart creates no
// checkout.
func (s *stall) pressesTheButton(t *testing.T) {
	checkout, sent := s.press(t, 2)
	for _, v := range sent {
		if v.status != http.StatusSeeOther || !strings.HasPrefix(v.to, s.town.url+"/c/") || v.to != sent[0].to {
			t.Errorf("the browser gets %d and is sent to %q", v.status, v.to)
		}
	}
	if x := s.ask(t, "GET", "/v1/checkouts/"+checkout, nil); x["amount"] != 1200.0 || x["status"] != "OPEN" {
		t.Errorf("the checkout is %v", x)
	}
	made := s.road.to("/v1/checkouts")
	if len(made) != 2 || made[0].key == "" || made[0].key != made[1].key || made[0].body != made[1].body || !strings.Contains(strings.ReplaceAll(made[0].body, " ", ""), `"amount":"1200.00"`) {
		t.Errorf("the program has asked for %+v", made)
	}
	for _, cart := range []string{"", "cart-1", "cart-1\r\nX-Other: 1", strings.Repeat("a", 500)} {
		if v := s.send(t, s.address+"/pay", url.Values{"cart": {cart}}); v.status != 400 {
			t.Errorf("the cart %q is answered with %d", cart, v.status)
		}
	}
	if now := s.road.to("/v1/checkouts"); len(now) != 2 {
		t.Errorf("a cart that is none has made a checkout: %+v", now[2:])
	}
	if v := s.get(t, s.address+"/pay"); v.status != 404 && v.status != 405 {
		t.Errorf("a link that is followed pays: %d", v.status)
	}
}

// completing matches the address at which a checkout is completed, as sent.
var completing = regexp.MustCompile(`^/v1/checkouts/[^/]*/complete$`)

// believesNobody: arriving at the return address does not mean that anything was bought.
func (s *stall) believesNobody(t *testing.T) {
	checkout, _ := s.press(t, 1)
	s.get(t, s.address+"/return?checkout="+checkout).says(t, 409, "Nothing was bought: the checkout is OPEN.")
	if got := s.stands(t, checkout); got != "OPEN" {
		t.Errorf("it stands at %s", got)
	}
	for _, no := range []string{"?checkout=chk_01KE77AAPDHJXSTZ85QT7MZ61E", "?checkout=nonsense", "?checkout=..%2F..%2Forder%3F", "?checkout=", ""} {
		s.get(t, s.address+"/return"+no).says(t, 409, "Nothing was bought: ")
	}
	for _, a := range s.road.to("") {
		if a.path != "/oauth/token" && a.path != "/v1/checkouts" && !completing.MatchString(a.path) {
			t.Errorf("the browser has led the program to %s", a.path)
		}
	}
}

// completes: a buyer proves an email, accepts, and is redirected back by Tenor; the program asks
// and has the order, however often the page is loaded.
func (s *stall) completes(t *testing.T) {
	checkout, sent := s.press(t, 1)
	s.fill(t, sent[0].to+"/email", "email", "buyer@sandbox.example")
	s.fill(t, sent[0].to+"/code", "code", "000000")
	s.accept(t, checkout)
	if got := s.stands(t, checkout); got != "ACCEPTED CREATED" {
		t.Fatalf("before the return it stands at %s", got)
	}
	back := s.get(t, sent[0].to+"/return")
	if back.status != http.StatusSeeOther || !strings.HasPrefix(back.to, s.address+"/return?") {
		t.Fatalf("the buyer is led by %d to %q", back.status, back.to)
	}
	for range 2 {
		s.get(t, back.to).says(t, 200, " is AUTHORIZED.")
	}
	if got := s.stands(t, checkout); got != "COMPLETED AUTHORIZED" {
		t.Errorf("after the return it stands at %s", got)
	}
}

// saysWhy: a buyer who leaves is told why, also with an unknown reason.
func (s *stall) saysWhy(t *testing.T) {
	checkout, sent := s.press(t, 1)
	back := s.fill(t, sent[0].to+"/leave", "", "")
	if back.to != s.address+"/cancel?reason=buyer_canceled" {
		t.Fatalf("the buyer is led by %d to %q", back.status, back.to)
	}
	left := s.get(t, back.to)
	left.says(t, 200, "You have not bought anything.")
	for _, reason := range []string{"?reason=later_word", "?reason=constructor", "?reason=__proto__", "?reason=%3Cb%3E", "?reason[]=x", "?reason=", ""} {
		if v := s.get(t, s.address+"/cancel"+reason); v != left {
			t.Errorf("%q: %d %q", reason, v.status, v.text)
		}
	}
	s.get(t, s.address+"/cancel?reason=pending_review").says(t, 200, "You will get an e-mail.")
	s.get(t, s.address+"/return?checkout="+checkout).says(t, 409, "Nothing was bought: the checkout is CANCELED.")
	if got := s.stands(t, checkout); got != "CANCELED" {
		t.Errorf("it stands at %s", got)
	}
}

// saysNo: a buyer whose business is declined is redirected back with that reason.
func (s *stall) saysNo(t *testing.T) {
	checkout, sent := s.press(t, 1)
	s.ask(t, "POST", "/v1/sandbox/checkouts/"+checkout+"/decline", nil)
	back := s.get(t, sent[0].to+"/leave")
	if back.to != s.address+"/cancel?reason=declined" {
		t.Fatalf("the buyer is led by %d to %q", back.status, back.to)
	}
	s.get(t, back.to).says(t, 200, "Please choose another way to pay.")
	s.get(t, s.address+"/return?checkout="+checkout).says(t, 409, "Nothing was bought: the checkout is DECLINED.")
}

// hearsOfIt: a browser never comes back, and Tenor's webhook completes the order.
func (s *stall) hearsOfIt(t *testing.T) {
	s.listen(t, true)
	defer s.listen(t, false)
	checkout, _ := s.press(t, 1)
	s.accept(t, checkout)
	for late := time.Now().Add(startTime); s.stands(t, checkout) != "COMPLETED AUTHORIZED"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("it stands at %s; deliveries: %v", s.stands(t, checkout), s.ask(t, "GET", "/v1/webhooks/"+s.hook+"/deliveries", nil))
		}
	}
	s.get(t, s.address+"/return?checkout="+checkout).says(t, 200, " is AUTHORIZED.")
}

// listen enables or disables webhooks to the program.
func (s *stall) listen(t *testing.T, enabled bool) {
	t.Helper()
	s.ask(t, "PATCH", "/v1/webhooks/"+s.hook, map[string]any{"enabled": enabled})
}

// letter is a webhook as sent.
type letter struct{ id, stamp, signature, body string }

// write signs a letter at an instant with a secret.
func write(t *testing.T, secret string, at time.Time, body string) letter {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	const id = "evt_01KB0A4E7W5N3R1P9M8K6J4H2G"
	signature, err := hook.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return letter{id, fmt.Sprint(at.Unix()), signature, body}
}

// post delivers a letter, without empty headers.
func (s *stall) post(t *testing.T, l letter) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.address+"/webhook", strings.NewReader(l.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{"Webhook-Id": l.id, "Webhook-Timestamp": l.stamp, "Webhook-Signature": l.signature} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return s.visit(t, r).status
}

// news is the event for an acceptance, or of another type.
func news(kind, checkout string) string {
	return fmt.Sprintf(`{"type": %q, "note": "42 € – \u20ac", "object": {"type": "checkout", "id": %q}}`, kind, checkout)
}

// isNotFooled: an accepted checkout waits. Letters that Tenor has not signed, or not recently, or
// whose text was changed, are refused without calling Tenor. The right one completes it, however
// often it arrives.
func (s *stall) isNotFooled(t *testing.T) {
	checkout, _ := s.press(t, 1)
	s.accept(t, checkout)
	now, body := time.Now(), news("checkout.accepted", checkout)
	good := write(t, s.signing, now, body)
	with := func(change func(*letter)) letter {
		l := good
		change(&l)
		return l
	}
	before := len(s.road.to("/complete"))
	for name, l := range map[string]letter{
		"by another secret":        write(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now, body),
		"six minutes old":          write(t, s.signing, now.Add(-6*time.Minute), body),
		"six minutes early":        write(t, s.signing, now.Add(6*time.Minute), body),
		"an old one made new":      with(func(l *letter) { l.signature = write(t, s.signing, now.Add(-6*time.Minute), body).signature }),
		"with another body":        with(func(l *letter) { l.body += " " }),
		"of another event":         with(func(l *letter) { l.id = "evt_other" }),
		"without a signature":      with(func(l *letter) { l.signature = "" }),
		"without a time":           with(func(l *letter) { l.stamp = "" }),
		"at no time":               with(func(l *letter) { l.stamp = "soon" }),
		"without a name":           with(func(l *letter) { l.id = "" }),
		"cut":                      with(func(l *letter) { l.signature = l.signature[:len(l.signature)-4] }),
		"without a version":        with(func(l *letter) { l.signature = strings.TrimPrefix(l.signature, "v1,") }),
		"of another version":       with(func(l *letter) { l.signature = "v2," + strings.TrimPrefix(l.signature, "v1,") }),
		"with an empty signature":  with(func(l *letter) { l.signature = "v1," }),
		"with nothing but letters": with(func(l *letter) { l.signature = "v1,AAAA é" }),
	} {
		if got := s.post(t, l); got != 401 {
			t.Errorf("a letter %s is answered with %d", name, got)
		}
	}
	if got := s.post(t, write(t, s.signing, now, news("order.created", checkout))); got != 204 {
		t.Errorf("an event that is of no use is answered with %d", got)
	}
	if after := s.road.to("/complete"); len(after) != before || s.stands(t, checkout) != "ACCEPTED CREATED" {
		t.Fatalf("it stands at %s after %v", s.stands(t, checkout), after[before:])
	}
	for _, l := range []letter{good, good, with(func(l *letter) { l.signature = "v1,AAAA v1a,AAAA " + l.signature })} {
		if got := s.post(t, l); got != 204 || s.stands(t, checkout) != "COMPLETED AUTHORIZED" {
			t.Errorf("Tenor's own letter is answered with %d; it stands at %s", got, s.stands(t, checkout))
		}
	}
}

// doesNotKnow: without a response from Tenor nothing is reported as bought or not bought, and a
// webhook is refused, so that it is retried.
func (s *stall) doesNotKnow(t *testing.T) {
	checkout, _ := s.press(t, 1)
	s.accept(t, checkout)
	news := write(t, s.signing, time.Now(), news("checkout.accepted", checkout))
	s.road.close(true)
	v := s.get(t, s.address+"/return?checkout="+checkout)
	if v.says(t, 502, "We cannot say yet."); strings.Contains(v.text, "bought") {
		t.Errorf("the page says %q", v.text)
	}
	if got := s.post(t, news); got != 502 {
		t.Errorf("the webhook is answered with %d", got)
	}
	s.road.close(false)
	if got := s.post(t, news); got != 204 || s.stands(t, checkout) != "COMPLETED AUTHORIZED" {
		t.Errorf("the webhook is answered with %d; it stands at %s", got, s.stands(t, checkout))
	}
}

// keepsItsToken: all of this used the client's own tokens, and only one of them, except in PHP,
// which does not keep it.
func (s *stall) keepsItsToken(t *testing.T) {
	tokens := s.road.to("/oauth/token")
	if len(tokens) != 1 && s.language != "php" {
		t.Errorf("%d tokens", len(tokens))
	}
	for _, a := range tokens {
		form, err := url.ParseQuery(a.body)
		if err != nil || form.Get("grant_type") != "client_credentials" || form.Get("scope") != "checkout:write" {
			t.Errorf("a token is asked for with %q: %v", a.body, err)
		}
	}
	for _, a := range s.road.to("/complete") {
		if !strings.HasPrefix(a.authorization, "Bearer tnr_") || a.key != "" {
			t.Errorf("a call with %q and the key %q", a.authorization, a.key)
		}
	}
}
