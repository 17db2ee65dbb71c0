package resource

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// BankMatch records that lines of the bank's statement and entries on 1000 are the same
// money.
type BankMatch struct {
	ID       string       `json:"id" doc:"The match's identifier." example:"mtc_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Rule     string       `json:"rule" enum:"REFERENCE,BATCH,AMOUNT,BY_HAND" doc:"How it matched: the line references the entry; a batch adds up to its amount; only one entry has that amount around the date; matched manually." example:"BATCH"`
	LineIDs  []string     `json:"line_ids" doc:"Bank lines." example:"[\"20260217-3\"]"`
	EntryIDs []string     `json:"entry_ids" doc:"Entries on account 1000." example:"[\"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H\"]"`
	Amount   money.Amount `json:"amount" doc:"Amount of each side." example:"207.06"`
	Note     *string      `json:"note" nullable:"true" doc:"Note." example:"two deposits in one"`
	MadeAt   time.Time    `json:"made_at" doc:"When it was created." example:"2026-02-17T15:00:00Z"`
	MadeBy   *string      `json:"made_by" nullable:"true" doc:"Matched by: an API client, or system." example:"system"`
	UndoneAt *time.Time   `json:"undone_at" nullable:"true" doc:"When it was undone; null while in effect." example:"2026-02-18T15:00:00Z"`
	UndoneBy *string      `json:"undone_by" nullable:"true" doc:"Undone by." example:"cli_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
}

// NewBankMatch returns the resource of a match.
func NewBankMatch(m store.BankMatch) BankMatch {
	return BankMatch{
		ID: m.ID, Rule: string(m.Rule), LineIDs: append([]string{}, m.Lines...), EntryIDs: append([]string{}, m.Entries...), Amount: m.Amount,
		Note: textIn(&m.Note), MadeAt: instant(m.MadeAt), MadeBy: textIn(&m.MadeBy), UndoneAt: instantIn(&m.UndoneAt), UndoneBy: textIn(&m.UndoneBy),
	}
}

// BankMatched is the number of lines matched in a pass over all open ones.
type BankMatched struct {
	Matched int `json:"matched" doc:"Number of lines matched." example:"3"`
}

// BankReconciliation compares the bank's statement with account 1000 at the end of a day.
type BankReconciliation struct {
	AsOf           calendar.Date  `json:"as_of" doc:"As of this day." example:"2026-02-27"`
	Currency       string         `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	BankBalance    money.Amount   `json:"bank_balance" doc:"Sum of the bank statement lines." example:"99987.50"`
	LedgerBalance  money.Amount   `json:"ledger_balance" doc:"Balance of account 1000." example:"100000.00"`
	Difference     money.Amount   `json:"difference" doc:"bank_balance less ledger_balance." example:"-12.50"`
	OpenLinesSum   money.Amount   `json:"open_lines_sum" doc:"Sum of open_lines." example:"-12.50"`
	OpenEntriesSum money.Amount   `json:"open_entries_sum" doc:"Sum of open_entries." example:"0.00"`
	Proven         bool           `json:"proven" doc:"Whether difference is open_lines_sum less open_entries_sum, to the cent." example:"true"`
	OpenLines      []BankOpenItem `json:"open_lines" doc:"Unmatched bank lines, oldest first."`
	OpenEntries    []BankOpenItem `json:"open_entries" doc:"Unmatched entries on account 1000, oldest first."`
	Clearing       []BankClearing `json:"clearing" doc:"Current balances of the clearing accounts 1010, 1020, 2010 and 2110, by file or batch. Each clears to 0.00 once settled."`
}

// BankOpenItem is a line of the bank, or an entry on 1000, without a counterpart.
type BankOpenItem struct {
	ID        string        `json:"id" doc:"The line's or the entry's identifier." example:"20260223-1"`
	Date      calendar.Date `json:"date" doc:"Day of the line; book date of the entry." example:"2026-02-23"`
	Amount    money.Amount  `json:"amount" doc:"Amount credited; negative for a debit." example:"-12.50"`
	Age       int           `json:"age" doc:"Banking days since its date." example:"4"`
	Reference *string       `json:"reference" nullable:"true" doc:"Bank's description of a line; event of an entry." example:"FEES"`
	Cause     *string       `json:"cause" nullable:"true" doc:"For an entry: the object that caused it." example:"trf_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Owner     *string       `json:"owner" nullable:"true" doc:"Assignee." example:"ann"`
	Note      *string       `json:"note" nullable:"true" doc:"Note." example:"asked the bank"`
}

// BankClearing is money in transit on a clearing account.
type BankClearing struct {
	Account     ledger.Account `json:"account" doc:"Number of the account." example:"1010"`
	AccountName string         `json:"account_name" doc:"Name of the account." example:"ACH debits in transit"`
	FileID      *string        `json:"file_id" nullable:"true" doc:"The file sent to the bank; null if none." example:"achf_20260213_A"`
	Rail        *string        `json:"rail" nullable:"true" enum:"ACH,CARD" doc:"Null for amounts without a transfer: sent manually, or returned and still owed." example:"ACH"`
	SettlesOn   *calendar.Date `json:"settles_on" nullable:"true" doc:"Settlement date." example:"2026-02-17"`
	Transfers   int            `json:"transfers" doc:"Number of transfers." example:"14"`
	Amount      money.Amount   `json:"amount" doc:"Total; negative for a credit." example:"2898.84"`
	Late        bool           `json:"late" doc:"Whether it should have cleared by now." example:"false"`
}
