package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// EntryHead is an entry without its postings.
type EntryHead struct {
	ledger.Entry // Postings is empty
	Q            int64
	N            int // position among the entries of its commit
	Company      int64
	At           time.Time
}

// PostingRow is one line of an entry.
type PostingRow struct {
	ledger.Posting
	Q    int64
	N    int // position of its entry in the commit
	Line int // position within the entry
}

// BalanceRow is the sum of all postings of one account, company, merchant, order and
// currency. It does not distinguish payments and installments.
type BalanceRow struct {
	ledger.BalanceKey
	Amount money.Amount
}

// DayTotalKey is what the totals of a day distinguish.
type DayTotalKey struct {
	Date     calendar.Date // the book date
	Account  ledger.Account
	Event    string
	Currency money.Currency
}

// DayTotalRow adds up the postings of one book date, account, event and currency: what reports and
// the trial balance read instead of all entries. Both sides are positive.
type DayTotalRow struct {
	DayTotalKey
	Debits   money.Amount
	Credits  money.Amount
	Postings int64
}

// Plus adds another row of the same key.
func (r DayTotalRow) Plus(x DayTotalRow) DayTotalRow {
	r.Debits, r.Credits, r.Postings = r.Debits.Add(x.Debits), r.Credits.Add(x.Credits), r.Postings+x.Postings
	return r
}

// DayTotalsOf calls fn with what each posting of an entry adds to the totals of its day.
func DayTotalsOf(e ledger.Entry, fn func(DayTotalRow)) {
	for _, p := range e.Postings {
		row := DayTotalRow{DayTotalKey: DayTotalKey{e.BookDate, p.Account, e.Event, e.Currency}, Postings: 1}
		if p.Amount < 0 {
			row.Credits = -p.Amount
		} else {
			row.Debits = p.Amount
		}
		fn(row)
	}
}

// BalanceDimensions returns the dimensions of a posting that balances distinguish.
func BalanceDimensions(p ledger.Posting) ledger.Dimensions {
	return ledger.Dimensions{Company: p.Company, Merchant: p.Merchant, Order: p.Order}
}

// Entries is the append-only table of entries.
var Entries = Table[EntryHead]{
	Name: "entries", Key: 2,
	Columns: []Column[EntryHead]{
		integer("q", func(r *EntryHead) *int64 { return &r.Q }),
		integer("n", func(r *EntryHead) *int { return &r.N }),
		text("id", func(r *EntryHead) *string { return &r.ID }),
		integer("company_id", func(r *EntryHead) *int64 { return &r.Company }),
		day("book_date", func(r *EntryHead) *calendar.Date { return &r.BookDate }),
		day("value_date", func(r *EntryHead) *calendar.Date { return &r.ValueDate }),
		text("event", func(r *EntryHead) *string { return &r.Event }),
		text("cause", func(r *EntryHead) *string { return &r.Cause }),
		text("currency", func(r *EntryHead) *money.Currency { return &r.Currency }),
		optional("reverses", func(r *EntryHead) *string { return &r.Reverses }),
		instant("at", func(r *EntryHead) *time.Time { return &r.At }),
	},
}

// Postings is the append-only table of postings.
var Postings = Table[PostingRow]{
	Name: "postings", Key: 3,
	Columns: []Column[PostingRow]{
		integer("q", func(r *PostingRow) *int64 { return &r.Q }),
		integer("n", func(r *PostingRow) *int { return &r.N }),
		integer("line", func(r *PostingRow) *int { return &r.Line }),
		integer("account", func(r *PostingRow) *ledger.Account { return &r.Account }),
		integer("amount", func(r *PostingRow) *money.Amount { return &r.Amount }),
		integer("company_id", func(r *PostingRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *PostingRow) *string { return &r.Merchant }),
		optional("order_key", func(r *PostingRow) *string { return &r.Order }),
		text("payment_id", func(r *PostingRow) *string { return &r.Payment }),
		integer("installment", func(r *PostingRow) *int { return &r.Installment }),
	},
}

// Balances is the table of balances, folded once per batch.
var Balances = Table[BalanceRow]{
	Name: "balances", Key: 5,
	Columns: []Column[BalanceRow]{
		text("order_key", func(r *BalanceRow) *string { return &r.Order }),
		integer("company_id", func(r *BalanceRow) *int64 { return &r.Company }),
		integer("account", func(r *BalanceRow) *ledger.Account { return &r.Account }),
		text("merchant_id", func(r *BalanceRow) *string { return &r.Merchant }),
		text("currency", func(r *BalanceRow) *money.Currency { return &r.Currency }),
		integer("amount", func(r *BalanceRow) *money.Amount { return &r.Amount }),
	},
}

// DayTotals is the table of the totals of days, folded once per batch.
var DayTotals = Table[DayTotalRow]{
	Name: "day_totals", Key: 4,
	Columns: []Column[DayTotalRow]{
		day("book_date", func(r *DayTotalRow) *calendar.Date { return &r.Date }),
		integer("account", func(r *DayTotalRow) *ledger.Account { return &r.Account }),
		text("event", func(r *DayTotalRow) *string { return &r.Event }),
		text("currency", func(r *DayTotalRow) *money.Currency { return &r.Currency }),
		integer("debits", func(r *DayTotalRow) *money.Amount { return &r.Debits }),
		integer("credits", func(r *DayTotalRow) *money.Amount { return &r.Credits }),
		integer("postings", func(r *DayTotalRow) *int64 { return &r.Postings }),
	},
}
