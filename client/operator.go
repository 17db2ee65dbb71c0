package client

import (
	"context"
	"net/http"
)

// PaymentReturn says why money that was received is not there: bounced,
// called_back or recorded_in_error.
type PaymentReturn struct {
	Code    string `json:"code,omitempty"` // "" is bounced
	Message string `json:"message,omitempty"`
}

// ReturnPayment takes back a payment that did not hold. For the operator.
func (c *Client) ReturnPayment(ctx context.Context, id string, r PaymentReturn, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, at("v1", "operator", "payments", id, "return"), r, options)
}

// ServiceOrder posts what has become due on an order, which every other change of
// it does first anyway. For the operator.
func (c *Client) ServiceOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, at("v1", "operator", "order", key, "service"), struct{}{}, options)
}
