package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
	"tenor/internal/domain/staff"
	"tenor/internal/domain/underwriting"
)

// bought is what people did: completed, waiting and abandoned checkouts, approved, declined
// and waiting applications, a prequalification, and an applicant.
type bought struct {
	completed, open, left string
	approved, waits       string
	declined              string // by the report on an owner who has not applied
	person, mail, paper   string
	dispute, answered     string
	invited, onPaper      string
}

func secrets(handles ...string) []credit.Secret {
	var out []credit.Secret
	for _, h := range handles {
		out = append(out, credit.Secret{ID: h, Sealed: []byte("sealed " + h)})
	}
	return out
}

// apply submits an application through the first shop, in a checkout if one is given.
func (b *book) apply(name, checkout string) string {
	b.t.Helper()
	return b.must(operator, onboarding.SubmitApplication{
		Kind: underwriting.New, Merchant: b.shops[0].Merchant, Checkout: checkout, Email: "hash of " + name, Form: "form of " + name,
		Contact: "contact of " + name, Requested: money.MustParse("5000.00"), LargestOwner: money.RateScale, ControlPerson: true,
		Consents: credit.Consents{CreditCheck: true, ElectronicRecords: true, AcceptedAt: b.now, Evidence: "consents of " + name},
		Business: credit.Business{LegalName: name, EntityType: underwriting.LLC, EIN: "ein of " + name, FormedOn: calendar.MustParse("2019-01-01"),
			Address: credit.CompanyAddress{State: "TX", Country: "US"}, AnnualRevenue: money.MustParse("300000.00")},
		Secrets: secrets("form of "+name, "contact of "+name, "consents of "+name),
	}).(*credit.Application).ID
}

// facts returns good ones, with a score.
func facts(application string, fico int) onboarding.RecordFacts {
	return onboarding.RecordFacts{Application: application, Inputs: underwriting.Inputs{
		Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, RegistryFormedOn: calendar.None,
		Screening: underwriting.ScreeningClear, OwnerScore: underwriting.Score{FICO: fico}, BureauOn: calendar.None,
	}}
}

func (b *book) checkout(name, remote string) *credit.Checkout {
	b.t.Helper()
	return b.must(b.shops[0], onboarding.CreateCheckout{
		Amount: money.MustParse("600.00"), RemoteID: remote, Mode: onboarding.ModeRedirect, Token: "token of " + name, URL: "url of " + name,
		Buyer: "buyer of " + name, Secrets: secrets("url of "+name, "buyer of "+name),
	}).(*credit.Checkout)
}

// accept accepts what a checkout offers a company today.
func (b *book) accept(c *credit.Checkout, person string, company int64, terms lending.Disclosure) {
	b.t.Helper()
	paper := func(kind string) credit.Paper {
		sum := sha256.Sum256([]byte(kind + c.ID))
		return credit.Paper{Kind: kind, ContentType: "application/pdf", Size: 9, Hash: hex.EncodeToString(sum[:]), Content: kind + " " + c.ID}
	}
	b.must(operator, onboarding.EnterCheckout{Checkout: c.ID, Person: person, Company: company})
	b.must(operator, onboarding.AcceptCheckout{
		Checkout: c.ID, Person: person, Installments: terms.Count, Digest: terms.Digest(), Evidence: "evidence " + c.ID, Master: true,
		Papers:  []credit.Paper{paper(credit.DocumentAgreement), paper(credit.DocumentMaster)},
		Secrets: secrets("evidence "+c.ID, credit.DocumentAgreement+" "+c.ID, credit.DocumentMaster+" "+c.ID),
	})
}

// offered is what a checkout offers a company in three payments.
func (b *book) offered(c *credit.Checkout, company *credit.Company) lending.Disclosure {
	b.t.Helper()
	s := lending.DefaultSettings()
	p := &credit.Program{Merchant: c.Merchant, Version: 1, From: b.zone.Date(b.now), Settings: s}
	offers := onboarding.Offers(p, company, c.Amount, []int{3}, b.zone.Date(b.now))
	if len(offers) != 1 {
		b.t.Fatalf("%d offers", len(offers))
	}
	return offers[0].Disclosure
}

