package years

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
	"tenor/internal/domain/underwriting"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// buyerKinds returns what people do at checkouts and with applications, what shops and staff do
// about it, and what time brings.
func buyerKinds() []string {
	return append(caseKinds(),
		"prove", "open", "open", "open", "enter", "enter", "accept", "accept", "accept", "accept", "complete", "complete", "complete", "leave", "end",
		"serve", "serve", "serve application", "serve application", "serve application", "apply", "apply", "estimate", "facts", "facts", "facts", "decide", "want", "attach", "assign", "retract", "noticed",
		"queue", "mailed", "mailed", "lose the line", "role", "role", "staff role", "answer", "answer", "sign", "sign on paper", "email", "name", "language", "pay",
	)
}

// visit lets people come to the lender's pages from time to time: they begin, leave, come back
// another day, accept late, and lose the line in between. Each step is a request like any other,
// which may be lost or arrive twice.
func (p *cast) visit() error {
	if p.y.Source.Intn(8) != 0 {
		return nil
	}
	for range 1 + p.y.Source.Intn(7) {
		if err := p.see(); err != nil {
			return err
		}
		kind := sim.Pick(p.y.Source, buyerKinds())
		a, c := p.buyer(kind)
		if c == nil {
			continue
		}
		q := sim.Request{Actor: a, Command: c}
		q.Actor.Key = fmt.Sprint("call ", len(p.calls))
		p.calls = append(p.calls, q)
		if err := p.send([]*asker{{request: q, kind: kind}}); err != nil {
			return err
		}
	}
	return nil
}

// recordOf picks a fitting record of a kind, as last seen; false if there is none.
func recordOf[T credit.Record](p *cast, fits func(T) bool) (T, bool) {
	var list []T
	for _, r := range p.draw.Books.Records {
		if x, ok := r.(T); ok && fits(x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		var none T
		return none, false
	}
	return sim.Pick(p.y.Source, list), true
}

// handle returns a unique handle for something sealed.
func (p *cast) handle(what string) string { return fmt.Sprint(what, " ", len(p.calls)) }

func vaulted(handles ...string) []credit.Secret {
	var out []credit.Secret
	for _, h := range handles {
		out = append(out, credit.Secret{ID: h, Sealed: []byte("sealed " + h)})
	}
	return out
}

// buyer generates an action and its actor; no command if there is nothing to act on.
func (p *cast) buyer(kind string) (credit.Actor, credit.Command) {
	s := p.y.Source
	switch kind {
	case "prove":
		c := people.ProvePerson{Email: fmt.Sprint("email ", s.Intn(4)), Contact: p.handle("contact")}
		c.Secrets, c.Language = vaulted(c.Contact), sim.Pick(s, append(credit.Languages(), ""))
		if x := p.draw.Books.Companies[sim.Pick(s, p.draw.Companies())]; len(x.Servicing.People) == 0 {
			c.Company, c.Found = x.ID, x.Email
		}
		return sim.Operator(), c
	case "apply":
		if len(p.draw.Books.Companies) > 6 { // few, because they have no accounts that money comes from
			return credit.Actor{}, nil
		}
		return p.apply()
	case "estimate":
		return p.estimate()
	case "lose the line":
		x := p.draw.Books.Companies[sim.Pick(s, p.draw.Companies())]
		limit := money.MustParse("60000.00") // usually unchanged: others want to buy as well
		if sim.Chance(s, 30) {
			limit = max(0, x.Limit-x.Available()) + money.Amount(sim.Between(s, 0, 100_000))
		}
		return sim.Operator(), lending.UpdateCompany{Company: x.ID, Limit: &limit, Reasons: []string{"credit_score"}}
	case "queue":
		x, ok := recordOf(p, func(*credit.Person) bool { return true })
		if !ok {
			return credit.Actor{}, nil
		}
		code := p.handle("code")
		return sim.Operator(), people.QueueMail{Template: "code", To: x.Contact, Secret: code, Secrets: vaulted(code)}
	case "mailed":
		x, ok := recordOf(p, func(x *credit.Mail) bool { return x.Status == credit.MailQueued })
		if !ok {
			return credit.Actor{}, nil
		}
		return sim.Operator(), people.RecordMail{Mail: x.ID, Attempt: x.Attempts + 1, Sent: sim.Chance(s, 70), Permanent: sim.Chance(s, 10)}
	}
	if a, c := p.atAccount(kind); c != nil {
		return a, c
	}
	if a, c := p.atCheckout(kind); c != nil {
		return a, c
	}
	if slices.Contains(caseKinds(), kind) {
		return p.onCase(kind)
	}
	return p.onApplication(kind)
}

// atCheckout generates a step of a checkout.
func (p *cast) atCheckout(kind string) (credit.Actor, credit.Command) {
	s, now := p.y.Source, p.y.Clock.Now()
	if kind == "open" {
		return p.shopOpens()
	}
	x, ok := recordOf(p, func(x *credit.Checkout) bool {
		switch kind {
		case "enter":
			return x.Status == credit.CheckoutOpen && x.Person == ""
		case "accept":
			return x.Status == credit.CheckoutOpen && x.Company != 0
		case "complete":
			return x.Status == credit.CheckoutAccepted || x.Accepted != nil && sim.Chance(s, 5)
		case "serve":
			return !x.NextAt.IsZero() && !x.NextAt.After(now)
		}
		return !x.Ended()
	})
	if !ok {
		return credit.Actor{}, nil
	}
	switch kind {
	case "enter":
		return sim.Operator(), p.enter(x)
	case "accept":
		return sim.Operator(), p.accept(x)
	case "complete":
		return sim.Shop(x.Merchant), onboarding.CompleteCheckout{Checkout: x.ID}
	case "leave":
		return sim.Operator(), onboarding.EndCheckout{Checkout: x.ID, Reason: sim.Pick(s, []string{lending.EndBuyerCanceled, lending.EndInsufficientCredit, lending.EndDeclined})}
	case "end":
		if sim.Chance(s, 50) {
			return credit.Actor{}, nil
		}
		return sim.Shop(x.Merchant), onboarding.EndCheckout{Checkout: x.ID}
	case "serve":
		return sim.Operator(), onboarding.ServiceCheckout{Checkout: x.ID}
	}
	return credit.Actor{}, nil
}

// shopOpens generates a shop's checkout: for a cart, or for an order that a clerk has created.
func (p *cast) shopOpens() (credit.Actor, credit.Command) {
	s := p.y.Source
	c := onboarding.CreateCheckout{
		Amount: money.Amount(sim.Between(s, 5_000, 200_000)), Mode: onboarding.ModeLink, Token: p.handle("token"), URL: p.handle("url"), Buyer: p.handle("buyer"),
		BuyerEmail: fmt.Sprint("email ", s.Intn(6)), RemoteID: sim.Pick(s, []string{"", "", "cart 1", "cart 2"}),
	}
	c.Secrets = vaulted(c.URL, c.Buyer)
	if o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool { return o.Status == credit.OrderCreated && !o.External }); ok && sim.Chance(s, 40) {
		c.Order, c.RemoteID = o.Key, ""
		return sim.Shop(o.Merchant), c
	}
	return sim.Shop(sim.Pick(s, p.merchants)), c
}

