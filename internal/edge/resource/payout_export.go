package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// PayoutRow is a line of a payout for import by other programs: what an order adds to a
// payout or deducts from it. net = gross − discount − refunds + repaid − clawback −
// collected, and the rows of a payout add up to it.
type PayoutRow struct {
	LineID          string        `json:"line_id" doc:"Stable ID of the row." example:"pol_01KB0A4E7W9N3R1P9M8K6J4H2G"`
	PayoutID        string        `json:"payout_id" doc:"The payout." example:"po_01KB0A4E7W9N3R1P9M8K6J4H2G"`
	PayoutDate      calendar.Date `json:"payout_date" doc:"Date of the payout's run." example:"2026-01-16"`
	Status          string        `json:"status" enum:"PENDING,SENT,SETTLED,FAILED" doc:"Status of the payout." example:"SETTLED"`
	MerchantID      string        `json:"merchant_id" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Kind            string        `json:"kind" enum:"CAPTURE,CLAWBACK,COLLECTED,REPAID,CARRIED" doc:"What it is." example:"CAPTURE"`
	OrderKey        *string       `json:"order_key" nullable:"true" doc:"The order; null for money without an order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	MerchantOrderID *string       `json:"merchant_order_id" nullable:"true" doc:"The merchant's order number." example:"PO-10042"`
	Source          string        `json:"source" doc:"The order, refund, payment or payout it comes from." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Gross           money.Amount  `json:"gross" doc:"Captured." example:"1200.00"`
	Discount        money.Amount  `json:"discount" doc:"Discount, less discount returned for refunds." example:"36.00"`
	Refunds         money.Amount  `json:"refunds" doc:"Refunded before the payout." example:"0.00"`
	Repaid          money.Amount  `json:"repaid" doc:"Owed besides." example:"0.00"`
	Clawback        money.Amount  `json:"clawback" doc:"Clawed back for refunds of captures already paid out." example:"0.00"`
	Collected       money.Amount  `json:"collected" doc:"Netted for payments the merchant collected." example:"0.00"`
	Net             money.Amount  `json:"net" doc:"Net effect on the payout; negative if it reduces it." example:"1164.00"`
	Currency        string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	SettledAt       *time.Time    `json:"settled_at" nullable:"true" doc:"When the payout settled." example:"2026-01-20T13:30:00Z"`
	UpdatedAt       time.Time     `json:"updated_at" doc:"When the payout last changed." example:"2026-01-20T13:30:00Z"`
}

// NewPayoutRow returns a line of a payout. number is the merchant's own number for its
// order.
func NewPayoutRow(p *credit.Payout, l *credit.PayoutLine, number string) PayoutRow {
	w := PayoutRow{
		LineID: l.ID, PayoutID: p.ID, PayoutDate: p.Date, Status: string(p.Status), MerchantID: p.Merchant, Kind: string(l.Kind), OrderKey: text(l.Order),
		MerchantOrderID: text(number), Source: l.Source, Gross: l.Gross, Discount: l.Discount, Refunds: l.Refunds, Currency: string(money.USD),
		SettledAt: instantIn(&p.SettledAt), UpdatedAt: instant(p.UpdatedAt),
	}
	switch l.Kind {
	case credit.LineClawback:
		w.Clawback = l.Netted
	case credit.LineCollected:
		w.Collected = l.Netted
	case credit.LineRepaid, credit.LineCarried:
		w.Repaid = l.Amount
	}
	w.Net = w.Gross.Sub(w.Discount).Sub(w.Refunds).Add(w.Repaid).Sub(w.Clawback).Sub(w.Collected)
	return w
}
