package credit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
	"tenor/internal/domain/schedule"
	"tenor/internal/domain/underwriting"
)

// disclosedOffers is how many offers are compared with their schedules.
const disclosedOffers = 100_000

// anyProgram generates the settings under which an amount is offered.
func anyProgram(r *rand.Rand) *credit.Program {
	s := lending.DefaultSettings()
	rate := money.Rate(r.IntN(360_001))
	s.Terms = []credit.Term{
		{Installments: 1, Plan: schedule.Net30}, {Installments: 2 + r.IntN(5), Plan: schedule.Zero},
		{Installments: 7 + r.IntN(10), Plan: schedule.Amortized, AnnualRate: rate}, {Installments: 17 + r.IntN(10), Plan: schedule.FlatFee, MonthlyFeeRate: rate / 12},
		{Installments: 27 + r.IntN(10), Plan: schedule.Amortized, ByTier: true},
	}
	counts := []schedule.DayCount{schedule.WholeMonth, schedule.Thirty360US, schedule.Thirty360Bond, schedule.Actual365, schedule.ActualActual}
	s.DayCount = counts[r.IntN(len(counts))]
	if r.IntN(3) == 0 {
		s.DueDay = 1 + r.IntN(31)
	}
	return &credit.Program{Version: 1, Settings: s}
}

// F21: what a buyer is shown is, to the cent, the schedule of a capture on that day, over
// plans, amounts, dates and states.
func TestDisclosureIsTheSchedule(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	states := []string{"CA", "NY", "UT", "GA", "FL", "KS", "MO", "TX", "WY", ""}
	first, plans, forms := calendar.MustParse("2026-01-01"), map[schedule.Plan]int{}, map[string]int{}
	for n := 0; n < disclosedOffers; {
		p, day := anyProgram(r), first.AddDays(r.IntN(3000))
		c := &credit.Company{Tier: string("ABC"[r.IntN(3)]), BillingAddress: credit.CompanyAddress{State: states[r.IntN(len(states))]}}
		amount := money.Amount(1 + r.Int64N(int64(1)<<(6+r.IntN(24))))
		for _, o := range onboarding.Offers(p, c, amount, nil, day) {
			compareDisclosure(t, o, amount, day)
			n++
			plans[o.Terms.Plan]++
			forms[o.Disclosure.Template]++
			if t.Failed() {
				return
			}
		}
	}
	if len(plans) != 4 || len(forms) != 8 {
		t.Errorf("plans %v, forms %v", plans, forms)
	}
}

// compareDisclosure independently sums the rows of the loan that a capture creates.
func compareDisclosure(t *testing.T, o onboarding.Offer, amount money.Amount, day calendar.Date) {
	t.Helper()
	loan, terms, refused := lending.FiguresOf(o.Terms, amount, day)
	if refused != nil {
		t.Fatalf("%s in %d payments on %s is offered and cannot be captured: %v", amount, o.Terms.Installments, day, refused)
	}
	x, total, charge := o.Disclosure, money.Amount(0), money.Amount(0)
	for i, row := range loan.Rows {
		d := x.Rows[i]
		if d.Amount != row.Principal+row.Charge || d.Principal != row.Principal || d.Charge != row.Charge || d.DueDate != row.DueDate || d.Number != row.Number {
			t.Errorf("row %d of %s on %s is %+v, is told as %+v", i+1, amount, day, row, d)
		}
		total, charge = total+row.Principal+row.Charge, charge+row.Charge
	}
	last := loan.Rows[len(loan.Rows)-1]
	switch {
	case len(x.Rows) != len(loan.Rows) || x.Count != len(loan.Rows):
		t.Errorf("%d rows and %d payments are told, there are %d", len(x.Rows), x.Count, len(loan.Rows))
	case x.TotalPayments != total || x.FinanceCharge != charge || total != amount+charge || x.Funding != amount || x.Recipient != 0:
		t.Errorf("%s on %s: total %s, charge %s; told %s, %s of %s", amount, day, total, charge, x.TotalPayments, x.FinanceCharge, x.Funding)
	case x.APR != terms.APR || x.APR != o.Terms.APR || charge == 0 != (x.APR == 0) && total < 100*amount && charge > amount/1000:
		t.Errorf("%s on %s: APR %d, told %d", amount, day, terms.APR, x.APR)
	case x.FirstDueDate != loan.Rows[0].DueDate || x.LastPayment != last.Principal+last.Charge || x.FirstPayment != x.Rows[0].Amount:
		t.Errorf("%s on %s: first due %s, last %s; told %+v", amount, day, loan.Rows[0].DueDate, last.Principal+last.Charge, x)
	}
}

