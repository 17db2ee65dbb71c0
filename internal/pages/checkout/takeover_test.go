package checkout

import (
	"context"
	"maps"
	"net/url"
	"strings"
	"sync"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
	"tenor/internal/office/buyer"
)

// acts makes a person accept a role at a company, given to her by its owner.
func (r *rig) acts(c *credit.Company, owner, email string, role credit.Role, limit money.Amount) *credit.Person {
	r.t.Helper()
	by, err := r.Proved(context.Background(), owner)
	if err != nil {
		r.t.Fatal(err)
	}
	contact, err := r.Keep(buyer.Contact{Email: email})
	if err != nil {
		r.t.Fatal(err)
	}
	r.submit(staff(), people.SetPerson{
		Company: c.ID, Owner: by.ID, Email: r.EmailHash(email), Contact: contact.ID, Role: role, Limit: limit, Secrets: []credit.Secret{contact},
	})
	p, err := r.Proved(context.Background(), email)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.submit(staff(), people.AnswerInvitation{Person: p.ID, Company: c.ID, Accept: true}).(*credit.Person)
}

const (
	owner = "avery@alderkitchens.example"
	clerk = "kim@alderkitchens.example" // a BUYER up to 2,000.00
)

// begun is a checkout that a BUYER of Alder Kitchens has brought to the acceptance page.
func begun(t *testing.T) (*rig, *credit.Company, *credit.Checkout, *browser) {
	t.Helper()
	r := newRig(t)
	x := r.company("Alder Kitchens", owner, 25_000_00)
	r.acts(x, owner, clerk, credit.RoleBuyer, 2_000_00)
	c, token := r.begin(1_200_00)
	return r, x, c, r.browser(token).signIn(clerk).to("accept")
}

// copied is another browser with this one's current state.
func (b *browser) copied() *browser {
	x := *b
	x.cookies = maps.Clone(b.cookies)
	return &x
}

// An owner finishes what a buyer of her business has started: under her own name, with terms that
// she has chosen herself. The buyer's browser can do nothing more with it.
func TestOwnerTakesOver(t *testing.T) {
	r, _, c, first := begun(t)
	form, first2 := first.fields(), first.copied()
	form.Set("name", "Kim Reed")
	form.Set("agree", "yes")
	second := r.browser(first.token)
	second.get("").want("elsewhere")
	second.signIn(owner).want("takeover", "Finish this order yourself?", "Somebody else at Alder Kitchens has started it.")
	if strings.Contains(second.body, "k••") || strings.Contains(second.body, "kim") {
		t.Error("the page says who has begun")
	}
	for _, step := range []string{"terms", "repay", "accept", "agreement", "disclosure.pdf", "company", "done"} {
		second.get(step).want("takeover") // looking takes nothing over
	}
	if x := r.visit(c).Checkout; x.Taken != 0 {
		t.Fatalf("looking has taken it: %+v", x)
	}
	second.post("takeover").want("terms")
	for _, step := range []string{"", "terms", "repay", "accept", "agreement", "takeover", "company", "done", "return"} {
		first.get(step).want("elsewhere", "Somebody else at Alder Kitchens is finishing this order", "There is nothing for you to do.")
	}
	for _, step := range []string{"accept", "terms", "takeover", "leave", "repay", "company", "owner"} {
		first2.sendForm(step, form)
	}
	if x := r.visit(c).Checkout; x.Status != credit.CheckoutOpen || x.Taken != 1 {
		t.Fatalf("the first browser has made it %s, taken %d times", x.Status, x.Taken)
	}
	second.get("accept").want("terms") // nothing chosen by the buyer applies to her
	second.to("accept")
	if b := second.body; strings.Contains(b, "Kim") || !strings.Contains(words(second.all), "a••••@") {
		t.Errorf("the page of acceptance is not the owner's:\n%s", words(second.all))
	}
	second.post("accept", "name", "Avery Alder").want("accept", "Confirm that you have read and agree") // the buyer's checkbox does not apply to her
	second.accept().want("done")
	x := r.visit(c).Checkout
	if p, _ := r.Proved(t.Context(), owner); x.Person != p.ID || x.Accepted.Person != p.ID {
		t.Errorf("accepted by %s, not %s", x.Accepted.Person, p.ID)
	}
	if last := r.papers.made[len(r.papers.made)-1]; last.Signer != "Avery Alder" || last.Title != "Owner" {
		t.Errorf("the papers are signed by %q, %q", last.Signer, last.Title)
	}
	first.get("").want("ended")
}

