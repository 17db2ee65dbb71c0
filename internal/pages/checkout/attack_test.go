package checkout

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
)

// Once the email is proved, the address alone opens nothing; proving the same email again
// continues.
func TestStrangerWithTheLink(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.to("accept")
	stranger := r.browser(b.token)
	for _, step := range []string{"", "business", "terms", "repay", "accept", "done", "return", "agreement", "disclosure.pdf", "decision", "review", "company", "higher"} {
		stranger.get(step).want("elsewhere", "Continue on the device where you started")
		for _, secret := range []string{"avery", "Alder Kitchens has", "25,000"} {
			if strings.Contains(stranger.body, secret) {
				t.Errorf("%s tells a stranger %q", step, secret)
			}
		}
	}
	stranger.sendForm("leave", url.Values{"form": {r.Hash("checkout form", b.token)}})
	if r.status(c) != "OPEN" {
		t.Fatalf("a stranger has made it %s", r.status(c))
	}
	stranger.get("email").want("email")
	if got := stranger.fields().Get("email"); got != "" {
		t.Errorf("a stranger is shown %q", got)
	}
	stranger.signIn("mallory@evil.example").want("elsewhere")
	stranger.get("accept").want("elsewhere")
	stranger.signIn("Avery@alderkitchens.example").want("accept")
	b.get("").want("accept")
}

// A session opens only its own checkout, under whatever name it is sent.
func TestAnotherSession(t *testing.T) {
	r := newRig(t)
	_, b := r.ready(25_000_00)
	r.company("Birch Bakery", "bo@birch.example", 5_000_00)
	other, token := r.begin(1_200_00)
	o := r.browser(token).signIn("bo@birch.example").want("terms")
	for _, have := range b.cookies {
		for name := range o.cookies {
			thief := r.browser(token)
			thief.cookies[name] = &http.Cookie{Name: name, Value: have.Value}
			thief.get("terms").want("elsewhere")
		}
	}
	if x := r.visit(other); x.Person.ID == "" || x.Company.Name != "Birch Bakery" {
		t.Errorf("the other checkout is %+v", x.Checkout)
	}
}

// Only the browser has the cookie. Its value changes with the proof, and the first one then opens
// nothing.
func TestCookie(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token)
	b.get("email").post("email", "email", "avery@alderkitchens.example").want("code")
	name := "__Host-tenor_c" + strings.ToLower(c.ID[len(c.ID)-8:])
	first := *b.cookies[name]
	b.post("code", "code", "000000").want("business")
	second := b.cookies[name]
	if first.Value == second.Value || !second.Secure || !second.HttpOnly || second.SameSite != http.SameSiteLaxMode || second.Path != "/" || second.Domain != "" {
		t.Errorf("the cookie is %+v, after %+v", second, first)
	}
	b.cookies[name] = &first
	b.get("business").want("elsewhere")

	plain := r.config
	plain.Secure = false
	r.serve(plain)
	q := httptest.NewRequest(http.MethodPost, "/c/"+token+"/email", strings.NewReader(url.Values{"email": {"a@b.example"}, "form": {r.Hash("checkout form", token)}}.Encode()))
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	r.pages.ServeHTTP(w, q)
	if got := w.Result().Cookies(); len(got) != 1 || got[0].Name != strings.TrimPrefix(name, "__Host-") || got[0].Secure {
		t.Errorf("over plain HTTP: %v", got)
	}
}

// A code is valid for one use, five tries and ten minutes.
func TestStolenCode(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	b := r.browser(token)
	b.get("email").post("email", "email", "avery@alderkitchens.example").want("code")
	thief := *b
	thief.cookies = map[string]*http.Cookie{}
	for name, c := range b.cookies {
		thief.cookies[name] = c
	}
	b.post("code", "code", "000000").want("business")
	thief.post("code", "code", "000000")
	if thief.at == "business" {
		t.Error("a code is used twice")
	}

	b = r.browser(token)
	b.get("email").post("email", "email", "avery@alderkitchens.example").want("code")
	for range 5 {
		b.post("code", "code", "123456").want("code", "That is not the code.")
	}
	if b.post("code", "code", "000000"); !strings.Contains(words(b.all), "That code has expired.") {
		t.Errorf("after five tries:\n%s", words(b.all))
	}

	b = r.browser(token)
	b.get("email").post("email", "email", "avery@alderkitchens.example").want("code")
	r.wall = r.wall.Add(10 * time.Minute)
	if b.post("code", "code", "000000"); !strings.Contains(words(b.all), "That code has expired.") {
		t.Errorf("after ten minutes:\n%s", words(b.all))
	}
}