// patrons are the buyers of a market: people, checkouts and applications.
type patrons struct {
	*market
	people       []string
	checkouts    []string
	applications []string
	mails        []string
	cases        []string
	names        int
}

func newPatrons(t fails) *patrons {
	p := &patrons{market: newMarket(t)}
	p.watch = func(_ credit.Command, ch credit.Changes) { // later commands may name what a command creates
		for _, r := range ch.Records {
			if h := r.Head(); h.Version == 1 {
				switch r.Noun() {
				case credit.NounPerson:
					p.people = append(p.people, h.ID)
				case credit.NounCheckout:
					p.checkouts = append(p.checkouts, h.ID)
				case credit.NounApplication:
					p.applications = append(p.applications, h.ID)
				case credit.NounMail:
					p.mails = append(p.mails, h.ID)
				case credit.NounCase:
					p.cases = append(p.cases, h.ID)
				}
			}
		}
		for _, o := range ch.Orders {
			if p.all.Orders[o.Key] == nil && o.Checkout != "" {
				p.orders = append(p.orders, o.Key)
			}
		}
		for _, c := range ch.Companies {
			if p.all.Companies[c.ID] == nil {
				p.companies = append(p.companies, c.ID)
			}
		}
	}
	p.ask(operator, people.ProvePerson{Email: "one", Contact: "contact one", Company: p.companies[0], Found: p.all.Companies[p.companies[0]].Email, Secrets: sealed("contact one")})
	p.ask(operator, people.ProvePerson{Email: "two", Contact: "contact two", Secrets: sealed("contact two")})
	two := *p.all.Person(p.people[1]) // as by an owner's invitation
	two.Roles = []credit.PersonRole{{Company: p.companies[0], Role: credit.RoleViewer}, {Company: p.companies[1], Role: credit.RoleBuyer, Limit: cents("100.00")}}
	p.all.Records[credit.KeyOf(&two)] = &two
	return p
}

func (p *patrons) handle(what string) string {
	p.names++
	return fmt.Sprint(what, " ", p.names)
}

func one(t *rapid.T, list []string, what string) string {
	if len(list) == 0 {
		return what
	}
	return rapid.SampledFrom(list).Draw(t, what)
}