// enter picks who begins a checkout: mostly somebody who acts for a company.
func (p *cast) enter(x *credit.Checkout) credit.Command {
	who, ok := recordOf(p, func(q *credit.Person) bool { return q.Proved() && (len(q.Roles) > 0 || sim.Chance(p.y.Source, 20)) })
	if !ok {
		return nil
	}
	c := onboarding.EnterCheckout{Checkout: x.ID, Person: who.ID}
	if len(who.Roles) > 0 {
		c.Company = sim.Pick(p.y.Source, who.Roles).Company
	}
	return c
}

// accept generates an acceptance of the current offer, or of the one on yesterday's page.
func (p *cast) accept(x *credit.Checkout) credit.Command {
	s, today := p.y.Source, p.y.zone.Date(p.y.Clock.Now())
	company := p.draw.Books.Companies[x.Company]
	var shop *credit.Merchant
	for _, m := range p.draw.Books.Merchants {
		if m.ID == x.Merchant {
			shop = m
		}
	}
	if sim.Chance(s, 10) {
		today--
	}
	offers := onboarding.Offers(shop.InForce(today), company, x.Amount, x.Installments, today)
	if len(offers) == 0 {
		return nil
	}
	o := sim.Pick(s, offers)
	c := onboarding.AcceptCheckout{
		Checkout: x.ID, Person: x.Person, Installments: o.Terms.Installments, Digest: o.Disclosure.Digest(), Evidence: p.handle("evidence"),
		Master: company.Servicing.Unsigned,
	}
	c.Secrets = vaulted(c.Evidence)
	kinds := []string{credit.DocumentAgreement}
	if c.Master {
		kinds = append(kinds, credit.DocumentMaster)
	}
	for _, kind := range kinds {
		paper := p.paper(kind)
		c.Papers, c.Secrets = append(c.Papers, paper), append(c.Secrets, vaulted(paper.Content)...)
	}
	return c
}

func (p *cast) paper(kind string) credit.Paper {
	handle := p.handle(kind)
	return credit.Paper{Kind: kind, ContentType: "application/pdf", Size: len(handle), Hash: sim.HashOf(handle), Content: handle}
}

