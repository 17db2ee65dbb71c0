package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Media types beside JSON.
const (
	CSV    = "text/csv"
	HTML   = "text/html"
	PDF    = "application/pdf"
	Ledger = "text/plain" // a journal that hledger reads
)

// JSON is the media type of a list for Reconcile that is no CSV.
const JSON = "application/json"

// Download reads any path in one of its forms and writes it as it comes, however large
// it is. After an error what was written is not complete. The Response has no Body.
func (c *Client) Download(ctx context.Context, path, mediaType string, w io.Writer, options ...Option) (*Response, error) {
	k := &call{method: http.MethodGet, path: path, header: http.Header{"Accept": {mediaType}}, into: w}
	return c.do(ctx, k, options)
}

// upload sends a file as it is.
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

// maxList is the most bytes of a list that a server takes.
const maxList = 64 << 20

// ErrListTooLarge says that a list is above 64 MiB. It can be split by dates.
var ErrListTooLarge = errors.New("client: the list is larger than 64 MiB")

// uploadList reads a list whole before it is sent, so that it can be sent again.
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

// PutBankCSV adds lines of the bank's statement as the bank exports them: a CSV whose
// first line names the columns id, date, amount and reference, in any order.
func (c *Client) PutBankCSV(ctx context.Context, lines io.Reader, options ...Option) (*BankLinesTaken, error) {
	return uploadList[BankLinesTaken](ctx, c, "/v1/operator/bank_lines", CSV, lines, options)
}

// ReconciliationSpan says of which orders a list is complete, by their business date
// of creation, both included. Orders of the span that the list lacks are missing_there.
type ReconciliationSpan struct {
	CreatedFrom, CreatedTo string
}

// Reconcile compares a merchant's own list of orders with the books: CSV with the
// columns merchant_order_id, amount and status, or JSON with an array of objects that
// have these members.
func (c *Client) Reconcile(ctx context.Context, list io.Reader, mediaType string, span ReconciliationSpan, options ...Option) (*Reconciliation, error) {
	q := query{}
	q.text("created_from", span.CreatedFrom)
	q.text("created_to", span.CreatedTo)
	return uploadList[Reconciliation](ctx, c, q.on("/v1/reconciliations"), mediaType, list, options)
}

// Clean reports whether list and books agree.
func (r *Reconciliation) Clean() bool {
	return r.MissingHere+r.MissingThere+r.AmountMismatch+r.StatusMismatch+r.Duplicates == 0
}
