package operator

import (
	"errors"
	"net/http"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/picture"
)

type approvalBody struct {
	Limit   money.Amount `json:"limit" required:"true" minimum:"500.00" doc:"Credit line. Less than requested is a counteroffer, which requires reasons." example:"8000.00"`
	Tier    string       `json:"tier" required:"true" enum:"A,B,C" doc:"The company's tier." example:"A"`
	Reasons []string     `json:"reasons" maxItems:"4" minLength:"1" maxLength:"64" doc:"For a counteroffer: up to four reason codes for the notice." example:"[\"annual_revenue\"]"`
	serve.BecauseBody
}

type declineBody struct {
	Reasons []string `json:"reasons" required:"true" minItems:"1" maxItems:"4" minLength:"1" maxLength:"64" doc:"Up to four reason codes for the notice to the applicant." example:"[\"credit_score\"]"`
	Note    *string  `json:"note" minLength:"1" doc:"Reason, for the record." example:"two open liens"`
}

type informationBody struct {
	What  string         `json:"what" required:"true" minLength:"1" maxLength:"500" doc:"What the applicant should send; quoted in the e-mail." example:"Articles of organization"`
	DueOn *calendar.Date `json:"due_on" doc:"Deadline, after today. Default: in two weeks." example:"2026-01-29"`
}

type applicationSentBody struct {
	noticeSentBody
	Owner bool `json:"owner" default:"false" doc:"The notice to an owner whose credit report was used but who did not apply." example:"false"`
}

type reviewerBody struct {
	To *string `json:"to" minLength:"1" maxLength:"100" doc:"Reviewer. Default: nobody." example:"dana"`
}

