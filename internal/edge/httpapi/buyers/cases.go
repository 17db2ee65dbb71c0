package buyers

import (
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
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

// CaseNoteBody is a note in a case.
type CaseNoteBody struct {
	Text string `json:"text" required:"true" minLength:"1" maxLength:"4000" doc:"Text." example:"Which ones are missing?"`
}

// CaseFilter is the parameters of a list of cases.
type CaseFilter struct {
	rest.Page
	Status    string            `query:"status" enum:"OPEN,WAITING,RESOLVED" doc:"Cases with this status."`
	CompanyID *values.CompanyID `query:"company_id" doc:"Of this company."`
	From      *calendar.Date    `query:"from" doc:"Opened on or after this business date." example:"2026-01-01"`
	To        *calendar.Date    `query:"to" doc:"Opened on or before this business date." example:"2026-01-31"`
}

// Check refuses a reversed range.
func (f *CaseFilter) Check(report func(name, code, detail string)) {
	serve.CheckRange(f.From, f.To, report)
}

// Cases returns the operations on cases that a merchant opens with the lender about its own
// orders. Buyers open theirs on their own pages, and no merchant sees those.
func (s API) Cases() []rest.Operation {
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
			TenantOnly: true, Success: 201, Response: resource.Document{}, Consumes: serve.Uploads(), MaxBody: serve.MaxUpload,
			Problems: append([]string{"limit_exceeded"}, ended...), Endpoint: rest.Handle(s.addCaseDocument),
		},
		{
			ID: "withdrawCase", Method: "POST", Path: path + "/{id}/withdraw", Summary: "Withdraw a case", Doc: "Only before it is resolved.",
			TenantOnly: true, Response: resource.Case{}, ETag: true, Problems: ended, Endpoint: serve.Decides(s.Service, caseAnswer, withdrawCase),
		},
	})
}

// Wordless is the problem for a text of only spaces, which the schema does not detect.
func Wordless(err error) error {
	if errors.Is(err, buyer.ErrWords) {
		return &rest.Problem{Code: rest.CodeValidation, Errors: []rest.FieldError{{Pointer: "/text", Code: "required", Detail: "The text is empty or too long."}}}
	}
	return err
}

func (s API) createCase(c *rest.Call, _ *rest.None, b *caseBody) (rest.Answer, error) {
	cmd, err := s.Desk.CaseOpening(buyer.NewCase{
		Kind: credit.CaseKind(b.Kind), What: credit.CaseMatter(serve.Deref(b.What)), Order: b.OrderKey, CaseWords: buyer.CaseWords{Subject: b.Subject, Text: b.Text},
	})
	if err != nil {
		return rest.Answer{}, Wordless(err)
	}
	s.Hidden(c)
	return s.Do(c, cmd, caseAnswer)
}

// caseAnswer answers with a case, without what was typed: answers are stored.
func caseAnswer(ch credit.Changes) serve.Success {
	x := ch.Result.(*credit.Case)
	w := resource.NewCase(x)
	ok := serve.Success{Body: &w, Etag: serve.VersionTag(x.Version)}
	if ch.Created {
		ok.Location = "/v1/cases/" + x.ID
	}
	return ok
}

// FindCase reads a case that the caller may see.
func FindCase(c *rest.Call, v store.View, id string) (*credit.Case, error) {
	x, err := buyer.Load[*credit.Case](v, id)
	if err == nil && (x == nil || !c.Principal.Operator && x.Merchant != c.Principal.Tenant) {
		err = rest.NotFound()
	}
	return x, err
}

// CaseWords returns what was typed in a case.
func (s API) CaseWords(v store.View, x *credit.Case) (w resource.CaseWords, err error) {
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

func (s API) getCase(c *rest.Call, p *serve.CaseID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := FindCase(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		words, err := s.CaseWords(v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Tagged(&resource.ReadCase{Case: resource.NewCase(x), CaseWords: words})
	})
}

// CasesOf lists the cases that the caller may see.
func CasesOf[W any](s *serve.Service, c *rest.Call, f *CaseFilter, show func(*credit.Case) W) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		q := s.RecordFilter(c, f.Status, f.From, f.To)
		q.Company = int64(serve.Deref(f.CompanyID))
		found, err := store.ListRecords(v, credit.NounCase, q, serve.PageOf(f.Page))
		at := func(r credit.Record) rest.Position {
			return rest.Position{CreatedAt: r.Head().CreatedAt, ID: r.Head().ID}
		}
		return serve.Listed(c, f.Page, found, at, func(r credit.Record) W { return show(r.(*credit.Case)) }), err
	})
}

func (s API) listCases(c *rest.Call, f *CaseFilter, _ *rest.None) (rest.Answer, error) {
	return CasesOf(s.Service, c, f, resource.NewCase)
}

// CaseNote is the command that adds a note.
func (s API) CaseNote(id, text string) (cases.AddCaseNote, error) {
	kept, err := s.Desk.CaseText(text)
	return cases.AddCaseNote{Case: id, Text: kept.ID, Secrets: []credit.Secret{kept}}, Wordless(err)
}

func (s API) addCaseNote(c *rest.Call, p *serve.CaseID, b *CaseNoteBody) (rest.Answer, error) {
	cmd, err := s.CaseNote(p.ID, b.Text)
	if err != nil {
		return rest.Answer{}, err
	}
	s.Hidden(c)
	return s.Do(c, cmd, caseAnswer)
}

func (s API) addCaseDocument(c *rest.Call, p *serve.CaseID, _ *rest.None) (rest.Answer, error) {
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) { // before anything is done with the file
		_, err := FindCase(c, v, p.ID)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	data, problem := serve.Clean(c.ContentType, c.Body)
	if problem != nil {
		return rest.Answer{}, problem
	}
	filed, secret := s.Desk.Filed(buyer.Paper{Kind: credit.DocumentUpload, ContentType: c.ContentType, Data: data})
	return s.Do(c, cases.AttachCaseDocument{Case: p.ID, Paper: filed, Secrets: []credit.Secret{secret}}, func(ch credit.Changes) serve.Success {
		w := resource.NewDocument(ch.Result.(*credit.Document))
		return serve.Success{Body: &w, Location: "/v1/operator/cases/" + p.ID + "/documents/" + w.ID}
	})
}

func withdrawCase(_ *rest.Call, p *serve.CaseID, _ *rest.None) credit.Command {
	return cases.ResolveCase{Case: p.ID, Outcome: credit.CaseWithdrawn}
}