// A person who may not accept for the business cannot take over, whatever she sends. A person
// outside the business is not told which one it is.
func TestWhoMayNotTakeOver(t *testing.T) {
	r, x, c, first := begun(t)
	r.company("Birch Bakery", "bo@birch.example", 25_000_00)
	r.acts(x, owner, "vic@alderkitchens.example", credit.RoleViewer, 0)
	r.acts(x, owner, "lou@alderkitchens.example", credit.RoleBuyer, 1_199_99)
	r.actsNoMore(x, r.acts(x, owner, "rae@alderkitchens.example", credit.RoleOwner, 0))
	for email, told := range map[string]string{
		"mallory@evil.example": "Continue on the device where you started", "bo@birch.example": "Continue on the device where you started",
		"rae@alderkitchens.example": "Continue on the device where you started",
		"vic@alderkitchens.example": "Somebody else at Alder Kitchens is finishing this order", "lou@alderkitchens.example": "Somebody else at Alder Kitchens is finishing this order",
	} {
		r.stranger(first.token, email, told)
	}
	if got := r.visit(c).Checkout; got.Taken != 0 || got.Status != credit.CheckoutOpen {
		t.Fatalf("it is %s, taken %d times", got.Status, got.Taken)
	}
	first.get("").want("accept")
}

// stranger is a person with the address and a proved email who tries everything that could take
// over a checkout. She always gets the same answer.
func (r *rig) stranger(token, email, told string) {
	r.t.Helper()
	b := r.browser(token)
	b.signIn(email).want("elsewhere", told)
	if strings.HasPrefix(told, "Continue") && strings.Contains(b.body, "Alder") {
		r.t.Errorf("%s is told of the business", email)
	}
	form := b.formOf()
	for _, step := range []string{"takeover", "accept", "leave", "terms", "company", "business", "you"} {
		b.sendForm(step, form)
	}
	b.get("takeover").want("elsewhere")
}

// formOf returns a form that the browser's session may submit, whatever page it shows.
func (b *browser) formOf() url.Values {
	b.t.Helper()
	form := b.fields()
	for _, c := range b.cookies {
		s, err := b.Session(context.Background(), c.Value)
		if err != nil || s == nil {
			b.t.Fatal(err)
		}
		form.Set("form", s.Form)
	}
	return form
}

// actsNoMore makes a company's owner remove a person.
func (r *rig) actsNoMore(c *credit.Company, p *credit.Person) {
	r.t.Helper()
	by, err := r.Proved(context.Background(), owner)
	if err != nil {
		r.t.Fatal(err)
	}
	r.submit(staff(), people.SetPerson{Company: c.ID, Owner: by.ID, Person: p.ID})
}

