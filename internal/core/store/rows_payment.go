package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// PaymentRow is a payment. OrderMerchant is the merchant of the order it names: that
// merchant sees the payment even if somebody else recorded it.
type PaymentRow struct {
	*credit.Payment
	OrderMerchant string // "" if it names no order
	Q             int64
}

// InvoiceRow is an invoice.
type InvoiceRow struct {
	*credit.Invoice
	Q int64
}

// Payments is the table of current payments.
var Payments = Table[PaymentRow]{
	Name: "payments", Key: 1,
	New: func() *PaymentRow { return &PaymentRow{Payment: new(credit.Payment)} },
	Columns: []Column[PaymentRow]{
		text("id", func(r *PaymentRow) *string { return &r.ID }),
		integer("company_id", func(r *PaymentRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *PaymentRow) *string { return &r.Merchant }),
		text("order_merchant_id", func(r *PaymentRow) *string { return &r.OrderMerchant }),
		optional("order_key", func(r *PaymentRow) *string { return &r.Order }),
		optional("invoice_id", func(r *PaymentRow) *string { return &r.Invoice }),
		integer("amount", func(r *PaymentRow) *money.Amount { return &r.Amount }),
		text("currency", func(r *PaymentRow) *money.Currency { return &r.Currency }),
		text("status", func(r *PaymentRow) *credit.PaymentStatus { return &r.Status }),
		text("method", func(r *PaymentRow) *credit.Method { return &r.Method }),
		text("direction", func(r *PaymentRow) *string { return &r.Direction }),
		day("scheduled_date", func(r *PaymentRow) *calendar.Date { return &r.ScheduledDate }),
		day("effective_date", func(r *PaymentRow) *calendar.Date { return &r.EffectiveDate }),
		text("reference", func(r *PaymentRow) *string { return &r.Reference }),
		optional("external_id", func(r *PaymentRow) *string { return &r.ExternalID }),
		text("memo", func(r *PaymentRow) *string { return &r.Memo }),
		boolean("hold_excess", func(r *PaymentRow) *bool { return &r.HoldExcess }),
		integer("refunded", func(r *PaymentRow) *money.Amount { return &r.Refunded }),
		integer("freed", func(r *PaymentRow) *money.Amount { return &r.Freed }),
		integer("held", func(r *PaymentRow) *money.Amount { return &r.Held }),
		integer("unapplied", func(r *PaymentRow) *money.Amount { return &r.Unapplied }),
		nested("allocations", func(r *PaymentRow) *[]credit.Allocation { return &r.Allocations }),
		nested("refunds", func(r *PaymentRow) *[]credit.PaymentRefund { return &r.Refunds }),
		nested("failure", func(r *PaymentRow) **credit.Failure { return &r.Failure }),
		integer("attempt", func(r *PaymentRow) *int { return &r.Attempt }),
		boolean("from_merchant", func(r *PaymentRow) *bool { return &r.FromMerchant }),
		optional("payment_method_id", func(r *PaymentRow) *string { return &r.MethodID }),
		optional("transfer_id", func(r *PaymentRow) *string { return &r.Transfer }),
		optional("original_id", func(r *PaymentRow) *string { return &r.Original }),
		nested("items", func(r *PaymentRow) *[]schedule.Ref { return &r.Items }),
		boolean("autopay", func(r *PaymentRow) *bool { return &r.Autopay }),
		boolean("fee_assessed", func(r *PaymentRow) *bool { return &r.FeeAssessed }),
		integer("on_hold", func(r *PaymentRow) *money.Amount { return &r.OnHold }),
		instant("owed_since", func(r *PaymentRow) *time.Time { return &r.OwedSince }),
		instant("created_at", func(r *PaymentRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *PaymentRow) *time.Time { return &r.UpdatedAt }),
		instant("submitted_at", func(r *PaymentRow) *time.Time { return &r.SubmittedAt }),
		instant("settled_at", func(r *PaymentRow) *time.Time { return &r.SettledAt }),
		integer("version", func(r *PaymentRow) *int { return &r.Version }),
		integer("event_seq", func(r *PaymentRow) *int64 { return &r.EventSeq }),
		integer("q", func(r *PaymentRow) *int64 { return &r.Q }),
	},
}

// Invoices is the table of current invoices.
var Invoices = Table[InvoiceRow]{
	Name: "invoices", Key: 1,
	New: func() *InvoiceRow { return &InvoiceRow{Invoice: new(credit.Invoice)} },
	Columns: []Column[InvoiceRow]{
		text("id", func(r *InvoiceRow) *string { return &r.ID }),
		text("number", func(r *InvoiceRow) *string { return &r.Number }),
		text("order_key", func(r *InvoiceRow) *string { return &r.Order }),
		integer("company_id", func(r *InvoiceRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *InvoiceRow) *string { return &r.Merchant }),
		integer("amount_due", func(r *InvoiceRow) *money.Amount { return &r.AmountDue }),
		integer("paid", func(r *InvoiceRow) *money.Amount { return &r.Paid }),
		text("status", func(r *InvoiceRow) *credit.InvoiceStatus { return &r.Status }),
		instant("issued_at", func(r *InvoiceRow) *time.Time { return &r.IssuedAt }),
		day("due_date", func(r *InvoiceRow) *calendar.Date { return &r.DueDate }),
		nested("lines", func(r *InvoiceRow) *[]credit.InvoiceLine { return &r.Lines }),
		instant("updated_at", func(r *InvoiceRow) *time.Time { return &r.UpdatedAt }),
		integer("version", func(r *InvoiceRow) *int { return &r.Version }),
		integer("event_seq", func(r *InvoiceRow) *int64 { return &r.EventSeq }),
		integer("q", func(r *InvoiceRow) *int64 { return &r.Q }),
	},
}
