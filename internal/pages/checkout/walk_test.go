package checkout

import (
	"strings"
	"testing"

	"tenor/internal/domain/onboarding"
)

// An owner of a known company chooses, accepts and returns: the order exists then, and not
// before.
func TestKnownBuyer(t *testing.T) {
	r := newRig(t)
	company := r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	c, token := r.begin(1_200_00)
	b := r.browser(token)
	b.get("").want("", "Finance $1,200.00 at Harbor Supply", "You return to Harbor Supply when you are done.", "Convection oven")
	b.get("email").want("email")
	if got := b.fields().Get("email"); got != "avery@alderkitchens.example" {
		t.Errorf("the e-mail is not filled in from billing: %q", got)
	}
	b.post("email").want("code", "a••••@alderkitchens.example")
	b.post("code", "code", "000000").want("terms", "Choose how to repay $1,200.00", "6 monthly payments", "$207.06", "Finance charge $42.35", "total $1,242.35", "APR 12.00%", "Feb 15, 2026", "Not you?")
	for _, e := range b.all {
		if e.Has("checked") {
			t.Error("a plan was chosen for the buyer")
		}
	}
	b.post("terms").want("terms", "Choose one of the plans")
	b.post("terms", "plan", "6").want("repay", "I make each payment myself", "February 15, 2026")
	b.post("repay").want("accept", "$42.35", "12.00%", "$1,242.35", "$207.05", "Harbor Supply will see your company’s name, contacts, credit limit and available credit.", "Accept and place order – $1,200.00")
	if strings.Contains(b.body, `name="master"`) {
		t.Error("a company that has signed is asked to sign again")
	}
	b.post("accept").want("accept", "Type your full name", "Confirm that you have read and agree")
	if r.status(c) != "OPEN" {
		t.Fatalf("the checkout is %s before anybody has accepted", r.status(c))
	}
	b.post("accept", "name", "Avery Alder", "agree", "yes").want("done", "Your order at Harbor Supply is placed", "February 15, 2026")
	if got := b.head.Get("Refresh"); got != "2; url="+b.path("return") {
		t.Errorf("the page refreshes %q", got)
	}
	x := r.visit(c)
	if r.status(c) != "ACCEPTED" || x.Order == nil || x.Order.Amount != 1_200_00 || x.Order.Installments != 6 || !x.Company.IsLinked(r.merchant) || x.Company.ID != company.ID {
		t.Errorf("%s, order %+v", r.status(c), x.Order)
	}
	if last := r.papers.made[len(r.papers.made)-1]; last.Signer != "Avery Alder" || last.Title != "Owner" || last.Master {
		t.Errorf("the papers were made of %+v", last)
	}
	b.get("return").led("http://localhost:9000/thanks?o=" + x.Checkout.Of)
	for _, step := range []string{"", "email", "terms", "accept", "leave", "review"} {
		b.get(step).want("done")
	}
	r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID})
	b.get("").want("done")
	r.browser(token).get("").want("ended", "This order is placed")
}
