// Package onboarding decides how a buyer gets to an order: it applies for credit, gets a
// decision, and accepts an order's terms in a checkout.
//
// application.go submits an application, application_decide.go decides it, application_more.go
// covers documents, reviews and time, application_bound.go limits how many are sent.
// prequalification.go estimates without an application; company_sign.go signs the master
// agreement. checkout.go creates a checkout, checkout_link.go mails its link,
// checkout_accept.go accepts and completes it, endpoint_checkout.go creates the endpoint that
// calls its shop. disclosure.go and estimate.go compute what an order will cost.
package onboarding

import (
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/people"
	"tenor/internal/domain/underwriting"
)

// The actions of a script.
const (
	ScriptApprove credit.ScriptAction = "APPROVE"
	ScriptDecline credit.ScriptAction = "DECLINE"
	ScriptRequest credit.ScriptAction = "REQUEST"
)

// SubmitApplication submits an application. From the pages, Merchant is the shop it came
// through, "" for none. Result is the *Application.
type SubmitApplication struct {
	Kind          underwriting.Kind  `json:"kind"`
	Merchant      string             `json:"merchant"`
	Checkout      string             `json:"checkout"`
	Company       int64              `json:"company_id"` // for a LINE_INCREASE
	Person        string             `json:"person"`     // for a LINE_INCREASE: who requests it
	Business      credit.Business    `json:"business"`
	Email         string             `json:"email"` // keyed hash
	Form          string             `json:"form"`
	Contact       string             `json:"contact"`
	Language      string             `json:"language,omitzero"` // of the page, "" from the API
	Requested     money.Amount       `json:"requested_limit"`
	LargestOwner  money.Rate         `json:"largest_owner_share"`
	ControlPerson bool               `json:"control_person"`
	Bank          *underwriting.Bank `json:"bank"`
	Consents      credit.Consents    `json:"consents"`
	Reference     string             `json:"merchant_reference"`
	Metadata      map[string]string  `json:"metadata"`
	Secrets       []credit.Secret    `json:"-"`
}

func (SubmitApplication) Name() string { return "application.submit" }

func businessClaim(ein string) credit.Claim {
	return credit.Claim{Kind: credit.ClaimBusiness, Name: ein}
}

// merchant is the merchant that an application came through.
func (c SubmitApplication) merchant(e credit.Env) string {
	if e.Actor.Operator {
		return c.Merchant
	}
	return e.Actor.Merchant
}

// Keys requests the merchant, the checkout, and the current owner of the tax number.
func (c SubmitApplication) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := credit.Keys{}
	if m := c.merchant(e); m != "" {
		k.Merchants = []string{m}
	}
	k = credit.JoinKeys(k, lending.CheckoutKeys(s, c.Checkout))
	if c.Business.EIN != "" {
		k.Claims = append(k.Claims, businessClaim(c.Business.EIN))
		k = credit.JoinKeys(k, holderKeys(s, s.Claims[businessClaim(c.Business.EIN)]))
	}
	if c.Company != 0 {
		k.Companies = append(k.Companies, c.Company)
	}
	if c.Person != "" {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: c.Person})
	}
	k.Claims = append(k.Claims, applyingClaims(e)...)
	return k
}

// holderKeys requests the company that has a tax number, with its people.
func holderKeys(s *credit.State, owner string) (k credit.Keys) {
	id, err := strconv.ParseInt(owner, 10, 64)
	if err != nil {
		return credit.Keys{}
	}
	k.Companies = []int64{id}
	if x := s.Companies[id]; x != nil {
		for _, p := range x.Servicing.People {
			k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: p})
		}
	}
	return k
}