// Known and unknown addresses get the same response, and too many codes are refused.
func TestNobodyLearnsWhoIsKnown(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	var bodies []string
	for _, email := range []string{"avery@alderkitchens.example", "bvery@alderkitchens.example"} {
		_, token := r.begin(1_200_00)
		b := r.browser(token)
		b.get("email").post("email", "email", email).want("code")
		text := strings.ReplaceAll(words(b.all), email[:1]+"••••@", "?@")
		bodies = append(bodies, text)
	}
	if bodies[0] != bodies[1] {
		t.Errorf("known:\n%s\nunknown:\n%s", bodies[0], bodies[1])
	}
	_, token := r.begin(1_200_00)
	b := r.browser(token)
	for range 5 {
		b.get("email").post("email", "email", "cy@alderkitchens.example").want("code")
	}
	b.get("email").post("email", "email", "cy@alderkitchens.example").want("email", "Too many codes were requested.")
	for _, wrong := range []string{"", "cy", "cy@host", `"><script>`, "a b@c.example", "Cy <cy@c.example>"} {
		b.get("email").post("email", "email", wrong).want("email", "Enter an e-mail address, like name@company.com")
	}
}

// Amount, order or plan in a form are ignored: the server's own terms apply.
func TestChangedForm(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.to("terms")
	for _, plan := range []string{"36", "-1", "6.0", "0", "x"} {
		b.post("terms", "plan", plan).want("terms", "Choose one of the plans")
	}
	b.to("accept")
	form := b.fields()
	b.post("accept", "name", "Avery Alder", "agree", "yes", "digest", strings.Repeat("0", 64)).want("terms", "The terms have changed")
	if r.status(c) != "OPEN" {
		t.Fatalf("a digest of nothing was accepted: %s", r.status(c))
	}
	b.to("accept")
	b.post("accept", "name", "Avery Alder", "agree", "yes", "amount", "1.00", "installments", "24", "plan", "24", "return_url", "https://evil.example", "company", "1").want("done")
	x := r.visit(c)
	if a := x.Checkout.Accepted; a.Amount != 1_200_00 || a.Installments != 6 || a.Digest != form.Get("digest") {
		t.Errorf("accepted %+v", a)
	}
	b.get("return").led("http://localhost:9000/thanks?o=" + x.Checkout.Of)
}

// A double click, even concurrently, is one acceptance and one order.
func TestDoubleClick(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.to("accept")
	form := b.fields()
	form.Set("name", "Avery Alder")
	form.Set("agree", "yes")
	var all sync.WaitGroup
	for range 4 {
		click := *b
		all.Add(1)
		go func() {
			defer all.Done()
			q := httptest.NewRequest(http.MethodPost, click.path("accept"), strings.NewReader(form.Encode()))
			q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			q.Header.Set("Sec-Fetch-Site", "same-origin")
			for _, x := range click.cookies {
				q.AddCookie(&http.Cookie{Name: x.Name, Value: x.Value})
			}
			w := httptest.NewRecorder()
			r.pages.ServeHTTP(w, q)
			if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasSuffix(to, "/done") {
				t.Errorf("a click is answered with %d to %s", w.Code, to)
			}
		}()
	}
	all.Wait()
	b.sendForm("accept", form)
	b.follow().want("done")
	x := r.visit(c)
	if x.Order == nil || x.Order.Version != 1 || len(x.Checkout.Accepted.Documents) != 4 {
		t.Errorf("order %+v, documents %v", x.Order, x.Checkout.Accepted.Documents)
	}
}

