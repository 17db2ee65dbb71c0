package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// What this file and its neighbours named operator_… hold takes the lender's token.

// PaymentReturn says why money that was received is not there: bounced,
// called_back or recorded_in_error.
type PaymentReturn struct {
	Code    string `json:"code,omitempty"` // "" is bounced
	Message string `json:"message,omitempty"`
}

// ReturnPayment takes back a payment that did not hold.
func (c *Client) ReturnPayment(ctx context.Context, id string, r PaymentReturn, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("v1", "operator", "payments", id, "return"), r, options)
}

// PaymentReversal says what was wrong with a debit: DUPLICATE, WRONG_RECEIVER,
// WRONG_AMOUNT or WRONG_DATE.
type PaymentReversal struct {
	Reason string `json:"reason"`
	Note   string `json:"note,omitempty"`
}

// ReversePayment takes back a debit that was an error and sends its money back.
func (c *Client) ReversePayment(ctx context.Context, id string, r PaymentReversal, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("v1", "operator", "payments", id, "reverse"), r, options)
}

// ServiceOrder posts what has become due on an order, which every other change of
// it does first anyway.
func (c *Client) ServiceOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, at("v1", "operator", "order", key, "service"), struct{}{}, options)
}

// APIClient is a program of a merchant, or of the lender, with its own secret.
type APIClient struct {
	Raw
	ID                  string     `json:"id"`
	MerchantID          string     `json:"merchant_id"` // "" is the lender
	Name                string     `json:"name"`
	Scopes              []string   `json:"scopes"`
	RatePerMinute       int        `json:"rate_per_minute"`
	Burst               int        `json:"burst"`
	Secret              string     `json:"secret"`                // tns_…; only in the answers of CreateClient and RollClient
	PreviousSecretUntil *time.Time `json:"previous_secret_until"` // until when the secret before is taken too
	CreatedAt           time.Time  `json:"created_at"`
	UpdatedAt           time.Time  `json:"updated_at"`
	RevokedAt           *time.Time `json:"revoked_at"`
	Managed             bool       `json:"managed"` // false: made on the server itself, and ended there
}

// APIClientRequest makes an API client. Name is required.
type APIClientRequest struct {
	MerchantID    string   `json:"merchant_id,omitempty"` // "" for one of the lender
	Name          string   `json:"name"`
	Scopes        []string `json:"scopes,omitzero"` // nil: all that it may hold but sandbox; an empty list is refused
	RatePerMinute int      `json:"rate_per_minute,omitempty"`
	Burst         int      `json:"burst,omitempty"`
}

// CreateClient makes an API client. Its secret is in this answer only.
func (c *Client) CreateClient(ctx context.Context, r APIClientRequest, options ...Option) (*APIClient, error) {
	return send[APIClient](ctx, c, http.MethodPost, "/v1/operator/clients", r, options)
}

// APIClient returns one API client.
func (c *Client) APIClient(ctx context.Context, id string, options ...Option) (*APIClient, error) {
	return send[APIClient](ctx, c, http.MethodGet, at("v1", "operator", "clients", id), nil, options)
}

// ListClients returns one page of API clients, newest first; of one merchant, or of
// all for "".
func (c *Client) ListClients(ctx context.Context, merchant string, p Paging, options ...Option) (*Page[APIClient], error) {
	q := query{}
	q.text("merchant_id", merchant)
	q.paging(p)
	return list[APIClient](ctx, c, "/v1/operator/clients", q, options)
}

// Clients walks all API clients, newest first; of one merchant, or of all for "".
func (c *Client) Clients(ctx context.Context, merchant string) iter.Seq2[*APIClient, error] {
	return each(func(p Paging) (*Page[APIClient], error) { return c.ListClients(ctx, merchant, p) })
}

// RollClient gives an API client a new secret, which is in this answer only. The one
// before is taken for the overlap, 30 days at most; 0 ends it at once.
func (c *Client) RollClient(ctx context.Context, id string, overlap time.Duration, options ...Option) (*APIClient, error) {
	body := struct {
		Overlap int64 `json:"overlap_seconds"`
	}{int64(overlap / time.Second)}
	return send[APIClient](ctx, c, http.MethodPost, at("v1", "operator", "clients", id, "roll"), body, options)
}

// RevokeClient ends an API client and all its tokens at once.
func (c *Client) RevokeClient(ctx context.Context, id string, options ...Option) (*APIClient, error) {
	return send[APIClient](ctx, c, http.MethodPost, at("v1", "operator", "clients", id, "revoke"), struct{}{}, options)
}
