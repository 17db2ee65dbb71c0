package thief

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
	"tenor/internal/domain/underwriting"
)

// Checkout pages act as the lender's own client; what a merchant's token alone can do by commands
// is sent here directly, past every edge.

// pages is the actor of the buyer's pages.
var pages = credit.Actor{Client: "pages", Operator: true}

// as is a merchant acting by its token.
func as(merchant string) credit.Actor { return credit.Actor{Client: "cli_thief", Merchant: merchant} }

// ask has a command decided, and lets the meter check the result.
func (w *world) ask(a credit.Actor, c credit.Command) (result any, refused string) {
	w.t.Helper()
	q := engine.Request{Command: c, Actor: a, Seed: w.seed(), Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
		if result = ch.Result; r != nil {
			refused = r.Code
			return engine.Response{Status: r.Status}
		}
		return engine.Response{Status: 200}
	}}
	if _, err := w.eng.Submit(context.Background(), q); err != nil {
		w.broken = append(w.broken, fmt.Sprintf("%s: %v", c.Name(), err))
	}
	w.log = append(w.log, fmt.Sprintf("%s %s %+v → %s", a.Client, c.Name(), c, refused))
	who := a.Merchant
	if a.Operator {
		who = "operator"
	}
	w.meter.after(who, c.Name())
	return result, refused
}

// want fails the test unless a command was refused with this code, "" for accepted.
func (w *world) want(code string, a credit.Actor, c credit.Command) any {
	w.t.Helper()
	result, refused := w.ask(a, c)
	if refused != code {
		w.t.Errorf("%s of %s is answered %q, want %q", c.Name(), a.Client, refused, code)
	}
	return result
}

// patron is the owner of a company, at a shop's checkout.
type patron struct {
	w        *world
	company  int64
	person   string
	checkout *credit.Checkout
}

// patron opens a shop's checkout and lets the owner of a company begin it.
func (w *world) patron(shop, company, name, amount string) *patron {
	w.t.Helper()
	id, _ := strconv.ParseInt(company, 10, 64)
	p := &patron{w: w, company: id}
	p.person = w.want("", pages, people.ProvePerson{Email: name, Contact: name, Company: id, Found: w.stored(id).Email, Secrets: secret(name)}).(*credit.Person).ID
	p.checkout = w.shopOpens(shop, amount)
	w.want("", pages, onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: p.person, Company: id})
	return p
}

// stored returns a company as stored.
func (w *world) stored(id int64) *credit.Company {
	w.t.Helper()
	s := credit.NewState()
	if err := w.db.View(context.Background(), func(v store.View) error { return v.Load(s, credit.Keys{Companies: []int64{id}}) }); err != nil {
		w.t.Fatal(err)
	}
	return s.Companies[id]
}

func secret(handle string) []credit.Secret {
	return []credit.Secret{{ID: handle, Sealed: []byte("sealed")}}
}

// shopOpens opens a shop's checkout.
func (w *world) shopOpens(shop, amount string) *credit.Checkout {
	w.t.Helper()
	w.named++
	handle := fmt.Sprint("address ", w.named)
	return w.want("", as(shop), onboarding.CreateCheckout{
		Amount: money.MustParse(amount), Mode: onboarding.ModeRedirect, Token: fmt.Sprint("token ", w.named), URL: handle, Secrets: secret(handle),
	}).(*credit.Checkout)
}

