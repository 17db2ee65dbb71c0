package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// PaymentMethod is an account of a company that can be debited. Of its number the last
// four digits are all that is ever shown.
type PaymentMethod struct {
	Raw
	ID             string        `json:"id"`
	CompanyID      int64         `json:"company_id"`
	Type           string        `json:"type"`   // ACH CARD
	Status         string        `json:"status"` // UNVERIFIED ACTIVE DISABLED
	DisabledReason string        `json:"disabled_reason"`
	Bank           *BankAccount  `json:"bank"` // nil of a card
	Card           *Card         `json:"card"` // nil of a bank account
	Authorization  Authorization `json:"authorization"`
	Verification   *Verification `json:"verification"` // while the amounts of micro-deposits are to be named
	CreatedAt      time.Time     `json:"created_at"`
	UpdatedAt      time.Time     `json:"updated_at"`
	Version        int           `json:"version"`
}

// BankAccount is what is shown of an account at a bank.
type BankAccount struct {
	RoutingNumber string `json:"routing_number"`
	Last4         string `json:"last4"`
	AccountType   string `json:"account_type"` // CHECKING SAVINGS
	HolderType    string `json:"holder_type"`  // BUSINESS CONSUMER
	HolderName    string `json:"holder_name"`
}

// Card is what is shown of a card.
type Card struct {
	Brand    string `json:"brand"`
	Last4    string `json:"last4"`
	ExpMonth int    `json:"exp_month"`
	ExpYear  int    `json:"exp_year"`
}

// Authorization is a holder's consent to debits.
type Authorization struct {
	Channel    string    `json:"channel"` // WEB WRITTEN
	AcceptedAt time.Time `json:"accepted_at"`
	Reference  string    `json:"reference,omitempty"`
}

// Verification is what is left of naming two micro-deposits.
type Verification struct {
	TriesLeft int    `json:"tries_left"`
	ExpiresOn string `json:"expires_on"`
}

// PaymentMethodRequest adds a bank account (Type ACH, with RoutingNumber and
// AccountNumber) or a card (Type CARD, with Card).
type PaymentMethodRequest struct {
	Type          string        `json:"type"`
	RoutingNumber string        `json:"routing_number,omitempty"`
	AccountNumber string        `json:"account_number,omitempty"`
	AccountType   string        `json:"account_type,omitempty"`
	HolderType    string        `json:"holder_type,omitempty"`
	HolderName    string        `json:"holder_name,omitempty"`
	Card          *CardToken    `json:"card,omitempty"`
	Authorization Authorization `json:"authorization"`
	Verify        bool          `json:"verify,omitempty"`  // by micro-deposits first
	Prenote       bool          `json:"prenote,omitempty"` // by an entry without money first
	Reason        string        `json:"reason,omitempty"`  // why the lender vouches for it
}

// CardToken is what a card processor has given for a card.
type CardToken struct {
	Token    string `json:"token"`
	Mandate  string `json:"mandate"`
	Brand    string `json:"brand,omitempty"`
	Last4    string `json:"last4"`
	ExpMonth int    `json:"exp_month"`
	ExpYear  int    `json:"exp_year"`
	Debit    bool   `json:"debit"`
}

// AutopayChange switches a company's autopay. What is nil stays.
type AutopayChange struct {
	Enabled         *bool   `json:"enabled,omitempty"`
	PaymentMethodID *string `json:"payment_method_id,omitempty"`
	ApplyCredit     *bool   `json:"apply_credit_to_due,omitempty"` // unapplied credit pays what is due on any order
	// Authorization is the company's: without it a merchant switches nothing on.
	Authorization *Given `json:"authorization,omitempty"`
}

// Given is a company's authorization, with a merchant's reference to the record of it.
type Given struct {
	AcceptedAt time.Time `json:"accepted_at"`
	Reference  string    `json:"reference"`
}

// Vouching is the lender's word on an account: why, whether it is verified by it, and the
// record of the company's own consent.
type Vouching struct {
	Reason   string `json:"reason"`
	Verified *bool  `json:"verified,omitempty"` // nil: true
	Consent  string `json:"company_consent,omitempty"`
}

// CreditRefund sends unapplied credit back. Without an amount: all that can be sent.
type CreditRefund struct {
	Amount          Amount `json:"amount,omitempty"`
	PaymentMethodID string `json:"payment_method_id,omitempty"` // "": back to where it came from
}