// Two clicks submit one application.
func TestApplyTwice(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").want("business")
	b.post("business", "ein", "00-0000001", "revenue", "480,000", "formed", "3/2019").want("you")
	form := b.fields()
	for name, text := range map[string]string{"title": "Owner", "share": "100", "birth": "5/31/1980", "home": "12 Elm Street, Portland, OR 97209", "may_apply": "yes", "credit_check": "yes"} {
		form.Set(name, text)
	}
	b.sendForm("you", form)
	b.sendForm("you", form)
	b.follow().want("decision")
	n := 0
	r.view(func(v store.View) error {
		return store.EachRecord(v, credit.NounApplication, func(credit.Record) error { n++; return nil })
	})
	if n != 1 || r.visit(c).Company == nil {
		t.Errorf("%d applications", n)
	}
}

// Of two people who prove their emails concurrently, the first one gets the checkout.
func TestRacingBuyer(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	r.company("Birch Bakery", "bo@birch.example", 25_000_00)
	c, token := r.begin(1_200_00)
	one, two := r.browser(token), r.browser(token)
	one.get("email").post("email", "email", "avery@alderkitchens.example").want("code")
	two.get("email").post("email", "email", "bo@birch.example").want("code")
	two.post("code", "code", "000000").want("terms")
	one.post("code", "code", "000000").want("elsewhere")
	one.get("accept").want("elsewhere")
	two.to("accept").accept().want("done")
	one.get("").want("ended", "This order is placed")
	if x := r.visit(c); x.Company.Name != "Birch Bakery" {
		t.Errorf("the order is %s's", x.Company.Name)
	}
}

// Two tabs and the Back button: each page leads to a valid one.
func TestTwoTabs(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.to("accept")
	old := b.fields()
	b.get("terms").want("terms")
	b.post("terms", "plan", "3").want("repay", "3 monthly payments of")
	b.get("accept").want("accept")
	old.Set("name", "Avery Alder")
	old.Set("agree", "yes")
	b.sendForm("accept", old) // the first tab still shows six payments
	b.follow().want("done")
	if n := r.visit(c).Checkout.Accepted.Installments; n != 6 {
		t.Errorf("%d installments were accepted, and the tab had shown 6", n)
	}
	b.sendForm("terms", url.Values{"form": {old.Get("form")}, "plan": {"3"}})
	b.follow().want("done")
}

// Forms from elsewhere change nothing, wherever they come from.
func TestForeignForms(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.to("accept")
	form := b.fields()
	form.Set("name", "Avery Alder")
	form.Set("agree", "yes")
	for name, change := range map[string]func(*http.Request, url.Values){
		"cross-site":  func(q *http.Request, _ url.Values) { q.Header.Set("Sec-Fetch-Site", "cross-site") },
		"same-site":   func(q *http.Request, _ url.Values) { q.Header.Set("Sec-Fetch-Site", "same-site") },
		"no key":      func(_ *http.Request, f url.Values) { f.Del("form") },
		"another key": func(_ *http.Request, f url.Values) { f.Set("form", r.Hash("checkout form", b.token)) },
		"null origin": func(q *http.Request, _ url.Values) { q.Header.Del("Sec-Fetch-Site"); q.Header.Set("Origin", "null") },
		"evil origin": func(q *http.Request, _ url.Values) {
			q.Header.Del("Sec-Fetch-Site")
			q.Header.Set("Origin", "https://evil.example")
		},
		"text": func(q *http.Request, _ url.Values) { q.Header.Set("Content-Type", "text/plain") },
	} {
		f := url.Values{}
		for k, v := range form {
			f[k] = v
		}
		q := httptest.NewRequest(http.MethodPost, b.path("accept"), nil)
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		q.Header.Set("Sec-Fetch-Site", "same-origin")
		change(q, f)
		body := httptest.NewRequest(http.MethodPost, b.path("accept"), strings.NewReader(f.Encode()))
		body.Header = q.Header
		b.send(body)
		if b.status != http.StatusForbidden {
			t.Errorf("%s is answered with %d", name, b.status)
		}
	}
	if r.status(c) != "OPEN" {
		t.Errorf("the checkout is %s", r.status(c))
	}
}

