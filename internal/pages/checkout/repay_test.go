package checkout

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/office/buyer"
)

// A bank with two account numbers: one that a sandbox knows, and one that needs verification.
const (
	bankRouting   = "021000021"
	knownNumber   = "100000000"
	unknownNumber = "8412345678"
)

// account is an account at the bank as stored in the records.
func account(fingerprint string) *credit.BankAccount {
	return &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte("sealed"), Fingerprint: fingerprint}
}

// onFile adds an account of a company.
func (r *rig) onFile(by credit.Actor, company int64, fingerprint string) *credit.PaymentMethod {
	r.t.Helper()
	return r.submit(by, payments.AddPaymentMethod{
		Company: company, Type: credit.ACH, Known: true, Reason: "its own word", Bank: account(fingerprint),
		Authorization: credit.Authorization{AcceptedAt: r.now, Channel: "WEB", Reference: "v1"},
	}).(*credit.PaymentMethod)
}

// methods returns the accounts of a company.
func (r *rig) methods(company int64) (out []*credit.PaymentMethod) {
	r.t.Helper()
	r.view(func(v store.View) (err error) { out, err = store.ListMethods(v, company); return err })
	return out
}

// proof returns the evidence stored for an acceptance, besides its documents.
func (r *rig) proof(c *credit.Checkout) (e buyer.Evidence) {
	r.t.Helper()
	r.view(func(v store.View) error { return r.Read(v, r.visit(c).Checkout.Accepted.Evidence, &e) })
	return e
}

// another are the answers that choose autopay from an account with a number.
func another(number string) []string {
	return []string{"how", "new", "routing", bankRouting, "number", number, "kind", "SAVINGS", "holder", "Alder Kitchens LLC", "debits", "yes"}
}

// toRepay is an owner's browser at page 6.
func (r *rig) toRepay(change ...func(*onboarding.CreateCheckout)) (*credit.Checkout, *browser) {
	r.t.Helper()
	c, b := r.ready(25_000_00, change...)
	return c, b.to("repay")
}

// An owner chooses an account on file: nothing changes before the order is accepted, and then
// autopay is on for this merchant's orders only, with her consent.
func TestAutopayFromAnAccountOnFile(t *testing.T) {
	r := newRig(t)
	c, b := r.ready(25_000_00, func(*onboarding.CreateCheckout) {})
	company := b.company(c)
	m := r.onFile(staff(), company, "f")
	b.to("repay").want("repay", "Autopay from checking ••6789", "Autopay from another bank account", "I make each payment myself",
		"I authorize Example Lender to debit the bank account chosen above by electronic ACH debit: 6 monthly payments of $207.06, the last of $207.05, from February 17, 2026 to July 15, 2026.",
		"I can revoke this at any time by contacting help@lender.example, at least two banking days before")
	if got := b.fields().Get("how"); got != "self" || b.unfilled() != 5 { // the cards; what autopay needs is not shown until it is chosen
		t.Errorf("%q is chosen beforehand, and %d answers are asked for", got, b.unfilled())
	}
	b.post("repay", "how", m.ID).want("repay", "Authorize the debits, or choose to make each payment yourself")
	if got := b.fields().Get("how"); got != m.ID || b.status != 422 {
		t.Errorf("a form that comes back has forgotten the choice: %q, %d", got, b.status)
	}
	b.post("repay", "how", "pm_x", "debits", "yes").want("repay", "Choose how you repay")
	b.post("repay", "how", m.ID, "debits", "yes").want("accept", "Autopay from checking ••6789", "On each due date, or the next banking day")
	if x := r.visit(c).Company; x.AutopayOf(r.merchant).Enabled {
		t.Fatal("autopay is on before the order is accepted")
	}
	b.accept().want("done", "Autopay is on, from checking ••6789")
	x := r.visit(c)
	if a := x.Company.AutopayOf(r.merchant); !a.Enabled || a.Method != m.ID || x.Company.Servicing.Autopay.Enabled {
		t.Errorf("autopay %+v, for all orders %+v", a, x.Company.Servicing.Autopay)
	}
	if got := x.Company.Servicing.Mandates; len(got) != 1 || got[0].Person != x.Person.ID || got[0].Reference != c.ID || !got[0].AcceptedAt.Equal(x.Checkout.Accepted.At) {
		t.Errorf("mandates %+v", got)
	}
	e := r.proof(c)
	if e.Repayment != "Autopay from checking ••6789" || !strings.Contains(e.Debits, "6 monthly payments of $207.06") || !strings.Contains(strings.Join(e.Ticks, " "), "debits") {
		t.Errorf("the proof says %+v", e)
	}
	if !r.papers.made[len(r.papers.made)-1].Autopay {
		t.Error("the agreement says nothing of autopay")
	}
	if n := len(r.methods(company)); n != 1 {
		t.Errorf("%d accounts", n)
	}
}

