package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// Query asks for a page of the rows of a noun. It is data: each dialect turns it into the
// same statement for the same members that are set, and memory evaluates it.
type Query struct {
	Noun   Noun
	Where  []Cond
	Order  []string // columns, the last of which is the key; from the lowest value up
	Down   bool     // from the highest value down
	After  []Value  // of the columns of Order: those of the last row of the page before; nil: from the beginning
	Behind string   // instead of After: the key of that row; a row that is not there has none behind it
	Limit  int      // rows at most; negative: all
	// Index is the index that is read where a planner would choose by figures that it does
	// not have. PostgreSQL, which has them, goes by the conditions.
	Index string
}

// Op compares a column with a value.
type Op int

// The comparisons. NULL is like nothing but itself.
const (
	Is Op = iota
	IsNot
	AtLeast
	Below
	AtMost
)

// Cond is a condition on one column.
type Cond struct {
	Column string
	Op     Op
	Value  Value // NULL stands for itself: IS NULL and IS NOT NULL
	// Holds says that the value stands in the text of the statement, because it is part of
	// the condition of a partial index.
	Holds bool
	// Expr is a condition that columns cannot say, as both dialects write it, and Takes is
	// the same of a row. Column, Op and Value are not looked at.
	Expr  string
	Takes func(row any) bool
}

// Match reports whether a value meets the condition.
func (c Cond) Match(v Value) bool {
	if c.Value.Null || v.Null {
		same := c.Value.Null && v.Null
		return c.Op == Is && same || c.Op == IsNot && c.Value.Null && !v.Null
	}
	switch n := v.Compare(c.Value); c.Op {
	case Is:
		return n == 0
	case IsNot:
		return n != 0
	case AtLeast:
		return n >= 0
	case Below:
		return n < 0
	default:
		return n <= 0
	}
}

func (q *Query) where(column string, op Op, v Value) {
	q.Where = append(q.Where, Cond{Column: column, Op: op, Value: v})
}

// holds adds the condition of the partial index that the query is read by.
func (q *Query) holds(column string, op Op, v Value) {
	q.Where = append(q.Where, Cond{Column: column, Op: op, Value: v, Holds: true})
}

// is narrows to rows with a text, unless that is empty.
func (q *Query) is(column, value string) {
	if value != "" {
		q.where(column, Is, textValue(value))
	}
}

func (q *Query) company(id int64) {
	if id != 0 {
		q.where("company_id", Is, Value{Kind: Integer, Int: id})
	}
}

// until narrows to what is before an instant, unless that is zero.
func (q *Query) until(column string, at time.Time) {
	if !at.IsZero() {
		q.where(column, Below, Micros(at))
	}
}

func textValue(s string) Value { return Value{Kind: Text, Text: s} }

func dayValue(d calendar.Date) Value {
	return Value{Kind: Day, Null: d == calendar.None, Int: int64(d)}
}

// newest is a list of a noun from the newest record down, by an instant and the key.
func newest(n Noun, at string, p Page) Query {
	key := n.Schema().Columns[0]
	q := Query{Noun: n, Order: []string{at, key}, Down: true, Limit: max(p.Limit, 0)}
	if !p.AfterAt.IsZero() {
		q.After = []Value{Micros(p.AfterAt), textValue(p.AfterID)}
	}
	return q
}

// list reads the records of a query.
func list[K comparable, V, R any](v View, n *NounOf[K, V, R], q Query) (out []V, err error) {
	err = v.List(q, func(row any) error { out = append(out, n.of(row.(*R))); return nil })
	return out, err
}

// ListInvoices lists invoices, newest first.
func ListInvoices(v View, f InvoiceFilter, p Page) ([]*credit.Invoice, error) {
	q := newest(InvoiceNoun, "issued_at", p)
	q.is("merchant_id", f.Merchant)
	q.is("order_key", f.Order)
	q.company(f.Company)
	q.is("status", string(f.Status))
	return list(v, InvoiceNoun, q)
}

// ListMethods lists a company's payment methods, newest first.
func ListMethods(v View, company int64) ([]*credit.PaymentMethod, error) {
	q := newest(MethodNoun, "created_at", Page{})
	q.Limit = -1
	q.where("company_id", Is, Value{Kind: Integer, Int: company})
	return list(v, MethodNoun, q)
}

// ListTransfers lists transfers, newest first. Nearly all are by ACH and have settled:
// those are found by the way.
func ListTransfers(v View, f TransferFilter, p Page) ([]*credit.Transfer, error) {
	q := newest(TransferNoun, "created_at", p)
	none, zero := textValue(""), Value{Kind: Integer}
	switch {
	case f.Unanswered:
		q.Index = "transfers_unanswered"
		q.Where = append(q.Where, Cond{Expr: Unanswered, Takes: func(row any) bool { return f.Takes(row.(*TransferRow).Transfer) }})
	case f.Payment != "":
		q.Index = "transfers_payment"
		q.holds("payment_id", IsNot, Value{Null: true})
	case f.Merchant != "":
		q.Index = "transfers_merchant"
		q.holds("merchant_id", IsNot, none)
	case f.Company != 0:
		q.Index = "transfers_company"
		q.holds("company_id", IsNot, zero)
	case f.Status != "" && f.Status != credit.TransferSettled:
		q.Index = "transfers_status"
		q.holds("status", IsNot, textValue(string(credit.TransferSettled)))
	case f.Rail == credit.Card:
		q.Index = "transfers_card"
		q.holds("rail", Is, textValue(string(credit.Card)))
	default:
		q.Index = "transfers_created"
	}
	q.company(f.Company)
	q.is("merchant_id", f.Merchant)
	q.is("payment_id", f.Payment)
	q.is("rail", string(f.Rail))
	q.is("status", string(f.Status))
	return list(v, TransferNoun, q)
}