// The takeover page is not a promise: what has changed since it was shown counts.
func TestTakeOverTooLate(t *testing.T) {
	pat := "pat@alderkitchens.example"
	for name, meanwhile := range map[string]struct {
		do   func(*rig, *credit.Company, *credit.Checkout, *credit.Person)
		at   string
		said string
	}{
		"she was put out": {func(r *rig, x *credit.Company, _ *credit.Checkout, p *credit.Person) { r.actsNoMore(x, p) }, "elsewhere", "Continue on the device where you started"},
		"the company may not buy": {func(r *rig, x *credit.Company, _ *credit.Checkout, _ *credit.Person) {
			r.submit(staff(), lending.UpdateCompany{Company: x.ID, Status: credit.CompanyOnHold, StatusCode: "account_review"})
		}, "elsewhere", ""},
		"the checkout expired": {func(r *rig, _ *credit.Company, c *credit.Checkout, _ *credit.Person) { r.now = c.ExpiresAt }, "ended", ""},
		"the shop ended it": {func(r *rig, _ *credit.Company, c *credit.Checkout, _ *credit.Person) {
			r.submit(r.shop(), onboarding.EndCheckout{Checkout: c.ID, Reason: "merchant_canceled"})
		}, "ended", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, x, c, first := begun(t)
			p := r.acts(x, owner, pat, credit.RoleOwner, 0)
			b := r.browser(first.token).signIn(pat).want("takeover")
			meanwhile.do(r, x, c, p)
			b.post("takeover").want(meanwhile.at, meanwhile.said)
			if got := r.visit(c).Checkout; got.Taken != 0 {
				t.Errorf("taken over %d times", got.Taken)
			}
		})
	}
}

// An acceptance and a takeover at the same time: exactly one of them succeeds, completely. The
// merchant completes only what was accepted.
func TestTakenOverWhileAccepted(t *testing.T) {
	for range 4 {
		r, _, c, first := begun(t)
		second := r.browser(first.token).signIn(owner).want("takeover")
		var both sync.WaitGroup
		both.Go(func() { first.postOnly("accept", "name", "Kim Reed", "agree", "yes") })
		both.Go(func() { second.postOnly("takeover") })
		both.Wait()
		x := r.visit(c).Checkout
		kim, _ := r.Proved(t.Context(), clerk)
		switch {
		case x.Status == credit.CheckoutAccepted && x.Taken == 0 && x.Person == kim.ID && x.Accepted.Person == kim.ID:
			second.get("").want("ended")
		case x.Status == credit.CheckoutOpen && x.Taken == 1 && x.Person != kim.ID && x.Accepted == nil:
			first.get("").want("elsewhere")
			if got := r.refused(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID}); got != credit.CheckoutNotAccepted.Code {
				t.Errorf("it is completed with %q", got)
			}
			second.get("").want("terms").to("accept").accept().want("done")
		default:
			t.Fatalf("it is %s, taken %d times, of %s, accepted %+v", x.Status, x.Taken, x.Person, x.Accepted)
		}
		var all sync.WaitGroup // the merchant completes it while the owner presses again
		all.Go(func() { r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID}) })
		all.Go(func() { second.postOnly("takeover") })
		all.Wait()
		if done := r.visit(c).Checkout; done.Status != credit.CheckoutCompleted || done.Taken > 1 || done.Person != done.Accepted.Person {
			t.Errorf("in the end it is %s, taken %d times", done.Status, done.Taken)
		}
	}
}

// A buyer who keeps taking over a checkout locks nobody out: each time she has to prove her
// email, and codes per hour are limited. A person who has lost it takes it back the same way with
// all her answers, and an owner ends it by removing her.
func TestTakenInALoop(t *testing.T) {
	r, x, c, first := begun(t)
	lou := r.acts(x, owner, "lou@alderkitchens.example", credit.RoleBuyer, 2_000_00)
	second := r.browser(first.token)
	for n := 1; n <= 3; n++ {
		second.signIn("lou@alderkitchens.example").want("takeover").post("takeover")
		form := second.formOf()
		first.get("").want("elsewhere")
		first.signIn(clerk).want("takeover").post("takeover").want("accept")
		for range 5 { // without a new proof she cannot take over
			second.sendForm("takeover", form)
		}
		if got := r.visit(c).Checkout; got.Taken != 2*n {
			t.Fatalf("taken over %d times instead of %d", got.Taken, 2*n)
		}
	}
	second.signIn("lou@alderkitchens.example").want("takeover").post("takeover")
	second.signIn("lou@alderkitchens.example")
	second.get("email").post("email", "email", "lou@alderkitchens.example").want("email")
	if second.status != 429 {
		t.Errorf("a sixth code in an hour is answered with %d", second.status)
	}
	r.actsNoMore(x, lou)
	second.get("").want("outsider")
	first.signIn(clerk).want("takeover").post("takeover").want("accept").accept().want("done")
}

