package checkout

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/office/buyer"
)

// ready is a browser in which the owner of a company has reached the terms.
func (r *rig) ready(limit money.Amount, change ...func(*onboarding.CreateCheckout)) (*credit.Checkout, *browser) {
	r.t.Helper()
	r.company("Alder Kitchens", "avery@alderkitchens.example", limit)
	c, token := r.begin(1_200_00, change...)
	return c, r.browser(token).signIn("avery@alderkitchens.example")
}

// to is a browser that has reached a page on the way to the acceptance.
func (b *browser) to(step string) *browser {
	b.t.Helper()
	b.want("terms")
	if step != "terms" {
		b.post("terms", "plan", "6").want("repay")
	}
	if step == "accept" {
		b.post("repay").want("accept")
	}
	return b
}

func (b *browser) accept() *browser {
	b.t.Helper()
	return b.post("accept", "name", "Avery Alder", "agree", "yes")
}

// A buyer who leaves is asked once; then the checkout has ended.
func TestBuyerLeaves(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.get("leave").want("leave", "Go back without ordering?")
	if r.status(c) != "OPEN" {
		t.Fatalf("a question has made it %s", r.status(c))
	}
	b.postOnly("leave")
	b.led("http://localhost:9000/cart?why=buyer_canceled")
	if got := r.status(c); got != "CANCELED/buyer_canceled" {
		t.Errorf("the checkout is %s", got)
	}
	b.get("terms").want("ended", "You left this checkout", "Nothing was charged")
	b.get("leave").led("http://localhost:9000/cart?why=buyer_canceled")
	// Also before anybody has signed in.
	c, token := r.begin(700_00)
	b = r.browser(token).get("leave").want("leave")
	b.postOnly("leave")
	b.led("http://localhost:9000/cart?why=buyer_canceled")
	if got := r.status(c); got != "CANCELED/buyer_canceled" {
		t.Errorf("the checkout is %s", got)
	}
}

// A line that is too small changes nothing; leaving ends the checkout, and an owner can ask for a
// higher line.
func TestLineTooSmall(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(800_00)
	b.want("line", "$800.00 of this $1,200.00 is available", "Ask for a higher line")
	if r.status(c) != "OPEN" {
		t.Errorf("showing it has made it %s", r.status(c))
	}
	b.get("higher").want("higher")
	if got := b.fields().Get("higher"); got != "1,200.00" {
		t.Errorf("proposed is %q", got)
	}
	b.post("higher", "higher", "700", "revenue", "").want("higher", "Enter more than your current line of $800.00", "Enter last year’s revenue, like 250,000")
	if b.fields().Get("legal_name") != "" || b.fields().Get("formed_in") != "OR" {
		t.Errorf("what is known is asked for: %v", b.fields())
	}
	b.post("higher", "higher", "2,000", "revenue", "480,000", "credit_check", "yes").want("higher", "Enter a 9-digit EIN, like 12-3456789", "Enter a title, like owner")
	b.post("higher", "credit_check", "yes", "ein", "12-3456789", "formed", "3/2019", "first_name", "Avery", "last_name", "Alder", "title", "President", "share", "100",
		"birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209").want("review")
	if got := r.status(c); got != "PENDING_REVIEW/pending_review" {
		t.Errorf("the checkout is %s", got)
	}
	a := r.visit(c).Application
	if a.Kind != "LINE_INCREASE" || a.Requested != 2_000_00 || a.Company == 0 {
		t.Errorf("application %+v", a)
	}
	r.submit(staff(), onboarding.DecideApplication{Application: a.ID, Approve: true, Limit: 2_000_00, Tier: "A"})
	b.get("").want("decision", "$2,000.00")
	b.get("terms").want("terms")

	r = newRig(t)
	c, b = r.ready(800_00)
	b.postOnly("leave")
	b.led("http://localhost:9000/cart?why=insufficient_credit")
	if got := r.status(c); got != "CANCELED/insufficient_credit" {
		t.Errorf("the checkout is %s", got)
	}
}

