package httpapi

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type caseEndBody struct {
	Outcome string `json:"outcome" required:"true" enum:"UPHELD,REJECTED,ANSWERED" doc:"UPHELD or REJECTED of a dispute, ANSWERED of a question." example:"UPHELD"`
	Text    string `json:"text" required:"true" minLength:"1" maxLength:"4000" doc:"Why, as who has opened it reads it." example:"The merchant has refunded two shelves."`
}

type caseDocumentID struct {
	caseID
	Document string `path:"document" prefix:"doc_" doc:"The document's identifier." example:"doc_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// operatorCases are what the lender sees of cases and says to them.
func (s *Service) operatorCases() []rest.Operation {
	const path = "/v1/operator/cases"
	read, act := []string{credit.ScopeRead}, []string{credit.ScopeCompanies}
	return []rest.Operation{
		{
			ID: "listReviewedCases", Method: "GET", Path: path, Tag: "Operator", Summary: "List all cases", Doc: "Newest first, without what was said in them.",
			Scopes: read, Response: resource.List[resource.ReviewedCase]{}, Endpoint: rest.Handle(s.listReviewedCases),
		},
		{
			ID: "getReviewedCase", Method: "GET", Path: path + "/{id}", Tag: "Operator", Summary: "Retrieve a case with what was said in it",
			Doc:    "Texts are null once they are erased, 25 months after its end. That they were read is recorded.",
			Scopes: read, Response: resource.ReadReviewedCase{}, ETag: true, Endpoint: rest.Handle(s.getReviewedCase),
		},
		{
			ID: "getCaseDocument", Method: "GET", Path: path + "/{id}/documents/{document}", Tag: "Operator", Summary: "Retrieve a document of a case",
			Doc:    "The file, to be saved and not shown. That it was read is recorded.",
			Scopes: read, Produces: []string{rest.MediaOctets}, ETag: true, Endpoint: rest.Handle(s.getCaseDocument),
		},
		{
			ID: "answerCase", Method: "POST", Path: path + "/{id}/notes", Tag: "Operator", Summary: "Add a note to a case",
			Doc:    "Who has opened it reads the note. The case waits for them from then on; a person of a company is told by mail that there is something to read.",
			Scopes: act, Response: resource.ReviewedCase{}, ETag: true, Problems: problems([]string{"limit_exceeded", "invalid_transition"}), Endpoint: rest.Handle(s.answerCase),
		},
		{
			ID: "resolveCase", Method: "POST", Path: path + "/{id}/resolve", Tag: "Operator", Summary: "Resolve a case",
			Doc:    "It moves no money: what it leads to is done by the operations that are there for it, before or after. Nothing of a resolved case changes.",
			Scopes: act, Response: resource.ReviewedCase{}, ETag: true, Problems: problems([]string{rest.CodePrecondition, "invalid_transition"}), Endpoint: rest.Handle(s.resolveCase),
		},
	}
}

func (s *Service) listReviewedCases(c *rest.Call, f *caseFilter, _ *rest.None) (rest.Answer, error) {
	return casesOf(s, c, f, resource.NewReviewedCase)
}

func (s *Service) getReviewedCase(c *rest.Call, p *caseID, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		x, err := findCase(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		words, err := s.caseWords(v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		return tagged(&resource.ReadReviewedCase{ReviewedCase: resource.NewReviewedCase(x), CaseWords: words})
	})
}

func (s *Service) getCaseDocument(c *rest.Call, p *caseDocumentID, _ *rest.None) (rest.Answer, error) {
	return s.documentOf(c, p.ID, p.Document)
}

func reviewedCaseAnswer(ch credit.Changes) success {
	x := ch.Result.(*credit.Case)
	w := resource.NewReviewedCase(x)
	return success{body: &w, etag: versionTag(x.Version)}
}

func (s *Service) answerCase(c *rest.Call, p *caseID, b *caseNoteBody) (rest.Answer, error) {
	cmd, err := s.caseNote(p.ID, b.Text)
	if err != nil {
		return rest.Answer{}, err
	}
	s.hidden(c)
	return s.do(c, cmd, reviewedCaseAnswer)
}

func (s *Service) resolveCase(c *rest.Call, p *caseID, b *caseEndBody) (rest.Answer, error) {
	kept, err := s.Desk.CaseText(b.Text)
	if err != nil {
		return rest.Answer{}, wordless(err)
	}
	s.hidden(c)
	return s.do(c, cases.ResolveCase{
		Case: p.ID, IfMatch: ifMatch(c.IfMatch), Outcome: credit.CaseOutcome(b.Outcome), Text: kept.ID, Secrets: []credit.Secret{kept},
	}, reviewedCaseAnswer)
}
