package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// MethodRow is a payment method.
type MethodRow struct {
	*credit.PaymentMethod
	Q int64
}

// TransferRow is a transfer. Filed belongs to Banking: PutFile sets it, and a batch leaves
// it alone. It lets the few transfers in no file be found without scanning the millions
// that are.
type TransferRow struct {
	*credit.Transfer
	Filed bool // is in a file
	Q     int64
}

// PayoutRow is a payout.
type PayoutRow struct {
	*credit.Payout
	Q int64
}

// LineRow is a payout line. Of is the key under which the lines of an order, or of a
// company's payments, are loaded.
type LineRow struct {
	*credit.PayoutLine
	Of string
	Q  int64
}

// NoticeRow is the record of an adverse action.
type NoticeRow struct {
	*credit.Notice
	Q int64
}

// PeriodRow is a closed month.
type PeriodRow struct {
	*credit.Period
	Q int64
}

// PaymentMethods is the table of current payment methods.
var PaymentMethods = Table[MethodRow]{
	Name: "payment_methods", Key: 1,
	New: func() *MethodRow { return &MethodRow{PaymentMethod: new(credit.PaymentMethod)} },
	Columns: []Column[MethodRow]{
		text("id", func(r *MethodRow) *string { return &r.ID }),
		integer("company_id", func(r *MethodRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *MethodRow) *string { return &r.Merchant }),
		text("type", func(r *MethodRow) *credit.Method { return &r.Type }),
		text("status", func(r *MethodRow) *credit.MethodStatus { return &r.Status }),
		text("disabled_reason", func(r *MethodRow) *string { return &r.DisabledReason }),
		nested("bank", func(r *MethodRow) **credit.BankAccount { return &r.Bank }),
		nested("card", func(r *MethodRow) **credit.CardAccount { return &r.Card }),
		nested("debtor_authorization", func(r *MethodRow) *credit.Authorization { return &r.Authorization }),
		nested("verification", func(r *MethodRow) **credit.Verification { return &r.Verification }),
		nested("standing", func(r *MethodRow) *credit.Standing { return &r.Standing }),
		day("first_settled", func(r *MethodRow) *calendar.Date { return &r.FirstSettled }),
		instant("created_at", func(r *MethodRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *MethodRow) *time.Time { return &r.UpdatedAt }),
		integer("version", func(r *MethodRow) *int { return &r.Version }),
		integer("q", func(r *MethodRow) *int64 { return &r.Q }),
		lookupText("fingerprint", func(r *MethodRow) string {
			if r.Bank == nil {
				return ""
			}
			return r.Bank.Fingerprint
		}),
	},
	Lookups: 1,
}

// Transfers is the table of current transfers.
var Transfers = Table[TransferRow]{
	Name: "transfers", Key: 1,
	New: func() *TransferRow { return &TransferRow{Transfer: new(credit.Transfer)} },
	Columns: []Column[TransferRow]{
		text("id", func(r *TransferRow) *string { return &r.ID }),
		text("rail", func(r *TransferRow) *credit.Method { return &r.Rail }),
		text("kind", func(r *TransferRow) *credit.TransferKind { return &r.Kind }),
		integer("company_id", func(r *TransferRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *TransferRow) *string { return &r.Merchant }),
		optional("payment_id", func(r *TransferRow) *string { return &r.Payment }),
		optional("refund_id", func(r *TransferRow) *string { return &r.Refund }),
		optional("payout_id", func(r *TransferRow) *string { return &r.Payout }),
		optional("payment_method_id", func(r *TransferRow) *string { return &r.Method }),
		integer("amount", func(r *TransferRow) *money.Amount { return &r.Amount }),
		text("entry_description", func(r *TransferRow) *string { return &r.Entry }),
		text("status", func(r *TransferRow) *credit.TransferStatus { return &r.Status }),
		day("send_on", func(r *TransferRow) *calendar.Date { return &r.SendOn }),
		day("settles_on", func(r *TransferRow) *calendar.Date { return &r.SettlesOn }),
		day("release_on", func(r *TransferRow) *calendar.Date { return &r.ReleaseOn }),
		instant("next_at", func(r *TransferRow) *time.Time { return &r.NextAt }),
		text("return_code", func(r *TransferRow) *string { return &r.ReturnCode }),
		text("reference", func(r *TransferRow) *string { return &r.Reference }),
		optional("charge_id", func(r *TransferRow) *string { return &r.Charge }),
		integer("back", func(r *TransferRow) *money.Amount { return &r.Back }),
		instant("created_at", func(r *TransferRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *TransferRow) *time.Time { return &r.UpdatedAt }),
		instant("sent_at", func(r *TransferRow) *time.Time { return &r.SentAt }),
		instant("settled_at", func(r *TransferRow) *time.Time { return &r.SettledAt }),
		integer("version", func(r *TransferRow) *int { return &r.Version }),
		boolean("filed", func(r *TransferRow) *bool { return &r.Filed }),
		integer("q", func(r *TransferRow) *int64 { return &r.Q }),
	},
}

