package credit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
	"tenor/internal/domain/underwriting"
)

// buyer builds the commands of people and their checkouts, nil if verb is none of them.
func (s *story) buyer(verb string, a args) credit.Command {
	name := ""
	if len(a.words) > 2 {
		name = a.words[2]
	}
	id := s.id(name)
	switch verb {
	case "prove":
		c := people.ProvePerson{Email: "email of " + name, Contact: "contact of " + name, Company: s.company(a.named["company"]), Language: a.named["language"], Secrets: sealed("contact of " + name)}
		if x := s.all.Companies[c.Company]; x != nil {
			c.Found = x.Email
		}
		if a.named["found"] != "" {
			c.Found = a.named["found"]
		}
		return c
	case "role":
		return s.role(name, a)
	case "answer":
		return people.AnswerInvitation{Person: id, Company: s.company(a.named["company"]), Accept: a.named["as"] != "no"}
	case "sign":
		return s.signature(a)
	case "email":
		c := people.ChangeEmail{Person: id, Email: "email of " + a.named["to"], Contact: "contact of " + a.named["to"], Was: "what " + name + " was", TellOld: "told to " + name, TellNew: "told to " + a.named["to"]}
		c.Secrets = sealed(c.Contact, c.Was, c.TellOld, c.TellNew)
		return c
	case "speak":
		return people.SetLanguage{Person: id, Language: a.named["language"]}
	case "name":
		c := people.NamePerson{Person: id, Was: a.sentence("was"), Contact: a.sentence("as"), Secrets: sealed(a.sentence("as"))}
		return c
	case "checkout":
		return s.checkout(name, a)
	case "enter":
		return onboarding.EnterCheckout{Checkout: id, Person: s.id(a.named["person"]), Company: s.company(a.named["company"]), Over: a.number("over"), From: s.id(a.named["from"])}
	case "accept":
		return s.acceptance(name, a)
	case "complete":
		return onboarding.CompleteCheckout{Checkout: id}
	case "end", "leave":
		return onboarding.EndCheckout{Checkout: id, Reason: a.named["reason"]}
	case "queue":
		return people.QueueMail{
			Template: name, To: "contact of " + a.named["to"], Secret: a.sentence("secret"), Secrets: sealed(a.sentence("secret")), Language: a.named["language"],
		}
	case "mailed":
		m := s.all.Mail(id)
		if m == nil {
			s.t.Fatalf("there is no mail %s", name)
		}
		c := people.RecordMail{Mail: id, Attempt: m.Attempts + 1, Sent: a.named["result"] == "sent", Permanent: a.named["result"] == "never", Error: a.named["error"]}
		if a.named["attempt"] != "" {
			c.Attempt = a.number("attempt")
		}
		return c
	case "serve":
		return s.serve(id)
	case "statement":
		return people.TellStatement{Company: s.company(name), Month: a.date("month")}
	}
	return s.applicant(verb, name, a)
}

// role sets, by an owner or the operator, who acts for the company: somebody known, or an
// e-mail.
func (s *story) role(name string, a args) credit.Command {
	c := people.SetPerson{Company: s.company(a.named["company"]), Owner: s.id(a.named["by"]), Role: credit.Role(a.named["as"]), Limit: a.value("limit")}
	if id := s.id(name); s.all.Person(id) != nil && a.named["invite"] != "yes" {
		c.Person = id
		return c
	}
	s.invited++
	c.Email, c.Contact = "email of "+name, fmt.Sprint("invitation ", s.invited, " of ", name)
	c.Secrets = sealed(c.Contact)
	return c
}

// signature signs the master agreement outside a checkout.
func (s *story) signature(a args) credit.Command {
	c := onboarding.SignAgreement{Company: s.company(a.words[2]), Person: s.id(a.named["by"])}
	if a.named["on"] != "" {
		c.On = a.date("on")
	}
	for _, kind := range []string{credit.DocumentMaster, onboarding.DocumentSignature} {
		if kind == onboarding.DocumentSignature && a.named["proof"] == "no" {
			continue
		}
		content := kind + " of " + a.words[2]
		c.Papers, c.Secrets = append(c.Papers, paper(kind, content)), append(c.Secrets, sealed(content)...)
	}
	return c
}

// serve runs what is due on a checkout, an application or a case.
func (s *story) serve(id string) credit.Command {
	switch {
	case strings.HasPrefix(id, credit.PrefixApplication):
		return onboarding.ServiceApplication{Application: id}
	case strings.HasPrefix(id, credit.PrefixCase):
		return cases.ServiceCase{Case: id}
	}
	return onboarding.ServiceCheckout{Checkout: id}
}

