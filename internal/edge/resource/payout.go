package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Payout is a payment to a merchant: net = gross − discount − refunds + repaid − clawback −
// collected, never below 0.00.
type Payout struct {
	ID         string        `json:"id" doc:"Identifier of the payout." example:"po_01KB0A4E7W9N3R1P9M8K6J4H2G"`
	MerchantID string        `json:"merchant_id" doc:"Merchant paid." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Status     string        `json:"status" enum:"PENDING,SENT,SETTLED,FAILED" doc:"Status." example:"SETTLED"`
	Date       calendar.Date `json:"date" doc:"Business date of its run." example:"2026-01-16"`
	Gross      money.Amount  `json:"gross" doc:"Captured amounts." example:"1200.00"`
	Discount   money.Amount  `json:"discount" doc:"Merchant discount on them, less discount returned for refunds before the payout." example:"36.00"`
	Refunds    money.Amount  `json:"refunds" doc:"Amount of them refunded before the payout." example:"0.00"`
	Repaid     money.Amount  `json:"repaid" doc:"Other amounts owed to the merchant: repaid money, a failed payout." example:"0.00"`
	Clawback   money.Amount  `json:"clawback" doc:"Clawed back for refunds of captures already paid out." example:"0.00"`
	Collected  money.Amount  `json:"collected" doc:"Netted for payments the merchant collected for the lender." example:"0.00"`
	Net        money.Amount  `json:"net" doc:"What is sent." example:"1164.00"`
	Currency   string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Failure    *Failure      `json:"failure" nullable:"true" doc:"Why it failed."`
	CreatedAt  time.Time     `json:"created_at" doc:"When it was created." example:"2026-01-16T21:00:00Z"`
	SentAt     *time.Time    `json:"sent_at" nullable:"true" doc:"When it was handed to the bank." example:"2026-01-16T21:00:00Z"`
	SettledAt  *time.Time    `json:"settled_at" nullable:"true" doc:"When it settled." example:"2026-01-20T13:30:00Z"`
}

// PayoutDetail is a payout with its lines.
type PayoutDetail struct {
	Payout
	TraceNumber      *string      `json:"trace_number" nullable:"true" doc:"Last seven digits of its ACH trace number; null if not sent." example:"0000017"`
	DiscountReturned money.Amount `json:"discount_returned" doc:"Discount returned for the refunds in it; discount and clawback are net of it." example:"9.00"`
	Carried          money.Amount `json:"carried" doc:"What the merchant still owed after this payout: clawbacks and collections it could not cover. Does not change later." example:"0.00"`
	Lines            []PayoutLine `json:"lines" doc:"Lines paid and netted."`
}

// PayoutLine is one amount that a payout adds or deducts.
type PayoutLine struct {
	Kind     string        `json:"kind" enum:"CAPTURE,CLAWBACK,COLLECTED,REPAID,CARRIED" doc:"Kind. CLAWBACK and COLLECTED reduce the payout, the others add to it." example:"CAPTURE"`
	OrderKey *string       `json:"order_key" nullable:"true" doc:"The order; null for money without an order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Source   string        `json:"source" doc:"ID of the order, refund, payment or payout it comes from." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Gross    money.Amount  `json:"gross" doc:"For a capture: its amount." example:"1200.00"`
	Discount money.Amount  `json:"discount" doc:"For a capture: the discount." example:"36.00"`
	Refunds  money.Amount  `json:"refunds" doc:"For a capture: amount refunded before the payout." example:"0.00"`
	Amount   money.Amount  `json:"amount" doc:"Amount paid or to be netted." example:"1164.00"`
	Netted   money.Amount  `json:"netted" doc:"Of the amount to be netted: what has been netted." example:"0.00"`
	DueDate  calendar.Date `json:"due_date" doc:"First payout run that could include it." example:"2026-01-16"`
}

// NewPayout returns the resource of a payout, as in events and lists.
func NewPayout(p *credit.Payout) Payout {
	return Payout{
		ID: p.ID, MerchantID: p.Merchant, Status: string(p.Status), Date: p.Date, Gross: p.Gross, Discount: p.Discount, Refunds: p.Refunds,
		Repaid: p.Repaid, Clawback: p.Clawback, Collected: p.Collected, Net: p.Net, Currency: string(money.USD), Failure: newFailure(p.Failure),
		CreatedAt: instant(p.CreatedAt), SentAt: instantIn(&p.SentAt), SettledAt: instantIn(&p.SettledAt),
	}
}

// NewPayoutDetail returns a payout with its lines.
func NewPayoutDetail(p *credit.Payout, lines []*credit.PayoutLine) PayoutDetail {
	w := PayoutDetail{Payout: NewPayout(p), Lines: make([]PayoutLine, len(lines))}
	for i, l := range lines {
		w.Lines[i] = PayoutLine{
			Kind: string(l.Kind), OrderKey: textIn(&l.Order), Source: l.Source, Gross: l.Gross, Discount: l.Discount, Refunds: l.Refunds,
			Amount: l.Amount, Netted: l.Netted, DueDate: l.Due,
		}
	}
	return w
}

// Remittance is money that a merchant has sent, for what it had collected or for clawbacks.
type Remittance struct {
	MerchantID string       `json:"merchant_id" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Amount     money.Amount `json:"amount" doc:"Amount sent." example:"207.06"`
	Currency   string       `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Reference  *string      `json:"reference" nullable:"true" doc:"A reference." example:"wire 2231"`
	Entries    []Entry      `json:"entries" doc:"Posted entry."`
}
