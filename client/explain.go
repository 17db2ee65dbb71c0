package client

import (
	"context"
	"net/http"
)

// Explanation traces each amount of an order, its schedule and its payoff today to
// the rule that made it, to what went into the rule, and to the ledger.
type Explanation struct {
	Raw
	OrderKey string            `json:"order_key"`
	Amounts  []ExplainedAmount `json:"amounts"`
	Entries  []Entry           `json:"entries"` // every entry with a posting on the order, in order of posting
}

// ExplainedAmount is one amount with its reasons.
type ExplainedAmount struct {
	Name     string             `json:"name"` // in its resource, such as schedule.installments[3].finance_charge
	Value    Amount             `json:"value"`
	Rule     string             `json:"rule"`      // such as F9
	RuleText string             `json:"rule_text"` // the rule in a sentence
	Inputs   []ExplainedInput   `json:"inputs"`
	Entries  []string           `json:"entries"`  // whose postings carry the amount; none of what is computed of other amounts
	Postings []ExplainedPosting `json:"postings"` // their sum is the value less Unposted
	Unposted Amount             `json:"unposted"`
}

// ExplainedInput is one value that went into a rule.
type ExplainedInput struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ExplainedPosting names a line of an entry.
type ExplainedPosting struct {
	EntryID string `json:"entry_id"`
	Line    int    `json:"line"` // 0 for the first
}

// Explain returns where the amounts of an order come from.
func (c *Client) Explain(ctx context.Context, order string, options ...Option) (*Explanation, error) {
	return send[Explanation](ctx, c, http.MethodGet, at("v1", "order", order, "explain"), nil, options)
}