// company returns the company for which the person goes through a checkout.
func (b *browser) company(c *credit.Checkout) int64 {
	b.t.Helper()
	return b.visit(c).Company.ID
}

// What happens to an account entered by an owner, and what page 8 says about it. The order is
// placed in each case.
func TestAutopayFromAnotherAccount(t *testing.T) {
	for name, x := range map[string]struct {
		number string
		before func(r *rig, company int64)
		accept string // on page 7
		says   string // on page 8
		on     bool
		added  int
	}{
		"a test account":      {number: "1000 00000", accept: "On each due date, or the next banking day", says: "Autopay is on, from savings ••0000", on: true, added: 1},
		"has to be proved":    {number: unknownNumber, accept: "After two small deposits have proved the account.", says: "Two small deposits arrive at savings ••5678 in 1–2 business days. Tell help@lender.example both amounts", added: 1},
		"is on file":          {number: knownNumber, before: (*rig).hasKnown, accept: "On each due date", says: "Autopay is on, from checking ••0000", on: true, added: 1},
		"is being checked":    {number: unknownNumber, before: (*rig).proves, accept: "After two small deposits", says: "Autopay is off: savings ••5678 is being checked already", added: 1},
		"has failed before":   {number: unknownNumber, before: (*rig).failed, accept: "After two small deposits", says: "Autopay is off: savings ••5678 did not pass its check", added: 1},
		"one of far too many": {number: unknownNumber, before: (*rig).crowded, accept: "After two small deposits", says: "Autopay is off: savings ••5678 could not be used.", added: 5},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			var log bytes.Buffer
			config := r.config
			config.Log = slog.New(slog.NewTextHandler(&log, nil))
			r.serve(config)
			c, b := r.toRepay()
			company := b.company(c)
			if x.before != nil {
				x.before(r, company)
			}
			b.post("repay", another(x.number)...).want("accept", x.accept)
			b.get("repay").want("repay", "The account you entered here")
			for _, secret := range []string{bankRouting, unknownNumber, knownNumber} {
				if strings.Contains(b.body, secret) {
					t.Errorf("%s is shown back", secret)
				}
			}
			b.get("accept").accept().want("done", "Your order at Harbor Supply is placed", x.says)
			v := r.visit(c)
			if got := v.Company.AutopayOf(r.merchant).Enabled; got != x.on || r.status(c) != "ACCEPTED" {
				t.Errorf("autopay on: %v; the checkout is %s", got, r.status(c))
			}
			all := r.methods(company)
			if len(all) != x.added {
				t.Errorf("%d accounts", len(all))
			}
			if e := r.proof(c); e.Debits == "" || strings.Contains(e.Debits+e.Repayment, bankRouting) {
				t.Errorf("the proof says %+v", e)
			}
			if text := log.String(); text != "" {
				t.Errorf("the log says %s", text)
			}
			draft, err := r.Draft(t.Context(), &buyer.Session{Checkout: c.ID, Person: v.Person.ID})
			if err != nil || draft["bank_number"] != "" || draft["bank_routing"] != "" {
				t.Errorf("numbers are kept that nobody needs any more: %v", err)
			}
			if text := words(b.all); strings.Contains(text, x.number) {
				t.Error("the number is shown")
			}
		})
	}
}