// Payouts is the table of current payouts.
var Payouts = Table[PayoutRow]{
	Name: "payouts", Key: 1,
	New: func() *PayoutRow { return &PayoutRow{Payout: new(credit.Payout)} },
	Columns: []Column[PayoutRow]{
		text("id", func(r *PayoutRow) *string { return &r.ID }),
		text("merchant_id", func(r *PayoutRow) *string { return &r.Merchant }),
		text("status", func(r *PayoutRow) *credit.PayoutStatus { return &r.Status }),
		day("run_on", func(r *PayoutRow) *calendar.Date { return &r.Date }),
		integer("gross", func(r *PayoutRow) *money.Amount { return &r.Gross }),
		integer("discount", func(r *PayoutRow) *money.Amount { return &r.Discount }),
		integer("refunds", func(r *PayoutRow) *money.Amount { return &r.Refunds }),
		integer("repaid", func(r *PayoutRow) *money.Amount { return &r.Repaid }),
		integer("clawback", func(r *PayoutRow) *money.Amount { return &r.Clawback }),
		integer("collected", func(r *PayoutRow) *money.Amount { return &r.Collected }),
		integer("net", func(r *PayoutRow) *money.Amount { return &r.Net }),
		optional("transfer_id", func(r *PayoutRow) *string { return &r.Transfer }),
		nested("failure", func(r *PayoutRow) **credit.Failure { return &r.Failure }),
		instant("created_at", func(r *PayoutRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *PayoutRow) *time.Time { return &r.UpdatedAt }),
		instant("sent_at", func(r *PayoutRow) *time.Time { return &r.SentAt }),
		instant("settled_at", func(r *PayoutRow) *time.Time { return &r.SettledAt }),
		integer("version", func(r *PayoutRow) *int { return &r.Version }),
		integer("event_seq", func(r *PayoutRow) *int64 { return &r.EventSeq }),
		integer("q", func(r *PayoutRow) *int64 { return &r.Q }),
	},
}

// PayoutLines is the table of current payout lines.
var PayoutLines = Table[LineRow]{
	Name: "payout_lines", Key: 1,
	New: func() *LineRow { return &LineRow{PayoutLine: new(credit.PayoutLine)} },
	Columns: []Column[LineRow]{
		text("id", func(r *LineRow) *string { return &r.ID }),
		text("merchant_id", func(r *LineRow) *string { return &r.Merchant }),
		text("kind", func(r *LineRow) *credit.PayoutLineKind { return &r.Kind }),
		integer("company_id", func(r *LineRow) *int64 { return &r.Company }),
		optional("order_key", func(r *LineRow) *string { return &r.Order }),
		text("of_key", func(r *LineRow) *string { return &r.Of }),
		text("source", func(r *LineRow) *string { return &r.Source }),
		integer("gross", func(r *LineRow) *money.Amount { return &r.Gross }),
		integer("discount", func(r *LineRow) *money.Amount { return &r.Discount }),
		integer("refunds", func(r *LineRow) *money.Amount { return &r.Refunds }),
		integer("amount", func(r *LineRow) *money.Amount { return &r.Amount }),
		integer("netted", func(r *LineRow) *money.Amount { return &r.Netted }),
		day("due_on", func(r *LineRow) *calendar.Date { return &r.Due }),
		optional("payout_id", func(r *LineRow) *string { return &r.Payout }),
		instant("next_at", func(r *LineRow) *time.Time { return &r.NextAt }),
		instant("at", func(r *LineRow) *time.Time { return &r.At }),
		integer("version", func(r *LineRow) *int { return &r.Version }),
		integer("q", func(r *LineRow) *int64 { return &r.Q }),
	},
}

// Notices is the table of current adverse actions.
var Notices = Table[NoticeRow]{
	Name: "notices", Key: 1,
	New: func() *NoticeRow { return &NoticeRow{Notice: new(credit.Notice)} },
	Columns: []Column[NoticeRow]{
		text("id", func(r *NoticeRow) *string { return &r.ID }),
		text("kind", func(r *NoticeRow) *credit.NoticeKind { return &r.Kind }),
		optional("asked_notice_id", func(r *NoticeRow) *string { return &r.Asked }),
		integer("company_id", func(r *NoticeRow) *int64 { return &r.Company }),
		instant("action_at", func(r *NoticeRow) *time.Time { return &r.ActionAt }),
		day("clock_start", func(r *NoticeRow) *calendar.Date { return &r.ClockStart }),
		day("due_on", func(r *NoticeRow) *calendar.Date { return &r.DueOn }),
		instant("sent_at", func(r *NoticeRow) *time.Time { return &r.SentAt }),
		text("channel", func(r *NoticeRow) *string { return &r.Channel }),
		nested("reasons", func(r *NoticeRow) *[]string { return &r.Reasons }),
		text("evidence", func(r *NoticeRow) *string { return &r.Evidence }),
		boolean("late", func(r *NoticeRow) *bool { return &r.Late }),
		nested("lender", func(r *NoticeRow) **credit.NoticeLender { return &r.Lender }),
		instant("erased_at", func(r *NoticeRow) *time.Time { return &r.ErasedAt }),
		integer("version", func(r *NoticeRow) *int { return &r.Version }),
		integer("q", func(r *NoticeRow) *int64 { return &r.Q }),
	},
}

// Periods is the append-only table of closed months.
var Periods = Table[PeriodRow]{
	Name: "periods", Key: 1,
	New: func() *PeriodRow { return &PeriodRow{Period: new(credit.Period)} },
	Columns: []Column[PeriodRow]{
		day("month", func(r *PeriodRow) *calendar.Date { return &r.Month }),
		instant("closed_at", func(r *PeriodRow) *time.Time { return &r.ClosedAt }),
		integer("debits", func(r *PeriodRow) *money.Amount { return &r.Debits }),
		integer("q", func(r *PeriodRow) *int64 { return &r.Q }),
	},
}