func sealed(handles ...string) []credit.Secret {
	var out []credit.Secret
	for _, h := range handles {
		if h != "" {
			out = append(out, credit.Secret{h, []byte("sealed " + h)})
		}
	}
	return out
}

func (s *story) checkout(name string, a args) credit.Command {
	c := onboarding.CreateCheckout{
		Amount: a.value("amount"), Charges: charges(a), Company: s.company(a.named["company"]), Order: s.id(a.named["order"]), RemoteID: a.named["remote"],
		Mode: credit.CheckoutMode(a.named["mode"]), Token: "token of " + name, URL: "address of " + name, ReturnURL: a.named["return"], CancelURL: "https://shop.example/back",
	}
	for _, n := range a.list("installments") {
		x, _ := strconv.Atoi(n)
		c.Installments = append(c.Installments, x)
	}
	if days := a.number("days"); days != 0 {
		c.Life = time.Duration(days) * credit.Day
	}
	if a.named["email"] != "" {
		c.Buyer, c.BuyerEmail = "buyer of "+name, "email of "+a.named["email"]
	}
	if c.CompleteURL = a.named["calls"]; c.CompleteURL != "" && a.named["secret"] != "no" {
		seed := sha256.Sum256([]byte(name))
		c.Endpoint, c.Sealed = credit.EndpointID([16]byte(seed[:]), s.now), []byte("sealed "+name)
	}
	c.Secrets = sealed(c.URL, c.Buyer)
	return c
}

// acceptance is what a buyer accepts: the current terms, or those that were shown.
func (s *story) acceptance(name string, a args) credit.Command {
	x := s.all.Checkout(s.id(name))
	c := onboarding.AcceptCheckout{
		Checkout: x.ID, Person: s.id(a.named["person"]), Installments: a.number("installments"), Evidence: "evidence of " + name, Master: a.named["master"] == "yes",
	}
	kinds := []string{credit.DocumentDisclosure, credit.DocumentAgreement}
	if c.Master {
		kinds = append(kinds, credit.DocumentMaster)
	}
	c.Secrets = sealed(c.Evidence)
	for _, kind := range kinds {
		c.Papers = append(c.Papers, paper(kind, kind+" of "+name))
		c.Secrets = append(c.Secrets, sealed(kind+" of "+name)...)
	}
	for _, o := range s.offers(x) {
		if o.Terms.Installments == c.Installments {
			c.Digest = o.Disclosure.Digest()
		}
	}
	if a.named["as"] == "shown" {
		c.Digest = s.shown[fmt.Sprint(name, " ", c.Installments)]
	}
	return c
}

func (s *story) offers(x *credit.Checkout) []onboarding.Offer {
	company := s.all.Companies[x.Company]
	if company == nil {
		return nil
	}
	return onboarding.Offers(s.all.Merchants[x.Merchant].InForce(s.today()), company, x.Amount, x.Installments, s.today())
}

// paper is a document whose bytes are its name.
func paper(kind, content string) credit.Paper {
	sum := hashOf(content)
	if _, err := hex.DecodeString(sum); err != nil {
		panic(err)
	}
	return credit.Paper{Kind: kind, ContentType: "application/pdf", Size: len(content), Hash: sum, Content: content}
}

// showOffers writes what a buyer may choose from, and remembers it as shown.
func (s *story) showOffers(name string) {
	for _, o := range s.offers(s.all.Checkout(s.id(name))) {
		d := o.Disclosure
		s.say("%2d payments of %s, the last %s, from %s: finance charge %s, total %s, APR %d.%02d, form %s", d.Count, d.Payment, d.LastPayment,
			d.FirstDueDate, d.FinanceCharge, d.TotalPayments, d.APR/100, d.APR%100, d.Template)
		s.shown[fmt.Sprint(name, " ", o.Terms.Installments)] = d.Digest()
	}
}

// applicant builds the commands on applications.
func (s *story) applicant(verb, name string, a args) credit.Command {
	id := s.id(name)
	switch verb {
	case "apply":
		return s.apply(name, a)
	case "facts":
		return s.facts(id, a)
	case "approve":
		return onboarding.DecideApplication{Application: id, Approve: true, Limit: a.value("limit"), Tier: a.named["tier"], Reasons: a.list("reasons"), Note: a.sentence("note"), IfMatch: a.list("version")}
	case "decline":
		return onboarding.DecideApplication{Application: id, Reasons: a.list("reasons"), Note: a.sentence("note")}
	case "want":
		return onboarding.RequestInformation{Application: id, What: a.sentence("what"), Due: a.date("due")}
	case "assign":
		return onboarding.AssignApplication{Application: id, To: a.named["to"]}
	case "estimate":
		c := onboarding.Prequalify{
			LegalName: a.named["business"], Email: "estimate for " + a.named["email"], Form: "form of " + name, Contact: "applicant of " + name,
			Figures: credit.Figures{Given: givenOf(a)},
		}
		c.Secrets = sealed(c.Form, c.Contact)
		return c
	case "retract":
		return onboarding.WithdrawApplication{Application: id}
	case "attach":
		if a.named["case"] != "" {
			return cases.AttachCaseDocument{Case: s.id(a.named["case"]), Person: s.id(a.named["person"]), Paper: paper("", name), Secrets: sealed(name)}
		}
		return onboarding.AttachDocument{Application: s.id(a.named["application"]), Paper: paper("", name), Secrets: sealed(name)}
	case "noticed":
		return onboarding.SendApplicationNotice{Application: id, Owner: a.named["to"] == "owner", Channel: a.named["channel"], Evidence: a.sentence("evidence")}
	}
	return s.inCase(verb, name, a)
}

