package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Payment is money of a company, in or back out.
type Payment struct {
	Raw
	ID               string          `json:"id"`
	CompanyID        int64           `json:"company_id"`
	OrderKey         string          `json:"order_key"`
	InvoiceID        string          `json:"invoice_id"`
	Amount           Amount          `json:"amount"`
	Currency         string          `json:"currency"`
	Status           string          `json:"status"` // SCHEDULED PENDING SUCCEEDED FAILED PARTIALLY_REFUNDED REFUNDED RETURNED CANCELED
	Method           string          `json:"method"` // ACH CARD CHECK WIRE CASH OTHER
	PaymentMethodID  string          `json:"payment_method_id"`
	Direction        string          `json:"direction"`
	ScheduledDate    string          `json:"scheduled_date"`
	EffectiveDate    string          `json:"effective_date"`
	Reference        string          `json:"reference"`
	ExternalID       string          `json:"external_id"`
	Memo             string          `json:"memo"`
	RefundedAmount   Amount          `json:"refunded_amount"`
	RefundableAmount Amount          `json:"refundable_amount"` // what is left to refund; not what refunds of orders have turned into credit
	UnappliedAmount  Amount          `json:"unapplied_amount"`
	Allocations      []Allocation    `json:"allocations"`
	Refunds          []PaymentRefund `json:"refunds"`
	Failure          *Failure        `json:"failure"`
	Attempt          int             `json:"attempt"`
	CreatedAt        *time.Time      `json:"created_at"` // nil in a dry run
	UpdatedAt        *time.Time      `json:"updated_at"`
	SubmittedAt      *time.Time      `json:"submitted_at"`
	SettledAt        *time.Time      `json:"settled_at"`
}

// Allocation says what a payment paid on one installment of one order.
type Allocation struct {
	OrderKey      string `json:"order_key"`
	Installment   int    `json:"installment"`
	Fee           Amount `json:"fee"`
	FinanceCharge Amount `json:"finance_charge"`
	Principal     Amount `json:"principal"`
}

// PaymentRefund is money of a payment given back.
type PaymentRefund struct {
	ID        string     `json:"id"`
	Amount    Amount     `json:"amount"`
	Reason    string     `json:"reason"`
	Reversal  string     `json:"reversal"`  // DUPLICATE WRONG_RECEIVER WRONG_AMOUNT WRONG_DATE: of a debit that was reversed; "" else
	Status    string     `json:"status"`    // PENDING SETTLED FAILED CANCELED
	Method    string     `json:"method"`    // by which it was paid by hand, "" else
	Reference string     `json:"reference"` // of that
	Failure   *Failure   `json:"failure"`   // why it has not arrived
	CreatedAt *time.Time `json:"created_at"`
	SettledAt *time.Time `json:"settled_at"`
}

// OwedRefund is money of a payment that is on its way back, or waits for a person.
type OwedRefund struct {
	Raw
	PaymentID string          `json:"payment_id"`
	CompanyID int64           `json:"company_id"`
	OrderKey  string          `json:"order_key"`
	Direction string          `json:"direction"` // IN: refunds; OUT: credit that is sent back
	Amount    Amount          `json:"amount"`
	Currency  string          `json:"currency"`
	Since     *time.Time      `json:"since"`
	Days      int             `json:"days"`
	Refunds   []PaymentRefund `json:"refunds"` // that have not arrived
}

// RefundPayout says how a refund is paid that has not arrived: to an account of the
// company, or by hand.
type RefundPayout struct {
	PaymentMethodID string `json:"payment_method_id,omitempty"`
	Method          string `json:"method,omitempty"` // CHECK WIRE CASH OTHER
	Reference       string `json:"reference,omitempty"`
}

// Failure says why a payment failed or came back.
type Failure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Retryable  bool   `json:"retryable"`
	ReturnCode string `json:"return_code"`
}

// PaymentRequest records or makes a payment: Amount, Method, and exactly one of
// OrderKey, InvoiceID and CompanyID.
type PaymentRequest struct {
	Amount          Amount `json:"amount"`
	Method          string `json:"method"`
	OrderKey        string `json:"order_key,omitempty"`
	InvoiceID       string `json:"invoice_id,omitempty"`
	CompanyID       int64  `json:"company_id,omitempty"`
	PaymentMethodID string `json:"payment_method_id,omitempty"`
	ScheduledDate   string `json:"scheduled_date,omitempty"`
	EffectiveDate   string `json:"effective_date,omitempty"`
	Reference       string `json:"reference,omitempty"`
	ExternalID      string `json:"external_id,omitempty"`
	Memo            string `json:"memo,omitempty"`
	HoldExcess      bool   `json:"hold_excess,omitempty"`
}

// RefundRequest refunds a payment. Without an amount: all that is left.
type RefundRequest struct {
	Amount Amount `json:"amount,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// PaymentFilter narrows a list of payments. Dates are business dates, both
// included.
type PaymentFilter struct {
	CompanyID int64
	OrderKey  string
	InvoiceID string
	Status    string
	Method    string
	From, To  string
}

func (f PaymentFilter) query(p Paging) query {
	q := query{}
	q.number("company_id", f.CompanyID)
	q.text("order_key", f.OrderKey)
	q.text("invoice_id", f.InvoiceID)
	q.text("status", f.Status)
	q.text("method", f.Method)
	q.text("from", f.From)
	q.text("to", f.To)
	q.paging(p)
	return q
}

// CreatePayment records money that was received, or has it collected.
func (c *Client) CreatePayment(ctx context.Context, p PaymentRequest, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, "/payment", p, options)
}

// Payment returns one payment.
func (c *Client) Payment(ctx context.Context, id string, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodGet, at("payment", id), nil, options)
}

// ListPayments returns one page of payments, newest first.
func (c *Client) ListPayments(ctx context.Context, f PaymentFilter, p Paging, options ...Option) (*Page[Payment], error) {
	return list[Payment](ctx, c, "/payments", f.query(p), options)
}

// Payments walks all payments, newest first.
func (c *Client) Payments(ctx context.Context, f PaymentFilter) iter.Seq2[*Payment, error] {
	return each(func(p Paging) (*Page[Payment], error) { return c.ListPayments(ctx, f, p) })
}

// RefundPayment gives back all or a part of a payment that has succeeded.
func (c *Client) RefundPayment(ctx context.Context, id string, r RefundRequest, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("payment", id, "refund"), r, options)
}

// CancelPayment cancels a payment that has not been sent.
func (c *Client) CancelPayment(ctx context.Context, id string, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("v1", "payment", id, "cancel"), struct{}{}, options)
}

// ListOwedRefunds returns one page of what is owed of refunds and of credit sent back,
// the longest owed first. It takes the lender's token.
func (c *Client) ListOwedRefunds(ctx context.Context, p Paging, options ...Option) (*Page[OwedRefund], error) {
	q := query{}
	q.paging(p)
	return list[OwedRefund](ctx, c, "/v1/operator/refunds", q, options)
}

// PayRefund pays a refund that has not arrived. It takes the lender's token.
func (c *Client) PayRefund(ctx context.Context, payment, refund string, r RefundPayout, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("v1", "operator", "payments", payment, "refunds", refund, "pay"), r, options)
}