func (c SubmitApplication) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if m := c.merchant(e); m != "" && s.Merchants[m] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	if x := s.Checkout(c.Checkout); c.Checkout != "" && (x == nil || !e.Actor.Operator) {
		return lending.NoCheckout()
	}
	if x := s.Checkout(c.Checkout); x != nil && x.Merchant != c.Merchant {
		return lending.NoCheckout()
	}
	if c.Company != 0 && (s.Companies[c.Company] == nil || !e.Actor.Operator) {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

func (c SubmitApplication) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if r := c.refuse(s); r != nil {
		return credit.Changes{}, r
	}
	if x := s.Checkout(c.Checkout); x != nil {
		if a := s.Application(x.Application); a != nil && !a.Decided() {
			return credit.Changes{Result: a}, nil // two tabs apply only once
		}
	}
	place, r := applyingPlace(s, e)
	if r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	a := &credit.Application{
		RecordHead: d.NewRecord(credit.NounApplication), Kind: c.Kind, Checkout: c.Checkout, Business: c.Business,
		Form: c.Form, Contact: c.Contact, Language: c.Language, Requested: c.Requested, LargestOwner: c.LargestOwner, ControlPerson: c.ControlPerson, Bank: c.Bank,
		Consents: c.Consents, Reference: c.Reference, Metadata: c.Metadata,
	}
	a.Merchant, a.Company, a.Of = c.merchant(e), c.Company, c.Email
	if x := s.Companies[c.Company]; x != nil && !x.IsLinked(a.Merchant) { // so the shop does not learn of it
		a.Merchant = ""
	}
	if a.Place = place; place != 0 {
		a.PlaceOn = e.Today()
	}
	for _, x := range a.Claims() {
		d.Claim(x, a.ID)
	}
	credit.AddRecord(d, a)
	d.Changes.Secrets = c.Secrets
	if a.Kind == underwriting.New && a.Business.EIN != "" {
		claimBusiness(d, a)
	}
	if c.Checkout != "" {
		credit.EditRecord[*credit.Checkout](d, c.Checkout).Application = a.ID
	}
	d.RecordEvent(credit.ApplicationSubmittedEvent, a)
	return d.Done(a, true), nil
}

func (c SubmitApplication) refuse(s *credit.State) *credit.Rejection {
	switch x := s.Checkout(c.Checkout); {
	case c.Checkout != "" && x.Status != credit.CheckoutOpen:
		return notAccepted(x)
	case c.Business.LegalName == "" || c.Contact == "" || c.Email == "":
		return credit.ValidationFailed.Because("An application needs a business and an applicant.")
	case !credit.Spoken(c.Language):
		return people.Unspoken()
	case c.Requested < credit.MinLimit:
		return credit.ValidationFailed.Because("The smallest line that can be requested is 500.00.")
	case !c.Consents.CreditCheck:
		return credit.ValidationFailed.Because("The application cannot be decided without consent to the credit check.")
	case c.Kind != underwriting.New && c.Kind != underwriting.LineIncrease:
		return credit.ValidationFailed.Because("An application must be NEW or LINE_INCREASE.")
	case (c.Kind == underwriting.LineIncrease) != (c.Company != 0):
		return credit.ValidationFailed.Because("A LINE_INCREASE must name a company; other applications must not.")
	}
	if c.Kind != underwriting.LineIncrease {
		return c.ofBuyer(s)
	}
	p := s.Person(c.Person)
	if p == nil || !p.Proved() {
		return credit.OwnerRequired.Because("Only an owner of the company can request a higher line.")
	}
	if r, _ := p.RoleAt(c.Company); r.Role != credit.RoleOwner {
		return credit.OwnerRequired.Because("Only an owner of the company can request a higher line.")
	}
	if x := s.Checkout(c.Checkout); x != nil && (x.Company != c.Company || x.Person != c.Person) {
		return checkoutTaken()
	}
	if c.Requested <= s.Companies[c.Company].Limit {
		return credit.ValidationFailed.Because("A LINE_INCREASE must request more than the current line.")
	}
	return lending.MayBuy(s.Companies[c.Company])
}

// ofBuyer requires that an application from a checkout uses the e-mail of the person going
// through it, and not that of somebody whose place has been taken over since.
func (c SubmitApplication) ofBuyer(s *credit.State) *credit.Rejection {
	x := s.Checkout(c.Checkout)
	if x == nil || x.Person == "" {
		return nil
	}
	if p := s.Person(x.Person); p == nil || p.Of != c.Email {
		return checkoutTaken()
	}
	return nil
}

// claimBusiness claims the tax number of an application. If a company or another application
// has it, the application is a duplicate, which only the lender and the company's owners are
// told.
func claimBusiness(d *credit.Draft, a *credit.Application) {
	claim := businessClaim(a.Business.EIN)
	owner := d.State.Claims[claim]
	if owner == "" {
		d.Claim(claim, a.ID)
		return
	}
	a.Duplicate = true
	id, err := strconv.ParseInt(owner, 10, 64)
	if err != nil || d.State.Companies[id] == nil {
		return
	}
	for _, p := range d.State.Companies[id].Servicing.People {
		if x := d.State.Person(p); x != nil {
			if r, _ := x.RoleAt(id); r.Role == credit.RoleOwner {
				d.Mail("duplicate_warning", x.Addressee(), credit.RecordHead{ID: a.ID, Company: id}, map[string]string{"company": d.State.Companies[id].Name})
			}
		}
	}
}
