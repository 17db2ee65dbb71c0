package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Company is an approved business account with its credit line.
type Company struct {
	Raw
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	Status          string            `json:"status"` // PENDING APPROVED DECLINED ON_HOLD SUSPENDED CLOSED
	Phone           string            `json:"phone"`
	Email           string            `json:"email"`
	BillingAddress  CompanyAddress    `json:"billing_address"`
	LegalName       string            `json:"legal_name"`
	TaxIDLast4      string            `json:"tax_id_last4"`
	CreditLine      CreditLine        `json:"credit_line"`
	PastDueAmount   Amount            `json:"past_due_amount"` // "" in an event
	DaysPastDue     int               `json:"days_past_due"`
	UnappliedCredit Amount            `json:"unapplied_credit"`
	Tier            string            `json:"tier"`
	StatusReason    *StatusReason     `json:"status_reason"`
	CreditRequested *time.Time        `json:"credit_requested_at"` // since when the company wants its credit back
	ApplyCredit     bool              `json:"apply_credit_to_due"` // unapplied credit pays what is due on any order, by consent
	ApplyCreditAt   *time.Time        `json:"apply_credit_to_due_at"`
	Autopay         Autopay           `json:"autopay"`
	Merchants       []string          `json:"merchants"` // for the operator only
	Agreement       *CompanyAgreement `json:"agreement"` // for the operator only
	Reports         []CompanyReport   `json:"reports"`   // bankruptcy and fraud; for the operator only
	CreatedAt       time.Time         `json:"created_at"`
	UpdatedAt       time.Time         `json:"updated_at"`
}

// CompanyAddress is a company's billing address.
type CompanyAddress struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
}

// CreditLine is what a company may owe, and how much of it is taken.
type CreditLine struct {
	Limit       Amount `json:"limit"`
	Available   Amount `json:"available"`
	Reserved    Amount `json:"reserved"`
	Outstanding Amount `json:"outstanding"`
	OnHold      Amount `json:"on_hold"`
	Currency    string `json:"currency"`
}

// StatusReason says why a company has its status.
type StatusReason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Autopay says whether installments are debited by themselves.
type Autopay struct {
	Enabled         bool   `json:"enabled"`
	PaymentMethodID string `json:"payment_method_id"`
	Paused          string `json:"paused"` // why nothing is debited although it is on; "" if nothing speaks against it
}

// Invoice is what a captured order asks of its buyer.
type Invoice struct {
	Raw
	ID         string        `json:"id"`
	Number     string        `json:"number"`
	OrderKey   string        `json:"order_key"`
	CompanyID  int64         `json:"company_id"`
	MerchantID string        `json:"merchant_id"`
	AmountDue  Amount        `json:"amount_due"`
	AmountPaid Amount        `json:"amount_paid"`
	Balance    Amount        `json:"balance"`
	Status     string        `json:"status"` // OPEN PAID PAST_DUE VOID
	IssuedAt   time.Time     `json:"issued_at"`
	DueDate    string        `json:"due_date"`
	Lines      []InvoiceLine `json:"lines"`
}

// InvoiceLine is one amount of an invoice; refunds and rebates are negative.
type InvoiceLine struct {
	Kind        string `json:"kind"`
	Description string `json:"description"`
	Amount      Amount `json:"amount"`
	Date        string `json:"date"`
}

// InvoiceFilter narrows a list of invoices.
type InvoiceFilter struct {
	CompanyID int64
	OrderKey  string
	Status    string
}

func (f InvoiceFilter) query(p Paging) query {
	q := query{}
	q.number("company_id", f.CompanyID)
	q.text("order_key", f.OrderKey)
	q.text("status", f.Status)
	q.paging(p)
	return q
}

// Company returns one company.
func (c *Client) Company(ctx context.Context, id string, options ...Option) (*Company, error) {
	return send[Company](ctx, c, http.MethodGet, at("v2", "companies", id), nil, options)
}

// ListCompanies returns one page of the companies that the caller may see.
func (c *Client) ListCompanies(ctx context.Context, p Paging, options ...Option) (*Page[Company], error) {
	q := query{}
	q.paging(p)
	return list[Company](ctx, c, "/v1/companies", q, options)
}

// Companies walks all companies that the caller may see.
func (c *Client) Companies(ctx context.Context) iter.Seq2[*Company, error] {
	return each(func(p Paging) (*Page[Company], error) { return c.ListCompanies(ctx, p) })
}

// ListCompanyOrders returns one page of a company's orders, newest first; of those
// that the caller may see.
func (c *Client) ListCompanyOrders(ctx context.Context, id string, f OrderFilter, p Paging, options ...Option) (*Page[Order], error) {
	f.CompanyID = 0 // the path says it
	return list[Order](ctx, c, at("v1", "companies", id, "orders"), f.query(p), options)
}

