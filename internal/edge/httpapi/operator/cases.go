package operator

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type caseEndBody struct {
	Outcome string `json:"outcome" required:"true" enum:"UPHELD,REJECTED,ANSWERED" doc:"UPHELD or REJECTED for a dispute, ANSWERED for a question." example:"UPHELD"`
	Text    string `json:"text" required:"true" minLength:"1" maxLength:"4000" doc:"Explanation for the person who opened the case." example:"The merchant has refunded two shelves."`
}

type caseDocumentID struct {
	serve.CaseID
	Document string `path:"document" prefix:"doc_" doc:"The document's identifier." example:"doc_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// Cases returns the lender's operations on cases.
func (s API) Cases() []rest.Operation {
	const path = "/v1/operator/cases"
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeCompanies}.With([]rest.Operation{
		{
			ID: "listReviewedCases", Method: "GET", Path: path, Summary: "List all cases", Doc: "Newest first, without texts.",
			Response: resource.List[resource.ReviewedCase]{}, Endpoint: rest.Handle(s.listReviewedCases),
		},
		{
			ID: "getReviewedCase", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a case with its texts",
			Doc:      "Texts are null once erased, 25 months after it ended. Access is recorded.",
			Response: resource.ReadReviewedCase{}, ETag: true, Endpoint: rest.Handle(s.getReviewedCase),
		},
		{
			ID: "getCaseDocument", Method: "GET", Path: path + "/{id}/documents/{document}", Summary: "Retrieve a document of a case",
			Doc:      "The file, as a download. Access is recorded.",
			Produces: []string{rest.MediaOctets}, ETag: true, Endpoint: rest.Handle(s.getCaseDocument),
		},
		{
			ID: "answerCase", Method: "POST", Path: path + "/{id}/notes", Summary: "Add a note to a case",
			Doc:      "The person who opened the case can read the note. The case then waits for them; a person of a company is notified by e-mail.",
			Response: resource.ReviewedCase{}, ETag: true, Problems: []string{"limit_exceeded", "invalid_transition"}, Endpoint: rest.Handle(s.answerCase),
		},
		{
			ID: "resolveCase", Method: "POST", Path: path + "/{id}/resolve", Summary: "Resolve a case",
			Doc:      "Moves no money: use the respective operations before or after. A resolved case cannot be changed.",
			Response: resource.ReviewedCase{}, ETag: true, Problems: []string{rest.CodePrecondition, "invalid_transition"}, Endpoint: rest.Handle(s.resolveCase),
		},
	})
}

func (s API) listReviewedCases(c *rest.Call, f *buyers.CaseFilter, _ *rest.None) (rest.Answer, error) {
	return buyers.CasesOf(s.Service, c, f, resource.NewReviewedCase)
}

func (s API) getReviewedCase(c *rest.Call, p *serve.CaseID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := buyers.FindCase(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		words, err := buyers.API{Service: s.Service}.CaseWords(v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Tagged(&resource.ReadReviewedCase{ReviewedCase: resource.NewReviewedCase(x), CaseWords: words})
	})
}

func (s API) getCaseDocument(c *rest.Call, p *caseDocumentID, _ *rest.None) (rest.Answer, error) {
	return s.documentOf(c, p.ID, p.Document)
}

func reviewedCaseAnswer(ch credit.Changes) serve.Success {
	x := ch.Result.(*credit.Case)
	w := resource.NewReviewedCase(x)
	return serve.Success{Body: &w, Etag: serve.VersionTag(x.Version)}
}

func (s API) answerCase(c *rest.Call, p *serve.CaseID, b *buyers.CaseNoteBody) (rest.Answer, error) {
	cmd, err := buyers.API{Service: s.Service}.CaseNote(p.ID, b.Text)
	if err != nil {
		return rest.Answer{}, err
	}
	s.Hidden(c)
	return s.Do(c, cmd, reviewedCaseAnswer)
}

func (s API) resolveCase(c *rest.Call, p *serve.CaseID, b *caseEndBody) (rest.Answer, error) {
	kept, err := s.Desk.CaseText(b.Text)
	if err != nil {
		return rest.Answer{}, buyers.Wordless(err)
	}
	s.Hidden(c)
	return s.Do(c, cases.ResolveCase{
		Case: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Outcome: credit.CaseOutcome(b.Outcome), Text: kept.ID, Secrets: []credit.Secret{kept},
	}, reviewedCaseAnswer)
}