// typed adds an account like the pages do for an owner in another checkout.
func (r *rig) typed(company int64, number, reference string) *credit.PaymentMethod {
	r.t.Helper()
	id := payments.MethodID(seed(), r.now)
	bank, err := payments.SealedAccount(payments.MethodAccount(id), credit.AccountDetails{Routing: bankRouting, Number: number, Holder: "Alder"},
		credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, r.Hash, r.Seal)
	if err != nil {
		r.t.Fatal(err)
	}
	c := payments.AddPaymentMethod{ID: id, Company: company, Type: credit.ACH, Bank: bank, Verify: number == unknownNumber,
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: r.now, Reference: reference}}
	return r.submit(staff(), c).(*credit.PaymentMethod)
}

func (r *rig) hasKnown(company int64) { r.typed(company, knownNumber, "on file") }

func (r *rig) proves(company int64) { r.typed(company, unknownNumber, "proves") }

func (r *rig) failed(company int64) {
	m := r.typed(company, unknownNumber, "fails")
	for range 3 {
		r.submit(staff(), payments.VerifyPaymentMethod{Method: m.ID})
	}
}

// crowded starts the verification of five accounts of a company, which is the maximum.
func (r *rig) crowded(company int64) {
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		r.submit(staff(), payments.AddPaymentMethod{Company: company, Type: credit.ACH, Verify: true, Bank: account(name),
			Authorization: credit.Authorization{AcceptedAt: r.now, Channel: "WEB", Reference: name}})
	}
}

// Errors in an account are shown, but none of its numbers.
func TestWrongAccounts(t *testing.T) {
	r := newRig(t)
	_, b := r.toRepay()
	for name, x := range map[string]struct{ field, value, says string }{
		"no routing number":      {"routing", "", "Enter the 9-digit routing number of a bank"},
		"a wrong check digit":    {"routing", "021000022", "Enter the 9-digit routing number of a bank"},
		"no number":              {"number", "", "Enter the account number, 4 to 17 digits"},
		"three digits":           {"number", "123", "Enter the account number, 4 to 17 digits"},
		"eighteen digits":        {"number", "123456789012345678", "Enter the account number, 4 to 17 digits"},
		"letters":                {"number", "12345678a", "Enter the account number, 4 to 17 digits"},
		"nothing but zeros":      {"number", "00000000", "Enter the account number, 4 to 17 digits"},
		"another kind":           {"kind", "GOLD", "Choose checking or savings"},
		"a name without letters": {"holder", "– –", "Enter the name on the account, in Latin letters or digits"},
		"the other one again":    {"routing", "1", "Enter the account number again: we do not show it back"},
		"nothing chosen":         {"how", "", "Choose how you repay"},
		"none was typed":         {"how", "typed", "Choose how you repay"},
	} {
		answers := append(another(unknownNumber), x.field, x.value)
		b.get("repay").post("repay", answers...).want("repay", x.says)
		if f := b.fields(); b.status != 422 || f.Get("routing") != "" || f.Get("number") != "" || strings.Contains(b.body, unknownNumber) {
			t.Errorf("%s: %d, or a number is shown back", name, b.status)
		}
		b.get("accept").want("repay")
	}
	// A forgotten checkbox does not require entering everything again.
	b.post("repay", append(another(unknownNumber), "debits", "")...).want("repay", "Authorize the debits, or choose to make each payment yourself", "The account you entered here")
	b.post("repay", "debits", "yes").want("accept", "Autopay from savings ••5678")
	b.get("repay").post("repay", "how", "self").want("accept", "You make each payment yourself")
	if b.get("repay"); strings.Contains(words(b.all), "The account you entered here") {
		t.Error("who pays by herself has an account kept")
	}
}