// acceptance is the acceptance of what the owner is shown now, in three payments.
func (p *patron) acceptance() onboarding.AcceptCheckout {
	p.w.t.Helper()
	p.w.named++
	program := &credit.Program{Merchant: p.checkout.Merchant, Version: 1, Settings: lending.DefaultSettings()}
	offers := onboarding.Offers(program, p.w.stored(p.company), p.checkout.Amount, []int{3}, p.w.today())
	if len(offers) != 1 {
		p.w.t.Fatalf("%d offers", len(offers))
	}
	sum := sha256.Sum256([]byte("agreement"))
	paper, evidence := fmt.Sprint("agreement ", p.w.named), fmt.Sprint("evidence ", p.w.named)
	return onboarding.AcceptCheckout{
		Checkout: p.checkout.ID, Person: p.person, Installments: 3, Digest: offers[0].Disclosure.Digest(), Evidence: evidence,
		Papers:  []credit.Paper{{Kind: credit.DocumentAgreement, ContentType: "application/pdf", Size: 9, Hash: hex.EncodeToString(sum[:]), Content: paper}},
		Secrets: append(secret(evidence), secret(paper)...),
	}
}

// Each of these was once an idea of how to make a buyer owe what she never agreed to.
func TestBuyersAreNotRobbed(t *testing.T) {
	for _, x := range robberies() {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t, "2026-01-05 10:00")
			x.play(w)
			w.nothing(t)
			if t.Failed() {
				t.Logf("the rule is %s", x.rule)
			}
		})
	}
}

