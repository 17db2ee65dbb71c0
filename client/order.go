package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Order is one financed purchase. Members that are null are nil or "".
type Order struct {
	Raw
	Key                       string            `json:"key"`
	CompanyID                 int64             `json:"company_id"`
	MerchantOrderID           string            `json:"merchant_order_id"`
	Amount                    Amount            `json:"amount"`
	Status                    string            `json:"status"` // CREATED AUTHORIZED CAPTURED CANCELED RETURNED
	Installments              int               `json:"installments"`
	CaptureDate               string            `json:"capture_date"` // YYYY-MM-DD
	ExternallyManagedPayments bool              `json:"externally_managed_payments"`
	CreatedAt                 time.Time         `json:"created_at"`
	Currency                  string            `json:"currency"`
	Terms                     *Terms            `json:"terms"`
	AuthorizedAmount          Amount            `json:"authorized_amount"`
	CapturedAmount            Amount            `json:"captured_amount"`
	RefundedAmount            Amount            `json:"refunded_amount"`
	RefundableAmount          Amount            `json:"refundable_amount"`
	AuthorizationExpiresAt    *time.Time        `json:"authorization_expires_at"`
	AuthorizedAt              *time.Time        `json:"authorized_at"`
	CanceledAt                *time.Time        `json:"canceled_at"`
	ReturnedAt                *time.Time        `json:"returned_at"`
	UpdatedAt                 *time.Time        `json:"updated_at"` // nil in a dry run, like CreatedAt zero
	CancelReason              string            `json:"cancel_reason"`
	CartItems                 []CartItem        `json:"cart_items"`
	Charges                   *Charges          `json:"charges"`
	ShippingAddress           *Address          `json:"shipping_address"`
	BillingAddress            *Address          `json:"billing_address"`
	MerchantStatus            string            `json:"merchant_status"`
	Metadata                  map[string]string `json:"metadata"`
	Refunds                   []Refund          `json:"refunds"`
	InvoiceID                 string            `json:"invoice_id"`
	ParentKey                 string            `json:"parent_key"`
	CheckoutID                string            `json:"checkout_id"`
	FinancingStatus           string            `json:"financing_status"`   // NONE ACTIVE PAID_OFF OVERDUE CHARGED_OFF
	CollectionStopped         bool              `json:"collection_stopped"` // items are left to a person: autopay does not collect them
	Autopay                   bool              `json:"autopay"`            // whether the company's autopay reaches the order
	Version                   int               `json:"version"`
}

// Terms are the terms that were fixed at authorization.
type Terms struct {
	Plan            string `json:"plan"`
	AnnualRate      string `json:"annual_rate"`
	MonthlyFeeRate  string `json:"monthly_fee_rate"`
	Installments    int    `json:"installments"`
	FirstDueDate    string `json:"first_due_date"`
	FinanceCharge   Amount `json:"finance_charge"`
	TotalOfPayments Amount `json:"total_of_payments"`
	APR             string `json:"apr"` // percent
}

// CartItem is one line of a cart.
type CartItem struct {
	MerchantID string `json:"merchant_id"`
	Name       string `json:"name"`
	Price      Amount `json:"price"`
	SKU        string `json:"sku,omitempty"`
	Quantity   int    `json:"quantity,omitempty"`
	Size       string `json:"size,omitempty"`
	Color      string `json:"color,omitempty"`
}

// Charges are the shop's own totals.
type Charges struct {
	Total          Amount `json:"total"`
	Shipping       Amount `json:"shipping"`
	Tax            Amount `json:"tax"`
	DiscountAmount Amount `json:"discount_amount"`
	GrandTotal     Amount `json:"grand_total"`
}

// Address is a shipping or billing address.
type Address struct {
	FirstName   string `json:"first_name,omitempty"`
	LastName    string `json:"last_name,omitempty"`
	CompanyName string `json:"company_name,omitempty"`
	Email       string `json:"email,omitempty"`
	PhoneNumber string `json:"phone_number,omitempty"`
	Street      string `json:"street,omitempty"`
	Address2    string `json:"address2,omitempty"`
	City        string `json:"city,omitempty"`
	State       string `json:"state,omitempty"`
	PostalCode  string `json:"postal_code,omitempty"`
	Country     string `json:"country,omitempty"`
}

// Refund is one refund of an order by its merchant.
type Refund struct {
	ID        string     `json:"id"`
	Amount    Amount     `json:"amount"`
	Reason    string     `json:"reason"`
	Reference string     `json:"reference"`
	CreatedAt *time.Time `json:"created_at"` // nil in a dry run
	// Items are the goods that came back, as the merchant named them.
	Items []RefundItem `json:"items"`
}

// OrderRequest makes an order. CompanyID and Amount are required.
type OrderRequest struct {
	CompanyID                 int64             `json:"company_id"`
	Amount                    Amount            `json:"amount"`
	MerchantOrderID           string            `json:"merchant_order_id,omitempty"`
	Installments              int               `json:"installments,omitempty"`
	Currency                  string            `json:"currency,omitempty"`
	CartItems                 []CartItem        `json:"cart_items,omitempty"`
	Charges                   *Charges          `json:"charges,omitempty"`
	ShippingAddress           *Address          `json:"shipping_address,omitempty"`
	BillingAddress            *Address          `json:"billing_address,omitempty"`
	ExternallyManagedPayments bool              `json:"externally_managed_payments,omitempty"`
	MerchantStatus            string            `json:"merchant_status,omitempty"`
	Metadata                  map[string]string `json:"metadata,omitempty"`
	Status                    string            `json:"status,omitempty"` // AUTHORIZED authorizes at once
}

