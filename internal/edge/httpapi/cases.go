package httpapi

import (
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/buyer"
)

type caseBody struct {
	Kind     string  `json:"kind" required:"true" enum:"DISPUTE,QUESTION" doc:"DISPUTE claims something is wrong; QUESTION asks." example:"QUESTION"`
	What     *string `json:"what" enum:"GOODS,AMOUNT,CHARGE,FEE,DEBIT,UNAUTHORIZED,OTHER" doc:"What is wrong." example:"AMOUNT"`
	OrderKey string  `json:"order_key" required:"true" prefix:"ord_" doc:"The merchant's order it is about." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Subject  string  `json:"subject" required:"true" minLength:"1" maxLength:"200" doc:"Subject line." example:"Which installments did the refund pay?"`
	Text     string  `json:"text" required:"true" minLength:"1" maxLength:"4000" doc:"Text." example:"We refunded two shelves on January 12."`
}

type caseNoteBody struct {
	Text string `json:"text" required:"true" minLength:"1" maxLength:"4000" doc:"Text." example:"Which ones are missing?"`
}

type caseID struct {
	ID string `path:"id" prefix:"case_" doc:"The case's identifier." example:"case_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

type caseFilter struct {
	rest.Page
	Status    string            `query:"status" enum:"OPEN,WAITING,RESOLVED" doc:"Cases with this status."`
	CompanyID *values.CompanyID `query:"company_id" doc:"Of this company."`
	From      *calendar.Date    `query:"from" doc:"Opened on or after this business date." example:"2026-01-01"`
	To        *calendar.Date    `query:"to" doc:"Opened on or before this business date." example:"2026-01-31"`
}

// Check asks that the range is not reversed.
func (f *caseFilter) Check(report func(name, code, detail string)) {
	checkRange(f.From, f.To, report)
}

// cases are what a merchant puts to the lender about its own orders. Buyers open theirs on
// their own pages, and no merchant sees those.
func (s *Service) cases() []rest.Operation {
	const path = "/v1/cases"
	ended := []string{"invalid_transition"}
	return rest.Group{Tag: "Cases", Reads: "orders:read", Writes: "orders:write"}.With([]rest.Operation{
		{
			ID: "createCase", Method: "POST", Path: path, Summary: "Open a dispute or question about an order",
			Doc: "The lender answers a dispute within 30 days, a question within five banking days. A case moves no money and stops no collection. " +
				"No event is emitted; poll the case. Per company, at most ten cases can be open, five of them questions, and at most twenty can be opened per day.",
			TenantOnly: true, Success: 201, Response: resource.Case{}, ETag: true, Problems: []string{rest.CodeNotFound, "limit_exceeded"}, Endpoint: rest.Handle(s.createCase),
		},
		{
			ID: "getCase", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a case with its texts",
			Doc:      "Only cases the merchant opened. Buyer disputes are between the buyer and the lender.",
			Response: resource.ReadCase{}, ETag: true, Endpoint: rest.Handle(s.getCase),
		},
		{
			ID: "listCases", Method: "GET", Path: path, Summary: "List the merchant's cases", Doc: "Newest first, without texts.",
			Response: resource.List[resource.Case]{}, Endpoint: rest.Handle(s.listCases),
		},
		{
			ID: "addCaseNote", Method: "POST", Path: path + "/{id}/notes", Summary: "Add a note to a case", Doc: "A case waiting for the merchant goes back to the lender.",
			TenantOnly: true, Response: resource.Case{}, ETag: true, Problems: append([]string{"limit_exceeded"}, ended...), Endpoint: rest.Handle(s.addCaseNote),
		},
		{
			ID: "addCaseDocument", Method: "POST", Path: path + "/{id}/documents", Summary: "Add a document to a case",
			Doc:        "The body is the file: PDF, PNG or JPEG, up to 10 MiB; at most ten per case and twenty per day per company. The type is detected from the content.",
			TenantOnly: true, Success: 201, Response: resource.Document{}, Consumes: uploads(), MaxBody: maxUpload,
			Problems: append([]string{"limit_exceeded"}, ended...), Endpoint: rest.Handle(s.addCaseDocument),
		},
		{
			ID: "withdrawCase", Method: "POST", Path: path + "/{id}/withdraw", Summary: "Withdraw a case", Doc: "Only before it is resolved.",
			TenantOnly: true, Response: resource.Case{}, ETag: true, Problems: ended, Endpoint: decides(s, caseAnswer, withdrawCase),
		},
	})
}

// wordless is a text of spaces alone, which the schema does not see.
func wordless(err error) error {
	if errors.Is(err, buyer.ErrWords) {
		return &rest.Problem{Code: rest.CodeValidation, Errors: []rest.FieldError{{Pointer: "/text", Code: "required", Detail: "The text is empty or too long."}}}
	}
	return err
}

func (s *Service) createCase(c *rest.Call, _ *rest.None, b *caseBody) (rest.Answer, error) {
	cmd, err := s.Desk.CaseOpening(buyer.NewCase{
		Kind: credit.CaseKind(b.Kind), What: credit.CaseMatter(deref(b.What)), Order: b.OrderKey, CaseWords: buyer.CaseWords{Subject: b.Subject, Text: b.Text},
	})
	if err != nil {
		return rest.Answer{}, wordless(err)
	}
	s.hidden(c)
	return s.do(c, cmd, caseAnswer)
}

// caseAnswer answers with a case, without what was typed: answers are kept.
func caseAnswer(ch credit.Changes) success {
	x := ch.Result.(*credit.Case)
	w := resource.NewCase(x)
	ok := success{body: &w, etag: versionTag(x.Version)}
	if ch.Created {
		ok.location = "/v1/cases/" + x.ID
	}
	return ok
}

// findCase reads a case that the caller may see.
func findCase(c *rest.Call, v store.View, id string) (*credit.Case, error) {
	x, err := buyer.Load[*credit.Case](v, id)
	if err == nil && (x == nil || !c.Principal.Operator && x.Merchant != c.Principal.Tenant) {
		err = rest.NotFound()
	}
	return x, err
}

// caseWords are what was typed in a case.
func (s *Service) caseWords(v store.View, x *credit.Case) (w resource.CaseWords, err error) {
	r, err := s.Desk.ReadCase(v, x)
	if err != nil {
		return w, err
	}
	w = resource.CaseWords{Subject: resource.Text(r.Words.Subject), Text: resource.Text(r.Words.Text), Said: []resource.CaseNote{}, Answer: resource.Text(r.Why)}
	for _, n := range r.Said {
		w.Said = append(w.Said, resource.CaseNote{At: n.At, By: string(n.By), Text: resource.Text(n.Text)})
	}
	return w, nil
}

func (s *Service) getCase(c *rest.Call, p *caseID, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		x, err := findCase(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		words, err := s.caseWords(v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		return tagged(&resource.ReadCase{Case: resource.NewCase(x), CaseWords: words})
	})
}

// casesOf lists the cases that the caller may see.
func casesOf[W any](s *Service, c *rest.Call, f *caseFilter, show func(*credit.Case) W) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		q := s.recordFilter(c, f.Status, f.From, f.To)
		q.Company = int64(deref(f.CompanyID))
		found, err := store.ListRecords(v, credit.NounCase, q, pageOf(f.Page))
		at := func(r credit.Record) rest.Position {
			return rest.Position{CreatedAt: r.Head().CreatedAt, ID: r.Head().ID}
		}
		return listed(c, f.Page, found, at, func(r credit.Record) W { return show(r.(*credit.Case)) }), err
	})
}

