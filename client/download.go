package client

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Media types of downloads, beside JSON and CSV.
const (
	HTML   = "text/html"
	PDF    = "application/pdf"
	Ledger = "text/plain" // a journal that hledger reads
)

// Download reads any path in one of its forms and writes it as it comes, however large
// it is. After an error what was written is not complete. The Response has no Body.
func (c *Client) Download(ctx context.Context, path, mediaType string, w io.Writer, options ...Option) (*Response, error) {
	k := &call{method: http.MethodGet, path: path, header: http.Header{"Accept": {mediaType}}, into: w}
	return c.do(ctx, k, options)
}

// ExportEntries writes all ledger entries with book dates in a range, both included, ""
// for an open end, as JSON, CSV or Ledger.
func (c *Client) ExportEntries(ctx context.Context, from, to, mediaType string, w io.Writer, options ...Option) error {
	q := query{}
	q.text("from", from)
	q.text("to", to)
	_, err := c.Download(ctx, q.on("/v1/operator/ledger/entries"), mediaType, w, options...)
	return err
}

// PayoutSpan says which payouts are exported: those that changed at or after Since and
// before Before, zero for an open end. Before is not in the future.
type PayoutSpan struct{ Since, Before time.Time }

// ExportPayouts writes payouts, a row for each order, as JSON or CSV.
func (c *Client) ExportPayouts(ctx context.Context, s PayoutSpan, mediaType string, w io.Writer, options ...Option) error {
	q := query{}
	q.instant("updated_since", s.Since)
	q.instant("updated_before", s.Before)
	_, err := c.Download(ctx, q.on("/v1/payouts/export"), mediaType, w, options...)
	return err
}

// StatementFile writes a company's statement of a month, YYYY-MM, as HTML or PDF, or its
// balance history as CSV.
func (c *Client) StatementFile(ctx context.Context, company, month, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, at("v1", "companies", company, "statements", month), mediaType, w, options...)
	return err
}

// PayoutFile writes a payout as HTML or PDF.
func (c *Client) PayoutFile(ctx context.Context, id, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, at("v1", "payouts", id), mediaType, w, options...)
	return err
}

// InvoiceFile writes an invoice as HTML or PDF.
func (c *Client) InvoiceFile(ctx context.Context, id, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, at("v1", "invoices", id), mediaType, w, options...)
	return err
}

// NoticeFile writes a notice of an adverse action as HTML or PDF. It takes the lender's
// token.
func (c *Client) NoticeFile(ctx context.Context, id, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, at("v1", "operator", "notices", id), mediaType, w, options...)
	return err
}

// ApplicationNoticeFile writes the notice that an application owes, as a page or as PDF.
func (c *Client) ApplicationNoticeFile(ctx context.Context, id, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, reviewedAt(id, "notice"), mediaType, w, options...)
	return err
}

// OwnerNoticeFile writes the notice to the owner whose credit report was used and who has not
// applied, as a page or as PDF.
func (c *Client) OwnerNoticeFile(ctx context.Context, id, mediaType string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, reviewedAt(id, "notice")+ownersNotice, mediaType, w, options...)
	return err
}