// Other terms have other debits: they must be authorized again, but the account need not be
// entered again.
func TestOtherTermsAreAuthorizedAnew(t *testing.T) {
	r := newRig(t)
	c, b := r.toRepay()
	old := b.fields()
	b.post("repay", another(knownNumber)...).want("accept")
	stale := b.fields()
	b.get("terms").post("terms", "plan", "3").want("repay", "3 monthly payments of", "The account you entered here")
	old.Set("how", "typed")
	old.Set("debits", "yes")
	b.sendForm("repay", old) // a tab that shows the debits of six payments
	b.follow().want("repay")
	stale.Set("name", "Avery Alder")
	stale.Set("agree", "yes")
	b.sendForm("accept", stale)
	b.follow().want("repay")
	b.post("repay", "how", "self").want("accept")
	b.sendForm("accept", stale) // it showed autopay, and another tab has chosen otherwise
	b.follow().want("accept")
	if b.status != 409 && b.status != 200 {
		t.Errorf("%d", b.status)
	}
	if r.status(c) != "OPEN" {
		t.Fatalf("the checkout is %s", r.status(c))
	}
	b.accept().want("done")
	if x := r.visit(c); x.Company.AutopayOf(r.merchant).Enabled || len(r.methods(x.Company.ID)) != 0 || x.Order.Installments != 3 {
		t.Error("autopay is on, and was chosen in another tab and taken back")
	}
}

