package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// BankFiles is the table of files to banks.
var BankFiles = Table[BankFile]{
	Name: "bank_files", Key: 1,
	Columns: []Column[BankFile]{
		text("id", func(r *BankFile) *string { return &r.ID }),
		instant("cut_off", func(r *BankFile) *time.Time { return &r.CutOff }),
		text("state", func(r *BankFile) *FileState { return &r.State }),
		integer("first_trace", func(r *BankFile) *int64 { return &r.FirstTrace }),
		integer("entries", func(r *BankFile) *int { return &r.Entries }),
		integer("debits", func(r *BankFile) *money.Amount { return &r.Debits }),
		integer("credits", func(r *BankFile) *money.Amount { return &r.Credits }),
		instant("created_at", func(r *BankFile) *time.Time { return &r.CreatedAt }),
		instant("moved_at", func(r *BankFile) *time.Time { return &r.MovedAt }),
	},
}

// BankEntries is the append-only table of file entries.
var BankEntries = Table[BankEntry]{
	Name: "bank_entries", Key: 1,
	Columns: []Column[BankEntry]{
		text("transfer_id", func(r *BankEntry) *string { return &r.Transfer }),
		text("file_id", func(r *BankEntry) *string { return &r.File }),
		integer("trace", func(r *BankEntry) *int64 { return &r.Trace }),
	},
}

// BankNotices is the table of messages from banks and processors.
var BankNotices = Table[BankNotice]{
	Name: "bank_notices", Key: 2,
	Columns: []Column[BankNotice]{
		text("rail", func(r *BankNotice) *credit.Method { return &r.Rail }),
		text("id", func(r *BankNotice) *string { return &r.ID }),
		text("kind", func(r *BankNotice) *string { return &r.Kind }),
		optional("transfer_id", func(r *BankNotice) *string { return &r.Transfer }),
		text("code", func(r *BankNotice) *string { return &r.Code }),
		rawJSON("payload", func(r *BankNotice) *[]byte { return &r.Payload }),
		instant("at", func(r *BankNotice) *time.Time { return &r.At }),
		instant("closed_at", func(r *BankNotice) *time.Time { return &r.ClosedAt }),
		text("result", func(r *BankNotice) *string { return &r.Result }),
		instant("reviewed_at", func(r *BankNotice) *time.Time { return &r.ReviewedAt }),
		text("reviewed_by", func(r *BankNotice) *string { return &r.ReviewedBy }),
		text("review_note", func(r *BankNotice) *string { return &r.ReviewNote }),
	},
}

// BankLineTable is the table of the bank's statement lines for account 1000.
var BankLineTable = Table[BankLine]{
	Name: "bank_lines", Key: 1,
	Columns: []Column[BankLine]{
		text("id", func(r *BankLine) *string { return &r.ID }),
		day("date", func(r *BankLine) *calendar.Date { return &r.Date }),
		integer("amount", func(r *BankLine) *money.Amount { return &r.Amount }),
		text("reference", func(r *BankLine) *string { return &r.Reference }),
		optional("match_id", func(r *BankLine) *string { return &r.Match }),
		text("owner", func(r *BankLine) *string { return &r.Owner }),
		text("note", func(r *BankLine) *string { return &r.Note }),
	},
}

// BankMatches is the table of matches of bank lines with entries.
var BankMatches = Table[BankMatch]{
	Name: "bank_matches", Key: 1,
	Columns: []Column[BankMatch]{
		text("id", func(r *BankMatch) *string { return &r.ID }),
		text("rule", func(r *BankMatch) *MatchRule { return &r.Rule }),
		nested("lines", func(r *BankMatch) *[]string { return &r.Lines }),
		nested("entries", func(r *BankMatch) *[]string { return &r.Entries }),
		integer("amount", func(r *BankMatch) *money.Amount { return &r.Amount }),
		text("note", func(r *BankMatch) *string { return &r.Note }),
		instant("made_at", func(r *BankMatch) *time.Time { return &r.MadeAt }),
		text("made_by", func(r *BankMatch) *string { return &r.MadeBy }),
		instant("undone_at", func(r *BankMatch) *time.Time { return &r.UndoneAt }),
		text("undone_by", func(r *BankMatch) *string { return &r.UndoneBy }),
	},
}

// CashItems is the table of entries on 1000 that are matched or assigned to somebody.
var CashItems = Table[CashItem]{
	Name: "cash_items", Key: 1,
	Columns: []Column[CashItem]{
		text("entry_id", func(r *CashItem) *string { return &r.Entry }),
		optional("match_id", func(r *CashItem) *string { return &r.Match }),
		text("owner", func(r *CashItem) *string { return &r.Owner }),
		text("note", func(r *CashItem) *string { return &r.Note }),
	},
}

// CashRows are the columns that EachCash reads. It is a view, not a table.
var CashRows = Table[CashRow]{
	Name: "cash", Key: 1,
	Columns: []Column[CashRow]{
		text("id", func(r *CashRow) *string { return &r.Entry }),
		integer("q", func(r *CashRow) *int64 { return &r.Q }),
		day("book_date", func(r *CashRow) *calendar.Date { return &r.Date }),
		text("event", func(r *CashRow) *string { return &r.Event }),
		text("cause", func(r *CashRow) *string { return &r.Cause }),
		text("payment_id", func(r *CashRow) *string { return &r.Payment }),
		integer("amount", func(r *CashRow) *money.Amount { return &r.Amount }),
		optional("match_id", func(r *CashRow) *string { return &r.Match }),
		text("owner", func(r *CashRow) *string { return &r.Owner }),
		text("note", func(r *CashRow) *string { return &r.Note }),
	},
}
