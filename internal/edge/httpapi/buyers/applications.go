package buyers

import (
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

type placeBody struct {
	Street     string `json:"street" required:"true" minLength:"1" doc:"Street and number." example:"12 Canal St"`
	City       string `json:"city" required:"true" minLength:"1" doc:"City." example:"New York"`
	State      string `json:"state" required:"true" pattern:"^[A-Z]{2}$" doc:"State, as two letters." example:"NY"`
	PostalCode string `json:"postal_code" required:"true" pattern:"^[0-9]{5}(-[0-9]{4})?$" doc:"Postal code." example:"10013"`
	Country    string `json:"country" enum:"US" default:"US" doc:"Country." example:"US"`
}

type businessBody struct {
	LegalName        string        `json:"legal_name" required:"true" minLength:"1" doc:"Legal name." example:"Alder Kitchens LLC"`
	TradingName      string        `json:"trading_name" nullable:"true" doc:"Trade name (DBA)." example:"Alder Kitchens"`
	EntityType       string        `json:"entity_type" required:"true" enum:"SOLE_PROPRIETOR,PARTNERSHIP,LLC,CORPORATION,NONPROFIT" doc:"Legal form." example:"LLC"`
	EIN              string        `json:"ein" required:"true" pattern:"^[0-9]{2}[- ]?[0-9]{7}$" doc:"Employer identification number, nine digits." example:"00-0000001"`
	FormedOn         calendar.Date `json:"formed_on" required:"true" doc:"When it was formed." example:"2019-05-01"`
	StateOfFormation string        `json:"state_of_formation" required:"true" pattern:"^[A-Z]{2}$" doc:"Where it was formed, as two letters." example:"NY"`
	Address          placeBody     `json:"address" required:"true" doc:"Its address."`
	Phone            string        `json:"phone" required:"true" minLength:"7" maxLength:"40" doc:"Phone number." example:"+1 212 555 0101"`
	Website          string        `json:"website" nullable:"true" doc:"Its website." example:"https://alder.example"`
	Industry         string        `json:"industry" nullable:"true" doc:"Its industry." example:"Restaurants"`
	AnnualRevenue    money.Amount  `json:"annual_revenue" required:"true" doc:"Annual revenue." example:"300000.00"`
}

type applicantBody struct {
	FirstName string `json:"first_name" required:"true" minLength:"1" doc:"First name." example:"Ada"`
	LastName  string `json:"last_name" required:"true" minLength:"1" doc:"Last name." example:"Marsh"`
	Email     string `json:"email" required:"true" format:"email" doc:"Work e-mail. Notices go there, and whoever verifies it can act for the company." example:"ada@alder.example"`
	Title     string `json:"title" required:"true" minLength:"1" doc:"Title at the business." example:"Owner"`
	Phone     string `json:"phone" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
}

type ownerBody struct {
	FirstName string        `json:"first_name" required:"true" minLength:"1" doc:"First name." example:"Ada"`
	LastName  string        `json:"last_name" required:"true" minLength:"1" doc:"Last name." example:"Marsh"`
	Title     string        `json:"title" nullable:"true" doc:"Title at the business." example:"Owner"`
	Email     string        `json:"email" nullable:"true" format:"email" doc:"E-mail address." example:"ada@alder.example"`
	Phone     string        `json:"phone" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	BirthDate calendar.Date `json:"birth_date" required:"true" doc:"Date of birth." example:"1980-03-14"`
	Address   placeBody     `json:"address" required:"true" doc:"Home address."`
	Percent   int           `json:"ownership_percent" required:"true" minimum:"0" maximum:"100" doc:"Share of the business, in percent." example:"100"`
	Control   bool          `json:"control_person" required:"true" doc:"Whether this person runs the business. Exactly one does." example:"true"`
}

type bankFiguresBody struct {
	AverageBalance money.Amount `json:"average_balance" required:"true" doc:"Average balance of the last 90 days." example:"8000.00"`
	ReturnedItems  int          `json:"returned_items_90d" required:"true" minimum:"0" maximum:"10000" doc:"Returned payments in the last 90 days." example:"0"`
	Source         string       `json:"source" nullable:"true" doc:"Source of the figures." example:"statement"`
}

type consentsBody struct {
	CreditCheck       bool      `json:"credit_check" required:"true" doc:"Consent to the credit check; must be true." example:"true"`
	ElectronicRecords bool      `json:"electronic_records" required:"true" doc:"Consent to electronic documents; without it, notices are mailed on paper." example:"true"`
	AcceptedAt        time.Time `json:"accepted_at" required:"true" doc:"When consent was given; not in the future." example:"2026-01-10T14:58:00Z"`
	IP                string    `json:"ip" nullable:"true" maxLength:"45" doc:"IP address it was given from." example:"203.0.113.7"`
	UserAgent         string    `json:"user_agent" nullable:"true" maxLength:"500" doc:"User agent it was given with." example:"Mozilla/5.0"`
}

type applicationBody struct {
	Kind      string            `json:"kind" enum:"NEW,LINE_INCREASE" default:"NEW" doc:"Type of request. A LINE_INCREASE is requested by an owner on the company's account pages and rejected here." example:"NEW"`
	Applicant applicantBody     `json:"applicant" required:"true" doc:"Who applies."`
	Business  businessBody      `json:"business" required:"true" doc:"The business."`
	Owners    []ownerBody       `json:"owners" required:"true" minItems:"1" maxItems:"5" doc:"Everyone who owns 25 percent or more, and the person who controls the business."`
	Requested money.Amount      `json:"requested_limit" default:"10000.00" minimum:"500.00" doc:"Requested credit line." example:"10000.00"`
	Bank      *bankFiguresBody  `json:"bank" doc:"Bank account figures, if the caller has them."`
	Consents  consentsBody      `json:"consents" required:"true" doc:"Consents of the applicant."`
	Reference *string           `json:"merchant_reference" minLength:"1" maxLength:"100" doc:"The merchant's reference." example:"lead-4711"`
	Metadata  map[string]string `json:"metadata" nullable:"true" maxLength:"500" maxProperties:"50" maxKeyLength:"40" doc:"Merchant metadata." example:"{\"branch\":\"7\"}"`
}

// Check requires one person who runs the business, and shares that sum to at most the
// whole.
func (b *applicationBody) Check(report func(name, code, detail string)) {
	control, percent := 0, 0
	for _, o := range b.Owners {
		if percent += o.Percent; o.Control {
			control++
		}
	}
	if control != 1 {
		report("/owners", "exactly_one", "Exactly one of the owners is the control_person.")
	}
	if percent > 100 {
		report("/owners", "above_maximum", "The ownership shares add up to more than 100 percent.")
	}
	if !b.Consents.CreditCheck {
		report("/consents/credit_check", "required", "Consent to the credit check is required.")
	}
}

// ApplicationFilter is the parameters of a list of applications.
type ApplicationFilter struct {
	rest.Page
	Status string         `query:"status" enum:"SUBMITTED,IN_REVIEW,INFORMATION_REQUESTED,APPROVED,DECLINED,WITHDRAWN,EXPIRED,ESTIMATED" doc:"Applications with this status."`
	Kind   string         `query:"kind" enum:"NEW,LINE_INCREASE,PREQUALIFICATION" doc:"Applications of this kind. Default: all but prequalifications."`
	From   *calendar.Date `query:"from" doc:"Submitted on or after this business date." example:"2026-01-01"`
	To     *calendar.Date `query:"to" doc:"Submitted on or before this business date." example:"2026-01-31"`
	Email  *string        `query:"email" format:"email" doc:"By this applicant." example:"ada@alder.example"`
}

// Check refuses a reversed range.
func (f *ApplicationFilter) Check(report func(name, code, detail string)) {
	serve.CheckRange(f.From, f.To, report)
}

// Applications returns the operations on applications through a merchant.
func (s API) Applications() []rest.Operation {
	const path = "/v1/applications"
	return rest.Group{Tag: "Applications", Reads: "applications:read", Writes: "applications:write", Response: resource.Application{}, ETag: true}.With([]rest.Operation{
		{
			ID: "createApplication", Method: "POST", Path: path, Summary: "Submit an application for a credit line",
			Doc: "Returns SUBMITTED. The decision takes seconds, or goes to review. Events: `application.updated` during review, `application.decided` at the end. " +
				"A merchant sees status and limit; only the applicant and the lender see the reasons. On approval the company is created and linked to the merchant.",
			TenantOnly: true, Success: 201, Problems: []string{"owner_required"}, Endpoint: rest.Handle(s.createApplication),
		},
		{
			ID: "getApplication", Method: "GET", Path: path + "/{id}", Summary: "Retrieve an application", Endpoint: rest.Handle(s.GetApplication),
		},
		{
			ID: "listApplications", Method: "GET", Path: path, Summary: "List applications", Doc: "Newest first.",
			Response: resource.List[resource.Application]{}, Endpoint: rest.Handle(s.listApplications),
		},
		{
			ID: "withdrawApplication", Method: "POST", Path: path + "/{id}/withdraw", Summary: "Withdraw an application",
			Doc:      "At the applicant's request, before a decision. Cancels its checkout.",
			Problems: []string{"application_decided"}, Endpoint: serve.Decides(s.Service, applicationAnswer, withdrawApplication),
		},
		{
			ID: "addApplicationDocument", Method: "POST", Path: path + "/{id}/documents", Summary: "Add a document to an application",
			Doc: "The body is the file: PDF, PNG or JPEG, up to 10 MiB, at most ten per application. The type is detected from the content. " +
				"Images are re-encoded, which strips everything but the image. If documents were requested, the application goes back to review.",
			Success: 201, Response: resource.Document{}, Consumes: serve.Uploads(), MaxBody: serve.MaxUpload,
			Problems: []string{"application_decided", "limit_exceeded"}, Endpoint: rest.Handle(s.addApplicationDocument),
		},
		s.prequalifications(),
	})
}

func (b *placeBody) stored() credit.CompanyAddress {
	return credit.CompanyAddress{Street: b.Street, City: b.City, State: b.State, PostalCode: b.PostalCode, Country: b.Country}
}

// form converts an application for the desk.
func (b *applicationBody) form() buyer.Form {
	x := b.Business
	f := buyer.Form{
		Kind: underwriting.Kind(b.Kind), Applicant: buyer.Applicant(b.Applicant), Requested: b.Requested, Reference: serve.Deref(b.Reference), Metadata: b.Metadata,
		Business: buyer.Business{
			LegalName: x.LegalName, TradingName: x.TradingName, EntityType: underwriting.EntityType(x.EntityType), EIN: x.EIN, FormedOn: x.FormedOn,
			StateOfFormation: x.StateOfFormation, Address: x.Address.stored(), Phone: x.Phone, Website: x.Website, Industry: x.Industry, AnnualRevenue: x.AnnualRevenue,
		},
		Consents: buyer.Consents(b.Consents),
	}
	f.Applicant.Email = strings.TrimSpace(f.Applicant.Email)
	for _, o := range b.Owners {
		f.Owners = append(f.Owners, buyer.Owner{
			FirstName: o.FirstName, LastName: o.LastName, Title: o.Title, Email: o.Email, Phone: o.Phone, BirthDate: o.BirthDate,
			Address: o.Address.stored(), Percent: o.Percent, Control: o.Control,
		})
	}
	if k := b.Bank; k != nil {
		f.Bank = &underwriting.Bank{AverageBalance: k.AverageBalance, ReturnedItems: k.ReturnedItems}
	}
	return f
}

// plausible refuses impossible dates.
func (s API) plausible(b *applicationBody) *rest.Problem {
	today := s.Today()
	var wrong []rest.FieldError
	late := func(pointer, detail string) {
		wrong = append(wrong, rest.FieldError{Pointer: pointer, Code: "not_allowed", Detail: detail})
	}
	if b.Business.FormedOn > today {
		late("/business/formed_on", "The formation date is in the future.")
	}
	if b.Consents.AcceptedAt.After(s.Now().Add(time.Minute)) {
		late("/consents/accepted_at", "The consent date is in the future.")
	}
	for i, o := range b.Owners {
		if o.BirthDate.AddMonths(18*12) > today {
			late("/owners/"+strconv.Itoa(i)+"/birth_date", "An owner is of age.")
		}
	}
	if wrong == nil {
		return nil
	}
	return &rest.Problem{Code: rest.CodeValidation, Errors: wrong}
}

func (s API) createApplication(c *rest.Call, _ *rest.None, b *applicationBody) (rest.Answer, error) {
	if b.Kind == string(underwriting.LineIncrease) {
		return rest.Answer{}, rest.NewProblem("owner_required", "A higher line must be requested by an owner on the company's account pages.")
	}
	if p := s.plausible(b); p != nil {
		return rest.Answer{}, p
	}
	s.Hidden(c)
	cmd, err := s.Desk.Application(b.form(), buyer.Through{})
	if err != nil {
		return rest.Answer{}, err
	}
	made := ""
	a, err := s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		made = ch.Result.(*credit.Application).ID
		return applicationAnswer(ch)
	})
	if err == nil && made != "" && !a.Replayed {
		s.Desk.Soon(made)
	}
	return a, err
}