// visit submits one random command on the buyer's side.
func (p *patrons) visit(t *rapid.T) {
	shop := rapid.SampledFrom(p.shops).Draw(t, "shop")
	who := rapid.SampledFrom([]credit.Actor{system, system, system, shop}).Draw(t, "who")
	checkout, application, person := one(t, p.checkouts, "checkout"), one(t, p.applications, "application"), one(t, p.people, "person")
	switch rapid.SampledFrom(visits).Draw(t, "visit") {
	case "prove":
		email := rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "email")
		handle := p.handle("contact")
		language := rapid.SampledFrom([]string{"", "en-US", "es-US", "tlh"}).Draw(t, "language")
		p.ask(who, people.ProvePerson{Email: email, Contact: handle, Language: language, Secrets: sealed(handle)})
		p.ask(who, people.SetLanguage{Person: person, Language: language})
		if x := p.all.Person(person); x != nil {
			named := p.handle("named")
			p.ask(who, people.NamePerson{Person: person, Was: x.Contact, Contact: named, Secrets: sealed(named)})
		}
	case "create":
		p.create(t, shop)
	case "enter", "accept":
		company := rapid.SampledFrom(append([]int64{0}, p.companies...)).Draw(t, "company")
		if x := p.all.Person(person); x != nil && len(x.Roles) > 0 && rapid.IntRange(0, 4).Draw(t, "own") > 0 {
			company = x.Roles[len(x.Roles)-1].Company
		}
		enter := onboarding.EnterCheckout{Checkout: checkout, Person: person, Company: company}
		if x := p.all.Checkout(checkout); x != nil && rapid.Bool().Draw(t, "over") {
			enter.Over, enter.From = x.Taken+rapid.IntRange(0, 2).Draw(t, "time"), rapid.SampledFrom([]string{"", x.Person}).Draw(t, "from")
		}
		p.ask(who, enter)
		p.acceptAny(t, who, checkout, person)
	case "complete":
		p.ask(rapid.SampledFrom([]credit.Actor{shop, operator}).Draw(t, "shop or lender"), onboarding.CompleteCheckout{Checkout: checkout})
	case "end":
		reason := rapid.SampledFrom([]string{"", lending.EndBuyerCanceled, lending.EndInsufficientCredit, lending.EndDeclined}).Draw(t, "reason")
		p.ask(who, onboarding.EndCheckout{Checkout: checkout, Reason: reason})
	case "apply":
		p.applyAny(t, who, shop, checkout, person)
		for range rapid.IntRange(0, 3).Draw(t, "at once") { // the lender acts on the newest promptly
			p.onApplication(t, system, one(t, p.applications[max(0, len(p.applications)-1):], "application"))
		}
	case "estimate":
		for range rapid.IntRange(1, 3).Draw(t, "at once") {
			p.estimateAny(t, shop)
		}
	case "application":
		p.onApplication(t, who, application)
	case "case":
		for range rapid.IntRange(1, 4).Draw(t, "at once") {
			p.onCase(t, shop, person)
		}
	case "mail":
		m := one(t, p.mails, "mail")
		attempt := 1
		if x := p.all.Mail(m); x != nil {
			attempt = x.Attempts + 1
		}
		p.ask(system, people.RecordMail{Mail: m, Attempt: attempt, Sent: rapid.Bool().Draw(t, "sent"), Permanent: rapid.Bool().Draw(t, "never")})
	case "wait":
		p.now = p.now.Add(time.Duration(rapid.SampledFrom([]int{1, 7, 25, 200, 9000}).Draw(t, "hours")) * time.Hour)
		for _, id := range p.checkouts {
			p.ask(system, onboarding.ServiceCheckout{Checkout: id})
		}
		for _, id := range p.applications {
			p.ask(system, onboarding.ServiceApplication{Application: id})
		}
		for _, id := range p.cases {
			p.ask(system, cases.ServiceCase{Case: id})
		}
	}
}

var visits = []string{"prove", "create", "create", "enter", "accept", "accept", "accept", "complete", "complete", "end", "apply", "apply", "application", "application",
	"application", "estimate", "case", "case", "mail", "wait"}

func (p *patrons) create(t *rapid.T, shop credit.Actor) {
	c := onboarding.CreateCheckout{
		Amount: amount(t, 90000) + 400, RemoteID: rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "remote"), Token: p.handle("token"), URL: p.handle("url"),
		Buyer: p.handle("buyer"), BuyerEmail: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "email"), Mode: rapid.SampledFrom([]credit.CheckoutMode{onboarding.ModeRedirect, onboarding.ModeLink}).Draw(t, "mode"),
	}
	if len(p.orders) > 0 && rapid.IntRange(0, 2).Draw(t, "direct") == 0 {
		c.Order, c.RemoteID = rapid.SampledFrom(p.orders).Draw(t, "order"), ""
	}
	if rapid.IntRange(0, 4).Draw(t, "few") == 0 {
		c.Installments = []int{3, 6}
	}
	c.Secrets = sealed(c.URL, c.Buyer)
	p.ask(shop, c)
}