func robberies() []theft {
	return []theft{
		{"a merchant enters and accepts for the buyer", "A16", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			p := w.patron(m, w.company("Alder Kitchens", "10000.00", m), "ann", "600.00")
			w.want("not_found", as(m), people.ProvePerson{Email: "ann", Contact: "mine", Company: p.company, Secrets: secret("mine")})
			w.want("not_found", as(m), onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: p.person, Company: p.company})
			w.want("not_found", as(m), p.acceptance())
			w.want("not_found", as(m), people.QueueMail{Template: "code", To: "ann"})
			w.want("checkout_not_accepted", as(m), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
			w.want("validation_failed", as(m), onboarding.EndCheckout{Checkout: p.checkout.ID, Reason: lending.EndBuyerCanceled})
		}},
		{"a merchant has noes mailed to strangers", "F27", func(w *world) {
			m, other := w.merchant("Harbor Supply", ""), w.merchant("Mill Street Tools", "")
			no := func(shop, code string) {
				w.named++
				email, handle := fmt.Sprint("stranger ", w.named), fmt.Sprint("words of the thief ", w.named)
				revenue := money.Amount(1_000_00)
				w.want(code, as(shop), onboarding.Prequalify{
					LegalName: "Win a prize", Email: email, Form: handle, Contact: email, Figures: credit.Figures{Given: underwriting.Given{AnnualRevenue: &revenue}},
					Secrets: append(secret(handle), secret(email)...),
				})
			}
			for range 50 {
				no(m, "")
			}
			for range 3 {
				no(m, "limit_exceeded")
			}
			no(other, "")
			w.days(1)
			no(m, "")
		}},
		{"a merchant has links mailed to strangers", "A16", func(w *world) {
			m, other := w.merchant("Harbor Supply", ""), w.merchant("Mill Street Tools", "")
			link := func(shop, email, code string) {
				w.named++
				handle := fmt.Sprint("link of the thief ", w.named)
				x := w.want(code, as(shop), onboarding.CreateCheckout{
					Amount: money.Amount(600_00), Mode: onboarding.ModeLink, Buyer: handle, BuyerEmail: email, Token: handle, URL: handle + " url", RemoteID: "Win a prize at evil.example",
					Secrets: append(secret(handle), secret(handle+" url")...),
				})
				if c, ok := x.(*credit.Checkout); ok {
					w.want("", as(shop), onboarding.EndCheckout{Checkout: c.ID}) // which frees nothing
				}
			}
			for range 5 {
				link(m, "victim", "")
			}
			link(m, "victim", "limit_exceeded")
			for i := range 45 {
				link(m, fmt.Sprint("stranger ", i), "")
			}
			link(m, "another", "limit_exceeded")
			link(other, "victim", "")
			w.days(1)
			link(m, "victim", "")
		}},
		{"a merchant completes and ends a checkout of another", "A16", func(w *world) {
			m, other := w.merchant("Harbor Supply", ""), w.merchant("Mill Street Tools", "")
			p := w.patron(m, w.company("Alder Kitchens", "10000.00", m, other), "ann", "600.00")
			w.want("", pages, p.acceptance())
			w.want("not_found", as(other), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
			w.want("not_found", as(other), onboarding.EndCheckout{Checkout: p.checkout.ID})
			w.want("not_found", as(other), onboarding.ServiceCheckout{Checkout: p.checkout.ID})
			w.want("not_found", as(other), lending.UpdateOrder{Order: p.checkout.Of, Status: credit.OrderAuthorized})
			w.want("not_found", as(other), onboarding.CreateCheckout{Order: p.checkout.Of, Mode: onboarding.ModeLink, Buyer: "x", Token: "x", URL: "x"})
			w.want("", as(m), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
		}},
		{"a link that somebody else has begun, and a company that is not hers", "A39", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			p := w.patron(m, w.company("Alder Kitchens", "10000.00", m), "ann", "600.00")
			mallory := w.want("", pages, people.ProvePerson{Email: "mallory", Contact: "mallory", Company: p.company, Secrets: secret("mallory")}).(*credit.Person).ID
			w.want("insufficient_scope", pages, onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: mallory, Company: p.company})
			w.want("checkout_taken", pages, onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: mallory})
			for _, from := range []string{"", mallory, p.person} {
				w.want("checkout_taken", pages, onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: mallory, Over: 1, From: from})
				w.want("insufficient_scope", pages, onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: mallory, Company: p.company, Over: 1, From: from})
			}
			w.want("not_found", as(m), onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: mallory, Company: p.company, Over: 1})
			c := p.acceptance()
			c.Person = mallory
			w.want("checkout_taken", pages, c)
			c = p.acceptance()
			c.Checkout = w.shopOpens(m, "10.00").ID // the terms of one checkout for another
			w.want("checkout_taken", pages, c)
		}},
		{"other terms, an old page, and accepted twice", "A39", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			p := w.patron(m, w.company("Alder Kitchens", "10000.00", m), "ann", "600.00")
			old, other := p.acceptance(), p.acceptance()
			other.Installments = 12
			w.want("terms_changed", pages, other)
			w.days(1) // yesterday's page, at its last minute
			w.want("checkout_expired", pages, old)
			p = w.patron(m, fmt.Sprint(p.company), "ann", "600.00")
			c := p.acceptance()
			w.want("", pages, c)
			again := p.acceptance()
			w.want("", pages, again) // repeating it has no further effect
			c.Installments = 6
			w.want("checkout_not_accepted", pages, c)
		}},
		{"completed and authorized after its time", "A39", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			p := w.patron(m, w.company("Alder Kitchens", "10000.00", m), "ann", "600.00")
			w.want("", pages, p.acceptance())
			if _, err := w.clock.Advance(24 * time.Hour); err != nil {
				w.t.Fatal(err)
			}
			w.want("checkout_expired", as(m), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
			w.want("checkout_expired", as(m), lending.UpdateOrder{Order: p.checkout.Of, Status: credit.OrderAuthorized})
			w.want("", pages, onboarding.ServiceCheckout{Checkout: p.checkout.ID})
			w.want("checkout_expired", as(m), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
			w.want("invalid_transition", as(m), lending.UpdateOrder{Order: p.checkout.Of, Status: credit.OrderAuthorized})
		}},
		{"an acceptance that has ended is used for the order that was there before", "A39", func(w *world) {
			settings := lending.DefaultSettings()
			settings.Acceptance = credit.PerOrder
			m := w.want("", pages, merchants.CreateMerchant{Title: "Harbor Supply", Settings: settings}).(*credit.Merchant).ID
			company := w.company("Alder Kitchens", "10000.00", m)
			p := w.patron(m, company, "ann", "10.00")
			o := w.want("", as(m), lending.CreateOrder{Company: p.company, Amount: money.MustParse("600.00")}).(*credit.Order)
			link := onboarding.CreateCheckout{Order: o.Key, Mode: onboarding.ModeLink, Buyer: "buyer of link", BuyerEmail: "link", Token: "link", URL: "url of link"}
			link.Secrets = append(secret(link.Buyer), secret(link.URL)...)
			p.checkout = w.want("", as(m), link).(*credit.Checkout)
			w.want("", pages, onboarding.EnterCheckout{Checkout: p.checkout.ID, Person: p.person, Company: p.company})
			w.want("", pages, p.acceptance())
			w.want("", as(m), onboarding.EndCheckout{Checkout: p.checkout.ID})
			n := 3
			w.want("acceptance_required", as(m), lending.UpdateOrder{Order: o.Key, Status: credit.OrderAuthorized, Installments: &lending.Patch[int]{Value: n}})
			w.want("acceptance_required", as(m), lending.CreateOrder{Company: p.company, Amount: 600_00, Installments: 3, Authorize: true})
		}},
		{"the amount raised, and the terms changed, after the acceptance", "A39", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			p := w.patron(m, w.company("Alder Kitchens", "10000.00", m), "ann", "600.00")
			w.want("", pages, p.acceptance())
			more, less := money.MustParse("600.01"), money.MustParse("500.00")
			raise := lending.UpdateOrder{Order: p.checkout.Of, Amount: &more}
			w.want("acceptance_required", as(m), raise)
			w.want("acceptance_required", as(m), lending.UpdateOrder{Order: p.checkout.Of, Amount: &more, Status: credit.OrderAuthorized})
			w.want("acceptance_required", as(m), lending.UpdateOrder{Order: p.checkout.Of, Installments: &lending.Patch[int]{Value: 24}})
			w.want("", as(m), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
			w.want("acceptance_required", as(m), raise)
			w.want("acceptance_required", as(m), lending.UpdateOrder{Order: p.checkout.Of, Amount: &more, Status: credit.OrderCaptured})
			w.want("acceptance_required", as(m), lending.UpdateOrder{Order: p.checkout.Of, Installments: &lending.Patch[int]{Value: 24}})
			w.want("", as(m), lending.UpdateOrder{Order: p.checkout.Of, Amount: &less})
			w.want("acceptance_required", as(m), raise)
		}},
		{"accepted just before the line is cut, and completed after", "A40", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			company := w.company("Alder Kitchens", "1000.00", m)
			p := w.patron(m, company, "ann", "600.00")
			w.want("", pages, p.acceptance())
			q := &patron{w: w, company: p.company, person: p.person, checkout: w.shopOpens(m, "600.00")}
			w.want("", pages, onboarding.EnterCheckout{Checkout: q.checkout.ID, Person: q.person, Company: q.company})
			w.want("", pages, q.acceptance()) // both are accepted, and only one fits
			w.want("", as(m), onboarding.CompleteCheckout{Checkout: p.checkout.ID})
			w.want("insufficient_credit", as(m), onboarding.CompleteCheckout{Checkout: q.checkout.ID})
			w.want("insufficient_credit", as(m), lending.UpdateOrder{Order: q.checkout.Of, Status: credit.OrderAuthorized})
			limit := money.MustParse("5000.00")
			w.want("", pages, lending.UpdateCompany{Company: p.company, Limit: &limit, Status: credit.CompanyOnHold, StatusCode: "review"})
			w.want("company_not_eligible", as(m), onboarding.CompleteCheckout{Checkout: q.checkout.ID})
		}},
		{"a merchant decides an application and says what a bureau says", "A16", func(w *world) {
			m, other := w.merchant("Harbor Supply", ""), w.merchant("Mill Street Tools", "")
			c := onboarding.SubmitApplication{
				Kind: underwriting.New, Email: "mal", Form: "form", Contact: "mal", Requested: money.MustParse("50000.00"), Consents: credit.Consents{CreditCheck: true},
				Business: credit.Business{LegalName: "Shell", FormedOn: calendar.MustParse("2000-01-01"), AnnualRevenue: money.MustParse("9000000.00")},
				Secrets:  append(secret("form"), secret("mal")...),
			}
			a := w.want("", as(m), c).(*credit.Application)
			best := underwriting.Outcome{Decision: underwriting.Approved, Limit: money.MustParse("50000.00"), Tier: "A"}
			w.want("not_found", as(m), onboarding.RecordFacts{Application: a.ID, Override: &best})
			w.want("not_found", as(m), onboarding.DecideApplication{Application: a.ID, Approve: true, Limit: best.Limit, Tier: "A"})
			w.want("not_found", as(m), onboarding.SendApplicationNotice{Application: a.ID, Channel: "POST"})
			w.want("not_found", as(other), onboarding.WithdrawApplication{Application: a.ID})
			w.want("not_found", as(other), onboarding.AttachDocument{Application: a.ID})
			company, _ := strconv.ParseInt(w.company("Alder Kitchens", "1000.00", m), 10, 64)
			c.Kind, c.Company = underwriting.LineIncrease, company
			w.want("not_found", as(m), c)
		}},
		{"a merchant hears, answers and drowns a buyer's dispute", "A16", func(w *world) {
			m, other := w.merchant("Harbor Supply", ""), w.merchant("Mill Street Tools", "")
			p := w.patron(m, w.company("Alder Kitchens", "1000.00", m), "ann", "600.00")
			w.want("", pages, p.acceptance())
			order := p.checkout.Of
			says := func(text string) cases.OpenCase {
				return cases.OpenCase{Kind: credit.CaseQuestion, Order: order, Text: text, Secrets: secret(text)}
			}
			for i := range 5 {
				w.want("", as(m), says(fmt.Sprint("noise ", i)))
			}
			w.want("limit_exceeded", as(m), says("noise"))
			w.want("not_found", as(other), says("not its order"))
			hers := says("hers")
			hers.Company, hers.Person, hers.Kind = p.company, p.person, credit.CaseDispute
			w.want("not_found", as(m), hers) // in her name
			x := w.want("", pages, hers).(*credit.Case)
			w.want("not_found", as(m), cases.AddCaseNote{Case: x.ID, Text: "note", Secrets: secret("note")})
			w.want("not_found", as(m), cases.AttachCaseDocument{Case: x.ID})
			w.want("not_found", as(m), cases.ResolveCase{Case: x.ID, Outcome: credit.CaseWithdrawn})
			w.want("not_found", as(m), cases.ServiceCase{Case: x.ID})
			w.want("not_found", as(m), cases.AddCaseNote{Case: x.ID, Person: p.person, Text: "note", Secrets: secret("note")})
		}},
		{"an owner asks for a higher line at a shop that does not know the company", "A49", func(w *world) {
			m, other := w.merchant("Harbor Supply", ""), w.merchant("Mill Street Tools", "")
			p := w.patron(other, w.company("Alder Kitchens", "1000.00", m), "ann", "1500.00")
			a := w.want("", pages, onboarding.SubmitApplication{
				Kind: underwriting.LineIncrease, Merchant: other, Checkout: p.checkout.ID, Company: p.company, Person: p.person, Email: "ann", Form: "form", Contact: "applicant",
				Requested: money.MustParse("2000.00"), Consents: credit.Consents{CreditCheck: true}, Business: credit.Business{LegalName: "Alder Kitchens"},
				Secrets: append(secret("form"), secret("applicant")...),
			}).(*credit.Application)
			if a.Merchant != "" {
				w.t.Errorf("the application came through %s, which would be shown the line of a company that it does not know", a.Merchant)
			}
			w.want("", pages, onboarding.DecideApplication{Application: a.ID, Approve: true, Limit: money.MustParse("2000.00"), Tier: "A"})
			if w.stored(p.company).IsLinked(other) {
				w.t.Error("a higher line has linked the company to the shop")
			}
		}},
	}
}