// A company that may not buy now sees whom to call.
func TestCompanyMayNotBuy(t *testing.T) {
	for _, status := range []credit.CompanyStatus{credit.CompanyOnHold, credit.CompanyClosed} {
		r := newRig(t)
		c, b := r.ready(25_000_00)
		x := r.visit(c).Company
		r.submit(staff(), lending.UpdateCompany{Company: x.ID, Status: status, StatusCode: "other"})
		b.get("").want("unavailable", "Alder Kitchens cannot order on terms right now", "help@lender.example")
		b.postOnly("leave")
		b.led("http://localhost:9000/cart?why=company_not_eligible")
		if got := r.status(c); got != "CANCELED/company_not_eligible" {
			t.Errorf("the checkout is %s", got)
		}
	}
}

// A person who proves the email of a closed company sees the same, even if nobody has acted for
// it.
func TestClosedCompanyIsKnown(t *testing.T) {
	r := newRig(t)
	r.company("Juniper Travel", "jo@juniper.example", 0, func(c *lending.CreateCompany) { c.Status, c.StatusCode = credit.CompanyClosed, "other" })
	_, token := r.begin(1_200_00)
	r.browser(token).signIn("jo@juniper.example").want("unavailable", "Juniper Travel")
	r.company("Juniper Tours", "jo@juniper-tours.example", 5_000_00)
	r.company("Juniper Trains", "jo@juniper-tours.example", 0, func(c *lending.CreateCompany) { c.Status, c.StatusCode = credit.CompanyClosed, "other" })
	_, token = r.begin(1_200_00)
	r.browser(token).signIn("jo@juniper-tours.example").want("terms", "Juniper Tours")
}

// A change between showing the page and pressing the button leads to the page that explains it.
func TestLateAcceptance(t *testing.T) {
	accepting := func(t *testing.T) (*rig, *credit.Checkout, *browser) {
		r := newRig(t)
		c, b := r.ready(25_000_00)
		return r, c, b.to("accept")
	}
	t.Run("limit", func(t *testing.T) {
		r, c, b := accepting(t)
		other, token := r.begin(24_100_00)
		r.browser(token).signIn("avery@alderkitchens.example").to("accept").accept().want("done")
		r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: other.ID})
		b.accept().want("line", "$900.00 of this $1,200.00 is available")
		if r.status(c) != "OPEN" {
			t.Errorf("the checkout is %s", r.status(c))
		}
	})
	t.Run("status", func(t *testing.T) {
		r, c, b := accepting(t)
		r.submit(staff(), lending.UpdateCompany{Company: r.visit(c).Company.ID, Status: credit.CompanyOnHold, StatusCode: "other"})
		b.accept().want("unavailable")
	})
	t.Run("rates", func(t *testing.T) {
		r, c, b := accepting(t)
		s := lending.DefaultSettings()
		s.TierRates = map[string]money.Rate{"A": money.MustParseRate("0.150000"), "B": money.MustParseRate("0.180000"), "C": money.MustParseRate("0.240000")}
		r.submit(staff(), merchants.AddProgram{Merchant: r.merchant, From: r.Zone.Date(r.now) + 1, Settings: s})
		r.now = r.now.Add(20 * time.Hour)
		b.accept().want("terms", "The terms have changed", "You had seen: 6 × $207.06, first on February 15, 2026, finance charge $42.35, total $1,242.35, APR 12.00%.", "APR 15.00%")
		if r.status(c) != "OPEN" {
			t.Errorf("the checkout is %s", r.status(c))
		}
		b.get("accept").want("terms")
		b.post("terms", "plan", "6").want("repay").post("repay").want("accept").accept().want("done")
	})
	t.Run("day", func(t *testing.T) {
		r, c, b := accepting(t)
		r.now = r.now.Add(20 * time.Hour)
		b.accept().want("terms", "The terms have changed")
		if r.status(c) != "OPEN" {
			t.Errorf("the checkout is %s", r.status(c))
		}
	})
	t.Run("expired", func(t *testing.T) {
		r, c, b := accepting(t)
		r.now = r.now.Add(24 * time.Hour)
		b.accept().want("ended", "This checkout has expired")
		r.submit(staff(), onboarding.ServiceCheckout{Checkout: c.ID})
		b.get("").want("ended", "This checkout has expired")
		b.get("leave").led("http://localhost:9000/cart?why=expired")
		if got := r.status(c); got != "EXPIRED/expired" {
			t.Errorf("the checkout is %s", got)
		}
	})
	t.Run("merchant", func(t *testing.T) {
		r, c, b := accepting(t)
		r.submit(r.shop(), onboarding.EndCheckout{Checkout: c.ID})
		b.accept().want("ended", "The shop ended this checkout")
		if got := r.status(c); got != "CANCELED/merchant_canceled" {
			t.Errorf("the checkout is %s", got)
		}
	})
}

