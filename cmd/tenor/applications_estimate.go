package main

import (
	"context"
	"encoding/json"
	"strings"

	"tenor/client"
)

func estimateNoun() noun[client.Estimate] {
	return noun[client.Estimate]{
		head: []string{"ID", "PASS", ">LIMIT", "TIER", ">POINTS", "REASONS"},
		row: func(x *client.Estimate) []any {
			return []any{x.ID, x.Pass, x.EstimatedLimit, maybe(x.Tier), x.Points, maybe(strings.Join(x.Reasons, " "))}
		},
		key: func(x *client.Estimate) string { return x.ID },
	}
}

type applicationEstimate struct {
	change
	File string `arg:"" help:"Who asks, and the figures, as JSON, as POST /v1/prequalifications takes it; - for standard input."`
}

// Examples are shown by -h.
func (applicationEstimate) Examples() []string {
	return []string{"applications estimate estimate.json", "applications estimate - --json"}
}

// Run is called by the parser.
func (c *applicationEstimate) Run(ctx context.Context, a *app) error {
	text, err := a.readAll(c.File)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return &failure{code: exitUsage, text: "the file is not JSON"}
	}
	return act(ctx, a, &c.change, estimateNoun(), func(api *client.Client, o ...client.Option) (*client.Estimate, error) {
		return api.Prequalify(ctx, json.RawMessage(text), o...)
	}, func(x *client.Estimate) string { return strings.Join(x.Messages, " ") })
}
