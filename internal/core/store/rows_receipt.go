package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// ReceiptRow is money whose owner is, or was, unknown.
type ReceiptRow struct {
	*credit.Receipt
	Q int64
}

// Receipts is the table of current unidentified receipts.
var Receipts = Table[ReceiptRow]{
	Name: "receipts", Key: 1,
	New: func() *ReceiptRow { return &ReceiptRow{Receipt: new(credit.Receipt)} },
	Columns: []Column[ReceiptRow]{
		text("id", func(r *ReceiptRow) *string { return &r.ID }),
		integer("amount", func(r *ReceiptRow) *money.Amount { return &r.Amount }),
		text("method", func(r *ReceiptRow) *credit.Method { return &r.Method }),
		day("received_on", func(r *ReceiptRow) *calendar.Date { return &r.Received }),
		text("reference", func(r *ReceiptRow) *string { return &r.Reference }),
		text("note", func(r *ReceiptRow) *string { return &r.Note }),
		text("status", func(r *ReceiptRow) *credit.ReceiptStatus { return &r.Status }),
		optional("payment_id", func(r *ReceiptRow) *string { return &r.Payment }),
		optional("back_reference", func(r *ReceiptRow) *string { return &r.BackReference }),
		instant("created_at", func(r *ReceiptRow) *time.Time { return &r.CreatedAt }),
		instant("ended_at", func(r *ReceiptRow) *time.Time { return &r.EndedAt }),
		integer("version", func(r *ReceiptRow) *int { return &r.Version }),
		integer("q", func(r *ReceiptRow) *int64 { return &r.Q }),
	},
}

// ReceiptFilter narrows a list of receipts; zero members do not.
type ReceiptFilter struct {
	Status credit.ReceiptStatus
}
