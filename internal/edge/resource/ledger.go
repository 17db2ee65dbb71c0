package resource

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Entry is one balanced record of the ledger.
type Entry struct {
	ID        string        `json:"id" doc:"Identifier of the entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	BookDate  calendar.Date `json:"book_date" doc:"Business date it was booked." example:"2026-01-15"`
	ValueDate calendar.Date `json:"value_date" doc:"Effective date, on or before book_date." example:"2026-01-15"`
	Event     string        `json:"event" doc:"What happened." example:"ORDER_CAPTURED"`
	Cause     *string       `json:"cause" nullable:"true" doc:"ID of the order, payment or refund that caused it; null for daily accruals." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Reverses  *string       `json:"reverses" nullable:"true" doc:"The entry this one reverses." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Currency  string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Postings  []Posting     `json:"postings" doc:"Lines; debits equal credits."`
	CommitSeq *int64        `json:"commit_seq" nullable:"true" doc:"Commit that wrote it; null in a dry run." example:"1042"`
}

// Posting is one line of an entry: a debit or a credit.
type Posting struct {
	Account     int          `json:"account" doc:"Number of the account." example:"1100"`
	AccountName string       `json:"account_name" doc:"Name of the account." example:"Loan principal"`
	Debit       money.Amount `json:"debit" doc:"The amount of a debit, 0.00 on a credit." example:"1200.00"`
	Credit      money.Amount `json:"credit" doc:"The amount of a credit, 0.00 on a debit." example:"0.00"`
	CompanyID   *int64       `json:"company_id" nullable:"true" doc:"Company the line belongs to." example:"4821073356"`
	OrderKey    *string      `json:"order_key" nullable:"true" doc:"Order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	MerchantID  *string      `json:"merchant_id" nullable:"true" doc:"Merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	PaymentID   *string      `json:"payment_id" nullable:"true" doc:"Payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	Installment *int         `json:"installment" nullable:"true" doc:"Number of the installment." example:"1"`
}

// NewEntry returns the resource of an entry written by commit seq. In a dry run seq is 0.
func NewEntry(e *ledger.Entry, seq int64) Entry {
	w := Entry{
		ID: e.ID, BookDate: e.BookDate, ValueDate: e.ValueDate, Event: e.Event, Cause: textIn(&e.Cause),
		Reverses: textIn(&e.Reverses), Currency: string(e.Currency), Postings: convert(e.Postings, newPosting),
	}
	if seq != 0 {
		w.CommitSeq = &seq
	}
	return w
}

func newPosting(p *ledger.Posting) Posting {
	w := Posting{
		Account: int(p.Account), AccountName: p.Account.Name(), OrderKey: textIn(&p.Order),
		MerchantID: textIn(&p.Merchant), PaymentID: textIn(&p.Payment), Installment: countIn(&p.Installment),
	}
	if p.Company != 0 {
		w.CompanyID = &p.Company
	}
	if p.Amount < 0 {
		w.Credit = -p.Amount
	} else {
		w.Debit = p.Amount
	}
	return w
}
