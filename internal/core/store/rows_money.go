package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// CreditRow is an open credit of a company. Credits are ordered by when they were opened:
// by Q, then N. A closed one is deleted.
type CreditRow struct {
	credit.Credit
	Q int64 // commit that opened it
	N int   // position among the credits of that commit
}

// MoneyRow is a money event. Q and N tell when it was recorded; a replay may change Posted
// and Returned but not these.
type MoneyRow struct {
	credit.MoneyEvent
	Q int64
	N int
}

// TouchRow links an order to a money event that affected it.
type TouchRow struct {
	Order   string
	Event   string
	Company int64
}

// Credits is the table of open credits.
var Credits = Table[CreditRow]{
	Name: "credits", Key: 2,
	Columns: []Column[CreditRow]{
		integer("company_id", func(r *CreditRow) *int64 { return &r.Company }),
		text("source", func(r *CreditRow) *string { return &r.Source }),
		integer("q", func(r *CreditRow) *int64 { return &r.Q }),
		integer("n", func(r *CreditRow) *int { return &r.N }),
		optional("order_key", func(r *CreditRow) *string { return &r.Order }),
		day("opened_on", func(r *CreditRow) *calendar.Date { return &r.Date }),
		integer("amount", func(r *CreditRow) *money.Amount { return &r.Amount }),
		boolean("hold", func(r *CreditRow) *bool { return &r.Hold }),
		instant("next_at", func(r *CreditRow) *time.Time { return &r.NextAt }),
		text("waits", func(r *CreditRow) *credit.CreditWait { return &r.Waits }),
	},
}

// MoneyEvents is the table of all loans' histories.
var MoneyEvents = Table[MoneyRow]{
	Name: "money_events", Key: 1,
	Columns: []Column[MoneyRow]{
		text("id", func(r *MoneyRow) *string { return &r.ID }),
		integer("q", func(r *MoneyRow) *int64 { return &r.Q }),
		integer("n", func(r *MoneyRow) *int { return &r.N }),
		integer("company_id", func(r *MoneyRow) *int64 { return &r.Company }),
		text("kind", func(r *MoneyRow) *schedule.EventKind { return &r.Kind }),
		day("effective_date", func(r *MoneyRow) *calendar.Date { return &r.Date }),
		integer("seq", func(r *MoneyRow) *int64 { return &r.Seq }),
		optional("order_key", func(r *MoneyRow) *string { return &r.Order }),
		optional("payment_id", func(r *MoneyRow) *string { return &r.Payment }),
		integer("amount", func(r *MoneyRow) *money.Amount { return &r.Amount }),
		nested("event", func(r *MoneyRow) *schedule.Event { return &r.Event }),
		nested("touches", func(r *MoneyRow) *[]string { return &r.Touches }),
		nested("posted", func(r *MoneyRow) *[]credit.Posted { return &r.Posted }),
		boolean("returned", func(r *MoneyRow) *bool { return &r.Returned }),
		instant("recorded_at", func(r *MoneyRow) *time.Time { return &r.At }),
	},
}

// MoneyTouches is the index from orders to money events.
var MoneyTouches = Table[TouchRow]{
	Name: "money_touches", Key: 2,
	Columns: []Column[TouchRow]{
		text("order_key", func(r *TouchRow) *string { return &r.Order }),
		text("event_id", func(r *TouchRow) *string { return &r.Event }),
		integer("company_id", func(r *TouchRow) *int64 { return &r.Company }),
	},
}
