package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Receipt is money that has reached the lender and of which nobody knows, or knew, whose
// it is.
type Receipt struct {
	Raw
	ID              string     `json:"id"`
	Amount          Amount     `json:"amount"`
	Currency        string     `json:"currency"`
	Method          string     `json:"method"` // CHECK WIRE CASH OTHER
	ReceivedDate    string     `json:"received_date"`
	Reference       string     `json:"reference"`
	Note            string     `json:"note"`
	Status          string     `json:"status"` // OPEN IDENTIFIED RETURNED
	Days            int        `json:"days"`   // since it was received, until it was no longer OPEN
	PaymentID       string     `json:"payment_id"`
	ReturnReference string     `json:"return_reference"`
	CreatedAt       time.Time  `json:"created_at"`
	EndedAt         *time.Time `json:"ended_at"`
	Version         int        `json:"version"` // for IfMatch
}

// ReceiptRequest records a receipt.
type ReceiptRequest struct {
	Amount       Amount `json:"amount"`
	Method       string `json:"method"`
	ReceivedDate string `json:"received_date,omitempty"` // "": today
	Reference    string `json:"reference,omitempty"`
	Note         string `json:"note,omitempty"`
}

// Identification says whose a receipt was: exactly one of OrderKey, InvoiceID and
// CompanyID.
type Identification struct {
	OrderKey   string `json:"order_key,omitempty"`
	InvoiceID  string `json:"invoice_id,omitempty"`
	CompanyID  int64  `json:"company_id,omitempty"`
	Memo       string `json:"memo,omitempty"`
	HoldExcess bool   `json:"hold_excess,omitempty"`
}

func receiptAt(id string, more ...string) string {
	return at(append([]string{"v1", "operator", "receipts", id}, more...)...)
}

// ListReceipts returns one page of receipts, newest first; of one status, or all for "".
func (c *Client) ListReceipts(ctx context.Context, status string, p Paging, options ...Option) (*Page[Receipt], error) {
	q := query{}
	q.text("status", status)
	q.paging(p)
	return list[Receipt](ctx, c, "/v1/operator/receipts", q, options)
}

// Receipts walks all receipts, newest first.
func (c *Client) Receipts(ctx context.Context, status string) iter.Seq2[*Receipt, error] {
	return each(func(p Paging) (*Page[Receipt], error) { return c.ListReceipts(ctx, status, p) })
}

// Receipt returns one receipt.
func (c *Client) Receipt(ctx context.Context, id string, options ...Option) (*Receipt, error) {
	return send[Receipt](ctx, c, http.MethodGet, receiptAt(id), nil, options)
}

// RecordReceipt records money of which nobody knows whose it is.
func (c *Client) RecordReceipt(ctx context.Context, r ReceiptRequest, options ...Option) (*Receipt, error) {
	return send[Receipt](ctx, c, http.MethodPost, "/v1/operator/receipts", r, options)
}

// IdentifyReceipt says whose a receipt was, and returns the payment that it has become.
func (c *Client) IdentifyReceipt(ctx context.Context, id string, whose Identification, options ...Option) (*Payment, error) {
	return send[Payment](ctx, c, http.MethodPost, receiptAt(id, "identify"), whose, options)
}

// ReturnReceipt records that a receipt was sent back, by the wire or check of a reference.
func (c *Client) ReturnReceipt(ctx context.Context, id, reference string, options ...Option) (*Receipt, error) {
	body := struct {
		Reference string `json:"reference"`
	}{reference}
	return send[Receipt](ctx, c, http.MethodPost, receiptAt(id, "return"), body, options)
}
