package operator

import (
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type companyAddressBody struct {
	Street     string `json:"street" nullable:"true" doc:"Street and number." example:"12 Canal St"`
	City       string `json:"city" nullable:"true" doc:"City." example:"New York"`
	State      string `json:"state" nullable:"true" doc:"State." example:"NY"`
	PostalCode string `json:"postal_code" nullable:"true" doc:"Postal code." example:"10013"`
	Country    string `json:"country" nullable:"true" doc:"Country." example:"US"`
}

type companyBody struct {
	Name           string              `json:"name" required:"true" minLength:"1" doc:"Trade name (DBA)." example:"Marsh & Daughters"`
	LegalName      string              `json:"legal_name" doc:"Legal name." example:"Marsh & Daughters LLC"`
	TaxIDLast4     *string             `json:"tax_id_last4" pattern:"^[0-9]{4}$" doc:"Last four digits of the tax ID." example:"6789"`
	Phone          *string             `json:"phone" doc:"Phone number." example:"+1 212 555 0142"`
	Email          *string             `json:"email" format:"email" doc:"Primary e-mail address." example:"accounts@marsh.example"`
	BillingAddress *companyAddressBody `json:"billing_address" doc:"Billing address."`
	Tier           string              `json:"tier" enum:"A,B,C" default:"A" doc:"Tier, which sets the rate." example:"A"`
	Limit          money.Amount        `json:"limit" required:"true" doc:"The credit line." example:"25000.00"`
	Status         string              `json:"status" enum:"PENDING,APPROVED,DECLINED,ON_HOLD,SUSPENDED" default:"APPROVED" doc:"Only an APPROVED company may create or authorize orders." example:"APPROVED"`
	StatusReason   *serve.ReasonBody   `json:"status_reason" doc:"Reason for the status."`
	serve.BecauseBody
	Merchants []string `json:"merchants" prefix:"mch_" maxItems:"100" doc:"Merchants it can buy from." example:"[\"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0\"]"`
}

type companyAddressPatch struct {
	Street     rest.Opt[string] `json:"street" nullable:"true" doc:"Street and number." example:"12 Canal St"`
	City       rest.Opt[string] `json:"city" nullable:"true" doc:"City." example:"New York"`
	State      rest.Opt[string] `json:"state" nullable:"true" doc:"State." example:"NY"`
	PostalCode rest.Opt[string] `json:"postal_code" nullable:"true" doc:"Postal code." example:"10013"`
	Country    rest.Opt[string] `json:"country" nullable:"true" doc:"Country." example:"US"`
}

func (p companyAddressPatch) members() map[string]*string {
	m := map[string]*string{}
	serve.Put(m, "street", p.Street)
	serve.Put(m, "city", p.City)
	serve.Put(m, "state", p.State)
	serve.Put(m, "postal_code", p.PostalCode)
	serve.Put(m, "country", p.Country)
	return m
}

type companyPatch struct {
	Name           rest.Opt[string]              `json:"name" minLength:"1" doc:"Trade name (DBA)." example:"Marsh & Daughters"`
	LegalName      rest.Opt[string]              `json:"legal_name" nullable:"true" doc:"Legal name." example:"Marsh & Daughters LLC"`
	TaxIDLast4     rest.Opt[string]              `json:"tax_id_last4" nullable:"true" pattern:"^[0-9]{4}$" doc:"Last four digits of the tax ID." example:"6789"`
	Phone          rest.Opt[string]              `json:"phone" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	Email          rest.Opt[string]              `json:"email" nullable:"true" format:"email" doc:"Primary e-mail address." example:"accounts@marsh.example"`
	BillingAddress rest.Opt[companyAddressPatch] `json:"billing_address" nullable:"true" doc:"Merged into the billing address."`
	Tier           rest.Opt[string]              `json:"tier" enum:"A,B,C" doc:"Tier, which sets the rate of later orders." example:"B"`
	Limit          rest.Opt[money.Amount]        `json:"limit" doc:"The credit line." example:"30000.00"`
	Reason         *string                       `json:"reason" minLength:"1" doc:"Reason, for the record; required with a tier or a limit." example:"audited accounts of 2025"`
	reasonsBody
}

// Check requires a reason if the change is about money.
func (b *companyPatch) Check(report func(name, code, detail string)) {
	if b.Reason == nil && (b.Tier.Set || b.Limit.Set) {
		report("/reason", "required", "Changing the tier or limit requires a reason.")
	}
}

type linkBody struct {
	MerchantID string `json:"merchant_id" required:"true" prefix:"mch_" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	serve.BecauseBody
}

type lineBody struct {
	Limit money.Amount `json:"limit" required:"true" doc:"Limit for outstanding, reserved and held amounts together." example:"30000.00"`
	serve.BecauseBody
	reasonsBody
}

// reasonsBody gives the reasons for an adverse action on an account (F28).
type reasonsBody struct {
	Reasons []string `json:"reasons" maxItems:"4" minLength:"1" maxLength:"200" doc:"Reasons for lowering the line, downgrading the tier or closing the account, for the adverse action notice: up to four codes or texts. Default: the status code." example:"[\"credit_score\"]"`
}

// Companies returns the operations on who buys, how much they may owe, and from whom they
// may buy.
func (s API) Companies() []rest.Operation {
	act := func(id, verb, summary, doc string, codes []string, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: "POST", Path: "/v1/operator/companies/{company_id}/" + verb, Summary: summary, Doc: doc,
			Response: resource.Company{}, ETag: true, Problems: append([]string{rest.CodePrecondition}, codes...), Endpoint: e,
		}
	}
	status := []string{"company_not_eligible"}
	closing := act("closeCompany", "close", "Close a company", "Permanent. Existing balances are still serviced. The adverse action notice states the reasons, or the code if it is specific.", append([]string{"reasons_required"}, status...), rest.Handle(s.closeCompany))
	return rest.Group{Tag: "Operator", Writes: access.ScopeCompanies, Response: resource.Company{}, ETag: true}.With([]rest.Operation{
		{
			ID: "createCompany", Method: "POST", Path: "/v1/operator/companies", Summary: "Create a company",
			Doc:     "The ID is assigned. Phone, e-mail and address default to empty strings. 404 if there is no such merchant.",
			Success: 201, Problems: []string{"not_found"}, Endpoint: rest.Handle(s.createCompany),
		},
		{
			ID: "updateCompany", Method: "PATCH", Path: "/v1/operator/companies/{company_id}", Summary: "Update a company's details, tier or line",
			Doc:      "A merge patch (RFC 7396).",
			Problems: []string{"precondition_failed", "reasons_required"}, Endpoint: rest.Handle(s.updateCompany),
		},
		act("linkCompany", "link", "Link a company to a merchant", "", nil, rest.Handle(s.linkCompany)),
		act("unlinkCompany", "unlink", "Unlink a company from a merchant", "The merchant keeps servicing orders from the time it was linked.", nil, rest.Handle(s.unlinkCompany)),
		act("setCreditLine", "line", "Set a company's credit line", "A lower line cancels no reservation; the available amount can become negative. It requires reasons, stated in the adverse action notice.", []string{"reasons_required"}, rest.Handle(s.setLine)),
		act("holdCompany", "hold", "Put a company on hold", "An APPROVED company can then create no new orders. Existing ones are still serviced.", status, rest.Handle(s.holdCompany)),
		act("releaseCompany", "release", "End a company's hold",
			"Makes an ON_HOLD or SUSPENDED company APPROVED again. After a suspension for returned debits, a payment method must be verified first: "+
				"by micro-deposits or a prenote, or it must be a card or an account added by the lender. "+
				"Cards blocked because of disputes are charged again.",
			append([]string{"payment_method_required"}, status...), rest.Handle(s.releaseCompany)),
		closing,
	})
}