// A person who is not an owner makes each payment herself, whatever her form says.
func TestOnlyOwnersAuthorizeDebits(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	c, token := r.begin(700_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").want("terms")
	r.Desk.Store = eyes{r.Store, as(credit.RoleBuyer)}
	b.post("terms", "plan", "6").want("repay", "You make each payment yourself", "An owner of the business can turn on autopay")
	if strings.Contains(b.body, `name="routing"`) {
		t.Error("a BUYER is asked for an account")
	}
	b.post("repay", another(knownNumber)...).want("accept", "You make each payment yourself").accept().want("done")
	if x := r.visit(c); len(r.methods(x.Company.ID)) != 0 || len(x.Company.Servicing.Mandates) != 0 {
		t.Error("a BUYER has added an account")
	}
}

// An account is added only to the business for which it was entered, and not to another one
// chosen later in the same checkout, in any tab.
func TestAccountOfAnotherBusiness(t *testing.T) {
	r := newRig(t)
	first := r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	_, token := r.begin(700_00)
	r.browser(token).signIn("avery@alderkitchens.example").want("terms")
	second := r.company("Birch Bakery", "avery@alderkitchens.example", 25_000_00)
	c, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").want("company")
	b.post("company", "company", id(first)).want("terms").to("repay")
	form := b.fields()
	b.post("repay", another(knownNumber)...).want("accept")
	accept := b.fields()

	b.get("company").post("company", "company", id(second)).want("terms").to("repay")
	if strings.Contains(words(b.all), "••0000") {
		t.Error("the account of the first business is offered to the second")
	}
	for i, a := 0, another(knownNumber); i < len(a); i += 2 {
		form.Set(a[i], a[i+1])
	}
	b.sendForm("repay", form)
	b.follow().want("repay")
	b.post("repay", "how", "typed", "debits", "yes").want("repay", "Choose how you repay")
	b.post("repay", "how", "self").want("accept")
	accept.Set("name", "Avery Alder")
	accept.Set("agree", "yes")
	b.sendForm("accept", accept)
	b.follow().want("accept", "How you repay has changed since this page was opened.")
	if b.status != 409 || r.status(c) != "OPEN" {
		t.Errorf("%d; the checkout is %s", b.status, r.status(c))
	}
	b.accept().want("done")
	for _, x := range []*credit.Company{first, second} {
		if len(r.methods(x.ID)) != 0 {
			t.Errorf("%s has an account", x.Name)
		}
	}
}

// Another person with the link, and another browser of the same person, see nothing of an entered
// account but its last digits, and those only the person herself.
func TestTypedAccountIsItsOwners(t *testing.T) {
	r := newRig(t)
	_, b := r.toRepay()
	b.post("repay", another(unknownNumber)...).want("accept")
	r.company("Cedar Diner", "cy@cedar.example", 5_000_00)
	thief := r.browser(b.token).signIn("cy@cedar.example").want("elsewhere")
	thief.get("repay").want("elsewhere")
	thief.sendForm("accept", url.Values{"form": {thief.fields().Get("form")}})
	if thief.follow(); strings.Contains(thief.body, "5678") {
		t.Error("a stranger sees digits of the account")
	}
	other := r.browser(b.token).signIn("avery@alderkitchens.example").want("accept", "Autopay from savings ••5678")
	if strings.Contains(other.body, unknownNumber) || strings.Contains(other.body, bankRouting) {
		t.Error("the number is shown in another browser")
	}
}

// However often the acceptance is submitted, there is one account and one mandate.
func TestOneAccountOneMandate(t *testing.T) {
	r := newRig(t)
	c, b := r.toRepay()
	b.post("repay", another(unknownNumber)...).want("accept")
	form := b.fields()
	form.Set("name", "Avery Alder")
	form.Set("agree", "yes")
	for range 3 {
		b.sendForm("accept", form)
		b.follow().want("done")
	}
	x := r.visit(c)
	w := buyer.Debits{Company: x.Company.ID, Merchant: r.merchant, Person: x.Person.ID, Reference: c.ID, AcceptedAt: x.Checkout.Accepted.At,
		New: buyer.Account{Routing: bankRouting, Number: unknownNumber, Type: "SAVINGS", Holder: "Alder"}}
	for range 2 { // a click whose response was lost
		if m, err := r.StartAutopay(t.Context(), w, ""); err != nil || m.Usable() {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if all := r.methods(x.Company.ID); len(all) != 1 || all[0].Status != credit.MethodUnverified || all[0].Merchant != "" || len(x.Company.Servicing.Proving) != 1 {
		t.Errorf("%d accounts", len(all))
	}
}

// deaf is an engine that ignores commands about autopay.
type deaf struct{ engine.Submitter }

func (d deaf) Submit(ctx context.Context, q engine.Request) (engine.Result, error) {
	if _, ok := q.Command.(payments.SetAutopay); ok {
		return engine.Result{}, errors.New("the disk is full")
	}
	return d.Submitter.Submit(ctx, q)
}

// An order is placed even if autopay cannot be turned on: page 8 says so and retries.
func TestAutopayAfterAFault(t *testing.T) {
	r := newRig(t)
	c, b := r.toRepay()
	b.post("repay", another(knownNumber)...).want("accept")
	whole := r.Desk.Submit
	r.Desk.Submit = deaf{whole}
	b.accept().want("done", "Your order at Harbor Supply is placed", "autopay could not be turned on just now", "Turn on autopay")
	if r.status(c) != "ACCEPTED" || b.head.Get("Refresh") != "" {
		t.Fatalf("the checkout is %s, and the page goes on by itself: %q", r.status(c), b.head.Get("Refresh"))
	}
	b.post("done").want("done", "Turn on autopay")
	r.Desk.Submit = whole
	b.get("done").want("done", "Turn on autopay")
	form := b.fields()
	b.post("done").want("done", "Autopay is on, from savings ••0000")
	b.sendForm("done", form)
	b.follow().want("done", "Autopay is on")
	if x := r.visit(c); !x.Company.AutopayOf(r.merchant).Enabled || len(r.methods(x.Company.ID)) != 1 {
		t.Error("autopay is off, or there is not one account")
	}
}

// If autopay is paused, or a merchant has turned it on meanwhile, nothing is authorized.
func TestAutopayThatIsOnOrPaused(t *testing.T) {
	r := newRig(t)
	c, b := r.toRepay()
	b.post("repay", another(knownNumber)...).want("accept", "savings ••0000")
	company := b.company(c)
	m, on := r.onFile(staff(), company, "f"), true
	r.submit(staff(), payments.SetAutopay{Company: company, Enabled: &on, Method: &m.ID})
	b.accept().want("accept", "How you repay has changed", "Autopay from checking ••6789")
	b.accept().want("done")
	if n := len(r.methods(company)); n != 1 {
		t.Errorf("%d accounts", n)
	}
	r.submit(staff(), lending.ReportCompany{Company: company, Kind: credit.ReportBankruptcy, On: r.Zone.Date(r.now), Reason: "a letter of the court"})
	_, token := r.begin(700_00)
	b = r.browser(token).signIn("avery@alderkitchens.example").want("terms")
	b.post("terms", "plan", "6").want("repay", "You make each payment yourself", "Autopay is paused for your business. Contact help@lender.example.")
	b.post("repay", another(knownNumber)...).want("accept", "You make each payment yourself")
}
