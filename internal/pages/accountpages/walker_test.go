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
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/resource"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

// walker visits the pages, with a real engine and a real file, in one language.
type walker struct {
	t        *testing.T
	desk     *buyer.Desk
	pages    *Pages
	sheet    string
	now      time.Time
	merchant string
	company  *credit.Company

	speaks         string // Accept-Language
	cookies        map[string]string
	at             string // the page that the browser shows
	status         int
	location, body string
	all            []webtest.Element
	look           func(at string) // checked on every page
}

func newWalker(t *testing.T, texts func(design.Language) (pages.Texts, error)) *walker {
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
	r := &walker{t: t, now: time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC), cookies: map[string]string{}, look: func(string) {}}
	clock := func() time.Time { return r.now }
	zone := calendar.NewZone(location)
	e, err := engine.New(engine.Config{Backend: db, Zone: zone, Now: clock, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm: %s: %v", a.What, a.Err) }})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.New(seal.Derive([]byte("the key of this test alone"), "pages"))
	if err != nil {
		t.Fatal(err)
	}
	r.desk = &buyer.Desk{
		Submit: engine.Alone{Engine: e}, Store: db, Zone: zone, Now: clock, Wall: clock, Seed: drawn, Seal: ring.Seal, Open: ring.Open, Hash: keyed,
		Base: "http://localhost:8080", Sandbox: true, Facts: sandbox.Ports(),
		Compare: func(...string) *credit.Compared { return &credit.Compared{List: "test"} },
	}
	assets, err := design.LoadAssets(Prefix + "/assets/")
	if err != nil {
		t.Fatal(err)
	}
	r.sheet = string(assets.Files[assets.CSS].Body)
	r.pages, err = New(Config{
		Desk: r.desk, Assets: assets, Contact: "help@lender.example", Address: func(q *http.Request) string { return q.RemoteAddr }, Limit: 100_000, Texts: texts,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.merchant = r.do(theLender(), merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	r.do(theLender(), compliance.SetLender{Creditor: &credit.Party{Name: "Example Lender", Address: "1 Bank Street, Portland, OR 97201"}})
	return r
}

func theLender() credit.Actor { return credit.Actor{Client: "cli_staff", Operator: true} }

func (r *walker) shop() credit.Actor { return credit.Actor{Client: "cli_shop", Merchant: r.merchant} }

func drawn() (out [16]byte) {
	_, _ = rand.Read(out[:])
	return out
}

func keyed(kind, text string) string {
	h := hmac.New(sha256.New, []byte("key of fingerprints"))
	fmt.Fprintf(h, "%s/%s", kind, text)
	return hex.EncodeToString(h.Sum(nil))
}

func (r *walker) do(by credit.Actor, c credit.Command) (result any) {
	r.t.Helper()
	out, err := r.desk.Submit.Submit(context.Background(), engine.Request{
		Command: c, Actor: by, Seed: drawn(),
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

// owing is a company with a bank account and two orders, one of them shipped.
func (r *walker) owing() (order string) {
	r.t.Helper()
	r.company = r.do(theLender(), lending.CreateCompany{
		Title: "Alder Kitchens", LegalName: "Alder Kitchens LLC", Email: "avery@alderkitchens.example", Tier: "A", Status: credit.CompanyApproved, Limit: 25_000_00, Merchants: []string{r.merchant},
		BillingAddress: credit.CompanyAddress{Street: "27 Cannery Street", City: "Portland", State: "OR", PostalCode: "97209", Country: "US"},
	}).(*credit.Company)
	m := r.do(theLender(), payments.AddPaymentMethod{
		Company: r.company.ID, Type: credit.ACH, Known: true, Reason: "its own word",
		Bank:          &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte("sealed"), Fingerprint: "f"},
		Authorization: credit.Authorization{AcceptedAt: r.now, Channel: "WEB", Reference: "v1"},
	}).(*credit.PaymentMethod)
	on := true
	r.do(theLender(), payments.SetAutopay{Company: r.company.ID, Enabled: &on, Method: &m.ID})
	cart := []credit.CartItem{{Name: "Convection oven", Price: 1_200_00, Quantity: 1}}
	o := r.do(r.shop(), lending.CreateOrder{Company: r.company.ID, MerchantOrderID: "PO-7781", Amount: 1_200_00, Installments: 6, Cart: cart, Authorize: true}).(*credit.Order)
	r.do(r.shop(), lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	r.do(r.shop(), lending.CreateOrder{Company: r.company.ID, MerchantOrderID: "PO-7782", Amount: 480_00, Installments: 1, Authorize: true})
	return o.Key
}

func (r *walker) send(q *http.Request) {
	r.t.Helper()
	q.RemoteAddr, q.Host = "192.0.2.7", "pay.example"
	q.Header.Set("Accept-Language", r.speaks)
	for name, value := range r.cookies {
		q.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	r.pages.ServeHTTP(w, q)
	for _, c := range w.Result().Cookies() {
		r.cookies[c.Name] = c.Value
	}
	r.status, r.location = w.Code, w.Header().Get("Location")
	if r.status >= 500 {
		r.t.Fatalf("%s is %d: %s", q.URL, r.status, w.Body)
	}
	if page, ok := strings.CutPrefix(w.Body.String(), "<!doctype html>\n"); ok && strings.Contains(page, "<main") {
		r.at, r.body, r.all = q.URL.Path, page, webtest.Read(r.t, page)
		_, r.all = webtest.Script(r.t, r.at, r.pages.timeAt, w.Header().Get("Content-Security-Policy"), r.all)
		webtest.CheckSafe(r.t, r.at, r.all)
		webtest.CheckForm(r.t, r.at, r.all)
		webtest.CheckClasses(r.t, r.at, r.all, r.sheet)
		r.look(r.at)
	}
}

// get requests a page and follows redirects.
func (r *walker) get(address string) *walker {
	r.t.Helper()
	r.send(httptest.NewRequest(http.MethodGet, address, nil))
	return r.follow()
}

func (r *walker) follow() *walker {
	r.t.Helper()
	for n := 0; r.status == http.StatusSeeOther; n++ {
		if n > 5 {
			r.t.Fatalf("led around in circles: %s", r.location)
		}
		r.send(httptest.NewRequest(http.MethodGet, r.location, nil))
	}
	return r
}

// post submits answers, given as name, value, with the page's key and hidden values.
func (r *walker) post(address string, answers ...string) *walker {
	r.t.Helper()
	form := url.Values{}
	for _, e := range r.all {
		if e.Name == "input" && e.Attr("type") == "hidden" {
			form.Set(e.Attr("name"), e.Attr("value"))
		}
	}
	for i := 0; i < len(answers); i += 2 {
		form.Set(answers[i], answers[i+1])
	}
	q := httptest.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	r.send(q)
	return r.follow()
}

// want checks which page the browser shows.
func (r *walker) want(at string) *walker {
	r.t.Helper()
	if r.at != at {
		r.t.Fatalf("the browser shows %s (%d) instead of %s:\n%s", r.at, r.status, at, r.body)
	}
	return r
}

// signIn signs in by verifying an email.
func (r *walker) signIn(email string) *walker {
	r.t.Helper()
	r.get("/account").want("/account/sign-in")
	r.post("/account/sign-in", "email", "nobody").want("/account/sign-in")
	r.post("/account/sign-in", "email", email).want("/account/code")
	r.post("/account/code", "code", "111111").want("/account/code")
	return r.post("/account/code", "code", "000000")
}
