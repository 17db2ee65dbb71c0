package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Invoice bills a buyer for a captured order.
type Invoice struct {
	ID         string         `json:"id" doc:"Identifier of the invoice." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
	Number     string         `json:"number" doc:"The number printed on it." example:"2026-000042"`
	OrderKey   string         `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	CompanyID  int64          `json:"company_id" doc:"Company that owes it." example:"4821073356"`
	MerchantID string         `json:"merchant_id" doc:"Merchant that sold." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	AmountDue  money.Amount   `json:"amount_due" doc:"Sum of the lines." example:"1242.35"`
	AmountPaid money.Amount   `json:"amount_paid" doc:"Amount paid." example:"207.06"`
	Balance    money.Amount   `json:"balance" doc:"amount_due less amount_paid." example:"1035.29"`
	Status     string         `json:"status" enum:"OPEN,PAID,PAST_DUE,VOID" doc:"Status." example:"OPEN"`
	IssuedAt   time.Time      `json:"issued_at" doc:"When it was created." example:"2026-01-15T16:00:00Z"`
	DueDate    *calendar.Date `json:"due_date" nullable:"true" doc:"Due date of the last installment." example:"2026-07-15"`
	Lines      []InvoiceLine  `json:"lines" doc:"Lines; refunds and rebates are negative."`
}

// InvoiceLine is one amount of an invoice.
type InvoiceLine struct {
	Kind        string         `json:"kind" enum:"PRINCIPAL,FINANCE_CHARGE,REFUND,ADJUSTMENT,FEE" doc:"Description of the line." example:"PRINCIPAL"`
	Description *string        `json:"description" nullable:"true" doc:"For people." example:"Order PO-10042"`
	Amount      money.Amount   `json:"amount" doc:"The amount; negative for refunds and rebates." example:"1200.00"`
	Date        *calendar.Date `json:"date" nullable:"true" doc:"Date of the line." example:"2026-01-15"`
}

// NewInvoice returns the resource of an invoice.
func NewInvoice(i *credit.Invoice) Invoice {
	return Invoice{
		ID: i.ID, Number: i.Number, OrderKey: i.Order, CompanyID: i.Company, MerchantID: i.Merchant, AmountDue: i.AmountDue,
		AmountPaid: i.Paid, Balance: i.AmountDue.Sub(i.Paid), Status: string(i.Status), IssuedAt: instant(i.IssuedAt),
		DueDate: dateIn(&i.DueDate), Lines: convert(i.Lines, newInvoiceLine),
	}
}

func newInvoiceLine(l *credit.InvoiceLine) InvoiceLine {
	return InvoiceLine{Kind: l.Kind, Description: textIn(&l.Description), Amount: l.Amount, Date: dateIn(&l.Date)}
}