// buy has people apply, visit checkouts, accept, leave, and receive mail.
func (b *book) buy() bought {
	b.t.Helper()
	var x bought
	first := b.checkout("first", "cart-1")
	person := b.must(operator, people.ProvePerson{Email: "hash of Birch", Contact: "contact of bea", Secrets: secrets("contact of bea")}).(*credit.Person).ID
	b.must(operator, onboarding.EnterCheckout{Checkout: first.ID, Person: person})
	x.approved = b.apply("Birch", first.ID)
	a := b.must(operator, facts(x.approved, 760)).(*credit.Application)
	company := &credit.Company{ID: a.Company, Tier: a.Decision.Tier, BillingAddress: credit.CompanyAddress{State: "TX"}}
	b.accept(first, person, a.Company, b.offered(first, company))
	b.must(b.shops[0], onboarding.CompleteCheckout{Checkout: first.ID})
	x.completed, x.person = first.ID, person

	x.declined = b.apply("Cedar", "")
	poor := facts(x.declined, 500)
	poor.Report, poor.ReportOther, poor.Secrets = "report on Cedar's owner", true, secrets("report on Cedar's owner")
	b.must(operator, poor)
	b.estimate("Elder", "1000.00")
	x.waits = b.apply("Dogwood", "")
	b.must(operator, facts(x.waits, 0))
	b.must(operator, onboarding.RequestInformation{Application: x.waits, What: "a lease", Due: calendar.None})
	sum := sha256.Sum256([]byte("lease"))
	x.paper = b.must(operator, onboarding.AttachDocument{
		Application: x.waits, Paper: credit.Paper{ContentType: "image/png", Size: 5, Hash: hex.EncodeToString(sum[:]), Content: "lease"}, Secrets: secrets("lease"),
	}).(*credit.Document).ID

	x.left = b.checkout("second", "cart-2").ID
	b.must(b.shops[0], onboarding.EndCheckout{Checkout: x.left})
	again := b.checkout("third", "cart-2")
	b.accept(again, person, a.Company, b.offered(again, company))
	x.open = b.checkout("fourth", "").ID
	code := b.must(operator, people.QueueMail{Template: "code", To: "contact of bea", Secret: "digits", Secrets: secrets("digits")}).(*credit.Mail)
	b.must(operator, people.RecordMail{Mail: code.ID, Attempt: 1, Sent: true})
	x.mail = b.must(operator, people.QueueMail{Template: "code", To: "contact of bea", Secret: "more digits", Secrets: secrets("more digits")}).(*credit.Mail).ID
	x.dispute, x.answered = b.askLender(a.Company, person, first.Of)
	x.invited, x.onPaper = b.byStaff(a.Company)
	return x
}

// byStaff has the lender's staff invite somebody to a company, and record what another
// person signed on paper.
func (b *book) byStaff(company int64) (invited, onPaper string) {
	b.t.Helper()
	invited = b.must(operator, people.SetPerson{
		Company: company, Email: "hash of gil", Contact: "contact of gil", Role: credit.RoleViewer, Secrets: secrets("contact of gil"),
	}).(*credit.Person).ID
	application := b.apply("Elm", "")
	elm := b.must(operator, facts(application, 760)).(*credit.Application).Company
	sign := onboarding.SignAgreement{Company: elm, On: b.zone.Date(b.now)}
	for _, kind := range []string{credit.DocumentMaster, onboarding.DocumentSignature} {
		sum := sha256.Sum256([]byte(kind + " of Elm"))
		sign.Papers = append(sign.Papers, credit.Paper{Kind: kind, ContentType: "application/pdf", Size: 9, Hash: hex.EncodeToString(sum[:]), Content: kind + " of Elm"})
		sign.Secrets = append(sign.Secrets, secrets(kind+" of Elm")...)
	}
	b.must(operator, sign)
	return invited, fmt.Sprint(elm)
}

// askLender has somebody dispute an order, with a file, and ask a question that is
// answered.
func (b *book) askLender(company int64, person, order string) (dispute, answered string) {
	b.t.Helper()
	dispute = b.must(operator, cases.OpenCase{
		Company: company, Person: person, Kind: credit.CaseDispute, What: credit.CaseGoods, Order: order, Text: "a dispute", Secrets: secrets("a dispute"),
	}).(*credit.Case).ID
	sum := sha256.Sum256([]byte("photo"))
	b.must(operator, cases.AttachCaseDocument{
		Case: dispute, Person: person, Paper: credit.Paper{ContentType: "image/png", Size: 5, Hash: hex.EncodeToString(sum[:]), Content: "photo"}, Secrets: secrets("photo"),
	})
	b.must(operator, cases.AddCaseNote{Case: dispute, Text: "a note", Secrets: secrets("a note")})
	b.must(operator, staff.AddNote{Type: "order", ID: order, Text: "a word for colleagues", Secrets: secrets("a word for colleagues")})
	answered = b.must(operator, cases.OpenCase{Company: company, Person: person, Kind: credit.CaseQuestion, Text: "a question", Secrets: secrets("a question")}).(*credit.Case).ID
	b.must(operator, cases.ResolveCase{Case: answered, Outcome: credit.CaseAnswered, Text: "an answer", Secrets: secrets("an answer")})
	return dispute, answered
}

// What people do at checkouts is clean, also decided again from the log, and so is what
// time does to it: accepted and never completed, unanswered, forgotten.
func TestCleanBuyers(t *testing.T) {
	b := newBook(t, memory.New())
	x := b.buy()
	clean := func(when string) {
		t.Helper()
		for _, v := range verifyBook(t, b.db).Violations {
			t.Errorf("%s: %s %s: %s", when, v.Invariant, v.Object, v.Detail)
		}
	}
	clean("bought")
	for _, step := range []struct {
		date string
		put  credit.Command
	}{
		{"2026-01-20", onboarding.ServiceCheckout{Checkout: x.open}},
		{"2026-01-20", onboarding.DecideApplication{Application: x.waits, Reasons: []string{"time_in_business"}}},
		{"2027-01-20", onboarding.ServiceApplication{Application: x.waits}},
		{"2028-02-20", onboarding.ServiceApplication{Application: x.waits}},
		{"2028-02-20", cases.ServiceCase{Case: x.answered}},
	} {
		b.at(step.date)
		b.must(operator, step.put)
		clean(fmt.Sprintf("%s on %s", step.put.Name(), step.date))
	}
}