func (p *patrons) acceptAny(t *rapid.T, who credit.Actor, checkout, person string) {
	x := p.all.Checkout(checkout)
	if x == nil || p.all.Companies[x.Company] == nil {
		return
	}
	company := p.all.Companies[x.Company]
	offers := onboarding.Offers(p.all.Merchants[x.Merchant].InForce(p.today()), company, x.Amount, x.Installments, p.today())
	if len(offers) == 0 {
		return
	}
	o := rapid.SampledFrom(offers).Draw(t, "offer")
	c := onboarding.AcceptCheckout{
		Checkout: checkout, Person: person, Installments: o.Terms.Installments, Digest: o.Disclosure.Digest(), Evidence: p.handle("evidence"),
		Master: company.Servicing.Unsigned && rapid.IntRange(0, 5).Draw(t, "unsigned") > 0,
	}
	if rapid.IntRange(0, 9).Draw(t, "stale") == 0 {
		c.Digest = strings.Repeat("0", 64)
	}
	kinds := []string{credit.DocumentAgreement}
	if c.Master {
		kinds = append(kinds, credit.DocumentMaster)
	}
	c.Secrets = sealed(c.Evidence)
	for _, kind := range kinds {
		h := p.handle(kind)
		c.Papers, c.Secrets = append(c.Papers, paper(kind, h)), append(c.Secrets, sealed(h)...)
	}
	p.ask(who, c)
}

func (p *patrons) applyAny(t *rapid.T, who, shop credit.Actor, checkout, person string) {
	c := onboarding.SubmitApplication{
		Kind: underwriting.New, Merchant: shop.Merchant, Email: rapid.SampledFrom([]string{"one", "two", "four"}).Draw(t, "email"), Form: p.handle("form"), Contact: p.handle("contact"),
		Requested: amount(t, 900000) + 400_00, ControlPerson: true, Consents: credit.Consents{CreditCheck: true, ElectronicRecords: rapid.Bool().Draw(t, "electronic"), AcceptedAt: p.now},
		Business: credit.Business{LegalName: "Birch", EntityType: underwriting.LLC, EIN: rapid.SampledFrom([]string{"", "e1", "e2"}).Draw(t, "ein"),
			FormedOn: calendar.MustParse("2020-01-01"), Address: credit.CompanyAddress{State: "TX"}, AnnualRevenue: cents("300000.00")},
	}
	if x := p.all.Checkout(checkout); x != nil && rapid.Bool().Draw(t, "in a checkout") {
		c.Checkout, c.Merchant = checkout, x.Merchant
	}
	if x := p.all.Person(person); x != nil && len(x.Roles) > 0 && rapid.IntRange(0, 3).Draw(t, "increase") == 0 {
		c.Kind, c.Company, c.Person = underwriting.LineIncrease, x.Roles[0].Company, person
	}
	c.Secrets = sealed(c.Form, c.Contact)
	p.ask(who, c)
}

