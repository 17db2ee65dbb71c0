package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Payout is what a merchant is paid.
type Payout struct {
	Raw
	ID         string     `json:"id"`
	MerchantID string     `json:"merchant_id"`
	Status     string     `json:"status"` // PENDING SENT SETTLED FAILED
	Date       string     `json:"date"`
	Gross      Amount     `json:"gross"`
	Discount   Amount     `json:"discount"`
	Refunds    Amount     `json:"refunds"`
	Repaid     Amount     `json:"repaid"`
	Clawback   Amount     `json:"clawback"`
	Collected  Amount     `json:"collected"`
	Net        Amount     `json:"net"`
	Currency   string     `json:"currency"`
	Failure    *Failure   `json:"failure"`
	CreatedAt  time.Time  `json:"created_at"`
	SentAt     *time.Time `json:"sent_at"`
	SettledAt  *time.Time `json:"settled_at"`
	// What follows is not in lists and events.
	TraceNumber      string       `json:"trace_number"` // its last seven digits
	DiscountReturned Amount       `json:"discount_returned"`
	Carried          Amount       `json:"carried"` // what the merchant still owed after it
	Lines            []PayoutLine `json:"lines"`
}

// PayoutLine is one thing that a payout pays or takes.
type PayoutLine struct {
	Kind     string `json:"kind"` // CAPTURE CLAWBACK COLLECTED REPAID CARRIED
	OrderKey string `json:"order_key"`
	Source   string `json:"source"`
	Gross    Amount `json:"gross"`
	Discount Amount `json:"discount"`
	Refunds  Amount `json:"refunds"`
	Amount   Amount `json:"amount"`
	Netted   Amount `json:"netted"`
	DueDate  string `json:"due_date"`
}

// PayoutFilter narrows a list of payouts.
type PayoutFilter struct{ Status string }

// Payout returns one payout with its lines.
func (c *Client) Payout(ctx context.Context, id string, options ...Option) (*Payout, error) {
	return send[Payout](ctx, c, http.MethodGet, at("v1", "payouts", id), nil, options)
}

// ListPayouts returns one page of payouts, newest first.
func (c *Client) ListPayouts(ctx context.Context, f PayoutFilter, p Paging, options ...Option) (*Page[Payout], error) {
	q := query{}
	q.text("status", f.Status)
	q.paging(p)
	return list[Payout](ctx, c, "/v1/payouts", q, options)
}

// Payouts walks all payouts, newest first.
func (c *Client) Payouts(ctx context.Context, f PayoutFilter) iter.Seq2[*Payout, error] {
	return each(func(p Paging) (*Page[Payout], error) { return c.ListPayouts(ctx, f, p) })
}