// applicationAnswer answers with an application as its merchant sees it.
func applicationAnswer(ch credit.Changes) serve.Success {
	x := ch.Result.(*credit.Application)
	w := resource.NewApplication(x)
	ok := serve.Success{Body: &w, Etag: serve.VersionTag(x.Version)}
	if ch.Created {
		ok.Location = "/v1/applications/" + x.ID
	}
	return ok
}

// GetApplication answers with an application.
func (s API) GetApplication(c *rest.Call, p *serve.ApplicationID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := serve.FindApplication(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(resource.NewApplication(x), serve.VersionTag(x.Version))
	})
}

// ApplicationsOf lists the applications that the caller may see.
func ApplicationsOf[W any](s *serve.Service, c *rest.Call, f *ApplicationFilter, show func(*credit.Application) W) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		q := s.RecordFilter(c, f.Status, f.From, f.To)
		hash := s.Desk.EmailHash
		switch q.Kind = f.Kind; f.Kind {
		case "":
			q.NotKind = string(underwriting.Estimate)
		case string(underwriting.Estimate):
			hash = s.Desk.EstimateHash
		}
		if f.Email != nil {
			q.Of = hash(*f.Email)
		}
		found, err := store.ListRecords(v, credit.NounApplication, q, serve.PageOf(f.Page))
		at := func(r credit.Record) rest.Position {
			return rest.Position{CreatedAt: r.Head().CreatedAt, ID: r.Head().ID}
		}
		return serve.Listed(c, f.Page, found, at, func(r credit.Record) W { return show(r.(*credit.Application)) }), err
	})
}

func (s API) listApplications(c *rest.Call, f *ApplicationFilter, _ *rest.None) (rest.Answer, error) {
	return ApplicationsOf(s.Service, c, f, resource.NewApplication)
}

func withdrawApplication(_ *rest.Call, p *serve.ApplicationID, _ *rest.None) credit.Command {
	return onboarding.WithdrawApplication{Application: p.ID}
}