// onCase opens a case, or lets one of the sides act on one.
func (p *patrons) onCase(t *rapid.T, shop credit.Actor, person string) {
	who := rapid.SampledFrom([]credit.Actor{system, shop, operator}).Draw(t, "side")
	if who != system {
		person = ""
	}
	id, text := one(t, p.cases, "case"), p.handle("words")
	switch rapid.SampledFrom([]string{"open", "open", "note", "document", "resolve", "resolve"}).Draw(t, "on a case") {
	case "open":
		c := cases.OpenCase{Person: person, Kind: rapid.SampledFrom([]credit.CaseKind{credit.CaseDispute, credit.CaseQuestion}).Draw(t, "kind"), Text: text, Secrets: sealed(text)}
		if x := p.all.Person(person); x != nil && len(x.Roles) > 0 {
			c.Company = x.Roles[0].Company
		}
		if len(p.orders) > 0 && (person == "" || rapid.Bool().Draw(t, "an order")) {
			c.Order = rapid.SampledFrom(p.orders).Draw(t, "order")
		}
		p.ask(who, c)
	case "note":
		p.ask(who, cases.AddCaseNote{Case: id, Person: person, Text: text, Secrets: sealed(text)})
	case "document":
		p.ask(who, cases.AttachCaseDocument{Case: id, Person: person, Paper: paper("", text), Secrets: sealed(text)})
	case "resolve":
		c := cases.ResolveCase{Case: id, Person: person, Outcome: rapid.SampledFrom([]credit.CaseOutcome{credit.CaseUpheld, credit.CaseAnswered, credit.CaseWithdrawn, credit.CaseWithdrawn}).Draw(t, "outcome")}
		if c.Outcome != credit.CaseWithdrawn {
			c.Text, c.Secrets = text, sealed(text)
		}
		p.ask(who, c)
	}
}

// estimateAny requests an estimate.
func (p *patrons) estimateAny(t *rapid.T, who credit.Actor) {
	c := onboarding.Prequalify{LegalName: "Birch", Email: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "email"), Form: p.handle("form"), Contact: p.handle("contact")}
	revenue := rapid.SampledFrom([]money.Amount{1_000_00, 500_000_00}).Draw(t, "revenue")
	c.Figures.Given.AnnualRevenue = &revenue
	c.Secrets = sealed(c.Form, c.Contact)
	p.ask(who, c)
}

func (p *patrons) onApplication(t *rapid.T, who credit.Actor, id string) {
	switch rapid.IntRange(0, 6).Draw(t, "on it") {
	case 0, 1:
		in := underwriting.Inputs{Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, RegistryFormedOn: calendar.None,
			Screening:  rapid.SampledFrom([]underwriting.Screening{underwriting.ScreeningClear, underwriting.ScreeningClear, underwriting.ScreeningPossible}).Draw(t, "screening"),
			OwnerScore: underwriting.Score{FICO: rapid.SampledFrom([]int{0, 500, 660, 800}).Draw(t, "fico")}, BureauOn: calendar.None}
		c := onboarding.RecordFacts{Application: id, Inputs: in}
		if rapid.Bool().Draw(t, "report") {
			c.Report, c.ReportOther = p.handle("report"), rapid.Bool().Draw(t, "of another")
			c.Secrets = sealed(c.Report)
		}
		p.ask(who, c)
	case 2:
		c := onboarding.DecideApplication{Application: id, Approve: rapid.Bool().Draw(t, "yes"), Limit: amount(t, 900000) + 400_00, Tier: "B", Reasons: []string{"credit_score"}}
		p.ask(who, c)
	case 3:
		p.ask(who, onboarding.RequestInformation{Application: id, What: "a lease", Due: calendar.None})
	case 4:
		h := p.handle("upload")
		p.ask(who, onboarding.AttachDocument{Application: id, Paper: paper("", h), Secrets: sealed(h)})
	case 5:
		p.ask(who, onboarding.WithdrawApplication{Application: id})
	case 6:
		p.ask(who, onboarding.SendApplicationNotice{Application: id, Owner: rapid.Bool().Draw(t, "owner's"), Channel: "POST"})
	}
}

