package client

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Case is a dispute or question that is put to the lender. What was typed in it is there of
// one case alone, and nil once it is erased; who has opened it, for the lender alone.
type Case struct {
	Raw
	ID          string     `json:"id"`
	Kind        string     `json:"kind"`   // DISPUTE QUESTION
	What        string     `json:"what"`   // GOODS AMOUNT CHARGE FEE DEBIT UNAUTHORIZED OTHER, "" if it was not said
	Status      string     `json:"status"` // OPEN WAITING RESOLVED
	CompanyID   int64      `json:"company_id"`
	OrderKey    string     `json:"order_key"`
	PaymentID   string     `json:"payment_id"`
	DueOn       string     `json:"due_on"`
	NoteCount   int        `json:"note_count"`
	DocumentIDs []string   `json:"document_ids"`
	Outcome     string     `json:"outcome"` // UPHELD REJECTED ANSWERED WITHDRAWN
	ResolvedAt  *time.Time `json:"resolved_at"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	Version     int        `json:"version"`

	Subject *string    `json:"subject"`
	Text    *string    `json:"text"`
	Notes   []CaseNote `json:"notes"`
	Answer  *string    `json:"answer"`

	OpenedBy   string `json:"opened_by"` // buyer merchant
	PersonID   string `json:"person_id"`
	MerchantID string `json:"merchant_id"`
	ResolvedBy string `json:"resolved_by"`
}

// CaseNote is what one of the sides has added to a case.
type CaseNote struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"` // buyer merchant lender
	Text *string   `json:"text"`
}

// CaseRequest puts a dispute or question about an order to the lender.
type CaseRequest struct {
	Kind     string `json:"kind"`
	What     string `json:"what,omitempty"`
	OrderKey string `json:"order_key"`
	Subject  string `json:"subject"`
	Text     string `json:"text"`
}

// CaseFilter narrows a list of cases; zero members do not.
type CaseFilter struct {
	Status    string
	CompanyID int64
	From, To  string // business dates
}

func (f CaseFilter) query(p Paging) query {
	q := query{}
	q.text("status", f.Status)
	q.number("company_id", f.CompanyID)
	q.text("from", f.From)
	q.text("to", f.To)
	q.paging(p)
	return q
}

func caseAt(id string, more ...string) string {
	return at(append([]string{"v1", "cases", id}, more...)...)
}

func reviewedCaseAt(id string, more ...string) string {
	return at(append([]string{"v1", "operator", "cases", id}, more...)...)
}

type textBody struct {
	Text string `json:"text"`
}

// CreateCase puts a dispute or question about one of the merchant's orders to the lender.
func (c *Client) CreateCase(ctx context.Context, r CaseRequest, options ...Option) (*Case, error) {
	return send[Case](ctx, c, http.MethodPost, "/v1/cases", r, options)
}

// Case returns one of the merchant's cases with what was said in it.
func (c *Client) Case(ctx context.Context, id string, options ...Option) (*Case, error) {
	return send[Case](ctx, c, http.MethodGet, caseAt(id), nil, options)
}

// ListCases returns one page of the merchant's cases, newest first.
func (c *Client) ListCases(ctx context.Context, f CaseFilter, p Paging, options ...Option) (*Page[Case], error) {
	return list[Case](ctx, c, "/v1/cases", f.query(p), options)
}

// AddCaseNote adds a note to one of the merchant's cases.
func (c *Client) AddCaseNote(ctx context.Context, id, text string, options ...Option) (*Case, error) {
	return send[Case](ctx, c, http.MethodPost, caseAt(id, "notes"), textBody{text}, options)
}

// AddCaseDocument adds a file to one of the merchant's cases: a PDF, PNG or JPEG up to 10 MiB.
func (c *Client) AddCaseDocument(ctx context.Context, id, mediaType string, data []byte, options ...Option) (*Document, error) {
	return upload(ctx, c, caseAt(id, "documents"), mediaType, data, options)
}

// WithdrawCase withdraws one of the merchant's cases.
func (c *Client) WithdrawCase(ctx context.Context, id string, options ...Option) (*Case, error) {
	return send[Case](ctx, c, http.MethodPost, caseAt(id, "withdraw"), struct{}{}, options)
}

// ListReviewedCases returns one page of all cases as the lender sees them, newest first.
func (c *Client) ListReviewedCases(ctx context.Context, f CaseFilter, p Paging, options ...Option) (*Page[Case], error) {
	return list[Case](ctx, c, "/v1/operator/cases", f.query(p), options)
}

// ReviewedCase returns one case with what was said in it, as the lender sees it. That it was
// read is recorded.
func (c *Client) ReviewedCase(ctx context.Context, id string, options ...Option) (*Case, error) {
	return send[Case](ctx, c, http.MethodGet, reviewedCaseAt(id), nil, options)
}

// AnswerCase adds a note of the lender to a case.
func (c *Client) AnswerCase(ctx context.Context, id, text string, options ...Option) (*Case, error) {
	return send[Case](ctx, c, http.MethodPost, reviewedCaseAt(id, "notes"), textBody{text}, options)
}

// ResolveCase decides a case: UPHELD or REJECTED a dispute, ANSWERED a question.
func (c *Client) ResolveCase(ctx context.Context, id, outcome, text string, options ...Option) (*Case, error) {
	body := struct {
		Outcome string `json:"outcome"`
		Text    string `json:"text"`
	}{outcome, text}
	return send[Case](ctx, c, http.MethodPost, reviewedCaseAt(id, "resolve"), body, options)
}

// CaseDocument writes a file of a case.
func (c *Client) CaseDocument(ctx context.Context, id, document string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, reviewedCaseAt(id, "documents", document), "application/octet-stream", w, options...)
	return err
}
