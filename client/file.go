package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Media types other than JSON.
const (
	CSV    = "text/csv"
	HTML   = "text/html"
	PDF    = "application/pdf"
	Ledger = "text/plain" // a journal for hledger
)

// JSON is the media type of a list for Reconcile that is not CSV.
const JSON = "application/json"

// Download reads any path in one of its media types and writes it as it arrives, however large it
// is. After an error the written data is incomplete. The Response has no Body.
func (c *Client) Download(ctx context.Context, path, mediaType string, w io.Writer, options ...Option) (*Response, error) {
	k := &call{method: http.MethodGet, path: path, header: http.Header{"Accept": {mediaType}}, into: w}
	return c.do(ctx, k, options)
}

// upload sends a file unchanged.
func upload[T any](ctx context.Context, c *Client, path, mediaType string, data []byte, options []Option) (*T, error) {
	k := &call{method: http.MethodPost, path: path, header: http.Header{"Content-Type": {mediaType}}, body: data}
	r, err := c.do(ctx, k, options)
	if err != nil {
		return nil, err
	}
	v, err := read[T](c, r, nil)
	if err != nil {
		return nil, fmt.Errorf("POST %s: %w", k.path, err)
	}
	return v, nil
}

// maxList is the largest list that a server accepts, in bytes.
const maxList = 64 << 20

// ErrListTooLarge means that a list is larger than 64 MiB. It can be split by date.
var ErrListTooLarge = errors.New("client: the list is larger than 64 MiB")

// uploadList reads a whole list before sending it, so that it can be retried.
func uploadList[T any](ctx context.Context, c *Client, path, mediaType string, list io.Reader, options []Option) (*T, error) {
	data, err := io.ReadAll(io.LimitReader(list, maxList+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read list: %w", err)
	case len(data) > maxList:
		return nil, ErrListTooLarge
	}
	return upload[T](ctx, c, path, mediaType, data, options)
}

// PutBankCSV imports bank statement lines as the bank exports them: a CSV whose first line names
// the columns id, date, amount and reference, in any order.
func (c *Client) PutBankCSV(ctx context.Context, lines io.Reader, options ...Option) (*BankLinesTaken, error) {
	return uploadList[BankLinesTaken](ctx, c, "/v1/operator/bank_lines", CSV, lines, options)
}

// ReconciliationSpan is the range of business creation dates, inclusive, for which a list
// contains every order. Orders in that range that the list lacks are reported as missing_there.
type ReconciliationSpan struct {
	CreatedFrom, CreatedTo string
}

// Reconcile compares a merchant's own list of orders with the books: CSV with the columns
// merchant_order_id, amount and status, or a JSON array of objects with these members.
func (c *Client) Reconcile(ctx context.Context, list io.Reader, mediaType string, span ReconciliationSpan, options ...Option) (*Reconciliation, error) {
	q := query{}
	q.text("created_from", span.CreatedFrom)
	q.text("created_to", span.CreatedTo)
	return uploadList[Reconciliation](ctx, c, q.on("/v1/reconciliations"), mediaType, list, options)
}

// Clean reports whether the list and the books agree.
func (r *Reconciliation) Clean() bool {
	return r.MissingHere+r.MissingThere+r.AmountMismatch+r.StatusMismatch+r.Duplicates == 0
}
