package accountpages

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/resource"
	"tenor/internal/office/buyer"
	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

// rig is the pages with a real engine and a real file, with a shop and two companies.
type rig struct {
	t *testing.T
	*buyer.Desk
	pages     *Pages
	config    Config
	now, wall time.Time
	merchant  string
	sheet     string
	zone      calendar.Zone
}

func newRig(t *testing.T) *rig {
	t.Helper()
	db, err := sqlite.Open(t.TempDir()+"/tenor.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC)
	r := &rig{t: t, now: start, wall: start, zone: calendar.NewZone(location)}
	e, err := engine.New(engine.Config{Backend: db, Zone: r.zone, Now: func() time.Time { return r.now }, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm: %s: %v", a.What, a.Err) }})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.New(seal.Derive([]byte("the key of this test alone"), "account"))
	if err != nil {
		t.Fatal(err)
	}
	r.Desk = &buyer.Desk{
		Submit: engine.Alone{Engine: e}, Store: db, Zone: r.zone, Now: func() time.Time { return r.now }, Wall: func() time.Time { return r.wall }, Seed: seed,
		Seal: ring.Seal, Open: ring.Open, Hash: hash, Base: "http://localhost:8080", Sandbox: true, Facts: sandbox.Ports(),
		Compare: func(...string) *credit.Compared { return &credit.Compared{List: "test"} },
	}
	assets, err := design.LoadAssets(Prefix + "/assets/")
	if err != nil {
		t.Fatal(err)
	}
	r.sheet = string(assets.Files[assets.CSS].Body)
	r.config = Config{Desk: r.Desk, Assets: assets, Secure: true, Contact: "help@lender.example", Address: func(q *http.Request) string { return q.RemoteAddr }, Limit: 100_000}
	if r.pages, err = New(r.config); err != nil {
		t.Fatal(err)
	}
	r.merchant = r.submit(staff(), merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	r.submit(staff(), compliance.SetLender{Creditor: &credit.Party{Name: "Example Lender", Address: "1 Bank Street, Portland, OR 97201"}})
	t.Cleanup(func() {
		if !t.Failed() {
			r.verify()
		}
	})
	return r
}

// verify verifies the books of the test.
func (r *rig) verify() {
	r.t.Helper()
	report, err := verify.Run(context.Background(), r.Store, verify.Options{Scratch: memory.Scratch, Zone: r.zone, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, v := range report.Violations {
		r.t.Errorf("verify: %s %s: %s", v.Invariant, v.Object, v.Detail)
	}
}

func staff() credit.Actor { return credit.Actor{Client: "cli_staff", Operator: true} }

func (r *rig) shop() credit.Actor { return credit.Actor{Client: "cli_shop", Merchant: r.merchant} }

func seed() (out [16]byte) {
	_, _ = rand.Read(out[:])
	return out
}

func hash(kind, text string) string {
	h := hmac.New(sha256.New, []byte("key of fingerprints"))
	fmt.Fprintf(h, "%s/%s", kind, text)
	return hex.EncodeToString(h.Sum(nil))
}

func (r *rig) submit(by credit.Actor, c credit.Command) (result any) {
	r.t.Helper()
	out, err := r.Submit.Submit(context.Background(), engine.Request{
		Command: c, Actor: by, Seed: seed(),
		Encode: func(ch credit.Changes, _ *credit.Rejection) engine.Response {
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if out.Rejection != nil {
		r.t.Fatalf("%s: %v", c.Name(), out.Rejection)
	}
	return result
}

// company is approved by the lender, with an owner's email and an account.
func (r *rig) company(title, email string) *credit.Company {
	r.t.Helper()
	c := r.submit(staff(), lending.CreateCompany{
		Title: title, LegalName: title + " LLC", Email: email, Tier: "A", Status: credit.CompanyApproved, Limit: 25_000_00, Merchants: []string{r.merchant},
		BillingAddress: credit.CompanyAddress{Street: "27 Cannery Street", City: "Portland", State: "OR", PostalCode: "97209", Country: "US"},
	}).(*credit.Company)
	r.submit(staff(), payments.AddPaymentMethod{
		Company: c.ID, Type: credit.ACH, Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: r.now, Reference: "form 7"},
		Bank: &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "fp " + title},
	})
	return c
}

// order is a shipped order: 1,200.00 in six payments.
func (r *rig) order(c *credit.Company, amount money.Amount) *credit.Order {
	r.t.Helper()
	o := r.submit(r.shop(), lending.CreateOrder{Company: c.ID, Amount: amount, Installments: 6, Authorize: true, MerchantOrderID: fmt.Sprint("PO-", amount)}).(*credit.Order)
	return r.submit(r.shop(), lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
}

func (r *rig) view(fn func(store.View) error) {
	r.t.Helper()
	if err := r.Store.View(context.Background(), fn); err != nil {
		r.t.Fatal(err)
	}
}

// of returns a company's current state.
func (r *rig) of(id int64) (c *credit.Company) {
	r.t.Helper()
	r.view(func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Companies: []int64{id}})
		c = s.Companies[id]
		return err
	})
	return c
}

// browser is a browser without scripts.
type browser struct {
	*rig
	cookies map[string]*http.Cookie
	status  int
	head    http.Header
	at      string // where it is, or was redirected
	body    string
	all     []webtest.Element
}

func (r *rig) browser() *browser { return &browser{rig: r, cookies: map[string]*http.Cookie{}} }

func (b *browser) send(q *http.Request) *browser {
	b.t.Helper()
	q.RemoteAddr, q.Host = "192.0.2.7", "pay.example"
	for _, c := range b.cookies {
		q.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, q)
	for _, c := range w.Result().Cookies() {
		b.cookies[c.Name] = c
	}
	b.status, b.head = w.Code, w.Header()
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Robots-Tag": "noindex", "Referrer-Policy": "same-origin"} {
		if got := b.head.Get(name); got != want {
			b.t.Errorf("%s %s: %s is %q", q.Method, q.URL, name, got)
		}
	}
	if policy := b.head.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		b.t.Errorf("%s %s: the policy is %q", q.Method, q.URL, policy)
	}
	if w.Code == http.StatusSeeOther {
		return b.get(b.head.Get("Location"))
	}
	b.at, b.body, b.all = q.URL.Path, w.Body.String(), nil
	if strings.HasPrefix(b.body, "<!doctype html>") && strings.Contains(b.body, "account/assets") {
		b.check()
	}
	return b
}

// check checks what every page must satisfy.
func (b *browser) check() {
	b.t.Helper()
	b.all = webtest.Read(b.t, strings.TrimPrefix(b.body, "<!doctype html>\n"))
	at := b.t.Name() + " " + b.at
	_, b.all = webtest.Script(b.t, at, b.pages.timeAt, b.head.Get("Content-Security-Policy"), b.all)
	webtest.CheckSafe(b.t, at, b.all)
	webtest.CheckForm(b.t, at, b.all)
	webtest.CheckClasses(b.t, at, b.all, b.sheet)
	webtest.CheckKeys(b.t, at, b.body, b.pages.voices.Usual().Texts)
	for _, e := range b.all {
		if e.Name == "form" && e.Attr("method") == "post" && !strings.Contains(b.body, `name="form" value="`) {
			b.t.Errorf("%s: a form has no key", at)
		}
		if e.Has("checked") && e.Attr("type") == "checkbox" {
			b.t.Errorf("%s: a box is ticked for somebody", at)
		}
	}
}

// get opens a page and follows redirects.
func (b *browser) get(path string) *browser {
	b.t.Helper()
	return b.send(httptest.NewRequest(http.MethodGet, path, nil))
}

// fields returns what the page's forms send back by themselves.
func (b *browser) fields() url.Values {
	out := url.Values{}
	for _, e := range b.all {
		switch name := e.Attr("name"); {
		case name == "" || e.Name == "button" || e.Attr("type") == "file":
		case e.Attr("type") == "radio" || e.Attr("type") == "checkbox":
			if e.Has("checked") {
				out.Set(name, e.Attr("value"))
			}
		case e.Name == "input":
			out.Set(name, e.Attr("value"))
		}
	}
	return out
}

// post submits the page's form to a path, with answers.
func (b *browser) post(path string, answers ...string) *browser {
	b.t.Helper()
	form := b.fields()
	for i := 0; i < len(answers); i += 2 {
		form.Set(answers[i], answers[i+1])
	}
	return b.sendForm(path, form, "same-origin")
}

func (b *browser) sendForm(path string, form url.Values, site string) *browser {
	b.t.Helper()
	q := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Sec-Fetch-Site", site)
	return b.send(q)
}

// signIn signs in by verifying an email.
func (b *browser) signIn(email string) *browser {
	b.t.Helper()
	b.get(Prefix).want("/account/sign-in", "Sign in to your account")
	b.post("/account/sign-in", "email", email).want("/account/code")
	return b.post("/account/code", "code", "000000")
}

// want checks that the browser is at a page with these texts.
func (b *browser) want(path string, texts ...string) *browser {
	b.t.Helper()
	if b.at != path {
		b.t.Fatalf("at %s (%d) instead of %s:\n%.1500s", b.at, b.status, path, b.text())
	}
	for _, text := range texts {
		if !strings.Contains(b.text(), text) {
			b.t.Errorf("%s does not say %q:\n%s", path, text, b.text())
		}
	}
	return b
}

// lacks checks that the page does not contain texts.
func (b *browser) lacks(texts ...string) *browser {
	b.t.Helper()
	for _, text := range texts {
		if strings.Contains(b.text(), text) {
			b.t.Errorf("%s says %q:\n%s", b.at, text, b.text())
		}
	}
	return b
}

// text returns the text of the page.
func (b *browser) text() string {
	if b.all == nil {
		return b.body
	}
	var out []string
	for _, e := range b.all {
		if text := strings.Join(strings.Fields(e.Text), " "); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}