// An order that its merchant never completes: the checkout expires, and nothing is owed.
func TestNeverCompleted(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	b.to("accept").accept().want("done")
	r.now = r.now.Add(24 * time.Hour)
	b.get("").want("ended", "This checkout has expired")
	r.submit(staff(), onboarding.ServiceCheckout{Checkout: c.ID})
	b.get("").want("ended", "This checkout has expired", "Nothing was charged")
	if got := r.status(c); got != "EXPIRED/not_completed" {
		t.Errorf("the checkout is %s", got)
	}
}

// Another cart under the same number replaces the first one: its page links to the new one.
func TestOrderChanged(t *testing.T) {
	r := newRig(t)
	named := func(c *onboarding.CreateCheckout) { c.RemoteID = "PO-1" }
	c, b := r.ready(25_000_00, named)
	next, address := r.begin(1_500_00, named)
	b.get("terms").want("changed", "The total was $1,200.00 and is $1,500.00 now.")
	if want := `href="/c/` + address + `"`; !strings.Contains(b.body, want) {
		t.Errorf("the page lacks %s", want)
	}
	if got := r.status(c); got != "CANCELED/replaced" {
		t.Errorf("the checkout is %s", got)
	}
	r.submit(r.shop(), onboarding.EndCheckout{Checkout: next.ID})
	b.get("").want("changed", "The new one has ended, too.")
	b.get("leave").led("http://localhost:9000/cart?why=replaced")
}

func id(c *credit.Company) string { return strconv.FormatInt(c.ID, 10) }

// A person who acts for two businesses chooses one, or another one.
func TestSeveralCompanies(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	_, token := r.begin(700_00)
	r.browser(token).signIn("avery@alderkitchens.example").want("terms")
	second := r.company("Birch Bakery", "avery@alderkitchens.example", 900_00)
	_, token = r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example")
	b.want("company", "Which business is it for?", "Alder Kitchens", "Birch Bakery", "Another business")
	b.post("company").want("company", "Choose a business")
	b.post("company", "company", "12345").want("company", "Choose a business")
	b.post("company", "company", id(second)).want("line", "$900.00 of this $1,200.00 is available")
	b.get("company").want("company").post("company", "company", "new").want("business")
	b.get("company").want("company").post("company", "company", id(second)).want("line")
}

// A person who acts for a company other than the one named by the shop is told so, and learns
// nothing about that one.
func TestOutsider(t *testing.T) {
	r := newRig(t)
	x := r.company("Birch Bakery", "bo@birch.example", 5_000_00, func(c *lending.CreateCompany) { c.Merchants = []string{r.merchant} })
	_, b := r.ready(25_000_00, func(c *onboarding.CreateCheckout) { c.Company = x.ID })
	b.want("outsider", "This order is for another business")
	if strings.Contains(b.body, "Birch") {
		t.Error("the page names the company")
	}
	b.get("terms").want("outsider")
	b.signIn("bo@birch.example").want("terms", "Birch Bakery has $5,000.00 available.")
}

