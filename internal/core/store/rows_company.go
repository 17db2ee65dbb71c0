package store

import (
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// MerchantRow is a merchant without its programs.
type MerchantRow struct {
	*credit.Merchant
	Q int64 // commit that wrote this version
}

// ProgrammeRow is one version of a merchant's program.
type ProgrammeRow struct {
	credit.Program
	Q int64
}

// CompanyRow is a company. Its links to merchants also have rows of their own, which lists
// read.
type CompanyRow struct {
	*credit.Company
	Q int64
}

// CompanyPast is a version of a company that a later commit replaced.
type CompanyPast struct {
	CompanyRow
	UntilQ int64 // commit that replaced it
}

// LinkRow lets a merchant use a company.
type LinkRow struct {
	Company   int64
	Merchant  string
	CreatedAt time.Time // of the company: its position in lists
}

// Merchants is the table of merchants.
var Merchants = Table[MerchantRow]{
	Name: "merchants", Key: 1,
	New: func() *MerchantRow { return &MerchantRow{Merchant: new(credit.Merchant)} },
	Columns: []Column[MerchantRow]{
		text("id", func(r *MerchantRow) *string { return &r.ID }),
		text("name", func(r *MerchantRow) *string { return &r.Name }),
		nested("account", func(r *MerchantRow) *credit.MerchantAccount { return &r.Account }),
		instant("created_at", func(r *MerchantRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *MerchantRow) *time.Time { return &r.UpdatedAt }),
		integer("version", func(r *MerchantRow) *int { return &r.Version }),
		integer("q", func(r *MerchantRow) *int64 { return &r.Q }),
		nested("limits", func(r *MerchantRow) *credit.Limits { return &r.Limits }),
		nested("shop", func(r *MerchantRow) *credit.Shop { return &r.Shop }),
		nested("settled", func(r *MerchantRow) *[]credit.SettledDay { return &r.Settled }),
		day("owed_since", func(r *MerchantRow) *calendar.Date { return &r.OwedSince }),
		text("debit", func(r *MerchantRow) *string { return &r.Debit }),
		integer("written_off", func(r *MerchantRow) *money.Amount { return &r.WrittenOff }),
		lookup("unscreened", func(r *MerchantRow) bool { return r.Account.Screened.Unscreened }),
	},
	Lookups: 1,
}

// PositionRow is a merchant's position with the lender, folded once per batch.
type PositionRow struct {
	*credit.Position
}

// Positions is the table of merchants' positions.
var Positions = Table[PositionRow]{
	Name: "merchant_positions", Key: 1,
	New: func() *PositionRow { return &PositionRow{new(credit.Position)} },
	Columns: []Column[PositionRow]{
		text("merchant_id", func(r *PositionRow) *string { return &r.Merchant }),
		integer("principal", func(r *PositionRow) *money.Amount { return &r.Principal }),
		integer("clawback", func(r *PositionRow) *money.Amount { return &r.Clawback }),
		integer("collected", func(r *PositionRow) *money.Amount { return &r.Collected }),
		integer("payable", func(r *PositionRow) *money.Amount { return &r.Payable }),
	},
}

// Programs is the append-only table of program versions.
var Programs = Table[ProgrammeRow]{
	Name: "programs", Key: 2,
	Columns: []Column[ProgrammeRow]{
		text("merchant_id", func(r *ProgrammeRow) *string { return &r.Merchant }),
		integer("version", func(r *ProgrammeRow) *int { return &r.Version }),
		day("effective_from", func(r *ProgrammeRow) *calendar.Date { return &r.From }),
		nested("settings", func(r *ProgrammeRow) *credit.Settings { return &r.Settings }),
		integer("q", func(r *ProgrammeRow) *int64 { return &r.Q }),
	},
}

// Companies is the table of current companies.
var Companies = Table[CompanyRow]{
	Name: "companies", Key: 1,
	New: newCompanyRow,
	Columns: []Column[CompanyRow]{
		integer("company_id", func(r *CompanyRow) *int64 { return &r.ID }),
		text("name", func(r *CompanyRow) *string { return &r.Name }),
		text("legal_name", func(r *CompanyRow) *string { return &r.LegalName }),
		text("tax_id_last4", func(r *CompanyRow) *string { return &r.TaxIDLast4 }),
		text("status", func(r *CompanyRow) *credit.CompanyStatus { return &r.Status }),
		text("status_code", func(r *CompanyRow) *string { return &r.StatusCode }),
		text("status_message", func(r *CompanyRow) *string { return &r.StatusMessage }),
		text("phone", func(r *CompanyRow) *string { return &r.Phone }),
		text("email", func(r *CompanyRow) *string { return &r.Email }),
		nested("billing_address", func(r *CompanyRow) *credit.CompanyAddress { return &r.BillingAddress }),
		text("tier", func(r *CompanyRow) *string { return &r.Tier }),
		integer("credit_limit", func(r *CompanyRow) *money.Amount { return &r.Limit }),
		integer("reserved", func(r *CompanyRow) *money.Amount { return &r.Reserved }),
		integer("outstanding", func(r *CompanyRow) *money.Amount { return &r.Outstanding }),
		integer("on_hold", func(r *CompanyRow) *money.Amount { return &r.OnHold }),
		integer("unapplied_credit", func(r *CompanyRow) *money.Amount { return &r.Credit }),
		nested("linked", func(r *CompanyRow) *[]string { return &r.Linked }),
		integer("money_seq", func(r *CompanyRow) *int64 { return &r.MoneySeq }),
		boolean("joint_replay", func(r *CompanyRow) *bool { return &r.JointReplay }),
		nested("servicing", func(r *CompanyRow) *credit.CompanyServicing { return &r.Servicing }),
		instant("created_at", func(r *CompanyRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *CompanyRow) *time.Time { return &r.UpdatedAt }),
		integer("version", func(r *CompanyRow) *int { return &r.Version }),
		integer("event_seq", func(r *CompanyRow) *int64 { return &r.EventSeq }),
		integer("q", func(r *CompanyRow) *int64 { return &r.Q }),
		lookup("paused", func(r *CompanyRow) bool { return r.Servicing.Autopay.Paused != "" || r.Servicing.Cards.Paused != "" }),
		lookup("unscreened", func(r *CompanyRow) bool { return r.Servicing.Screened.Unscreened }),
		lookupText("email_key", func(r *CompanyRow) string { return EmailKey(r.Email) }),
	},
	Lookups: 3,
}

func newCompanyRow() *CompanyRow { return &CompanyRow{Company: new(credit.Company)} }

// CompanyHistory holds replaced versions of companies. The current version is never in it,
// so the first write of a company costs no history.
var CompanyHistory = Table[CompanyPast]{
	Name: "company_history", Key: 2,
	New: func() *CompanyPast { return &CompanyPast{CompanyRow: *newCompanyRow()} },
	Columns: past(Companies.kept(),
		func(r *CompanyPast) *CompanyRow { return &r.CompanyRow },
		func(r *CompanyPast) *int64 { return &r.UntilQ }),
}

// past makes the columns of a history table: the commit that replaced the version, then those of
// the version. Its key begins with what grows: versions are appended, and no index by record is
// written. The log finds them, since it has the commits that changed a record.
func past[U, T any](columns []Column[T], at func(*U) *T, until func(*U) *int64) []Column[U] {
	lifted := lift(columns, at)
	return append([]Column[U]{integer("until_q", until)}, lifted...)
}

// CompanyMerchants is the table of links.
var CompanyMerchants = Table[LinkRow]{
	Name: "company_merchants", Key: 2,
	Columns: []Column[LinkRow]{
		integer("company_id", func(r *LinkRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *LinkRow) *string { return &r.Merchant }),
		instant("created_at", func(r *LinkRow) *time.Time { return &r.CreatedAt }),
	},
}

// EmailKey returns an email address as companies are found by it: case-insensitive.
func EmailKey(email string) string { return strings.ToLower(email) }

// CompanyKey formats a company's id as lists and events use it.
func CompanyKey(id int64) string { return strconv.FormatInt(id, 10) }

// KeyText is a key as the log has it: companies' ids are numbers.
func KeyText(key Value) string {
	if key.Kind == Integer {
		return CompanyKey(key.Int)
	}
	return key.Text
}

// CompanyID parses what CompanyKey formats; anything else is 0, no company.
func CompanyID(key string) int64 {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return 0
	}
	return id
}
