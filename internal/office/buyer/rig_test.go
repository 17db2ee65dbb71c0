package buyer

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/resource"
	"tenor/internal/ports/facts/sandbox"
)

// rig is a desk on a real engine and a real file, with a shop.
type rig struct {
	t *testing.T
	*Desk
	now      time.Time
	ctx      context.Context
	merchant string
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
	r := &rig{t: t, now: time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC), ctx: t.Context()}
	clock := func() time.Time { return r.now }
	zone := calendar.NewZone(location)
	e, err := engine.New(engine.Config{Backend: db, Zone: zone, Now: clock, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm: %s: %v", a.What, a.Err) }})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.New(seal.Derive([]byte("the key of this test alone"), "buyers"))
	if err != nil {
		t.Fatal(err)
	}
	r.Desk = &Desk{
		Submit: engine.Alone{Engine: e}, Store: db, Zone: zone, Now: clock, Wall: clock, Seed: seed, Seal: ring.Seal, Open: ring.Open, Hash: hash,
		Base: "http://localhost:8080", Sandbox: true, Facts: sandbox.Ports(),
		Compare: func(...string) *credit.Compared { return &credit.Compared{List: "test"} },
	}
	m := r.submit(itself(), merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant)
	r.merchant = m.ID
	t.Cleanup(func() {
		if !t.Failed() {
			r.verify()
		}
	})
	return r
}

func seed() (out [16]byte) {
	_, _ = rand.Read(out[:])
	return out
}

func hash(kind, text string) string {
	h := hmac.New(sha256.New, []byte("key of fingerprints"))
	fmt.Fprintf(h, "%s/%s", kind, text)
	return hex.EncodeToString(h.Sum(nil))
}

// verify verifies the test's books.
func (r *rig) verify() {
	r.t.Helper()
	report, err := verify.Run(context.Background(), r.Store, verify.Options{Scratch: memory.Scratch, Zone: r.Zone, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, v := range report.Violations {
		r.t.Errorf("verify: %s %s: %s", v.Invariant, v.Object, v.Detail)
	}
}

// shop is the merchant's own actor.
func (r *rig) shop() credit.Actor { return credit.Actor{Client: "cli_shop", Merchant: r.merchant} }

// submit decides a command that must be accepted.
func (r *rig) submit(by credit.Actor, c credit.Command) any {
	r.t.Helper()
	result, refused := r.ask(by, c)
	if refused != nil {
		r.t.Fatalf("%s: %v", c.Name(), refused)
	}
	return result
}

// ask decides a command.
func (r *rig) ask(by credit.Actor, c credit.Command) (result any, refused *credit.Rejection) {
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
	return result, out.Rejection
}

// begin creates a checkout and returns it with its token.
func (r *rig) begin(amount money.Amount, change ...func(*onboarding.CreateCheckout)) (*credit.Checkout, string) {
	r.t.Helper()
	c := onboarding.CreateCheckout{Amount: amount, Mode: onboarding.ModeRedirect, ReturnURL: "http://localhost:9000/thanks", CancelURL: "http://localhost:9000/cart"}
	for _, f := range change {
		f(&c)
	}
	if err := r.Address(&c); err != nil {
		r.t.Fatal(err)
	}
	x := r.submit(r.shop(), c).(*credit.Checkout)
	url := ""
	r.view(func(v store.View) (err error) { url, err = r.URL(v, x); return err })
	return x, url[len("http://localhost:8080/c/"):]
}

func (r *rig) view(fn func(store.View) error) {
	r.t.Helper()
	if err := r.Store.View(context.Background(), fn); err != nil {
		r.t.Fatal(err)
	}
}

// signIn proves an email address in a checkout.
func (r *rig) signIn(checkout, email string) *Session {
	r.t.Helper()
	s := r.NewSession(checkout)
	if err := r.SendCode(r.ctx, s, email, "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.Prove(r.ctx, s, "000000", "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// form is a valid form.
func form(ein string) Form {
	home := credit.CompanyAddress{Street: "1 Home Street", City: "Seattle", State: "WA", PostalCode: "98101", Country: "US"}
	return Form{
		Kind:      underwriting.New,
		Applicant: Applicant{FirstName: "Ana", LastName: "Ruiz", Email: "Ana@Harbor.example", Title: "President", Phone: "+1 206 555 0143"},
		Owners:    []Owner{{FirstName: "Ana", LastName: "Ruiz", BirthDate: calendar.Of(1980, 5, 1), Address: home, Percent: 100, Control: true}},
		Business: Business{
			LegalName: "Ruiz Kitchens LLC", EntityType: underwriting.LLC, EIN: ein, FormedOn: calendar.Of(2015, 3, 1), StateOfFormation: "WA",
			Address: credit.CompanyAddress{Street: "9 Dock Road", City: "Seattle", State: "WA", PostalCode: "98101", Country: "US"}, Phone: "+1 206 555 0144", AnnualRevenue: 500_000_00,
		},
		Requested: 10_000_00, Consents: Consents{CreditCheck: true, ElectronicRecords: true, AcceptedAt: time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC), IP: "127.0.0.1"},
	}
}

// accept accepts the first offer of a visit.
func (r *rig) accept(id string, master bool) error {
	r.t.Helper()
	x, err := r.Visit(r.ctx, id)
	if err != nil {
		r.t.Fatal(err)
	}
	offers := r.Offers(x)
	if len(offers) == 0 {
		r.t.Fatal("nothing is offered")
	}
	papers := []Paper{{Kind: credit.DocumentDisclosure, ContentType: "text/html", Data: []byte("<p>disclosure</p>"), Template: "DEFAULT", Text: 1, Language: "en-US"}}
	if master {
		papers = append(papers, Paper{Kind: credit.DocumentMaster, ContentType: "text/html", Data: []byte("<p>master</p>"), Text: 1, Language: "en-US"})
	}
	return r.Accept(r.ctx, x, offers[1].Terms.Installments, offers[1].Disclosure.Digest(), Evidence{Name: "Ana Ruiz", Address: "127.0.0.1"}, papers)
}