// A session that has lost the checkout can do nothing until its email is proved again; then its
// person may take it back, since both may accept.
func TestTakenBack(t *testing.T) {
	r, _, c, first := begun(t)
	second := r.browser(first.token).signIn(owner).want("takeover").post("takeover").want("terms")
	form := second.fields()
	old := first.copied()
	first.signIn(clerk).want("takeover").post("takeover").want("accept") // with her own earlier answers
	second.get("terms").want("elsewhere")
	second.sendForm("takeover", form)
	second.follow().want("elsewhere")
	old.get("accept").want("elsewhere", "Continue on the device where you started") // her own, but too old
	if x := r.visit(c).Checkout; x.Taken != 2 {
		t.Errorf("taken over %d times", x.Taken)
	}
	first.accept().want("done")
}

// Of two owners who press the button at once, one succeeds.
func TestTakenOverAtOnce(t *testing.T) {
	r, x, c, first := begun(t)
	r.acts(x, owner, "pat@alderkitchens.example", credit.RoleOwner, 0)
	browsers := []*browser{r.browser(first.token).signIn(owner).want("takeover"), r.browser(first.token).signIn("pat@alderkitchens.example").want("takeover")}
	var all sync.WaitGroup
	for _, b := range browsers {
		all.Go(func() { b.postOnly("takeover") })
	}
	all.Wait()
	at := []string{browsers[0].get("").at, browsers[1].get("").at}
	if at[0] == at[1] || at[0]+at[1] != "termselsewhere" && at[0]+at[1] != "elsewhereterms" {
		t.Errorf("they are at %v", at)
	}
	if got := r.visit(c).Checkout; got.Taken != 1 {
		t.Errorf("taken over %d times", got.Taken)
	}
}

// A checkout that is being reviewed, is accepted or has ended cannot be taken over.
func TestNothingToTakeOver(t *testing.T) {
	r, _, c, first := begun(t)
	first.accept().want("done")
	r.browser(first.token).get("email").want("ended", "This order is placed")
	x := r.visit(c).Checkout
	for _, over := range []int{0, 1, 2} {
		p, _ := r.Proved(t.Context(), owner)
		if got := r.refused(staff(), onboarding.EnterCheckout{Checkout: c.ID, Person: p.ID, Company: x.Company, Over: over}); got == "" {
			t.Errorf("over %d: an accepted checkout is taken over", over)
		}
	}
	if got := r.visit(c).Checkout; got.Person != x.Person || got.Taken != 0 {
		t.Errorf("it is %+v", got)
	}
}