type documentID struct {
	serve.ApplicationID
	Document string `path:"document" prefix:"doc_" doc:"The document's identifier." example:"doc_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// Applications returns the lender's operations on applications.
func (s API) Applications() []rest.Operation {
	const path = "/v1/operator/applications"
	act := func(verb, id, summary, doc string, codes []string, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: "POST", Path: path + "/{id}/" + verb, Summary: summary, Doc: doc,
			Response: resource.ReviewedApplication{}, ETag: true, Problems: codes, Endpoint: e,
		}
	}
	decided := []string{"application_decided"}
	deciding := []string{rest.CodePrecondition, "application_decided", "reasons_required"}
	assign := act("assign", "assignApplication", "Assign an application", "", decided, serve.Decides(s.Service, reviewAnswer, assignApplication))
	assign.BodyOptional = true
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeCompanies}.With([]rest.Operation{
		{
			ID: "listReviewedApplications", Method: "GET", Path: path, Summary: "List all applications", Doc: "Newest first, without owners and applicant.",
			Response: resource.List[resource.ReviewedApplication]{}, Endpoint: rest.Handle(s.listReviewedApplications),
		},
		{
			ID: "getReviewedApplication", Method: "GET", Path: path + "/{id}", Summary: "Retrieve an application with applicant and owners",
			Doc:      "Applicant and owners as submitted; null once erased. Access is recorded.",
			Response: resource.PersonalApplication{}, ETag: true, Endpoint: rest.Handle(s.getReviewedApplication),
		},
		{
			ID: "getApplicationDocument", Method: "GET", Path: path + "/{id}/documents/{document}", Summary: "Retrieve a document of an application",
			Doc:      "The file, as a download. Access is recorded.",
			Produces: []string{rest.MediaOctets}, ETag: true, Endpoint: rest.Handle(s.getApplicationDocument),
		},
		{
			ID: "getApplicationNotice", Method: "GET", Path: path + "/{id}/notice", Summary: "Retrieve the notice due for an application",
			Doc: "As the applicant gets it by e-mail, or on paper without consent to electronic records or if e-mail failed. 404 if no notice is due, or once the applicant is erased. " +
				"With `owner=true`, the notice to an owner whose credit report was used but who did not apply, sent on paper to the home address. Access is recorded.",
			Response: resource.NoticeLetter{}, ETag: true, Produces: serve.Papers(), Problems: []string{CodeLender}, Endpoint: rest.Handle(s.getApplicationNotice),
		},
		act("approve", "approveApplication", "Approve an application", "Creates the company, linked to the merchant it applied through, with the applicant as first owner.", deciding, serve.Decides(s.Service, reviewAnswer, approveApplication)),
		act("decline", "declineApplication", "Decline an application", "The adverse action notice is due thirty days after the application was received, and is e-mailed if the applicant consented.", deciding, serve.Decides(s.Service, reviewAnswer, declineApplication)),
		act("request", "requestInformation", "Ask an applicant for documents", "Serves as the notice of incompleteness. Without an answer by the deadline, the application expires.", append([]string{"invalid_transition"}, decided...), serve.Decides(s.Service, reviewAnswer, requestInformation)),
		assign,
		act("notice", "sendApplicationNotice", "Record that an application's notice was sent", "For a notice sent other than by e-mail, such as on paper; with `owner`, the notice to the owner whose credit report was used. 404 if no notice is due.", nil, serve.Decides(s.Service, reviewAnswer, sendApplicationNotice)),
	})
}

func (s API) listReviewedApplications(c *rest.Call, f *buyers.ApplicationFilter, _ *rest.None) (rest.Answer, error) {
	return buyers.ApplicationsOf(s.Service, c, f, resource.NewReviewedApplication)
}

func (s API) getReviewedApplication(c *rest.Call, p *serve.ApplicationID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := serve.FindApplication(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		w := resource.PersonalApplication{ReviewedApplication: resource.NewReviewedApplication(x)}
		if x.Kind == underwriting.Estimate {
			return s.reviewedEstimate(v, x, w)
		}
		var f buyer.Form
		switch err := s.Desk.Read(v, x.Form, &f); {
		case errors.Is(err, buyer.ErrErased):
		case err != nil:
			return rest.Answer{}, err
		default:
			w.Applicant, w.Owners = applicantOf(f), ownersOf(f)
		}
		return serve.Tagged(&w)
	})
}

// reviewedEstimate is a prequalification as the lender sees it.
func (s API) reviewedEstimate(v store.View, x *credit.Application, w resource.PersonalApplication) (rest.Answer, error) {
	var e buyer.Estimate
	switch err := s.Desk.Read(v, x.Form, &e); {
	case errors.Is(err, buyer.ErrErased):
	case err != nil:
		return rest.Answer{}, err
	default:
		answer, err := x.Answer(e.Figures)
		if err != nil {
			return rest.Answer{}, err
		}
		w.Applicant = applicantOf(buyer.Form{Applicant: e.Applicant})
		w.Estimate = resource.NewAskedEstimate(e.Given, e.Business.Address, answer)
	}
	return serve.Tagged(&w)
}

func applicantOf(f buyer.Form) *resource.Applicant {
	a := f.Applicant
	return &resource.Applicant{FirstName: a.FirstName, LastName: a.LastName, Email: a.Email, Title: a.Title, Phone: resource.Text(a.Phone)}
}

func ownersOf(f buyer.Form) []resource.Owner {
	out := []resource.Owner{}
	for _, o := range f.Owners {
		out = append(out, resource.Owner{
			FirstName: o.FirstName, LastName: o.LastName, Title: resource.Text(o.Title), Email: resource.Text(o.Email), Phone: resource.Text(o.Phone),
			BirthDate: o.BirthDate, Address: resource.CompanyAddress(o.Address), Percent: o.Percent, Control: o.Control,
		})
	}
	return out
}

func (s API) getApplicationDocument(c *rest.Call, p *documentID, _ *rest.None) (rest.Answer, error) {
	return s.documentOf(c, p.ID, p.Document)
}

// documentOf answers with a file added to a record.
func (s API) documentOf(c *rest.Call, of, id string) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) { return s.documentIn(v, of, id) })
}

// documentIn is documentOf in a snapshot.
func (s API) documentIn(v store.View, of, id string) (rest.Answer, error) {
	x, data, err := s.Desk.Document(v, id)
	switch {
	case errors.Is(err, buyer.ErrErased), err == nil && (x == nil || x.Of != of):
		return rest.Answer{}, rest.NotFound()
	case err != nil:
		return rest.Answer{}, err
	}
	return rest.Answer{
		Raw: data, ContentType: rest.MediaOctets, ETag: `"` + x.Hash[:32] + `"`,
		Header: http.Header{"Content-Disposition": {`attachment; filename="` + x.ID + extension(x.ContentType) + `"`}},
	}, nil
}

// extension is the file name extension of a media type.
func extension(contentType string) string {
	return map[string]string{serve.MediaPDF: ".pdf", "text/html; charset=utf-8": ".html", picture.PNG: ".png", picture.JPEG: ".jpg"}[contentType]
}

func reviewAnswer(ch credit.Changes) serve.Success {
	x := ch.Result.(*credit.Application)
	w := resource.NewReviewedApplication(x)
	return serve.Success{Body: &w, Etag: serve.VersionTag(x.Version)}
}

func approveApplication(c *rest.Call, p *serve.ApplicationID, b *approvalBody) credit.Command {
	return onboarding.DecideApplication{
		Application: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Approve: true, Limit: b.Limit, Tier: b.Tier, Reasons: b.Reasons, Note: b.Reason,
	}
}

func declineApplication(c *rest.Call, p *serve.ApplicationID, b *declineBody) credit.Command {
	return onboarding.DecideApplication{Application: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Reasons: b.Reasons, Note: serve.Deref(b.Note)}
}

func requestInformation(_ *rest.Call, p *serve.ApplicationID, b *informationBody) credit.Command {
	return onboarding.RequestInformation{Application: p.ID, What: b.What, Due: serve.DateOr(b.DueOn)}
}

func assignApplication(_ *rest.Call, p *serve.ApplicationID, b *reviewerBody) credit.Command {
	return onboarding.AssignApplication{Application: p.ID, To: serve.Deref(b.To)}
}

func sendApplicationNotice(_ *rest.Call, p *serve.ApplicationID, b *applicationSentBody) credit.Command {
	return onboarding.SendApplicationNotice{Application: p.ID, Owner: b.Owner, Channel: b.Channel, Evidence: b.Evidence}
}

// CodeLender is the code for a paper that needs what the lender has not set.
const CodeLender = "lender_incomplete"
