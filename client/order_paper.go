package client

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Disclosure is what a buyer is told of an order's financing.
type Disclosure struct {
	Raw
	OrderKey              string             `json:"order_key"`
	Template              string             `json:"template"`
	TextVersion           int                `json:"text_version"`
	Digest                string             `json:"digest"`
	Accepted              bool               `json:"accepted"` // a buyer has accepted exactly these figures
	FundingProvided       Amount             `json:"funding_provided"`
	RecipientFunds        Amount             `json:"recipient_funds"`
	FinanceCharge         Amount             `json:"finance_charge"`
	APR                   string             `json:"apr"`
	TotalPaymentAmount    Amount             `json:"total_payment_amount"`
	Payment               Amount             `json:"payment"`
	FirstPayment          Amount             `json:"first_payment"`
	LastPayment           Amount             `json:"last_payment"`
	Count                 int                `json:"count"`
	AverageMonthlyPayment Amount             `json:"average_monthly_payment"`
	TermMonths            int                `json:"term_months"`
	FirstDueDate          string             `json:"first_due_date"`
	CapturedOn            string             `json:"captured_on"`
	Payments              []DisclosedPayment `json:"payments"`
	LateFee               struct {
		Rate      string `json:"rate"`
		Cap       Amount `json:"cap"`
		GraceDays int    `json:"grace_days"`
	} `json:"late_fee"`
	ReturnedPaymentFee Amount `json:"returned_payment_fee"`
	SignatureRequired  bool   `json:"signature_required"`
}

// DisclosedPayment is one payment of a disclosure.
type DisclosedPayment struct {
	Number        int    `json:"number"`
	DueDate       string `json:"due_date"`
	Amount        Amount `json:"amount"`
	Principal     Amount `json:"principal"`
	FinanceCharge Amount `json:"finance_charge"`
}

// Agreement is what a buyer has accepted of an order.
type Agreement struct {
	Raw
	OrderKey         string     `json:"order_key"`
	CheckoutID       string     `json:"checkout_id"`
	CompanyID        int64      `json:"company_id"`
	Amount           Amount     `json:"amount"`
	Installments     int        `json:"installments"`
	ProgrammeVersion int        `json:"programme_version"`
	Digest           string     `json:"digest"`
	AcceptedAt       time.Time  `json:"accepted_at"`
	Documents        []Document `json:"documents"`
}

// Disclosure returns an order's disclosure.
func (c *Client) Disclosure(ctx context.Context, key string, options ...Option) (*Disclosure, error) {
	return send[Disclosure](ctx, c, http.MethodGet, at("v1", "order", key, "disclosure"), nil, options)
}

// DisclosureFile writes an order's disclosure as HTML or PDF.
func (c *Client) DisclosureFile(ctx context.Context, key, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, at("v1", "order", key, "disclosure"), mediaType, w, options...)
	return err
}

// Agreement returns what a buyer has accepted of an order.
func (c *Client) Agreement(ctx context.Context, key string, options ...Option) (*Agreement, error) {
	return send[Agreement](ctx, c, http.MethodGet, at("v1", "order", key, "agreement"), nil, options)
}

// AgreementFile writes the agreement of an order as HTML or PDF, as the buyer was shown it.
func (c *Client) AgreementFile(ctx context.Context, key, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, at("v1", "order", key, "agreement"), mediaType, w, options...)
	return err
}
