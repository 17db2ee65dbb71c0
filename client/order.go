package client

import "context"

// AuthorizeOrder reserves the order's amount on the company's credit line.
func (c *Client) AuthorizeOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return c.UpdateOrder(ctx, key, OrderChange{Status: "AUTHORIZED"}, options...)
}

// CaptureOrder records that the goods have been shipped: repayment begins. An amount below the
// reserved one captures less and releases the rest; "" captures everything.
func (c *Client) CaptureOrder(ctx context.Context, key string, amount Amount, options ...Option) (*Order, error) {
	return c.UpdateOrder(ctx, key, OrderChange{Status: "CAPTURED", Amount: amount}, options...)
}

// CancelOrder cancels an order that has not been captured.
func (c *Client) CancelOrder(ctx context.Context, key string, options ...Option) (*Order, error) {
	return c.UpdateOrder(ctx, key, OrderChange{Status: "CANCELED"}, options...)
}