// OrderChange changes an order. What is not set stays; Clear names members that
// are set to null.
type OrderChange struct {
	MerchantOrderID string            `json:"merchant_order_id,omitempty"`
	Amount          Amount            `json:"amount,omitempty"`
	Installments    int               `json:"installments,omitempty"`
	CartItems       []CartItem        `json:"cart_items,omitempty"`
	Charges         *Charges          `json:"charges,omitempty"`
	ShippingAddress *Address          `json:"shipping_address,omitempty"`
	BillingAddress  *Address          `json:"billing_address,omitempty"`
	MerchantStatus  string            `json:"merchant_status,omitempty"`
	Metadata        map[string]string `json:"metadata,omitempty"`
	Status          string            `json:"status,omitempty"`
	Clear           []string          `json:"-"`
}

// MarshalJSON writes the merge patch.
func (o OrderChange) MarshalJSON() ([]byte, error) {
	type plain OrderChange
	b, err := json.Marshal(plain(o))
	if err != nil || len(o.Clear) == 0 {
		return b, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	for _, name := range o.Clear {
		members[name] = json.RawMessage("null")
	}
	return json.Marshal(members)
}

// OrderRefund refunds a captured order. Without an amount: all that is left.
type OrderRefund struct {
	Amount    Amount       `json:"amount,omitempty"`
	Reason    string       `json:"reason,omitempty"`
	Reference string       `json:"reference,omitempty"`
	Items     []RefundItem `json:"items,omitempty"`
}

// RefundItem names goods that came back.
type RefundItem struct {
	SKU        string `json:"sku,omitempty"`
	MerchantID string `json:"merchant_id,omitempty"`
	Quantity   int    `json:"quantity,omitempty"`
}

// PartialCapture captures a part of an order as a child. Items are the child's cart.
type PartialCapture struct {
	Amount          Amount     `json:"amount"`
	Items           []CartItem `json:"items,omitempty"`
	MerchantOrderID string     `json:"merchant_order_id,omitempty"`
}

// OrderFilter narrows a list of orders. Dates are business dates, YYYY-MM-DD,
// both included.
type OrderFilter struct {
	CompanyID                int64
	MerchantOrderID          string
	Status                   string
	FinancingStatus          string
	CreatedFrom, CreatedTo   string
	CapturedFrom, CapturedTo string
	UpdatedSince             time.Time
}

func (f OrderFilter) query(p Paging) query {
	q := query{}
	q.number("company_id", f.CompanyID)
	q.text("merchant_order_id", f.MerchantOrderID)
	q.text("status", f.Status)
	q.text("financing_status", f.FinancingStatus)
	q.text("created_from", f.CreatedFrom)
	q.text("created_to", f.CreatedTo)
	q.text("captured_from", f.CapturedFrom)
	q.text("captured_to", f.CapturedTo)
	q.instant("updated_since", f.UpdatedSince)
	q.paging(p)
	return q
}

// CreateOrder makes an order.
func (c *Client) CreateOrder(ctx context.Context, o OrderRequest, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, "/order", o, options)
}

// Order returns one order.
func (c *Client) Order(ctx context.Context, key string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodGet, at("v1", "order", key), nil, options)
}

// ListOrders returns one page of orders, newest first.
func (c *Client) ListOrders(ctx context.Context, f OrderFilter, p Paging, options ...Option) (*Page[Order], error) {
	return list[Order](ctx, c, "/v1/orders", f.query(p), options)
}

// Orders walks all orders, newest first.
func (c *Client) Orders(ctx context.Context, f OrderFilter) iter.Seq2[*Order, error] {
	return each(func(p Paging) (*Page[Order], error) { return c.ListOrders(ctx, f, p) })
}

// UpdateOrder changes an order; fields and a status may come together.
func (c *Client) UpdateOrder(ctx context.Context, key string, change OrderChange, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPatch, at("v1", "order", key), change, options)
}

// AuthorizeOrder reserves the order's amount on the company's line.
func (c *Client) AuthorizeOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return c.UpdateOrder(ctx, key, OrderChange{Status: "AUTHORIZED"}, options...)
}

// CaptureOrder says that the goods have been shipped: repayment begins. An amount
// below the reserved one captures less and releases the rest; "" captures all.
func (c *Client) CaptureOrder(ctx context.Context, key string, amount Amount, options ...Option) (*Order, error) {
	return c.UpdateOrder(ctx, key, OrderChange{Status: "CAPTURED", Amount: amount}, options...)
}

// CancelOrder cancels an order that has not been captured.
func (c *Client) CancelOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return c.UpdateOrder(ctx, key, OrderChange{Status: "CANCELED"}, options...)
}

// RefundOrder refunds all or a part of a captured order.
func (c *Client) RefundOrder(ctx context.Context, key string, r OrderRefund, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPatch, at("v1", "order", key, "refund"), r, options)
}

// ExtendOrder adds 30 days to an authorization, once.
func (c *Client) ExtendOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, at("v1", "order", key, "extend"), struct{}{}, options)
}

// CapturePart captures a part of an order and returns the child that it became.
func (c *Client) CapturePart(ctx context.Context, key string, p PartialCapture, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, at("v1", "order", key, "partial"), p, options)
}