// apply generates an application: standalone or in a checkout, by a new applicant, by one who has
// applied already, or for a higher line.
func (p *cast) apply() (credit.Actor, credit.Command) {
	s := p.y.Source
	c := onboarding.SubmitApplication{
		Kind: underwriting.New, Merchant: sim.Pick(s, p.merchants), Email: fmt.Sprint("email ", s.Intn(4)), Form: p.handle("form"), Contact: p.handle("contact"),
		Requested: money.Amount(sim.Between(s, 50_000, 2_000_000)), ControlPerson: true,
		Consents: credit.Consents{CreditCheck: true, ElectronicRecords: sim.Chance(s, 80), AcceptedAt: p.y.Clock.Now()},
		Business: credit.Business{
			LegalName: "Birch Bakery", EntityType: underwriting.LLC, EIN: fmt.Sprint("ein ", s.Intn(6)), FormedOn: calendar.MustParse("2015-01-01"),
			Address: credit.CompanyAddress{State: "NY", Country: "US"}, AnnualRevenue: money.MustParse("300000.00"),
		},
	}
	c.Secrets, c.Language = vaulted(c.Form, c.Contact), sim.Pick(s, append(credit.Languages(), ""))
	if x, ok := recordOf(p, func(x *credit.Checkout) bool { return x.Status == credit.CheckoutOpen && x.Company == 0 }); ok && sim.Chance(s, 60) {
		c.Checkout, c.Merchant = x.ID, x.Merchant
	}
	if x, ok := recordOf(p, func(x *credit.Person) bool { return len(x.Roles) > 0 }); ok && sim.Chance(s, 20) {
		c.Kind, c.Company, c.Person, c.Checkout = underwriting.LineIncrease, x.Roles[0].Company, x.ID, ""
		c.Requested = p.draw.Books.Companies[c.Company].Limit + 100_00
	}
	return sim.Operator(), c
}

// estimate generates a prequalification.
func (p *cast) estimate() (credit.Actor, credit.Command) {
	s := p.y.Source
	c := onboarding.Prequalify{LegalName: "Birch Bakery", Email: fmt.Sprint("estimate ", s.Intn(4)), Form: p.handle("form"), Contact: p.handle("contact")}
	revenue := sim.Pick(s, []money.Amount{1_000_00, 500_000_00})
	c.Figures.Given.AnnualRevenue = &revenue
	form := fmt.Appendf(nil, `{"given":{"annual_revenue":%s}}`, revenue)
	c.Secrets = append(vaulted(c.Contact), credit.Secret{ID: c.Form, Sealed: sim.Sealed(form, credit.SecretPlace(c.Form))})
	return sim.Shop(sim.Pick(s, p.merchants)), c
}

// onApplication generates a step of an application.
func (p *cast) onApplication(kind string) (credit.Actor, credit.Command) {
	s, now := p.y.Source, p.y.Clock.Now()
	x, ok := recordOf(p, func(x *credit.Application) bool {
		switch kind {
		case "facts":
			return x.Status == credit.ApplicationSubmitted
		case "want":
			return x.Status == credit.ApplicationInReview
		case "noticed":
			return waits(x.Duty) || waits(x.OwnerDuty)
		case "serve application":
			return !x.NextAt.IsZero() && !x.NextAt.After(now)
		}
		return !x.Decided()
	})
	if !ok {
		return credit.Actor{}, nil
	}
	switch kind {
	case "facts":
		return sim.Operator(), p.facts(x)
	case "decide":
		return sim.Operator(), onboarding.DecideApplication{Application: x.ID, Approve: sim.Chance(s, 70), Limit: money.MustParse("8000.00"), Tier: "B", Reasons: []string{"time_in_business"}}
	case "want":
		return sim.Operator(), onboarding.RequestInformation{Application: x.ID, What: "a lease", Due: calendar.None}
	case "attach":
		paper := p.paper("upload")
		return sim.Shop(x.Merchant), onboarding.AttachDocument{Application: x.ID, Paper: paper, Secrets: vaulted(paper.Content)}
	case "assign":
		return sim.Operator(), onboarding.AssignApplication{Application: x.ID, To: fmt.Sprint("staff ", s.Intn(3))}
	case "retract":
		return sim.Shop(x.Merchant), onboarding.WithdrawApplication{Application: x.ID}
	case "noticed":
		return sim.Operator(), onboarding.SendApplicationNotice{Application: x.ID, Owner: !waits(x.Duty), Channel: "POST", Evidence: "a receipt"}
	case "serve application":
		return sim.Operator(), onboarding.ServiceApplication{Application: x.ID}
	}
	return credit.Actor{}, nil
}

// facts generates what sources report for an application: mostly with a report on an owner, who
// is or is not the applicant.
func (p *cast) facts(x *credit.Application) onboarding.RecordFacts {
	s := p.y.Source
	c := onboarding.RecordFacts{Application: x.ID, Inputs: underwriting.Inputs{
		Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, RegistryFormedOn: calendar.None,
		Screening: underwriting.ScreeningClear, OwnerScore: underwriting.Score{FICO: sim.Pick(s, []int{0, 500, 660, 780, 780})}, BureauOn: calendar.None,
	}}
	if c.Inputs.OwnerScore.FICO > 0 {
		c.Report, c.ReportOther = p.handle("report"), sim.Chance(s, 50)
		c.Secrets = vaulted(c.Report)
	}
	return c
}

// waits reports whether a notice is owed and has not been sent.
func waits(n *credit.NoticeDuty) bool { return n != nil && n.SentAt.IsZero() }