func (s API) createCompany(c *rest.Call, _ *rest.None, b *companyBody) (rest.Answer, error) {
	cmd := lending.CreateCompany{
		Title: b.Name, LegalName: b.LegalName, TaxIDLast4: serve.Deref(b.TaxIDLast4), Phone: serve.Deref(b.Phone), Email: serve.Deref(b.Email),
		BillingAddress: credit.CompanyAddress(serve.Deref(b.BillingAddress)), Tier: b.Tier, Limit: b.Limit,
		Status: credit.CompanyStatus(b.Status), Merchants: b.Merchants,
	}
	if b.StatusReason != nil {
		cmd.StatusCode, cmd.StatusMessage = b.StatusReason.Code, serve.Deref(b.StatusReason.Message)
	}
	return s.Do(c, cmd, serve.CompanyAnswer(resource.Lateness{}, c.Principal))
}

// changeCompany submits an operator's change to a company.
func (s API) changeCompany(c *rest.Call, id values.CompanyID, cmd lending.UpdateCompany) (rest.Answer, error) {
	return s.SubmitCompany(c, id, func(ifMatch []string) credit.Command {
		cmd.Company, cmd.IfMatch = int64(id), ifMatch
		return cmd
	})
}

func (s API) updateCompany(c *rest.Call, p *serve.CompanyKey, b *companyPatch) (rest.Answer, error) {
	cmd := lending.UpdateCompany{
		Title: serve.Given(b.Name), LegalName: serve.Given(b.LegalName), TaxIDLast4: serve.Given(b.TaxIDLast4), Phone: serve.Given(b.Phone),
		Email: serve.Given(b.Email), Tier: b.Tier.Value, Limit: serve.Given(b.Limit), Reasons: b.Reasons,
	}
	if b.BillingAddress.Set {
		cmd.BillingAddress = &lending.MapPatch[string]{Null: b.BillingAddress.Null, Members: b.BillingAddress.Value.members()}
	}
	return s.changeCompany(c, p.CompanyID, cmd)
}

func (s API) linkCompany(c *rest.Call, p *serve.CompanyKey, b *linkBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{Link: []string{b.MerchantID}})
}

func (s API) unlinkCompany(c *rest.Call, p *serve.CompanyKey, b *linkBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{Unlink: []string{b.MerchantID}})
}

func (s API) setLine(c *rest.Call, p *serve.CompanyKey, b *lineBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{Limit: &b.Limit, Reasons: b.Reasons})
}

func (s API) holdCompany(c *rest.Call, p *serve.CompanyKey, b *serve.ReasonBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{
		Status: credit.CompanyOnHold, From: []credit.CompanyStatus{credit.CompanyApproved},
		StatusCode: b.Code, StatusMessage: serve.Deref(b.Message),
	})
}

func (s API) releaseCompany(c *rest.Call, p *serve.CompanyKey, _ *serve.BecauseBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{
		Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanyOnHold, credit.CompanySuspended},
	})
}

type closeBody struct {
	Code    string  `json:"code" pattern:"^[a-z][a-z0-9_]{0,63}$" default:"closed_by_operator" doc:"Reason code." example:"requested_by_company"`
	Message *string `json:"message" doc:"Reason in words." example:"The company has asked for it."`
	serve.BecauseBody
	reasonsBody
}

func (s API) closeCompany(c *rest.Call, p *serve.CompanyKey, b *closeBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{
		Status: credit.CompanyClosed, StatusCode: b.Code, StatusMessage: serve.Deref(b.Message), Reasons: b.Reasons,
	})
}
