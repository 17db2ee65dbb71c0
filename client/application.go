package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Application is a business's application for a line, as its merchant sees it.
type Application struct {
	Raw
	ID                string                   `json:"id"`
	Kind              string                   `json:"kind"`       // NEW LINE_INCREASE PREQUALIFICATION
	Status            string                   `json:"status"`     // SUBMITTED IN_REVIEW INFORMATION_REQUESTED APPROVED DECLINED WITHDRAWN EXPIRED ESTIMATED
	CompanyID         int64                    `json:"company_id"` // once it is approved
	LegalName         string                   `json:"legal_name"`
	RequestedLimit    Amount                   `json:"requested_limit"`
	ApprovedLimit     Amount                   `json:"approved_limit"`
	Tier              string                   `json:"tier"`
	CounterOffer      bool                     `json:"counter_offer"`
	CheckoutID        string                   `json:"checkout_id"`
	Requests          []ApplicationInformation `json:"requests"`
	MerchantReference string                   `json:"merchant_reference"`
	Metadata          map[string]string        `json:"metadata"`
	SubmittedAt       time.Time                `json:"submitted_at"`
	DecidedAt         *time.Time               `json:"decided_at"`
	UpdatedAt         time.Time                `json:"updated_at"`
	Version           int                      `json:"version"` // for IfMatch

	// What follows is for the lender alone.

	MerchantID    string              `json:"merchant_id"`
	Business      ApplicationBusiness `json:"business"`
	Duplicate     bool                `json:"duplicate"`
	PolicyVersion int                 `json:"policy_version"`
	Total         int                 `json:"total"`
	Why           string              `json:"why"`
	Reasons       []string            `json:"reasons"`
	DecidedBy     string              `json:"decided_by"`
	Note          string              `json:"note"`
	Assigned      string              `json:"assigned"`
	DocumentIDs   []string            `json:"document_ids"`
	Points        []FactorPoints      `json:"points"`
	Sources       []ApplicationSource `json:"sources"`
	Notice        *ApplicationNotice  `json:"notice"`
	OwnerNotice   *ApplicationNotice  `json:"owner_notice"` // to an owner who has not applied and whose credit report was used
	Applicant     *Applicant          `json:"applicant"`    // of one application; nil once erased
	Owners        []Owner             `json:"owners"`
	Estimate      *AskedEstimate      `json:"estimate"` // of one PREQUALIFICATION; nil once erased
}

// ApplicationInformation is something that an applicant has been asked for.
type ApplicationInformation struct {
	What  string `json:"what"`
	DueOn string `json:"due_on,omitempty"`
}

// ApplicationSource is what came of asking a source about an application: who answered and
// when, or why there is no answer.
type ApplicationSource struct {
	Port       string     `json:"port"`
	Source     string     `json:"source"`
	AnsweredAt *time.Time `json:"answered_at"`
	RawHash    string     `json:"raw_hash"`
	Tries      int        `json:"tries"`
	Missing    string     `json:"missing"` // SILENT, BROKEN, NOT_CONFIGURED or NOTHING_FOUND; "" with an answer
}

// FactorPoints are the points of one factor of the scorecard.
type FactorPoints struct {
	Factor string `json:"factor"`
	Points int    `json:"points"`
	Max    int    `json:"max"`
}

// ApplicationNotice is the notice that a decision owes.
type ApplicationNotice struct {
	Kind    string     `json:"kind"` // DECLINE COUNTER_OFFER INCOMPLETE
	DueOn   string     `json:"due_on"`
	SentAt  *time.Time `json:"sent_at"`
	Channel string     `json:"channel"`
}

// ApplicationBusiness is what is said of a business. EIN is for requests, EINLast4 for
// answers.
type ApplicationBusiness struct {
	LegalName        string         `json:"legal_name"`
	TradingName      string         `json:"trading_name,omitempty"`
	EntityType       string         `json:"entity_type"`
	EIN              string         `json:"ein,omitempty"`
	EINLast4         string         `json:"ein_last4,omitempty"`
	FormedOn         string         `json:"formed_on"`
	StateOfFormation string         `json:"state_of_formation"`
	Address          CompanyAddress `json:"address"`
	Phone            string         `json:"phone"`
	Email            string         `json:"email,omitempty"`
	Website          string         `json:"website,omitempty"`
	Industry         string         `json:"industry,omitempty"`
	AnnualRevenue    Amount         `json:"annual_revenue"`
}

// Applicant is who applies.
type Applicant struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	Title     string `json:"title"`
	Phone     string `json:"phone,omitempty"`
}

