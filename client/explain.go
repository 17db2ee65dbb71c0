package client

import (
	"context"
	"net/http"
)

// Explanation traces the amounts of an order to their rules, inputs and postings.
type Explanation struct {
	Raw
	OrderKey string `json:"order_key"`
}

// Explain returns where the amounts of an order come from.
func (c *Client) Explain(ctx context.Context, order string, options ...Option) (*Explanation, error) {
	return send[Explanation](ctx, c, http.MethodGet, at("v1", "order", order, "explain"), nil, options)
}
