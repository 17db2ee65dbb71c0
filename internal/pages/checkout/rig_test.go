package checkout

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/returnurl"
	"tenor/internal/edge/resource"
	"tenor/internal/office/buyer"
	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

var showIn = flag.String("show", "", "a folder to write the pages of the tests to, with their files, to be looked at in a browser")

// rig is the pages with a real engine and a real file, with a shop.
type rig struct {
	t *testing.T
	*buyer.Desk
	pages    *Pages
	pseudo   *Pages // the same in the pseudo-locale
	config   Config
	now      time.Time // business time
	wall     time.Time
	merchant string
	sheet    string
	papers   *papers
}

// papers replaces the creator of documents: short ones of every kind.
type papers struct{ made []Paperwork }

func (p *papers) Make(x Paperwork) ([]buyer.Paper, error) {
	p.made = append(p.made, x)
	kinds := []string{credit.DocumentAgreement, credit.DocumentDisclosure}
	if x.Master {
		kinds = append(kinds, credit.DocumentMaster)
	}
	var out []buyer.Paper
	for _, k := range kinds {
		for _, media := range []string{"text/html; charset=utf-8", "application/pdf"} {
			out = append(out, buyer.Paper{Kind: k, Template: "DEFAULT", Text: 1, Language: "en-US", ContentType: media, Data: []byte(k + " of " + x.Offer.Disclosure.Digest() + " by " + x.Signer)})
		}
	}
	return out, nil
}

func (*papers) Policy() string { return "" }

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
	r := &rig{t: t, now: start, wall: start, papers: &papers{}}
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
	r.Desk = &buyer.Desk{
		Submit: engine.Alone{Engine: e}, Store: db, Zone: zone, Now: clock, Wall: func() time.Time { return r.wall }, Seed: seed, Seal: ring.Seal, Open: ring.Open, Hash: hash,
		Base: "http://localhost:8080", Sandbox: true, Facts: sandbox.Ports(),
		Compare: func(...string) *credit.Compared { return &credit.Compared{List: "test"} },
	}
	assets, err := design.LoadAssets("/c/assets/")
	if err != nil {
		t.Fatal(err)
	}
	r.sheet = string(assets.Files[assets.CSS].Body)
	r.serve(Config{
		Desk: r.Desk, Papers: r.papers, Assets: assets, Secure: true, Expand: expand, Contact: "help@lender.example",
		Address: func(q *http.Request) string { return q.RemoteAddr }, Limits: Limits{Address: 100_000, Token: 100_000},
	})
	r.merchant = r.submit(staff(), merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	r.submit(staff(), compliance.SetLender{Creditor: &credit.Party{Name: "Example Lender", Address: "1 Bank Street, Portland, OR 97201"}})
	return r
}

