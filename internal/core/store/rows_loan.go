package store

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// LoanRow is a loan without its installments and fees. The company and merchant are copied
// from its order, where they never change.
type LoanRow struct {
	*schedule.Loan
	Company  int64
	Merchant string
	Q        int64
}

// InstallmentRow is one row of a loan.
type InstallmentRow struct {
	schedule.Row
	Order    string
	Company  int64
	Merchant string
}

// FeeRow is one fee of a loan; N is its position among them.
type FeeRow struct {
	schedule.Fee
	Order   string
	N       int
	Company int64
}

// Loans is the table of current loans.
var Loans = Table[LoanRow]{
	Name: "loans", Key: 1,
	New: func() *LoanRow { return &LoanRow{Loan: new(schedule.Loan)} },
	Columns: []Column[LoanRow]{
		text("order_key", func(r *LoanRow) *string { return &r.Key }),
		integer("company_id", func(r *LoanRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *LoanRow) *string { return &r.Merchant }),
		integer("captured_at", func(r *LoanRow) *int64 { return &r.CapturedAt }),
		nested("terms", func(r *LoanRow) *schedule.Terms { return &r.Terms }),
		integer("level_payment", func(r *LoanRow) *money.Amount { return &r.Level }),
		day("as_of", func(r *LoanRow) *calendar.Date { return &r.AsOf }),
		integer("current", func(r *LoanRow) *int { return &r.Current }),
		integer("slices", func(r *LoanRow) *int64 { return &r.Slices }),
		integer("carried", func(r *LoanRow) *money.Amount { return &r.Carried }),
		integer("earned", func(r *LoanRow) *money.Amount { return &r.Earned }),
		day("earned_from", func(r *LoanRow) *calendar.Date { return &r.EarnedFrom }),
		nested("prepaid", func(r *LoanRow) *[]schedule.Prepaid { return &r.Prepaid }),
		integer("refunded", func(r *LoanRow) *money.Amount { return &r.Refunded }),
		integer("waived", func(r *LoanRow) *money.Amount { return &r.Waived }),
		boolean("charged_off", func(r *LoanRow) *bool { return &r.ChargedOff }),
		integer("q", func(r *LoanRow) *int64 { return &r.Q }),
	},
}

// Installments is the table of all loans' rows.
var Installments = Table[InstallmentRow]{
	Name: "installments", Key: 2,
	Columns: []Column[InstallmentRow]{
		text("order_key", func(r *InstallmentRow) *string { return &r.Order }),
		integer("number", func(r *InstallmentRow) *int { return &r.Number }),
		integer("company_id", func(r *InstallmentRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *InstallmentRow) *string { return &r.Merchant }),
		day("due_date", func(r *InstallmentRow) *calendar.Date { return &r.DueDate }),
		integer("target", func(r *InstallmentRow) *money.Amount { return &r.Target }),
		integer("principal", func(r *InstallmentRow) *money.Amount { return &r.Principal }),
		integer("finance_charge", func(r *InstallmentRow) *money.Amount { return &r.Charge }),
		integer("paid_principal", func(r *InstallmentRow) *money.Amount { return &r.PaidPrincipal }),
		integer("paid_finance_charge", func(r *InstallmentRow) *money.Amount { return &r.PaidCharge }),
		integer("recognised", func(r *InstallmentRow) *money.Amount { return &r.Recognised }),
		day("paid_on", func(r *InstallmentRow) *calendar.Date { return &r.PaidOn }),
		boolean("canceled", func(r *InstallmentRow) *bool { return &r.Canceled }),
		boolean("anchor", func(r *InstallmentRow) *bool { return &r.Anchor }),
		integer("ahead", func(r *InstallmentRow) *money.Amount { return &r.Ahead }),
	},
}

// Fees is the table of all loans' fees.
var Fees = Table[FeeRow]{
	Name: "fees", Key: 2,
	Columns: []Column[FeeRow]{
		text("order_key", func(r *FeeRow) *string { return &r.Order }),
		integer("n", func(r *FeeRow) *int { return &r.N }),
		integer("company_id", func(r *FeeRow) *int64 { return &r.Company }),
		text("id", func(r *FeeRow) *string { return &r.ID }),
		text("kind", func(r *FeeRow) *schedule.FeeKind { return &r.Kind }),
		integer("installment", func(r *FeeRow) *int { return &r.Installment }),
		day("assessed_on", func(r *FeeRow) *calendar.Date { return &r.Date }),
		integer("amount", func(r *FeeRow) *money.Amount { return &r.Amount }),
		integer("paid", func(r *FeeRow) *money.Amount { return &r.Paid }),
		integer("waived", func(r *FeeRow) *money.Amount { return &r.Waived }),
	},
}