func methodsOf(company string, more ...string) string {
	return at(append([]string{"v1", "companies", company, "payment_methods"}, more...)...)
}

// AddPaymentMethod adds an account to a company.
func (c *Client) AddPaymentMethod(ctx context.Context, company string, m PaymentMethodRequest, options ...Option) (*PaymentMethod, error) {
	return send[PaymentMethod](ctx, c, http.MethodPost, methodsOf(company), m, options)
}

// PaymentMethod returns one account of a company.
func (c *Client) PaymentMethod(ctx context.Context, company, id string, options ...Option) (*PaymentMethod, error) {
	return send[PaymentMethod](ctx, c, http.MethodGet, methodsOf(company, id), nil, options)
}

// ListPaymentMethods returns one page of a company's accounts, newest first.
func (c *Client) ListPaymentMethods(ctx context.Context, company string, p Paging, options ...Option) (*Page[PaymentMethod], error) {
	return pages[PaymentMethod](ctx, c, methodsOf(company), p, options)
}

// PaymentMethods walks all accounts of a company, newest first.
func (c *Client) PaymentMethods(ctx context.Context, company string) iter.Seq2[*PaymentMethod, error] {
	return each(func(p Paging) (*Page[PaymentMethod], error) { return c.ListPaymentMethods(ctx, company, p) })
}

// RemovePaymentMethod ends the use of an account.
func (c *Client) RemovePaymentMethod(ctx context.Context, company, id string, options ...Option) error {
	_, err := c.Do(ctx, http.MethodDelete, methodsOf(company, id), nil, options...)
	return err
}

// VerifyPaymentMethod names the amounts of both micro-deposits. The answer is the
// account as it then stands.
func (c *Client) VerifyPaymentMethod(ctx context.Context, company, id string, amounts [2]Amount, options ...Option) (*PaymentMethod, error) {
	body := struct {
		Amounts [2]Amount `json:"amounts"`
	}{amounts}
	return send[PaymentMethod](ctx, c, http.MethodPost, methodsOf(company, id, "verify"), body, options)
}

// AuthorizePaymentMethod records a new authorization of debits.
func (c *Client) AuthorizePaymentMethod(ctx context.Context, company, id string, a Authorization, options ...Option) (*PaymentMethod, error) {
	return send[PaymentMethod](ctx, c, http.MethodPost, methodsOf(company, id, "authorization"), a, options)
}

// VouchForPaymentMethod records the lender's word on an account, or the company's consent.
func (c *Client) VouchForPaymentMethod(ctx context.Context, company, id string, v Vouching, options ...Option) (*PaymentMethod, error) {
	return send[PaymentMethod](ctx, c, http.MethodPost, methodsOf(company, id, "vouch"), v, options)
}

// SetAutopay switches a company's autopay, or names the account that it debits.
func (c *Client) SetAutopay(ctx context.Context, company string, a AutopayChange, options ...Option) (*Company, error) {
	return send[Company](ctx, c, http.MethodPatch, at("v1", "companies", company, "autopay"), a, options)
}

// SetOrderAutopay says whether the company's autopay reaches an order.
func (c *Client) SetOrderAutopay(ctx context.Context, order string, enabled bool, options ...Option) (*Order, error) {
	body := struct {
		Enabled bool `json:"enabled"`
	}{enabled}
	return send[Order](ctx, c, http.MethodPatch, at("v1", "order", order, "autopay"), body, options)
}

// SendCredit sends a company's unapplied credit back. It takes the lender's token.
func (c *Client) SendCredit(ctx context.Context, company string, r CreditRefund, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("v1", "companies", company, "credit_refunds"), r, options)
}

// RequestCredit asks for a company's unapplied credit: it is sent back within seven
// banking days.
func (c *Client) RequestCredit(ctx context.Context, company string, options ...Option) (*Company, error) {
	return send[Company](ctx, c, http.MethodPost, at("v1", "companies", company, "credit_requests"), struct{}{}, options)
}

// CorrectedEntry is what is collected in the place of a debit that was not what had been
// agreed (R11). What is not set is as it was.
type CorrectedEntry struct {
	Amount        Amount `json:"amount,omitempty"`
	ScheduledDate string `json:"scheduled_date,omitempty"` // banking day on which it settles
}

// ResumeCollection lets autopay collect again what of an order was left to a person. It
// takes the lender's token.
func (c *Client) ResumeCollection(ctx context.Context, order string, e CorrectedEntry, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, at("v1", "operator", "orders", order, "resume"), e, options)
}
