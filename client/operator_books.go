package client

import (
	"context"
	"net/http"
	"time"
)

// TrialBalance is the balance of every account on a day.
type TrialBalance struct {
	Raw
	AsOf        string      `json:"as_of"`
	Currency    string      `json:"currency"`
	Lines       []TrialLine `json:"lines"`
	Debits      Amount      `json:"debits"`
	Credits     Amount      `json:"credits"`
	MemoDebits  Amount      `json:"memo_debits"`
	MemoCredits Amount      `json:"memo_credits"`
	Balanced    bool        `json:"balanced"`
}

// TrialLine is the balance of one account: a debit or a credit.
type TrialLine struct {
	Account     int    `json:"account"`
	AccountName string `json:"account_name"`
	Debit       Amount `json:"debit"`
	Credit      Amount `json:"credit"`
}

// Balances is what one company or one merchant has on each account.
type Balances struct {
	Raw
	AsOf     string      `json:"as_of"`
	Currency string      `json:"currency"`
	Lines    []TrialLine `json:"lines"`
}

// Period is a month of the books that is closed.
type Period struct {
	Raw
	Month    string    `json:"month"` // YYYY-MM
	ClosedAt time.Time `json:"closed_at"`
	Debits   Amount    `json:"debits"`
}

// StatementMonth is a month of which a company has a statement.
type StatementMonth struct {
	Raw
	Month string `json:"month"` // YYYY-MM
	From  string `json:"from"`
	To    string `json:"to"`
	Final bool   `json:"final"` // the month is over
}

// Statement is a company's month. Lists that are not named here are read by Member.
type Statement struct {
	Raw
	CompanyID       string `json:"company_id"`
	Month           string `json:"month"`
	From            string `json:"from"`
	To              string `json:"to"`
	Final           bool   `json:"final"`
	Opening         Amount `json:"opening"`
	Closing         Amount `json:"closing"`
	UnappliedCredit Amount `json:"unapplied_credit"`

	Lines []StatementLine `json:"lines"`
}

// StatementLine is one change of what a company owes.
type StatementLine struct {
	Date      string `json:"date"`
	Kind      string `json:"kind"`
	OrderKey  string `json:"order_key"`
	PaymentID string `json:"payment_id"`
	Amount    Amount `json:"amount"`
	Balance   Amount `json:"balance"` // after it
}

// MoveFunding records cash that the lender puts in (IN) or takes out (OUT).
func (c *Client) MoveFunding(ctx context.Context, amount Amount, direction, reference string, options ...Option) (*Entry, error) {
	body := struct {
		Amount    Amount `json:"amount"`
		Direction string `json:"direction"`
		Reference string `json:"reference"`
	}{amount, direction, reference}
	return send[Entry](ctx, c, http.MethodPost, "/v1/operator/ledger/funding", body, options)
}

// TrialBalance returns the balances of accounts at the end of a business date, ""
// for today.
func (c *Client) TrialBalance(ctx context.Context, asOf string, options ...Option) (*TrialBalance, error) {
	q := query{}
	q.text("as_of", asOf)
	return send[TrialBalance](ctx, c, http.MethodGet, q.on("/v1/operator/ledger/trial_balance"), nil, options)
}

// Balances returns the balances of accounts of one company or one merchant at the end of
// a business date, "" for today. One of the two is given.
func (c *Client) Balances(ctx context.Context, company, merchant, asOf string, options ...Option) (*Balances, error) {
	q := query{}
	q.text("company_id", company)
	q.text("merchant_id", merchant)
	q.text("as_of", asOf)
	return send[Balances](ctx, c, http.MethodGet, q.on("/v1/operator/ledger/balances"), nil, options)
}

// Entries returns all ledger entries with book dates in a range, both included, ""
// for an open end. They come on one page.
func (c *Client) Entries(ctx context.Context, from, to string, options ...Option) (*Page[Entry], error) {
	q := query{}
	q.text("from", from)
	q.text("to", to)
	return list[Entry](ctx, c, "/v1/operator/ledger/entries", q, options)
}

// ClosePeriod closes a month of the books, YYYY-MM.
func (c *Client) ClosePeriod(ctx context.Context, month string, options ...Option) (*Period, error) {
	body := struct {
		Month string `json:"month"`
	}{month}
	return send[Period](ctx, c, http.MethodPost, "/v1/operator/ledger/periods", body, options)
}

// ListPeriods returns one page of the months that are closed, the latest first.
func (c *Client) ListPeriods(ctx context.Context, p Paging, options ...Option) (*Page[Period], error) {
	return pages[Period](ctx, c, "/v1/operator/ledger/periods", p, options)
}

// ListStatements returns one page of the months of which a company has a statement, the
// latest first.
func (c *Client) ListStatements(ctx context.Context, company string, p Paging, options ...Option) (*Page[StatementMonth], error) {
	return pages[StatementMonth](ctx, c, at("v1", "companies", company, "statements"), p, options)
}

// Statement returns a company's statement of a month, YYYY-MM.
func (c *Client) Statement(ctx context.Context, company, month string, options ...Option) (*Statement, error) {
	return send[Statement](ctx, c, http.MethodGet, at("v1", "companies", company, "statements", month), nil, options)
}