// eyes is a store that shows some records differently: in states that no command causes yet, or
// only a race.
type eyes struct {
	buyer.Store
	change func(credit.Record) credit.Record
}

func (e eyes) View(ctx context.Context, fn func(store.View) error) error {
	return e.Store.View(ctx, func(v store.View) error { return fn(glass{v, e.change}) })
}

type glass struct {
	store.View
	change func(credit.Record) credit.Record
}

func (g glass) Load(s *credit.State, k credit.Keys) error {
	err := g.View.Load(s, k)
	for key, r := range s.Records {
		s.Records[key] = g.change(r)
	}
	return err
}

// as shows everybody in a role.
func as(role credit.Role) func(credit.Record) credit.Record {
	return func(r credit.Record) credit.Record {
		p, ok := r.(*credit.Person)
		if !ok || len(p.Roles) == 0 {
			return r
		}
		q := *p
		q.Roles = []credit.PersonRole{{Company: p.Roles[0].Company, Role: role, Limit: 1_000_00}}
		return &q
	}
}

// A person who may not accept asks the owners. The checkout is not bound to that person.
func TestOwnerNeeded(t *testing.T) {
	for _, role := range []credit.Role{credit.RoleViewer, credit.RoleBuyer} {
		r := newRig(t)
		r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
		c, token := r.begin(1_200_00)
		r.Desk.Store = eyes{r.Store, as(role)}
		b := r.browser(token).signIn("avery@alderkitchens.example")
		b.want("owner", "An owner must accept this order", "You may not accept this amount for Alder Kitchens.")
		b.get("accept").want("owner")
		b.post("owner").want("owner", "Nobody was e-mailed")
		if x := r.visit(c).Checkout; x.Person != "" || x.Company != 0 {
			t.Errorf("%s: the checkout is bound to %s", role, x.Person)
		}
		b.get("leave").led("http://localhost:9000/cart?why=buyer_canceled")
		if r.status(c) != "OPEN" {
			t.Errorf("%s: leaving has made it %s", role, r.status(c))
		}
		r.Desk.Store = r.Store.(eyes).Store
		other := r.browser(token).get("").want("")
		other.signIn("avery@alderkitchens.example").want("terms")
	}
}

// The owners get a mail with the order's address.
func TestOwnersAreMailed(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00)
	x := r.visit(c)
	for range asksAllowed + 1 {
		if _, err := r.AskOwners(t.Context(), x, x.Company, "Bo Reed", "192.0.2.7"); err != nil {
			t.Fatal(err)
		}
	}
	var mails []*credit.Mail
	r.view(func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounMail, store.RecordFilter{Of: c.ID}, store.Page{Limit: 20})
		for _, m := range list {
			if m := m.(*credit.Mail); m.Template == "owner_needed" {
				mails = append(mails, m)
			}
		}
		return err
	})
	if len(mails) != asksAllowed || mails[0].Data["person"] != "Bo Reed" {
		t.Errorf("%d mails: %+v", len(mails), mails)
	}
	b.get("").want("terms")
}

// asksAllowed is how often owners are mailed per hour.
const asksAllowed = 3

// If autopay is on, the page says from which account and when payments are debited.
func TestAutopay(t *testing.T) {
	r := newRig(t)
	x := r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	at := r.now
	m := r.submit(staff(), payments.AddPaymentMethod{
		Company: x.ID, Type: credit.ACH, Known: true, Reason: "its own word",
		Bank:          &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte("sealed"), Fingerprint: "f"},
		Authorization: credit.Authorization{AcceptedAt: at, Channel: "WEB", Reference: "v1"},
	}).(*credit.PaymentMethod)
	on := true
	r.submit(staff(), payments.SetAutopay{Company: x.ID, Enabled: &on, Method: &m.ID})
	_, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").want("terms")
	b.post("terms", "plan", "6").want("repay", "Autopay from checking ••6789", "Debited", "February 17, 2026", "March 16, 2026", "April 15, 2026")
	b.post("repay").want("accept", "Autopay from checking ••6789")
}