func (s *Service) listCases(c *rest.Call, f *caseFilter, _ *rest.None) (rest.Answer, error) {
	return casesOf(s, c, f, resource.NewCase)
}

// caseNote is the command that adds a note.
func (s *Service) caseNote(id, text string) (cases.AddCaseNote, error) {
	kept, err := s.Desk.CaseText(text)
	return cases.AddCaseNote{Case: id, Text: kept.ID, Secrets: []credit.Secret{kept}}, wordless(err)
}

func (s *Service) addCaseNote(c *rest.Call, p *caseID, b *caseNoteBody) (rest.Answer, error) {
	cmd, err := s.caseNote(p.ID, b.Text)
	if err != nil {
		return rest.Answer{}, err
	}
	s.hidden(c)
	return s.do(c, cmd, caseAnswer)
}

func (s *Service) addCaseDocument(c *rest.Call, p *caseID, _ *rest.None) (rest.Answer, error) {
	if _, err := s.read(c, func(v store.View) (rest.Answer, error) { // before anything is done with the file
		_, err := findCase(c, v, p.ID)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	data, problem := clean(c.ContentType, c.Body)
	if problem != nil {
		return rest.Answer{}, problem
	}
	filed, secret := s.Desk.Filed(buyer.Paper{Kind: credit.DocumentUpload, ContentType: c.ContentType, Data: data})
	return s.do(c, cases.AttachCaseDocument{Case: p.ID, Paper: filed, Secrets: []credit.Secret{secret}}, func(ch credit.Changes) success {
		w := resource.NewDocument(ch.Result.(*credit.Document))
		return success{body: &w, location: "/v1/operator/cases/" + p.ID + "/documents/" + w.ID}
	})
}

func withdrawCase(_ *rest.Call, p *caseID, _ *rest.None) credit.Command {
	return cases.ResolveCase{Case: p.ID, Outcome: credit.CaseWithdrawn}
}