// A GET changes nothing: after each page, the books contain no new command.
func TestGetChangesNothing(t *testing.T) {
	r := newRig(t)
	_, b := r.ready(25_000_00)
	b.to("accept")
	seq := func() (n int64) {
		r.view(func(v store.View) error { n = v.Seq(); return nil })
		return n
	}
	before := seq()
	for step := range r.pages.steps {
		if step == "start" {
			step = ""
		}
		b.get(step)
		r.browser(b.token).get(step)
	}
	if after := seq(); after != before {
		t.Errorf("%d commands came of pages that were only looked at", after-before)
	}
}

// What does not exist, or never did, looks the same; other methods are refused.
func TestNothingThere(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	var first string
	for _, path := range []string{"/c/", "/c/x", "/c/" + strings.Repeat("b", 32), "/c/" + strings.Repeat("c", 32) + "/email", "/c/" + token + "/no", "/c/" + token + "/", "/c/" + token + "/start", "/c/" + token + "/x/a.css", "/c/" + token + "x"} {
		b := r.browser(token)
		b.send(httptest.NewRequest(http.MethodGet, path, nil))
		if b.status != http.StatusNotFound {
			t.Errorf("%s is answered with %d", path, b.status)
		}
		if first == "" {
			first = b.body
		}
		if b.body != first {
			t.Errorf("%s looks otherwise than the others", path)
		}
	}
	b := r.browser(token)
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions} {
		b.send(httptest.NewRequest(method, b.path("email"), nil))
		if b.status != http.StatusMethodNotAllowed || b.head.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s is answered with %d, %s", method, b.status, b.head.Get("Allow"))
		}
	}
	b.send(httptest.NewRequest(http.MethodPost, b.path("decision"), nil))
	if b.status != http.StatusMethodNotAllowed || b.head.Get("Allow") != "GET, HEAD" {
		t.Errorf("a form for a page without one: %d", b.status)
	}
}

// Requests are limited per address and per checkout.
func TestLimits(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	c := r.config
	c.Limits = Limits{Address: 5, Token: 8}
	r.serve(c)
	ask := func(address string) int {
		b := r.browser(token)
		b.address = address
		b.send(httptest.NewRequest(http.MethodGet, b.path(""), nil))
		return b.status
	}
	for n := range 5 {
		if got := ask("192.0.2.1"); got != http.StatusOK {
			t.Fatalf("request %d: %d", n, got)
		}
	}
	if got := ask("192.0.2.1"); got != http.StatusTooManyRequests {
		t.Errorf("the sixth from one address: %d", got)
	}
	for n := range 3 {
		if got := ask("192.0.2." + strconv.Itoa(10+n)); got != http.StatusOK {
			t.Errorf("from elsewhere: %d", got)
		}
	}
	if got := ask("192.0.2.99"); got != http.StatusTooManyRequests {
		t.Errorf("the ninth for one checkout: %d", got)
	}
	r.wall = r.wall.Add(time.Minute)
	if got := ask("192.0.2.1"); got != http.StatusOK {
		t.Errorf("after a minute: %d", got)
	}
}

// An error page has an ID, says whom to ask and what is saved, and has the same headers.
func TestFault(t *testing.T) {
	r := newRig(t)
	_, b := r.ready(25_000_00)
	c := r.config
	c.Papers, c.RequestID = broken{}, func(*http.Request) string { return "req_7" }
	r.serve(c)
	b.to("accept").postOnly("accept", "name", "Avery Alder", "agree", "yes")
	if b.status != http.StatusInternalServerError || !strings.Contains(words(b.all), "req_7") || !strings.Contains(words(b.all), "help@lender.example") || !strings.Contains(words(b.all), "Your answers are saved") {
		t.Errorf("%d:\n%s", b.status, words(b.all))
	}
	r.Desk.Sandbox = false
	if b.get("email").post("email", "email", "x@y.example"); b.status != http.StatusServiceUnavailable || !strings.Contains(words(b.all), "We cannot send e-mail right now") {
		t.Errorf("without a mail server: %d", b.status)
	}
	r.Desk.Store = blind{r.Desk.Store}
	b.get("terms")
	if b.status != http.StatusInternalServerError {
		t.Errorf("without a database: %d", b.status)
	}
}

type broken struct{ Papers }

func (broken) Make(Paperwork) ([]buyer.Paper, error) { return nil, errors.New("no paper") }

type blind struct{ buyer.Store }

func (blind) View(context.Context, func(store.View) error) error { return errors.New("no database") }
