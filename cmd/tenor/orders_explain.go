package main

import (
	"context"

	"tenor/client"
)

type orderExplain struct {
	remote
	orderKeyed
}

// Examples are shown by -h.
func (orderExplain) Examples() []string {
	return []string{"orders explain ord_…", "orders explain ord_… --json"}
}

// Run is called by the parser.
func (c *orderExplain) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	n := noun[client.Explanation]{
		row:  func(x *client.Explanation) []any { return []any{x.OrderKey} },
		key:  func(x *client.Explanation) string { return x.OrderKey },
		text: func(a *app, x *client.Explanation) error { return document(a.out, indented(x.JSON())) },
	}
	return one(ctx, a, &c.remote, n, func(api *client.Client, o ...client.Option) (*client.Explanation, error) {
		return api.Explain(ctx, c.Key, o...)
	})
}
