package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Checkout is an order whose terms a buyer is to accept on the lender's pages.
type Checkout struct {
	Raw
	ID               string            `json:"id"`
	Status           string            `json:"status"` // OPEN PENDING_REVIEW ACCEPTED COMPLETED CANCELED DECLINED EXPIRED
	Reason           string            `json:"reason"`
	OrderKey         string            `json:"order_key"`  // the order is there once the buyer has accepted
	CompanyID        int64             `json:"company_id"` // 0 until it is known
	Amount           Amount            `json:"amount"`
	Currency         string            `json:"currency"`
	Charges          *Charges          `json:"charges"`
	Installments     int               `json:"installments"` // that the buyer has accepted
	RemoteID         string            `json:"remote_id"`
	RemoteCustomerID string            `json:"remote_customer_id"`
	Mode             string            `json:"mode"`         // redirect modal link
	CheckoutURL      string            `json:"checkout_url"` // where to send the buyer
	ExpiresAt        time.Time         `json:"expires_at"`
	AcceptedAt       *time.Time        `json:"accepted_at"`
	CompletedAt      *time.Time        `json:"completed_at"`
	Metadata         map[string]string `json:"metadata"`
	CreatedAt        time.Time         `json:"created_at"`
	UpdatedAt        time.Time         `json:"updated_at"`
	Version          int               `json:"version"`
}

// Buyer is what a shop knows of who buys.
type Buyer struct {
	Email       string `json:"email,omitempty"`
	FirstName   string `json:"first_name,omitempty"`
	LastName    string `json:"last_name,omitempty"`
	Phone       string `json:"phone,omitempty"`
	CompanyName string `json:"company_name,omitempty"`
}

// CheckoutRequest makes a checkout. Amount or Charges, ReturnURL and CancelURL are required;
// with Mode "link" neither address is, and OrderKey may name a CREATED order instead of an
// amount. Addresses may hold %ORDER_KEY% and %CHECKOUT_ID%, CancelURL %REASON%.
type CheckoutRequest struct {
	Amount           Amount            `json:"amount,omitempty"`
	Currency         string            `json:"currency,omitempty"`
	Charges          *Charges          `json:"charges,omitempty"`
	CartItems        []CartItem        `json:"cart_items,omitempty"`
	BillingAddress   *Address          `json:"billing_address,omitempty"`
	ShippingAddress  *Address          `json:"shipping_address,omitempty"`
	Buyer            *Buyer            `json:"buyer,omitempty"`
	CompanyID        int64             `json:"company_id,omitempty"`
	OrderKey         string            `json:"order_key,omitempty"`
	Installments     []int             `json:"installments,omitempty"` // only these
	RemoteID         string            `json:"remote_id,omitempty"`
	RemoteCustomerID string            `json:"remote_customer_id,omitempty"`
	ReturnURL        string            `json:"return_url,omitempty"`
	CancelURL        string            `json:"cancel_url,omitempty"`
	OrderCompleteURL string            `json:"order_complete_url,omitempty"`
	Mode             string            `json:"mode,omitempty"`
	ExpiresIn        int               `json:"expires_in,omitempty"` // seconds
	Metadata         map[string]string `json:"metadata,omitempty"`
}

// CheckoutFilter narrows a list of checkouts; zero members do not.
type CheckoutFilter struct {
	Status   string
	From, To string // business dates
}

func (f CheckoutFilter) query() query {
	q := query{}
	q.text("status", f.Status)
	q.text("from", f.From)
	q.text("to", f.To)
	return q
}

func checkoutAt(id string, more ...string) string {
	return at(append([]string{"v1", "checkouts", id}, more...)...)
}

// CreateCheckout makes a checkout, or returns the open one for the same RemoteID and cart.
func (c *Client) CreateCheckout(ctx context.Context, r CheckoutRequest, options ...Option) (*Checkout, error) {
	return send[Checkout](ctx, c, http.MethodPost, "/v1/checkouts", r, options)
}

// Checkout returns one checkout.
func (c *Client) Checkout(ctx context.Context, id string, options ...Option) (*Checkout, error) {
	return send[Checkout](ctx, c, http.MethodGet, checkoutAt(id), nil, options)
}

// ListCheckouts returns one page of checkouts, newest first.
func (c *Client) ListCheckouts(ctx context.Context, f CheckoutFilter, p Paging, options ...Option) (*Page[Checkout], error) {
	q := f.query()
	q.paging(p)
	return list[Checkout](ctx, c, "/v1/checkouts", q, options)
}

// Checkouts walks all checkouts, newest first.
func (c *Client) Checkouts(ctx context.Context, f CheckoutFilter) iter.Seq2[*Checkout, error] {
	return each(func(p Paging) (*Page[Checkout], error) { return c.ListCheckouts(ctx, f, p) })
}

// CompleteCheckout authorizes the order of a checkout that the buyer has accepted, and
// returns it. Twice is once. That a browser arrives at ReturnURL proves nothing; this does.
func (c *Client) CompleteCheckout(ctx context.Context, id string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, checkoutAt(id, "complete"), struct{}{}, options)
}

// ExpireCheckout ends a checkout, and the order that was accepted in it.
func (c *Client) ExpireCheckout(ctx context.Context, id string, options ...Option) (*Checkout, error) {
	return send[Checkout](ctx, c, http.MethodPost, checkoutAt(id, "expire"), struct{}{}, options)
}

// SandboxBuyer is who a sandbox's buyer is: with EIN it applies, with CompanyID it acts for a
// company. All may be zero.
type SandboxBuyer struct {
	Installments int    `json:"installments,omitempty"`
	EIN          string `json:"ein,omitempty"`
	CompanyID    int64  `json:"company_id,omitempty"`
}

// AcceptSandboxCheckout accepts a sandbox's checkout as its buyer would.
func (c *Client) AcceptSandboxCheckout(ctx context.Context, id string, as SandboxBuyer, options ...Option) (*Checkout, error) {
	return send[Checkout](ctx, c, http.MethodPost, at("v1", "sandbox", "checkouts", id, "accept"), as, options)
}

// Ends of a sandbox's checkout.
const (
	SandboxDecline = "decline" // the business is declined
	SandboxCancel  = "cancel"  // the buyer leaves
	SandboxExpire  = "expire"  // the clock is moved to its end
)

// EndSandboxCheckout ends a sandbox's checkout without the merchant.
func (c *Client) EndSandboxCheckout(ctx context.Context, id, how string, options ...Option) (*Checkout, error) {
	return send[Checkout](ctx, c, http.MethodPost, at("v1", "sandbox", "checkouts", id, how), struct{}{}, options)
}
