package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
)

// Schedule is the list of installments of an order.
type Schedule struct {
	Raw
	OrderKey         string        `json:"order_key"`
	Status           string        `json:"status"` // ESTIMATED before capture, else the order's financing_status or CANCELED
	Plan             string        `json:"plan"`
	Currency         string        `json:"currency"`
	Principal        Amount        `json:"principal"`
	FinanceCharge    Amount        `json:"finance_charge"`
	TotalAmount      Amount        `json:"total_amount"`
	TotalPaid        Amount        `json:"total_paid"`
	RemainingBalance Amount        `json:"remaining_balance"`
	PastDueAmount    Amount        `json:"past_due_amount"`
	NextDueDate      string        `json:"next_due_date"`
	NextDueAmount    Amount        `json:"next_due_amount"`
	Revision         int           `json:"revision"`
	DisputeHolds     []DisputeHold `json:"dispute_holds"`
	Installments     []Installment `json:"installments"`
}

// Installment is one row of a schedule.
type Installment struct {
	Number            int       `json:"number"`
	DueDate           string    `json:"due_date"`
	CollectionDate    string    `json:"collection_date"`
	Amount            Amount    `json:"amount"`
	Principal         Amount    `json:"principal"`
	FinanceCharge     Amount    `json:"finance_charge"`
	Fees              Amount    `json:"fees"`
	FeeItems          []FeeItem `json:"fee_items"`
	AmountPaid        Amount    `json:"amount_paid"`
	AmountOutstanding Amount    `json:"amount_outstanding"`
	RemainingBalance  Amount    `json:"remaining_balance"`
	Status            string    `json:"status"` // UPCOMING DUE PARTIALLY_PAID PAID OVERDUE CANCELED
	PaidAt            string    `json:"paid_at"`
	DaysPastDue       int       `json:"days_past_due"`
}

// FeeItem is one fee of an installment.
type FeeItem struct {
	ID         string `json:"id"`
	Kind       string `json:"kind"`   // LATE RETURNED_PAYMENT OTHER
	Amount     Amount `json:"amount"` // less what was waived
	Paid       Amount `json:"paid"`
	Waived     Amount `json:"waived"`
	AssessedOn string `json:"assessed_on"`
}

// DisputeHold is a span of days on which an order is not debited and that do not count
// as late; Until is the first day that counts again.
type DisputeHold struct {
	From  string `json:"from"`
	Until string `json:"until"`
}

// Payoff is what would pay an order off on a date.
type Payoff struct {
	Raw
	OrderKey                     string `json:"order_key"`
	Date                         string `json:"date"`
	GoodThrough                  string `json:"good_through"`
	Amount                       Amount `json:"amount"`
	Principal                    Amount `json:"principal"`
	FinanceCharge                Amount `json:"finance_charge"`
	Fees                         Amount `json:"fees"`
	PerDiem                      Amount `json:"per_diem"`
	AssumesPendingPaymentsSettle bool   `json:"assumes_pending_payments_settle"`
	Currency                     string `json:"currency"`
}

// Entry is one balanced record of the ledger.
type Entry struct {
	Raw
	ID        string    `json:"id"`
	BookDate  string    `json:"book_date"`
	ValueDate string    `json:"value_date"`
	Event     string    `json:"event"`
	Cause     string    `json:"cause"`
	Reverses  string    `json:"reverses"`
	Currency  string    `json:"currency"`
	Postings  []Posting `json:"postings"`
	CommitSeq int64     `json:"commit_seq"`
}

// Posting is one line of an entry: a debit or a credit.
type Posting struct {
	Account     int    `json:"account"`
	AccountName string `json:"account_name"`
	Debit       Amount `json:"debit"`
	Credit      Amount `json:"credit"`
	CompanyID   int64  `json:"company_id"`
	OrderKey    string `json:"order_key"`
	MerchantID  string `json:"merchant_id"`
	PaymentID   string `json:"payment_id"`
	Installment int    `json:"installment"`
}

// Preview is what a dry run would have done.
type Preview struct {
	Raw
	Result     json.RawMessage  `json:"result"` // the resource that the call would return
	Schedule   *Schedule        `json:"schedule"`
	Entries    []Entry          `json:"entries"`
	CreditLine CreditLineChange `json:"credit_line"`
}

// CreditLineChange is a credit line before and after a call.
type CreditLineChange struct {
	Before CreditLine `json:"before"`
	After  CreditLine `json:"after"`
}

// Schedule returns the installments of an order.
func (c *Client) Schedule(ctx context.Context, order string, options ...Option) (*Schedule, error) {
	return send[Schedule](ctx, c, http.MethodGet, at("payments", "schedule", order), nil, options)
}

// Payoff returns what would pay an order off on a date, "" for today.
func (c *Client) Payoff(ctx context.Context, order, date string, options ...Option) (*Payoff, error) {
	q := query{}
	q.text("date", date)
	return send[Payoff](ctx, c, http.MethodGet, q.on(at("v1", "order", order, "payoff")), nil, options)
}

// OrderLedger returns one page of an order's entries, oldest first.
func (c *Client) OrderLedger(ctx context.Context, order string, p Paging, options ...Option) (*Page[Entry], error) {
	return pages[Entry](ctx, c, at("v1", "order", order, "ledger"), p, options)
}

// EntriesOfOrder walks all entries of an order, oldest first.
func (c *Client) EntriesOfOrder(ctx context.Context, order string) iter.Seq2[*Entry, error] {
	return each(func(p Paging) (*Page[Entry], error) { return c.OrderLedger(ctx, order, p) })
}
