package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// BankNotice is what a bank or a processor said, and what was left to a person.
type BankNotice struct {
	Raw
	ID           string     `json:"id"`
	Rail         string     `json:"rail"` // ACH CARD
	Kind         string     `json:"kind"` // RETURN CHANGE REJECT ACK UNREADABLE SETTLED DISPUTE …
	Code         string     `json:"code"`
	Message      string     `json:"message"`
	FromFile     string     `json:"from_file"`  // of the bank, in which it was said
	AboutFile    string     `json:"about_file"` // of ours
	Trace        int        `json:"trace"`      // of our entry; 0: none
	Amount       Amount     `json:"amount"`     // of our entry
	AccountLast4 string     `json:"account_last4"`
	Reference    string     `json:"reference"` // the processor's
	TransferID   string     `json:"transfer_id"`
	ReceivedAt   time.Time  `json:"received_at"`
	Result       string     `json:"result"`      // why it was left to a person
	DisputeBy    string     `json:"dispute_by"`  // of a late return
	ReviewedAt   *time.Time `json:"reviewed_at"` // nil while it waits
	ReviewedBy   string     `json:"reviewed_by"`
	ReviewNote   string     `json:"review_note"`
}

// BankNoticeFilter narrows a list of bank notices.
type BankNoticeFilter struct {
	Waiting bool // only those that no person has seen to
}

// ListBankNotices returns one page of what banks and processors said and was left to a
// person, newest first.
func (c *Client) ListBankNotices(ctx context.Context, f BankNoticeFilter, p Paging, options ...Option) (*Page[BankNotice], error) {
	q := query{}
	if f.Waiting {
		q.text("waiting", "true")
	}
	q.paging(p)
	return list[BankNotice](ctx, c, "/v1/operator/bank_notices", q, options)
}

// BankNotices walks all of them, newest first.
func (c *Client) BankNotices(ctx context.Context, f BankNoticeFilter) iter.Seq2[*BankNotice, error] {
	return each(func(p Paging) (*Page[BankNotice], error) { return c.ListBankNotices(ctx, f, p) })
}

// BankNotice returns one of them.
func (c *Client) BankNotice(ctx context.Context, id string, options ...Option) (*BankNotice, error) {
	return send[BankNotice](ctx, c, http.MethodGet, at("v1", "operator", "bank_notices", id), nil, options)
}

// ReviewBankNotice says what was done about one. It stays for good, and its alarm ends.
func (c *Client) ReviewBankNotice(ctx context.Context, id, note string, options ...Option) (*BankNotice, error) {
	body := struct {
		Note string `json:"note"`
	}{note}
	return send[BankNotice](ctx, c, http.MethodPost, at("v1", "operator", "bank_notices", id, "review"), body, options)
}
