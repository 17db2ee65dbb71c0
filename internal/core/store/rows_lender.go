package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// LenderRow is the lender.
type LenderRow struct {
	*credit.Lender
	Q int64
}

// ScreeningRow is a screening with a hit.
type ScreeningRow struct {
	*credit.Screening
	Q int64
}

// Lenders is the table of the current lender: one row, or none.
var Lenders = Table[LenderRow]{
	Name: "lenders", Key: 1,
	New: func() *LenderRow { return &LenderRow{Lender: new(credit.Lender)} },
	Columns: []Column[LenderRow]{
		text("id", func(r *LenderRow) *string { return &r.ID }),
		integer("allowance", func(r *LenderRow) *money.Amount { return &r.Allowance }),
		day("provision_from", func(r *LenderRow) *calendar.Date { return &r.ProvisionFrom }),
		day("provisioned_through", func(r *LenderRow) *calendar.Date { return &r.ProvisionedThrough }),
		day("closed_to", func(r *LenderRow) *calendar.Date { return &r.ClosedTo }),
		nested("moved", func(r *LenderRow) *[]credit.AllowanceMove { return &r.Moved }),
		nested("settings", func(r *LenderRow) *credit.LenderSettings { return &r.Settings }),
		instant("updated_at", func(r *LenderRow) *time.Time { return &r.UpdatedAt }),
		integer("version", func(r *LenderRow) *int { return &r.Version }),
		integer("q", func(r *LenderRow) *int64 { return &r.Q }),
	},
}

// Screenings is the table of current screenings.
var Screenings = Table[ScreeningRow]{
	Name: "screenings", Key: 1,
	New: func() *ScreeningRow { return &ScreeningRow{Screening: new(credit.Screening)} },
	Columns: []Column[ScreeningRow]{
		text("id", func(r *ScreeningRow) *string { return &r.ID }),
		integer("company_id", func(r *ScreeningRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *ScreeningRow) *string { return &r.Merchant }),
		text("list", func(r *ScreeningRow) *string { return &r.List }),
		nested("names", func(r *ScreeningRow) *[]string { return &r.Names }),
		nested("matches", func(r *ScreeningRow) *[]credit.Match { return &r.Matches }),
		text("status", func(r *ScreeningRow) *credit.ScreeningStatus { return &r.Status }),
		instant("opened_at", func(r *ScreeningRow) *time.Time { return &r.OpenedAt }),
		instant("decided_at", func(r *ScreeningRow) *time.Time { return &r.DecidedAt }),
		text("reason", func(r *ScreeningRow) *string { return &r.Reason }),
		day("report_by", func(r *ScreeningRow) *calendar.Date { return &r.ReportBy }),
		integer("version", func(r *ScreeningRow) *int { return &r.Version }),
		integer("q", func(r *ScreeningRow) *int64 { return &r.Q }),
	},
}