func (r *rig) serve(c Config) {
	r.t.Helper()
	pages, err := New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	c.Texts = pseudo
	if r.pseudo, err = New(c); err != nil {
		r.t.Fatal(err)
	}
	c.Texts = nil
	r.pages, r.config = pages, c
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

// expand fills a URL's placeholders as the server does.
func expand(address string, v map[string]string) string {
	return returnurl.Expand(address, returnurl.Values{OrderKey: v["ORDER_KEY"], CheckoutID: v["CHECKOUT_ID"], Reason: v["REASON"]})
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

// cart is what most tests buy, with what the shop knows about its buyer.
func cart(c *onboarding.CreateCheckout) {
	c.Cart = []credit.CartItem{{Name: "Convection oven", Price: 1_050_00, Quantity: 1}}
	c.Charges = &credit.Charges{Total: 1_050_00, Shipping: 60_00, Tax: 90_00, GrandTotal: 1_200_00}
	c.Billing = &credit.Address{
		FirstName: "Avery", LastName: "Alder", CompanyName: "Alder Kitchens LLC", Email: "avery@alderkitchens.example", PhoneNumber: "(503) 555-0142",
		Address1: "27 Cannery Street", City: "Portland", State: "OR", Zip: "97209", Country: "US",
	}
}

// begin creates a checkout and returns it with its token.
func (r *rig) begin(amount money.Amount, change ...func(*onboarding.CreateCheckout)) (*credit.Checkout, string) {
	r.t.Helper()
	c := onboarding.CreateCheckout{Amount: amount, Mode: onboarding.ModeRedirect, ReturnURL: "http://localhost:9000/thanks?o=%ORDER_KEY%", CancelURL: "http://localhost:9000/cart?why=%REASON%"}
	if amount == 1_200_00 {
		cart(&c)
	}
	for _, f := range change {
		f(&c)
	}
	if err := r.Address(&c); err != nil {
		r.t.Fatal(err)
	}
	x := r.submit(r.shop(), c).(*credit.Checkout)
	address := ""
	r.view(func(v store.View) (err error) { address, err = r.URL(v, x); return err })
	return x, strings.TrimPrefix(address, r.Base+Prefix)
}

func (r *rig) view(fn func(store.View) error) {
	r.t.Helper()
	if err := r.Store.View(context.Background(), fn); err != nil {
		r.t.Fatal(err)
	}
}

// company is approved by the lender, with an owner's email.
func (r *rig) company(title, email string, limit money.Amount, change ...func(*lending.CreateCompany)) *credit.Company {
	r.t.Helper()
	c := lending.CreateCompany{
		Title: title, LegalName: title + " LLC", Email: email, Tier: "A", Status: credit.CompanyApproved, Limit: limit,
		BillingAddress: credit.CompanyAddress{Street: "27 Cannery Street", City: "Portland", State: "OR", PostalCode: "97209", Country: "US"},
	}
	for _, f := range change {
		f(&c)
	}
	return r.submit(staff(), c).(*credit.Company)
}

func (r *rig) visit(c *credit.Checkout) buyer.Visit {
	r.t.Helper()
	x, err := r.Visit(context.Background(), c.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return x
}

// browser is a browser without scripts.
type browser struct {
	*rig
	token   string
	cookies map[string]*http.Cookie
	address string
	at      string // the current page
	status  int
	head    http.Header
	body    string
	all     []webtest.Element
	around  string          // origins whose pages may frame this one
	framed  bool            // one of them does
	speaks  string          // sent as Accept-Language
	told    webtest.Element // a framed page's data for its script
	timer   webtest.Element // a page's data for its script about the session's time
}

func (r *rig) browser(token string) *browser {
	return &browser{rig: r, token: token, cookies: map[string]*http.Cookie{}, address: "192.0.2.7"}
}

// path returns the path of a step.
func (b *browser) path(step string) string {
	if step == "" || step[0] == '?' {
		return Prefix + b.token + step
	}
	return Prefix + b.token + "/" + step
}

func (b *browser) send(q *http.Request) {
	b.t.Helper()
	q.RemoteAddr, q.Host = b.address, "pay.example"
	for _, c := range b.cookies {
		q.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	if b.speaks != "" {
		q.Header.Set("Accept-Language", b.speaks)
	}
	if b.framed {
		q.Header.Set("Sec-Fetch-Dest", "iframe")
		b.token, _, _ = strings.Cut(strings.TrimPrefix(q.URL.Path, Prefix), "/")
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, q)
	for _, c := range w.Result().Cookies() {
		b.cookies[c.Name] = c
	}
	b.status, b.head = w.Code, w.Header()
	checkHeaders(b.t, q.Method+" "+q.URL.Path, b.head, b.around)
	if w.Code == http.StatusSeeOther {
		return
	}
	b.at, b.body, b.all = strings.TrimPrefix(strings.TrimPrefix(q.URL.Path, Prefix+b.token), "/"), w.Body.String(), nil
	if strings.HasPrefix(b.head.Get("Content-Type"), "text/html") && strings.HasPrefix(b.body, "<!doctype") {
		b.check()
		if q.Method == http.MethodGet {
			b.shadow(q)
		}
	}
}

// check checks what every page must satisfy.
func (b *browser) check() {
	b.t.Helper()
	b.all = webtest.Read(b.t, strings.TrimPrefix(b.body, "<!doctype html>\n"))
	at := b.t.Name() + " " + b.at
	policy := b.head.Get("Content-Security-Policy")
	b.timer, b.all = webtest.Script(b.t, at, b.pages.timeAt, policy, b.all)
	if b.framed {
		b.hear()
	}
	if scripts := b.framed || b.timer.Name != ""; scripts != strings.Contains(policy, "script-src 'nonce-") || strings.Contains(policy, "script-src 'self'") {
		b.t.Errorf("%s has scripts: %v; its policy is %s", at, scripts, policy)
	}
	webtest.CheckSafe(b.t, at, b.all)
	webtest.CheckForm(b.t, at, b.all)
	webtest.CheckClasses(b.t, at, b.all, b.sheet)
	files := b.config.Assets.Files
	if n := len(b.body) + files[b.config.Assets.CSS].Sent() + files[b.config.Assets.Icon].Sent(); n > 60<<10 {
		b.t.Errorf("%s: %d bytes with all that it needs, more than 60 KB", at, n)
	}
	webtest.CheckKeys(b.t, at, b.body, b.pages.voices.Usual().Texts)
	for _, e := range b.all {
		if e.Has("style") || e.Has("checked") && e.Attr("type") == "checkbox" {
			b.t.Errorf("%s: <%s> is ticked for somebody, or has a look of its own", at, e.Name)
		}
		if at := cmp.Or(e.Attr("src"), e.Attr("href")); (e.Name == "link" || e.Name == "img") && !strings.HasPrefix(at, Prefix) {
			b.t.Errorf("%s: <%s> loads %q, which is none of the checkout's files", b.at, e.Name, at)
		}
		if e.Name == "form" && e.Attr("method") == "post" && !strings.Contains(b.body, `name="form" value="`) {
			b.t.Errorf("%s: a form has no key", at)
		}
	}
	if *showIn != "" {
		b.show()
	}
}

// show writes the page to where somebody wants to look at it.
func (b *browser) show() {
	for path, f := range b.config.Assets.Files {
		write(b.t, filepath.Join(*showIn, path), f.Body)
	}
	name := b.at
	if name == "" {
		name = "start"
	}
	if b.status != http.StatusOK {
		name += fmt.Sprint("-", b.status)
	}
	write(b.t, filepath.Join(*showIn, strings.ReplaceAll(b.t.Name(), "/", "-")+"-"+strings.ReplaceAll(name, "/", "-")+".html"), []byte(b.body))
}

func write(t *testing.T, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// get requests a step, and follows redirects within the checkout.
func (b *browser) get(step string) *browser {
	b.t.Helper()
	b.send(httptest.NewRequest(http.MethodGet, b.path(step), nil))
	return b.follow()
}

func (b *browser) follow() *browser {
	b.t.Helper()
	for n := 0; b.status == http.StatusSeeOther && strings.HasPrefix(b.head.Get("Location"), Prefix); n++ {
		if n > 5 {
			b.t.Fatalf("led around in circles: %s", b.head.Get("Location"))
		}
		b.send(httptest.NewRequest(http.MethodGet, b.head.Get("Location"), nil))
	}
	return b
}

// fields returns what the page's form would send unchanged.
func (b *browser) fields() url.Values {
	out := url.Values{}
	value := ""
	for _, e := range b.all {
		name := e.Attr("name")
		switch {
		case e.Name == "select":
			value = name
		case e.Name == "option" && e.Has("selected"):
			out.Set(value, e.Attr("value"))
		case e.Name == "input" && (e.Attr("type") == "radio" || e.Attr("type") == "checkbox") && !e.Has("checked"):
		case e.Name == "input" && e.Attr("type") != "file" && name != "":
			out.Set(name, e.Attr("value"))
		}
	}
	return out
}

// post submits the page's form to its step with answers, given as name, value.
func (b *browser) post(step string, answers ...string) *browser {
	b.t.Helper()
	b.postOnly(step, answers...)
	return b.follow()
}

func (b *browser) postOnly(step string, answers ...string) {
	b.t.Helper()
	form := b.fields()
	for i := 0; i < len(answers); i += 2 {
		form.Set(answers[i], answers[i+1])
	}
	b.sendForm(step, form)
}

func (b *browser) sendForm(step string, form url.Values) {
	b.t.Helper()
	q := httptest.NewRequest(http.MethodPost, b.path(step), strings.NewReader(form.Encode()))
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	b.send(q)
}

// upload submits a file with the page's form.
func (b *browser) upload(name string, data []byte) *browser {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for k, v := range b.fields() {
		_ = w.WriteField(k, v[0])
	}
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = io.Copy(part, bytes.NewReader(data))
	}
	if err != nil || w.Close() != nil {
		b.t.Fatal(err)
	}
	q := httptest.NewRequest(http.MethodPost, b.path("review"), &body)
	q.Header.Set("Content-Type", w.FormDataContentType())
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	b.send(q)
	return b.follow()
}

// want checks that the browser shows a page with texts.
func (b *browser) want(step string, texts ...string) *browser {
	b.t.Helper()
	if b.at != step || b.status >= 500 {
		b.t.Fatalf("the browser shows %q (%d) instead of %q:\n%s", b.at, b.status, step, words(b.all))
	}
	for _, text := range texts {
		if !strings.Contains(words(b.all), text) {
			b.t.Errorf("%s lacks %q:\n%s", step, text, words(b.all))
		}
	}
	return b
}

// words returns all texts of a page.
func words(all []webtest.Element) string {
	var out []string
	for _, e := range all {
		if text := strings.Join(strings.Fields(e.Text), " "); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// led checks that the browser was redirected to an address of the shop.
func (b *browser) led(to string) {
	b.t.Helper()
	if got := b.head.Get("Location"); b.status != http.StatusSeeOther || got != to {
		b.t.Errorf("led to %q (%d) instead of %q", got, b.status, to)
	}
}

// signIn signs in by verifying an email.
func (b *browser) signIn(email string) *browser {
	b.t.Helper()
	b.get("email").want("email").post("email", "email", email).want("code")
	return b.post("code", "code", "000 000")
}

// status describes a checkout's records.
func (r *rig) status(c *credit.Checkout) string {
	x := r.visit(c).Checkout
	return strings.TrimSuffix(x.Status+"/"+x.Reason, "/")
}