// Owner owns or runs a business.
type Owner struct {
	FirstName        string         `json:"first_name"`
	LastName         string         `json:"last_name"`
	Title            string         `json:"title,omitempty"`
	Email            string         `json:"email,omitempty"`
	Phone            string         `json:"phone,omitempty"`
	BirthDate        string         `json:"birth_date"`
	Address          CompanyAddress `json:"address"`
	OwnershipPercent int            `json:"ownership_percent"`
	ControlPerson    bool           `json:"control_person"`
}

// BankFigures are figures of a business's account.
type BankFigures struct {
	AverageBalance Amount `json:"average_balance"`
	ReturnedItems  int    `json:"returned_items_90d"`
	Source         string `json:"source,omitempty"`
}

// Consents are what an applicant has agreed to.
type Consents struct {
	CreditCheck       bool      `json:"credit_check"`
	ElectronicRecords bool      `json:"electronic_records"`
	AcceptedAt        time.Time `json:"accepted_at"`
	IP                string    `json:"ip,omitempty"`
	UserAgent         string    `json:"user_agent,omitempty"`
}

// ApplicationRequest submits an application.
type ApplicationRequest struct {
	Applicant         Applicant           `json:"applicant"`
	Business          ApplicationBusiness `json:"business"`
	Owners            []Owner             `json:"owners"`
	RequestedLimit    Amount              `json:"requested_limit,omitempty"`
	Bank              *BankFigures        `json:"bank,omitempty"`
	Consents          Consents            `json:"consents"`
	MerchantReference string              `json:"merchant_reference,omitempty"`
	Metadata          map[string]string   `json:"metadata,omitempty"`
}

// ApplicationFilter narrows a list of applications; zero members do not.
type ApplicationFilter struct {
	Status   string
	Kind     string // NEW LINE_INCREASE PREQUALIFICATION; "" is all but the last
	From, To string // business dates
	Email    string // of the applicant
}

func (f ApplicationFilter) query() query {
	q := query{}
	q.text("status", f.Status)
	q.text("kind", f.Kind)
	q.text("from", f.From)
	q.text("to", f.To)
	q.text("email", f.Email)
	return q
}

func applicationAt(id string, more ...string) string {
	return at(append([]string{"v1", "applications", id}, more...)...)
}

// SubmitApplication submits a business's application: an *ApplicationRequest, or the same as
// JSON.
func (c *Client) SubmitApplication(ctx context.Context, r any, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodPost, "/v1/applications", r, options)
}

// Application returns one application as its merchant sees it.
func (c *Client) Application(ctx context.Context, id string, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodGet, applicationAt(id), nil, options)
}

// ListApplications returns one page of applications, newest first.
func (c *Client) ListApplications(ctx context.Context, f ApplicationFilter, p Paging, options ...Option) (*Page[Application], error) {
	q := f.query()
	q.paging(p)
	return list[Application](ctx, c, "/v1/applications", q, options)
}

// Applications walks all applications, newest first.
func (c *Client) Applications(ctx context.Context, f ApplicationFilter) iter.Seq2[*Application, error] {
	return each(func(p Paging) (*Page[Application], error) { return c.ListApplications(ctx, f, p) })
}

// WithdrawApplication ends an application at the applicant's word.
func (c *Client) WithdrawApplication(ctx context.Context, id string, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodPost, applicationAt(id, "withdraw"), struct{}{}, options)
}

// Document is a paper or a file, without its bytes.
type Document struct {
	Raw
	ID          string    `json:"id"`
	Kind        string    `json:"kind"` // DISCLOSURE AGREEMENT MASTER_AGREEMENT UPLOAD
	Template    string    `json:"template"`
	TextVersion int       `json:"text_version"`
	Language    string    `json:"language"`
	ContentType string    `json:"content_type"`
	Size        int       `json:"size"`
	SHA256      string    `json:"sha256"`
	Status      string    `json:"status"` // KEPT ERASED
	CreatedAt   time.Time `json:"created_at"`
}

// AddDocument adds a file to an application: PDF, "image/png" or "image/jpeg", up to 10 MiB.
func (c *Client) AddDocument(ctx context.Context, id, mediaType string, data []byte, options ...Option) (*Document, error) {
	return upload(ctx, c, applicationAt(id, "documents"), mediaType, data, options)
}

// upload sends a file as it is.
func upload(ctx context.Context, c *Client, path, mediaType string, data []byte, options []Option) (*Document, error) {
	k := &call{method: http.MethodPost, path: path, header: http.Header{"Content-Type": {mediaType}}, body: data}
	r, err := c.do(ctx, k, options)
	if err != nil {
		return nil, err
	}
	return read[Document](c, r, nil)
}