// CompanyOrders walks all orders of a company, newest first.
func (c *Client) CompanyOrders(ctx context.Context, id string, f OrderFilter) iter.Seq2[*Order, error] {
	return each(func(p Paging) (*Page[Order], error) { return c.ListCompanyOrders(ctx, id, f, p) })
}

// ListCompanyPayments returns one page of a company's payments, newest first.
func (c *Client) ListCompanyPayments(ctx context.Context, id string, f PaymentFilter, p Paging, options ...Option) (*Page[Payment], error) {
	f.CompanyID = 0 // the path says it
	return list[Payment](ctx, c, at("v1", "companies", id, "payments"), f.query(p), options)
}

// CompanyPayments walks all payments of a company, newest first.
func (c *Client) CompanyPayments(ctx context.Context, id string, f PaymentFilter) iter.Seq2[*Payment, error] {
	return each(func(p Paging) (*Page[Payment], error) { return c.ListCompanyPayments(ctx, id, f, p) })
}

// ListCompanyInvoices returns one page of a company's invoices, newest first.
func (c *Client) ListCompanyInvoices(ctx context.Context, id string, f InvoiceFilter, p Paging, options ...Option) (*Page[Invoice], error) {
	f.CompanyID = 0 // the path says it
	return list[Invoice](ctx, c, at("v1", "companies", id, "invoices"), f.query(p), options)
}

// CompanyInvoices walks all invoices of a company, newest first.
func (c *Client) CompanyInvoices(ctx context.Context, id string, f InvoiceFilter) iter.Seq2[*Invoice, error] {
	return each(func(p Paging) (*Page[Invoice], error) { return c.ListCompanyInvoices(ctx, id, f, p) })
}

// ListCompanyEvents returns one page of a company's events, oldest first.
func (c *Client) ListCompanyEvents(ctx context.Context, id string, p Paging, options ...Option) (*Page[Event], error) {
	return pages[Event](ctx, c, at("v1", "companies", id, "events"), p, options)
}

// CompanyEvents walks all events of a company, oldest first.
func (c *Client) CompanyEvents(ctx context.Context, id string) iter.Seq2[*Event, error] {
	return each(func(p Paging) (*Page[Event], error) { return c.ListCompanyEvents(ctx, id, p) })
}

// Credit is money of a company that pays nothing yet.
type Credit struct {
	Raw
	Source    string     `json:"source"`     // what it is left of: pay_… or rfd_…
	PaymentID string     `json:"payment_id"` // whose money it is and to whose account it goes back; "": none is known
	OrderKey  string     `json:"order_key"`
	Amount    Amount     `json:"amount"`
	Currency  string     `json:"currency"`
	MadeOn    string     `json:"made_on"` // business date
	NextAt    *time.Time `json:"next_at"` // when time alone next sends it back or looks again; nil: never
	Waits     string     `json:"waits"`   // why it was not sent although its day had come
}

// ListCompanyCredits returns one page of a company's credits, newest first; of those that
// the caller may see.
func (c *Client) ListCompanyCredits(ctx context.Context, id string, p Paging, options ...Option) (*Page[Credit], error) {
	return pages[Credit](ctx, c, at("v1", "companies", id, "credits"), p, options)
}

// CompanyCredits walks all credits of a company, newest first.
func (c *Client) CompanyCredits(ctx context.Context, id string) iter.Seq2[*Credit, error] {
	return each(func(p Paging) (*Page[Credit], error) { return c.ListCompanyCredits(ctx, id, p) })
}

// Invoice returns one invoice.
func (c *Client) Invoice(ctx context.Context, id string, options ...Option) (*Invoice, error) {
	return send[Invoice](ctx, c, http.MethodGet, at("v1", "invoices", id), nil, options)
}

// ListInvoices returns one page of invoices, newest first.
func (c *Client) ListInvoices(ctx context.Context, f InvoiceFilter, p Paging, options ...Option) (*Page[Invoice], error) {
	return list[Invoice](ctx, c, "/v1/invoices", f.query(p), options)
}

// Invoices walks all invoices, newest first.
func (c *Client) Invoices(ctx context.Context, f InvoiceFilter) iter.Seq2[*Invoice, error] {
	return each(func(p Paging) (*Page[Invoice], error) { return c.ListInvoices(ctx, f, p) })
}

// CompanyReport is a notice of bankruptcy, or a discovery of fraud.
type CompanyReport struct {
	Kind       string    `json:"kind"` // BANKRUPTCY FRAUD
	On         string    `json:"on"`
	Reason     string    `json:"reason"`
	ProposesOn string    `json:"proposes_on"` // from when on its orders are proposed to be charged off
	RecordedAt time.Time `json:"recorded_at"`
}