// A business that is not known yet: nothing distinguishes a colleague from a stranger with the
// address, so only the browser in which it was started can continue with another email. That
// starts with empty answers, and sees nothing of what the shop sent about the first person. Once
// the application is submitted, nobody can.
func TestAnotherEMail(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	first := r.browser(token).signIn("kim@example.com").want("business")
	first.post("business", "legal_name", "Alder Kitchens LLC", "trading_name", "The Secret Name", "ein", "00-0000001", "revenue", "483,217", "formed", "3/2019").want("you")
	phone := r.browser(token).signIn("kim@example.com").want("you")
	typed := phone.fields()
	r.stranger(token, "mallory@evil.example", "Continue on the device where you started")
	second := first
	second.signIn("kim@alderkitchens.example").want("takeover", "It was started here with another e-mail.")
	second.post("takeover").want("business")
	for _, secret := range []string{"Alder Kitchens LLC", "Secret", "483,217", "Avery", "Cannery", "0142"} {
		if strings.Contains(second.body, secret) {
			t.Errorf("the second is shown %q", secret)
		}
	}
	second.get("you").want("business")
	phone.get("you").want("elsewhere", "Somebody else is finishing this order")
	for name, text := range map[string]string{"title": "Owner", "share": "100", "birth": "5/31/1980", "home": "12 Elm Street, Portland, OR 97209", "may_apply": "yes", "credit_check": "yes"} {
		typed.Set(name, text)
	}
	phone.sendForm("you", typed)
	r.stranger(token, "kim@example.com", "") // has started it, but elsewhere
	if x := r.visit(c); x.Application != nil || x.Checkout.Taken != 1 {
		t.Fatalf("the first has applied: %+v", x.Checkout)
	}
	second.get("").want("business")
	second.post("business", "legal_name", "Alder Kitchens LLC", "ein", "00-0000005", "revenue", "480,000", "formed", "3/2019", "street", "27 Cannery Street", "city", "Portland", "state", "OR", "zip", "97209", "phone", "(503) 555-0142", "entity", "LLC", "formed_in", "OR").want("you")
	second.post("you", "first_name", "Kim", "last_name", "Reed", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes").want("review")
	r.stranger(token, "mallory@evil.example", "")
	second.signIn("kim@example.com").want("elsewhere").get("review").want("elsewhere")
	if x := r.visit(c); x.Checkout.Taken != 1 || x.Application == nil {
		t.Errorf("after the application: %+v", x.Checkout)
	}
}

// An application in flight when another person takes over the checkout is not accepted: it would
// show its result to the other one.
func TestApplicationTooLate(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token).signIn("kim@example.com").want("business")
	b.signIn("kim@alderkitchens.example").want("takeover").post("takeover").want("business")
	a := onboarding.SubmitApplication{
		Kind: "NEW", Merchant: r.merchant, Checkout: c.ID, Business: credit.Business{LegalName: "Alder Kitchens LLC"}, Email: r.EmailHash("kim@example.com"),
		Form: "form", Contact: "contact", Requested: 1_200_00, Consents: credit.Consents{CreditCheck: true},
	}
	if got := r.refused(staff(), a); got != credit.CheckoutTaken.Code {
		t.Errorf("an application of the first is answered with %q", got)
	}
}

// An owner's change while a buyer is active takes effect at once: she may no longer accept, and
// an owner takes over. A person removed from the business sees nothing of it.
func TestRoleEndsMeanwhile(t *testing.T) {
	r, x, _, first := begun(t)
	by, _ := r.Proved(t.Context(), owner)
	kim, _ := r.Proved(t.Context(), clerk)
	r.submit(staff(), people.SetPerson{Company: x.ID, Owner: by.ID, Person: kim.ID, Role: credit.RoleBuyer, Limit: 100_00})
	first.get("accept").want("owner", "An owner must accept this order")
	first.post("owner").want("owner", "We e-mailed the owners")
	r.submit(staff(), people.SetPerson{Company: x.ID, Owner: by.ID, Person: kim.ID})
	first.get("accept").want("outsider")
	if strings.Contains(words(first.all), "Alder Kitchens") {
		t.Error("who was put out is told of the business")
	}
	r.browser(first.token).signIn(owner).want("takeover").post("takeover").want("terms").to("accept").accept().want("done")
}

// It works the same way in Spanish, and in a frame of the shop's page.
func TestTakeOverInSpanish(t *testing.T) {
	r, _, _, first := begun(t)
	b := r.browser(first.token)
	b.speaks = "es-US"
	b.signIn(owner).want("takeover", "¿Terminar este pedido usted?").inSpanish()
	first.speaks = "es-US"
	b.post("takeover").want("terms").inSpanish()
}

// refused returns the code with which a command is refused, "" if it is not.
func (r *rig) refused(by credit.Actor, c credit.Command) string {
	r.t.Helper()
	out, err := r.Submit.Submit(context.Background(), engine.Request{
		Command: c, Actor: by, Seed: seed(),
		Encode: func(credit.Changes, *credit.Rejection) engine.Response { return engine.Response{Status: 200} },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if out.Rejection == nil {
		return ""
	}
	return out.Rejection.Code
}