// ListOwedPayments lists payments of which money stands on 2110 (Payment.InTransit), the
// longest owed first, after the position that the page before ended with.
func ListOwedPayments(v View, p Page) ([]*credit.Payment, error) {
	q := oldest(PaymentNoun, "owed_since", p)
	q.Index = "payments_owed"
	return list(v, PaymentNoun, q)
}

// oldest is a list of a noun from the oldest record up, of those that have the instant.
func oldest(n Noun, at string, p Page) Query {
	q := newest(n, at, p)
	q.Down = false
	q.holds(at, IsNot, Value{Null: true})
	return q
}

// ListPayouts lists payouts, newest first. A merchant has one a day, and nearly all have
// settled.
func ListPayouts(v View, f PayoutFilter, p Page) ([]*credit.Payout, error) {
	q := newest(PayoutNoun, "created_at", p)
	q.Index = "payouts_created"
	switch {
	case f.Merchant != "":
		q.Index = "payouts_merchant"
	case f.Status != "" && f.Status != credit.PayoutSettled:
		q.Index = "payouts_status"
		q.holds("status", IsNot, textValue(string(credit.PayoutSettled)))
	}
	q.is("merchant_id", f.Merchant)
	q.is("status", string(f.Status))
	return list(v, PayoutNoun, q)
}

// ListPayoutLines lists the lines that a payout includes, or with Waiting those that wait
// for the merchant, by (Due, ID) after the line whose id is the page's AfterID.
func ListPayoutLines(v View, f LineFilter, p Page) ([]*credit.PayoutLine, error) {
	q := Query{Noun: PayoutLineNoun, Order: []string{"due_on", "id"}, Limit: max(p.Limit, 0), Index: "payout_lines_waiting"}
	if f.Payout != "" {
		q.Index = "payout_lines_payout"
		q.holds("payout_id", IsNot, Value{Null: true})
		q.is("payout_id", f.Payout)
	} else {
		q.holds("payout_id", Is, Value{Null: true})
		q.where("merchant_id", Is, textValue(f.Waiting))
	}
	q.Behind = p.AfterID
	return list(v, PayoutLineNoun, q)
}

// ListNotices lists adverse actions, newest first by (ActionAt, ID).
func ListNotices(v View, f NoticeFilter, p Page) ([]*credit.Notice, error) {
	q := newest(NoticeNoun, "action_at", p)
	null := Value{Null: true}
	switch {
	case f.Company != 0:
		q.Index = "notices_company"
	case !f.KeptBefore.IsZero():
		q.Index = "notices_kept"
	case f.Unsent:
		q.Index = "notices_waiting"
	case f.Late:
		q.Index = "notices_late"
	default:
		q.Index = "notices_action"
	}
	q.company(f.Company)
	if f.Late {
		q.holds("late", Is, Value{Kind: Bool, Int: 1})
	}
	if f.Unsent {
		q.holds("sent_at", Is, null)
		if f.DueFrom != calendar.None {
			q.where("due_on", AtLeast, dayValue(f.DueFrom))
		}
		if f.DueTo != calendar.None {
			q.where("due_on", AtMost, dayValue(f.DueTo))
		}
	}
	if !f.KeptBefore.IsZero() { // an action is not later than its notice
		q.holds("sent_at", IsNot, null)
		q.holds("erased_at", Is, null)
		q.until("action_at", f.KeptBefore)
		q.until("sent_at", f.KeptBefore)
	}
	return list(v, NoticeNoun, q)
}

// ListScreenings lists screenings, newest first by (OpenedAt, ID).
func ListScreenings(v View, f ScreeningFilter, p Page) ([]*credit.Screening, error) {
	q := newest(ScreeningNoun, "opened_at", p)
	switch {
	case f.Merchant != "":
		q.Index = "screenings_merchant"
		q.holds("merchant_id", IsNot, textValue(""))
	case f.Company != 0:
		q.Index = "screenings_company"
	case f.Status != "":
		q.Index = "screenings_status"
	default:
		q.Index = "screenings_opened"
	}
	q.company(f.Company)
	q.is("merchant_id", f.Merchant)
	q.is("status", string(f.Status))
	return list(v, ScreeningNoun, q)
}

// ListReceipts lists unidentified receipts, newest first by (CreatedAt, ID).
func ListReceipts(v View, f ReceiptFilter, p Page) ([]*credit.Receipt, error) {
	q := newest(ReceiptNoun, "created_at", p)
	if q.Index = "receipts_created"; f.Status != "" {
		q.Index = "receipts_status"
	}
	q.is("status", string(f.Status))
	return list(v, ReceiptNoun, q)
}

// ListClients lists a merchant's API clients, all of them for "", newest first.
func ListClients(v View, merchant string, p Page) ([]*credit.Client, error) {
	q := newest(ClientNoun, "created_at", p)
	q.is("merchant_id", merchant)
	return list(v, ClientNoun, q)
}

// ListEndpoints lists a merchant's endpoints that are not deleted, all of them for "",
// newest first.
func ListEndpoints(v View, merchant string, p Page) ([]*credit.Endpoint, error) {
	q := newest(EndpointNoun, "created_at", p)
	q.holds("deleted_at", Is, Value{Null: true})
	q.is("merchant_id", merchant)
	return list(v, EndpointNoun, q)
}

// DueOf lists what is due of a noun: View.Due, with the view as an argument.
func DueOf(n Noun) func(v View, now time.Time, p Page) ([]Due, error) {
	return func(v View, now time.Time, p Page) ([]Due, error) { return v.Due(n, now, p) }
}
