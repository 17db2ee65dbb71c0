package accountpages

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/buyer"
)

// payments returns a company's payments.
func (r *rig) payments(c *credit.Company) []*credit.Payment {
	r.t.Helper()
	b, err := r.Book(context.Background(), c.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return b.Payments
}

// invited is a colleague who has signed in.
func (r *rig) invited(c *credit.Company, owner, email string, role credit.Role, limit int64) *browser {
	r.t.Helper()
	p, err := r.Proved(context.Background(), owner)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.Invite(context.Background(), p.ID, c.ID, buyer.Contact{Email: email, FirstName: "Bo", LastName: "Lind"}, role, money.Amount(limit), ""); err != nil {
		r.t.Fatal(err)
	}
	b := r.browser().signIn(email).want("/account/business", c.Name+" invites you")
	return b.post("/account/invitation", "accept", store.CompanyKey(c.ID))
}

// An owner pays: the amounts are shown to the cent before the payment is made. Two clicks, a
// reload and a resubmitted form make one payment.
func TestPayOnce(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	o := r.order(c, 1_200_00)
	b := r.browser().signIn("avery@alder.example").want("/account", "Alder Kitchens", "$207.06", "PO-1200.00", "On time")
	b.get("/account/orders/"+o.Key).want("/account/orders/"+o.Key, "$1,242.35", "Feb 15, 2026", "$12.00")
	b.get("/account/pay?order="+o.Key).want("/account/pay", "The payment due February 15, 2026", "$207.06", "$414.12", "Checking ••6789")
	b.post("/account/pay", "what", "other", "amount", "5000").want("/account/pay", "Enter an amount of up to $1,200")
	b.post("/account/pay", "what", "2").want("/account/pay/check", "Pay $414.12", "PO-1200.00", "I authorize Example Lender to debit $414.12 once from checking ••6789.")
	b.post("/account/pay/check").want("/account/pay/check", "Authorize the debit")
	if n := len(r.payments(c)); n != 0 {
		t.Fatalf("%d payments before anybody has authorized one", n)
	}
	again := b.fields()
	again.Set("agree", "yes")
	b.sendForm("/account/pay/check", again, "same-origin").want("/account/payments", "Your payment is on its way", "$414.12", "On its way")
	b.sendForm("/account/pay/check", again, "same-origin").want("/account/payments")
	if all := r.payments(c); len(all) != 1 || all[0].Amount != 414_12 || all[0].Order != o.Key {
		t.Errorf("payments: %+v", all)
	}
	b.get("/account/payments").post("/account/payments", "cancel", r.payments(c)[0].ID).want("/account/payments", "The payment was canceled")
}

// What is shown is what is paid: the split on the page is that of the ledger, to the cent.
func TestSplitIsWhatIsPaid(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	first, second := r.order(c, 1_200_00), r.order(c, 733_33)
	for _, amount := range []money.Amount{100, 207_06, 333_33, 1_000_00} {
		book, err := r.Book(context.Background(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		shares, rest := book.Split("", amount, book.Today)
		p := r.submit(staff(), payments.RecordPayment{Company: c.ID, Amount: amount, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: book.Today}).(*credit.Payment)
		after, err := r.Book(context.Background(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*credit.Order{first, second} {
			paid := after.Order(o.Key).View.TotalPaid.Sub(book.Order(o.Key).View.TotalPaid)
			shown := money.Amount(0)
			for _, x := range shares {
				if x.Owed.Order.Key == o.Key {
					shown = x.Sum()
				}
			}
			if paid != shown {
				t.Errorf("%s of %s: %s were shown, %s were paid", amount, o.MerchantOrderID, shown, paid)
			}
		}
		if p.Unapplied != rest {
			t.Errorf("%s: %s were to stay, %s do", amount, rest, p.Unapplied)
		}
	}
}

// Who may see and do what: every page of the account, for every kind of visitor. What a role may
// not do is refused, even to a visitor who knows the address.
func TestRights(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	o := r.order(c, 1_200_00)
	owner := r.browser().signIn("avery@alder.example")
	people := map[string]*browser{
		"stranger": r.browser(), "nobody": r.browser().signIn("nobody@else.example"),
		"viewer": r.invited(c, "avery@alder.example", "vic@alder.example", credit.RoleViewer, 0), "buyer": r.invited(c, "avery@alder.example", "bo@alder.example", credit.RoleBuyer, 500_00),
	}
	may := map[who]string{anybody: "stranger nobody viewer buyer", signedIn: "nobody viewer buyer", myself: "nobody viewer buyer", colleague: "viewer buyer", payer: "buyer"}
	person := owner.get("/account/people").body
	at := strings.Index(person, "/account/people/per_")
	id := person[at+len("/account/people/") : at+len("/account/people/")+30]
	replace := strings.NewReplacer("{key}", o.Key, "{paper}", "master", "{month}", "2026-01", "{notice}", "ntc_none", "{person}", id, "{case}", "case_none")
	for _, x := range r.pages.rights {
		path := replace.Replace(x.path)
		for name, b := range people {
			allowed := strings.Contains(may[x.who], name)
			b.get(path)
			if refused := b.status == http.StatusForbidden || b.at != path && (b.at == "/account/sign-in" || b.at == "/account/business"); refused == allowed && x.path != Prefix+"/sign-in" && x.path != Prefix+"/code" && x.path != Prefix+"/sign-out" && x.path != Prefix+"/invitation" {
				t.Errorf("%s at %s: %d at %s", name, path, b.status, b.at)
			}
			if !x.post || allowed || name == "stranger" {
				continue
			}
			b.get(Prefix) // to get a form key
			b.sendForm(path, url.Values{"form": {b.key(t)}, "role": {"OWNER"}, "amount": {"1"}, "master": {"yes"}, "name": {"Mallory"}}, "same-origin")
			if b.status != http.StatusForbidden && b.at != "/account/business" {
				t.Errorf("%s posts to %s: %d at %s", name, path, b.status, b.at)
			}
		}
	}
	if x := r.of(c.ID); len(x.Servicing.People) != 3 {
		t.Errorf("people: %v", x.Servicing.People)
	}
}

// key returns the key that a form of this browser must send back.
func (b *browser) key(t *testing.T) string {
	t.Helper()
	for name, c := range b.cookies {
		if strings.HasSuffix(name, cookie) && c.Value != "" {
			s, err := b.Session(context.Background(), c.Value)
			if err != nil || s == nil {
				t.Fatalf("session: %v, %v", s, err)
			}
			q := &visit{Pages: b.pages}
			q.Desk, q.Session, q.R, q.Draft = b.Desk, s, httpRequest(http.MethodGet, "/"), buyer.Draft{}
			if err := q.Know(); err != nil {
				t.Fatal(err)
			}
			if q.Person != nil {
				if err := q.findCompany(); err != nil {
					t.Fatal(err)
				}
			}
			return q.key()
		}
	}
	return ""
}

// Another company's records do not exist, whatever the IDs.
func TestOthersDoNotExist(t *testing.T) {
	r := newRig(t)
	c, other := r.company("Alder Kitchens", "avery@alder.example"), r.company("Birch Bakery", "ben@birch.example")
	theirs := r.order(other, 600_00)
	r.order(c, 1_200_00)
	ben := r.browser().signIn("ben@birch.example")
	ben.get("/account/cases/new").post("/account/cases/new", "kind", "QUESTION", "subject", "When?", "text", "When is it due?")
	dispute := ben.at
	b := r.browser().signIn("avery@alder.example")
	for _, path := range []string{
		"/account/orders/" + theirs.Key, "/account/orders/" + theirs.Key + "/agreement", "/account/pay?order=" + theirs.Key, dispute, "/account/notices/ntc_x", "/account/people/per_x", "/account/statements/2019-01",
		"/account/statements/2026-13", "/account/nothing", "/apply/mch_none", "/apply/mch_none/email",
	} {
		if b.get(path); b.status != http.StatusNotFound {
			t.Errorf("%s: %d at %s", path, b.status, b.at)
		}
	}
	book, err := r.Book(context.Background(), other.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.get("/account/pay").post("/account/pay", "what", "payoff", "account", book.Methods[0].ID).want("/account/pay", "Choose an account to pay from")
	b.get("/account/pay").post("/account/pay", "what", "payoff", "order", theirs.Key)
	if b.status != http.StatusNotFound {
		t.Errorf("paying for somebody else's order: %d", b.status)
	}
	b.get("/account/banks").post("/account/banks", "remove", book.Methods[0].ID)
	b.get("/account/banks/add").post("/account/banks/verify", "account", book.Methods[0].ID, "first", "0.11", "second", "0.12")
	b.get("/account/people/invite").post("/account/people/"+book.Company.Servicing.People[0], "role", "none")
	if after, err := r.Book(context.Background(), other.ID); err != nil || len(after.Methods) != 1 || len(after.Company.Servicing.People) != 1 {
		t.Errorf("the other company's: %v, %v", after.Company, err)
	}
	b.get("/account/cases/new").post("/account/cases/new", "kind", "QUESTION", "about", theirs.Key, "subject", "x", "text", "y").want("/account/cases/new", "Choose one of the list")
}

// A form from another site, one with a wrong key, and one from an ended session change nothing.
func TestForeignForms(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example").get("/account/people/invite")
	form := b.fields()
	for k, v := range map[string]string{"first_name": "Mal", "last_name": "Lory", "email": "mal@lory.example", "role": "OWNER"} {
		form.Set(k, v)
	}
	if b.sendForm("/account/people/invite", form, "cross-site"); b.status != http.StatusForbidden {
		t.Errorf("a form of another site: %d", b.status)
	}
	other := url.Values{}
	for k, v := range form {
		other[k] = v
	}
	other.Set("form", "guessed")
	if b.sendForm("/account/people/invite", other, "same-origin"); b.status != http.StatusForbidden {
		t.Errorf("a form with another key: %d", b.status)
	}
	old := b.cookies
	b.get("/account/you").post("/account/sign-out").want("/account/sign-in")
	b.cookies = old
	if b.sendForm("/account/people/invite", form, "same-origin"); b.status != http.StatusForbidden && b.at != "/account/sign-in" {
		t.Errorf("a form of a session that was ended: %d at %s", b.status, b.at)
	}
	if n := len(r.of(c.ID).Servicing.People); n != 1 {
		t.Errorf("%d people", n)
	}
	if b.send(httpRequest(http.MethodDelete, "/account/people")); b.status != http.StatusMethodNotAllowed || b.head.Get("Allow") != "GET, HEAD" {
		t.Errorf("DELETE: %d, %q", b.status, b.head.Get("Allow"))
	}
}

func httpRequest(method, path string) *http.Request {
	q, _ := http.NewRequest(method, path, nil)
	return q
}

// Finding an open browser does not give access to the account: an hour after the code, people,
// accounts and the email require another one. A checkout's session does not open the account.
func TestFreshProof(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example")
	for range 4 {
		r.wall = r.wall.Add(20 * time.Minute)
		b.get("/account").want("/account")
	}
	for _, path := range []string{"/account/people/invite", "/account/banks/add"} {
		b.get(path).want("/account/again", "Confirm your e-mail again")
	}
	b.get("/account/you").post("/account/you", "email", "mallory@else.example").want("/account/again")
	b.get("/account/people/invite").post("/account/again").want("/account/again/code", "a••••@alder.example")
	token := b.cookies["__Host-"+cookie].Value
	b.post("/account/again/code?to=%2Fpeople%2Finvite", "code", "111111").want("/account/again/code", "That is not the code")
	b.post("/account/again/code?to=%2Fpeople%2Finvite", "code", "000000").want("/account/people/invite")
	if b.cookies["__Host-"+cookie].Value == token {
		t.Error("the token stays after the proof")
	}
	for _, to := range []string{"//evil.example", "https://evil.example", "/people?x", `/\evil.example`} {
		r.wall = r.wall.Add(time.Minute)
		b.get("/account/again?to="+url.QueryEscape(to)).post("/account/again").post("/account/again/code?to="+url.QueryEscape(to), "code", "000000").want("/account")
	}
	r.wall = r.wall.Add(31 * time.Minute)
	b.get("/account").want("/account/sign-in")
}

// A person who was removed sees nothing with her old session, and the last owner cannot be
// removed.
func TestFormerColleague(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example")
	bo := r.invited(c, "avery@alder.example", "bo@alder.example", credit.RoleOwner, 0).want("/account", "Alder Kitchens")
	b.get("/account/people").want("/account/people", "Bo Lind")
	people := r.of(c.ID).Servicing.People
	bo.get("/account/people/"+people[0]).post("/account/people/"+people[0], "role", "VIEWER").want("/account/people", "It is saved")
	b.get("/account/line")
	if b.status != http.StatusForbidden {
		t.Errorf("who is an owner no more asks for a line: %d", b.status)
	}
	bo.get("/account/people/"+people[1]).post("/account/people/"+people[1], "role", "none").want("/account/people/"+people[1], "The business needs an owner")
	bo.get("/account/people/"+people[0]).post("/account/people/"+people[0], "role", "none").want("/account/people")
	b.get("/account/orders").want("/account/business", "You do not act for a business here").lacks("Alder")
}

// An email that somebody already has cannot be taken, and the code for one address does not prove
// another.
func TestAnotherEmail(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	r.company("Birch Bakery", "ben@birch.example")
	r.browser().signIn("ben@birch.example")
	b := r.browser().signIn("avery@alder.example")
	b.get("/account/you").post("/account/you", "email", "ben@birch.example").want("/account/you/code")
	b.post("/account/you/code", "code", "000000").want("/account/you/code", "Somebody signs in with this address already")
	b.get("/account/you").post("/account/you", "email", "new@alder.example").want("/account/you/code")
	form := b.fields()
	form.Set("code", "000000")
	b.sendForm("/account/code", form, "same-origin") // the code for the change signs nobody in
	if b.at == "/account" && b.status == http.StatusOK && strings.Contains(b.text(), "n••") {
		t.Error("the code of a change has changed who is signed in")
	}
	b.get("/account").want("/account", "Alder Kitchens")
}

// applied has applied for a business without a cart.
func (r *rig) applied(email, ein string) *browser {
	r.t.Helper()
	start := "/apply/" + r.merchant
	b := r.browser().get(start).want(start, "Buy on terms at Harbor Supply")
	b.get(start+"/email").post(start+"/email", "email", email).want(start + "/code")
	b.post(start+"/code", "code", "000000").want(start + "/business")
	b.post(start+"/business", "ein", "12").want(start+"/business", "Enter a 9-digit EIN")
	b.post(start+"/business", "legal_name", "Cedar Cafe LLC", "entity", "LLC", "ein", ein, "revenue", "480000", "formed", "3/2019", "formed_in", "OR", "street", "1 Elm St", "city", "Portland", "state", "OR", "zip", "97209", "phone", "(503) 555-0142").want(start + "/you")
	return b.post(start+"/you", "first_name", "Cleo", "last_name", "Cedar", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes", "electronic", "yes").want(start + "/decision")
}

// A business applies without a cart: approved and signed, declined, in review; each one only
// once.
func TestApply(t *testing.T) {
	r := newRig(t)
	start := "/apply/" + r.merchant
	yes := r.applied("cleo@cedar.example", "00-0000001").want(start+"/decision", "has a line of", "read and sign the master agreement")
	yes.get("/account/sign").want("/account/sign", "Master agreement").post("/account/sign").want("/account/sign", "Type your full name")
	yes.post("/account/sign", "name", "Cleo Cedar", "master", "yes").want(start+"/done", "can buy on terms at Harbor Supply")
	yes.get("/account/sign/master").want("/account/sign/master")
	if !strings.Contains(yes.body, "Cleo Cedar") {
		t.Error("the agreement that was signed does not name who signed")
	}
	r.applied("dan@dogwood.example", "00-0000004").want(start+"/decision", "We cannot offer a line at this time").get(start + "/you").want(start + "/decision")
	r.applied("eve@elm.example", "00-0000003").want(start+"/decision", "A person is reviewing your application").get(start + "/business").want(start + "/decision")
	r.view(func(v store.View) error {
		all, err := store.ListRecords(v, credit.NounApplication, store.RecordFilter{}, store.Page{Limit: 10})
		if len(all) != 3 {
			t.Errorf("%d applications", len(all))
		}
		return err
	})
}
