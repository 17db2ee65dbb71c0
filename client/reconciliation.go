package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Media types of a list for Reconcile.
const (
	CSV  = "text/csv"
	JSON = "application/json"
)

// maxList is the most bytes of a list that a server takes.
const maxList = 64 << 20

// ErrListTooLarge says that a list is above 64 MiB. It can be split by the orders'
// dates.
var ErrListTooLarge = errors.New("client: the list is larger than 64 MiB")

// Reconciliation is what came of comparing a merchant's own list of orders with the
// books. A row may differ in amount and status both.
type Reconciliation struct {
	Raw
	AsOfSeq        int64        `json:"as_of_seq"` // the commit up to which the books were read
	Rows           int          `json:"rows"`
	Matched        int          `json:"matched"`
	MissingHere    int          `json:"missing_here"`  // rows whose order number the books do not have
	MissingThere   int          `json:"missing_there"` // orders of the span that the list does not have
	AmountMismatch int          `json:"amount_mismatch"`
	StatusMismatch int          `json:"status_mismatch"`
	Duplicates     int          `json:"duplicates"` // rows whose order number an earlier row has
	Differences    []Difference `json:"differences"`
	Truncated      bool         `json:"truncated"` // there are more than are shown; the counts are of all
}

// Clean reports whether list and books agree.
func (r *Reconciliation) Clean() bool {
	return r.MissingHere+r.MissingThere+r.AmountMismatch+r.StatusMismatch+r.Duplicates == 0
}

// Difference is one thing in which a list and the books do not agree.
type Difference struct {
	Kind            string     `json:"kind"` // missing_here missing_there amount_mismatch status_mismatch duplicate
	MerchantOrderID string     `json:"merchant_order_id"`
	OrderKey        string     `json:"order_key"` // "" if there is none here
	Row             int        `json:"row"`       // from 1, without the line of names; 0 if the list has none
	Theirs          *OrderSide `json:"theirs"`    // what the list says
	Ours            *OrderSide `json:"ours"`      // what the books say
}

// OrderSide is what one side has for an order.
type OrderSide struct {
	Amount Amount `json:"amount"` // once captured, what was captured
	Status string `json:"status"`
}

// ReconciliationSpan says of which orders a list is complete, by their business date
// of creation, both included. Orders of the span that the list lacks are missing_there.
type ReconciliationSpan struct {
	CreatedFrom, CreatedTo string
}

// Reconcile compares a merchant's own list of orders with the books: CSV with the
// columns merchant_order_id, amount and status, or JSON with an array of objects that
// have these members. The list is read whole before it is sent, so that it can be sent
// again.
func (c *Client) Reconcile(ctx context.Context, list io.Reader, mediaType string, span ReconciliationSpan, options ...Option) (*Reconciliation, error) {
	body, err := io.ReadAll(io.LimitReader(list, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	if len(body) > maxList {
		return nil, ErrListTooLarge
	}
	q := query{}
	q.text("created_from", span.CreatedFrom)
	q.text("created_to", span.CreatedTo)
	k := &call{method: http.MethodPost, path: q.on("/v1/reconciliations"), body: body, header: http.Header{"Content-Type": {mediaType}}}
	r, err := c.do(ctx, k, options)
	if err != nil {
		return nil, err
	}
	got, err := read[Reconciliation](c, r, nil)
	if err != nil {
		return nil, fmt.Errorf("POST /v1/reconciliations: %w", err)
	}
	return got, nil
}