// givenOf are the figures of an estimate: score and revenue.
func givenOf(a args) (g underwriting.Given) {
	if a.named["score"] != "" {
		g.Score = &underwriting.Score{FICO: a.number("score")}
	}
	if a.named["revenue"] != "" {
		revenue := a.value("revenue")
		g.AnnualRevenue = &revenue
	}
	return g
}

func (s *story) apply(name string, a args) credit.Command {
	email := a.named["email"]
	c := onboarding.SubmitApplication{
		Kind: underwriting.New, Merchant: s.id(a.named["merchant"]), Checkout: s.id(a.named["checkout"]), Email: "email of " + email, Form: "form of " + name,
		Contact: "applicant of " + name, Requested: a.value("limit"), LargestOwner: money.RateScale, ControlPerson: true, Language: a.named["language"],
		Consents: credit.Consents{CreditCheck: a.named["check"] != "no", ElectronicRecords: a.named["electronic"] != "no", AcceptedAt: s.now, Evidence: "consents of " + name},
		Business: credit.Business{
			LegalName: a.named["business"], EntityType: underwriting.LLC, EIN: a.named["ein"], EINLast4: "0001", FormedOn: calendar.MustParse("2020-01-01"),
			StateOfFormation: "TX", Address: credit.CompanyAddress{State: "TX"}, AnnualRevenue: cents("300000.00"),
		},
	}
	if a.named["revenue"] != "" {
		c.Business.AnnualRevenue = a.value("revenue")
	}
	if a.named["kind"] != "" {
		c.Kind, c.Company, c.Person = underwriting.Kind(a.named["kind"]), s.company(a.named["company"]), s.id(a.named["person"])
	}
	c.Secrets = sealed(c.Form, c.Contact, c.Consents.Evidence)
	return c
}

// facts are what sources answered: all of them, favorably, unless the line says otherwise.
func (s *story) facts(id string, a args) credit.Command {
	in := underwriting.Inputs{
		Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, RegistryFormedOn: calendar.None, Screening: underwriting.ScreeningClear,
		OwnerScore: underwriting.Score{FICO: a.number("fico")}, BureauOn: s.today(),
	}
	if v := a.named["screening"]; v != "" {
		in.Screening = underwriting.Screening(v)
	}
	if a.named["bank"] == "good" {
		in.Bank = &underwriting.Bank{AverageBalance: cents("9000.00")}
	}
	if x := s.all.Companies[s.all.Application(id).Company]; x != nil && a.named["line"] == "used" {
		in.Line = &underwriting.Line{Limit: x.Limit, LowestLimit: x.Limit, Used: x.Limit - 1, OpenedOn: s.today() - 100, PaidInstallments: 3}
	}
	c := onboarding.RecordFacts{Application: id, Inputs: in}
	if of := a.named["report"]; of != "" {
		c.Report, c.ReportOther, c.Secrets = "report of "+id, of == "other", sealed("report of "+id)
	}
	for _, m := range a.list("found") {
		entry, score, _ := strings.Cut(m, ":")
		n, _ := strconv.Atoi(score)
		c.Compared = &credit.Compared{List: "v1", Matches: []credit.Match{{Entry: entry, Name: "NAME OF " + entry, Score: n}}}
	}
	for _, step := range a.list("script") {
		f := strings.Split(step, ":")
		after, _ := strconv.Atoi(f[1])
		x := credit.ScriptStep{Do: credit.ScriptAction(f[0]), After: after, What: "a lease", Reasons: []string{"bankruptcy"}}
		if x.Do == onboarding.ScriptApprove {
			x.Limit, x.Tier, x.Reasons = cents("800.00"), "C", []string{"credit_score"}
		}
		c.Script = append(c.Script, x)
	}
	if a.named["override"] != "" {
		c.Override = &underwriting.Outcome{Decision: underwriting.Decision(a.named["override"])}
	}
	return c
}
