package trade

import (
	"context"
	"encoding/json"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func estimateNoun() terminal.Noun[client.Estimate] {
	return terminal.Noun[client.Estimate]{
		Head: []string{"ID", "PASS", ">LIMIT", "TIER", ">POINTS", "REASONS"},
		Row: func(x *client.Estimate) []any {
			return []any{x.ID, x.Pass, x.EstimatedLimit, terminal.Maybe(x.Tier), x.Points, terminal.Maybe(strings.Join(x.Reasons, " "))}
		},
		Key: func(x *client.Estimate) string { return x.ID },
	}
}

// ApplicationEstimate is the command "applications estimate".
type ApplicationEstimate struct {
	terminal.Change
	File string `arg:"" help:"Request body for POST /v1/prequalifications, as JSON: the business, its owner and its figures; - for standard input."`
}

func (ApplicationEstimate) Examples() []string {
	return []string{"applications estimate estimate.json", "applications estimate - --json"}
}

func (c *ApplicationEstimate) Run(ctx context.Context, a *terminal.App) error {
	text, err := a.ReadAll(c.File)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return &exit.Failure{Code: exit.Usage, Text: "the file is not JSON"}
	}
	return terminal.Act(ctx, a, &c.Change, estimateNoun(), func(api *client.Client, o ...client.Option) (*client.Estimate, error) {
		return api.Prequalify(ctx, json.RawMessage(text), o...)
	}, func(x *client.Estimate) string { return strings.Join(x.Messages, " ") })
}