// Whatever people, shops and staff do with checkouts and applications, in any order and
// alongside orders and payments, the books agree, records follow their transitions, and sealed
// values belong to one of them (RC1, RC2, RC3): do checks each change.
func TestAnythingKeepsBuyers(t *testing.T) {
	comesAbout := []string{
		"person.prove", "checkout.create", "checkout.enter", "checkout.accept", "checkout.complete", "checkout.end", "checkout.service", "application.submit",
		"application.facts", "application.decide", "application.request", "application.document", "application.withdraw", "application.service",
		"application.notice", "application.prequalify", "case.open", "case.note", "case.document", "case.resolve", "limit_exceeded", "mail.record", "order.update", "terms_changed", "checkout_taken", "checkout_expired", "owner_required", "application_decided",
	}
	live(t, comesAbout, func(t *rapid.T, accepted map[string]int) {
		p := newPatrons(t)
		p.ask(p.shops[0], lending.CreateOrder{Company: p.companies[0], Amount: cents("300.00")})
		for range rapid.IntRange(1, 70).Draw(t, "steps") {
			if len(p.orders) > 0 && rapid.IntRange(0, 4).Draw(t, "trade") == 0 {
				p.step(t)
				continue
			}
			p.visit(t)
		}
		p.sealedIsHeld()
		for k, n := range p.accepted {
			accepted[k] += n
		}
	})
}

// sealedIsHeld compares the vault with what all records say is in it, and checks what must be
// true of all checkouts together.
func (p *patrons) sealedIsHeld() {
	p.t.Helper()
	held, open, waiting := map[string]bool{}, map[string]string{}, map[int64]int{}
	for _, r := range p.all.Records {
		for _, id := range r.Secrets() {
			if held[id] = true; p.vault[id] == "" {
				p.t.Fatalf("%s %s says that %q is sealed, and it is not", r.Noun(), r.Head().ID, id)
			}
		}
		if why := credit.RecordFlaw(r); why != "" {
			p.t.Fatalf("%s %s: %s", r.Noun(), r.Head().ID, why)
		}
		if x, ok := r.(*credit.Case); ok && x.Status != credit.CaseResolved {
			waiting[x.Company]++
			if !slices.Contains(p.all.Companies[x.Company].Servicing.Cases.Open, credit.OpenPlace{x.ID, x.Kind, x.Merchant}) {
				p.t.Fatalf("case %s waits and has no place", x.ID)
			}
		}
		c, ok := r.(*credit.Checkout)
		if !ok {
			continue
		}
		o := p.all.Orders[c.Of]
		switch {
		case !c.Ended() && open[c.Of] != "":
			p.t.Fatalf("order %s has the open checkouts %s and %s", c.Of, open[c.Of], c.ID)
		case !c.Ended():
			open[c.Of] = c.ID
		}
		switch {
		case c.Accepted == nil && !c.Direct && o != nil, c.Accepted != nil && o == nil:
			p.t.Fatalf("checkout %s is %s, its order %v", c.ID, c.Status, o)
		case c.Status == credit.CheckoutCompleted && (o.Status == credit.OrderCreated || o.Captured > c.Accepted.Amount || o.Installments != c.Accepted.Installments):
			p.t.Fatalf("checkout %s of %s in %d payments is COMPLETED, and its order is %+v", c.ID, c.Accepted.Amount, c.Accepted.Installments, o)
		case c.Status == credit.CheckoutAccepted && o.Status != credit.OrderCreated:
			p.t.Fatalf("checkout %s is ACCEPTED, and its order %s", c.ID, o.Status)
		case c.Ended() && c.Status != credit.CheckoutCompleted && c.Accepted != nil && !c.Direct && o.Status != credit.OrderCanceled:
			p.t.Fatalf("checkout %s is %s, and the order that was accepted in it %s", c.ID, c.Status, o.Status)
		}
	}
	for id, c := range p.all.Companies {
		if n := len(c.Servicing.Cases.Open); n != waiting[id] {
			p.t.Fatalf("company %d has %d cases that wait, and %d places", id, waiting[id], n)
		}
	}
	for id := range p.vault {
		if !held[id] {
			p.t.Fatalf("%q is sealed, and is nobody's", id)
		}
	}
}
