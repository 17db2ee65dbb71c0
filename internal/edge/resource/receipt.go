package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Receipt is money that reached the lender without a known owner, and what became of it.
type Receipt struct {
	ID              string        `json:"id" doc:"Identifier of the receipt." example:"rcp_01KB0A4E7WQN3R1P9M8K6J4H2G"`
	Amount          money.Amount  `json:"amount" doc:"Amount received." example:"207.06"`
	Currency        string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Method          string        `json:"method" enum:"CHECK,WIRE,CASH,OTHER" doc:"How it came." example:"WIRE"`
	ReceivedDate    calendar.Date `json:"received_date" doc:"Date the bank received it; the effective date of the payment once identified." example:"2026-02-13"`
	Reference       *string       `json:"reference" nullable:"true" doc:"Remittance text." example:"wire 2231"`
	Note            *string       `json:"note" nullable:"true" doc:"Note." example:"sender unknown, the bank was asked"`
	Status          string        `json:"status" enum:"OPEN,IDENTIFIED,RETURNED" doc:"OPEN: held on account 2130. IDENTIFIED: became a payment. RETURNED: sent back." example:"OPEN"`
	Days            int           `json:"days" doc:"Days since it was received, up to today or until it was no longer OPEN." example:"4"`
	PaymentID       *string       `json:"payment_id" nullable:"true" doc:"The payment it became." example:"pay_01KB9R3F5H7K9M1P3R5T7V9X1Z"`
	ReturnReference *string       `json:"return_reference" nullable:"true" doc:"Wire or check number of the return." example:"wire 3102"`
	CreatedAt       time.Time     `json:"created_at" doc:"When it was recorded." example:"2026-02-13T15:00:00Z"`
	EndedAt         *time.Time    `json:"ended_at" nullable:"true" doc:"When it was identified or returned." example:"2026-02-17T15:00:00Z"`
	Version         int           `json:"version" doc:"1 when it was recorded, 2 when it is no longer OPEN." example:"1"`
}

// NewReceipt returns the resource of a receipt as of a day.
func NewReceipt(x *credit.Receipt, zone calendar.Zone, today calendar.Date) Receipt {
	until := today
	if !x.EndedAt.IsZero() {
		until = zone.Date(x.EndedAt)
	}
	return Receipt{
		ID: x.ID, Amount: x.Amount, Currency: string(money.USD), Method: string(x.Method), ReceivedDate: x.Received, Reference: textIn(&x.Reference),
		Note: textIn(&x.Note), Status: string(x.Status), Days: max(0, x.Received.DaysUntil(until)), PaymentID: textIn(&x.Payment),
		ReturnReference: textIn(&x.BackReference), CreatedAt: instant(x.CreatedAt), EndedAt: instantIn(&x.EndedAt), Version: x.Version,
	}
}
