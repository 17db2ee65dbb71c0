package httpapi

import (
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
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
	StatusReason   *reasonBody         `json:"status_reason" doc:"Reason for the status."`
	becauseBody
	Merchants []string `json:"merchants" prefix:"mch_" maxItems:"100" doc:"Merchants it can buy from." example:"[\"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0\"]"`
}

type reasonBody struct {
	Code    string  `json:"code" required:"true" pattern:"^[a-z][a-z0-9_]{0,63}$" doc:"For programs." example:"address_check"`
	Message *string `json:"message" doc:"For people." example:"The address is being checked."`
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
	put(m, "street", p.Street)
	put(m, "city", p.City)
	put(m, "state", p.State)
	put(m, "postal_code", p.PostalCode)
	put(m, "country", p.Country)
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

// Check asks why where the change is about money.
func (b *companyPatch) Check(report func(name, code, detail string)) {
	if b.Reason == nil && (b.Tier.Set || b.Limit.Set) {
		report("/reason", "required", "Changing the tier or limit requires a reason.")
	}
}

type linkBody struct {
	MerchantID string `json:"merchant_id" required:"true" prefix:"mch_" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	becauseBody
}

type lineBody struct {
	Limit money.Amount `json:"limit" required:"true" doc:"Limit for outstanding, reserved and held amounts together." example:"30000.00"`
	becauseBody
	reasonsBody
}

// reasonsBody is why something is taken from an account (F28).
type reasonsBody struct {
	Reasons []string `json:"reasons" maxItems:"4" minLength:"1" maxLength:"200" doc:"Reasons for lowering the line, downgrading the tier or closing the account, for the adverse action notice: up to four codes or texts. Default: the status code." example:"[\"credit_score\"]"`
}

// operatorCompanies is who buys, how much it may owe, and from whom it may buy.
func (s *Service) operatorCompanies() []rest.Operation {
	act := func(id, verb, summary, doc string, codes []string, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: "POST", Path: "/v1/operator/companies/{company_id}/" + verb, Tag: "Operator", Summary: summary, Doc: doc,
			Scopes: []string{access.ScopeCompanies}, Response: resource.Company{}, ETag: true, Problems: append([]string{rest.CodePrecondition}, codes...), Endpoint: e,
		}
	}
	status := []string{"company_not_eligible"}
	closing := act("closeCompany", "close", "Close a company", "Permanent. Existing balances are still serviced. The adverse action notice states the reasons, or the code if it is specific.", append([]string{"reasons_required"}, status...), rest.Handle(s.closeCompany))
	return []rest.Operation{
		{
			ID: "createCompany", Method: "POST", Path: "/v1/operator/companies", Tag: "Operator", Summary: "Create a company",
			Doc:    "The ID is assigned. Phone, e-mail and address default to empty strings. 404 if there is no such merchant.",
			Scopes: []string{access.ScopeCompanies}, Success: 201, Response: resource.Company{}, ETag: true,
			Problems: []string{"not_found"}, Endpoint: rest.Handle(s.createCompany),
		},
		{
			ID: "updateCompany", Method: "PATCH", Path: "/v1/operator/companies/{company_id}", Tag: "Operator", Summary: "Update a company's details, tier or line",
			Doc:    "A merge patch (RFC 7396).",
			Scopes: []string{access.ScopeCompanies}, Response: resource.Company{}, ETag: true,
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
	}
}

func (s *Service) createCompany(c *rest.Call, _ *rest.None, b *companyBody) (rest.Answer, error) {
	cmd := lending.CreateCompany{
		Title: b.Name, LegalName: b.LegalName, TaxIDLast4: deref(b.TaxIDLast4), Phone: deref(b.Phone), Email: deref(b.Email),
		BillingAddress: credit.CompanyAddress(deref(b.BillingAddress)), Tier: b.Tier, Limit: b.Limit,
		Status: credit.CompanyStatus(b.Status), Merchants: b.Merchants,
	}
	if b.StatusReason != nil {
		cmd.StatusCode, cmd.StatusMessage = b.StatusReason.Code, deref(b.StatusReason.Message)
	}
	return s.do(c, cmd, companyAnswer(resource.Lateness{}, c.Principal))
}

// companyAnswer answers with a company, as the operator or a merchant sees it. late is
// what the record does not say.
func companyAnswer(late resource.Lateness, p rest.Principal) func(credit.Changes) success {
	return func(ch credit.Changes) success {
		x := ch.Result.(*credit.Company)
		w := companyFor(p, x, late)
		tagged, err := tagged(&w)
		if err != nil {
			panic(err) // a resource that cannot be written is a bug; the engine isolates it
		}
		ok := success{body: &w, etag: tagged.ETag}
		if ch.Created {
			ok.location = "/v2/companies/" + strconv.FormatInt(x.ID, 10)
		}
		return ok
	}
}

// changeCompany submits a change of a company by the operator.
func (s *Service) changeCompany(c *rest.Call, id values.CompanyID, cmd lending.UpdateCompany) (rest.Answer, error) {
	return s.submitCompany(c, id, func(ifMatch []string) credit.Command {
		cmd.Company, cmd.IfMatch = int64(id), ifMatch
		return cmd
	})
}

// submitCompany reads what is late, since the writer cannot, and submits a command
// that answers with the company. An If-Match names the bytes that the caller has seen;
// it becomes the version that had them.
func (s *Service) submitCompany(c *rest.Call, id values.CompanyID, command func(ifMatch []string) credit.Command) (rest.Answer, error) {
	var late resource.Lateness
	match := ifMatch(c.IfMatch)
	_, err := s.read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Companies: []int64{int64(id)}}); err != nil {
			return rest.Answer{}, err
		}
		x := state.Companies[int64(id)]
		if x == nil {
			return rest.Answer{}, nil // for the command to say
		}
		var err error
		if late, err = s.lateness(v, x); err != nil {
			return rest.Answer{}, err
		}
		w := companyFor(c.Principal, x, late)
		seen, err := tagged(&w)
		if c.IfMatch.Given() && !c.IfMatch.Any && c.IfMatch.MatchStrong(seen.ETag) {
			match = []string{versionTag(x.Version)}
		}
		return rest.Answer{}, err
	})
	if err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, command(match), companyAnswer(late, c.Principal))
}

func (s *Service) updateCompany(c *rest.Call, p *companyKey, b *companyPatch) (rest.Answer, error) {
	cmd := lending.UpdateCompany{
		Title: given(b.Name), LegalName: given(b.LegalName), TaxIDLast4: given(b.TaxIDLast4), Phone: given(b.Phone),
		Email: given(b.Email), Tier: b.Tier.Value, Limit: given(b.Limit), Reasons: b.Reasons,
	}
	if b.BillingAddress.Set {
		cmd.BillingAddress = &lending.MapPatch[string]{Null: b.BillingAddress.Null, Members: b.BillingAddress.Value.members()}
	}
	return s.changeCompany(c, p.CompanyID, cmd)
}

// given is the new value of a member: its zero if it is null, nil if it is absent.
func given[T any](o rest.Opt[T]) *T {
	if !o.Set {
		return nil
	}
	return &o.Value
}

func (s *Service) linkCompany(c *rest.Call, p *companyKey, b *linkBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{Link: []string{b.MerchantID}})
}

func (s *Service) unlinkCompany(c *rest.Call, p *companyKey, b *linkBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{Unlink: []string{b.MerchantID}})
}

func (s *Service) setLine(c *rest.Call, p *companyKey, b *lineBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{Limit: &b.Limit, Reasons: b.Reasons})
}

func (s *Service) holdCompany(c *rest.Call, p *companyKey, b *reasonBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{
		Status: credit.CompanyOnHold, From: []credit.CompanyStatus{credit.CompanyApproved},
		StatusCode: b.Code, StatusMessage: deref(b.Message),
	})
}

func (s *Service) releaseCompany(c *rest.Call, p *companyKey, _ *becauseBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{
		Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanyOnHold, credit.CompanySuspended},
	})
}

type closeBody struct {
	Code    string  `json:"code" pattern:"^[a-z][a-z0-9_]{0,63}$" default:"closed_by_operator" doc:"Reason code." example:"requested_by_company"`
	Message *string `json:"message" doc:"Reason in words." example:"The company has asked for it."`
	becauseBody
	reasonsBody
}

func (s *Service) closeCompany(c *rest.Call, p *companyKey, b *closeBody) (rest.Answer, error) {
	return s.changeCompany(c, p.CompanyID, lending.UpdateCompany{
		Status: credit.CompanyClosed, StatusCode: b.Code, StatusMessage: deref(b.Message), Reasons: b.Reasons,
	})
}
