package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Payment is money from a company, or back to it.
type Payment struct {
	ID               string          `json:"id" doc:"Identifier of the payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	CompanyID        int64           `json:"company_id" doc:"Company that pays or is paid." example:"4821073356"`
	OrderKey         *string         `json:"order_key" nullable:"true" doc:"Order it was made for; null for a company-level payment." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	InvoiceID        *string         `json:"invoice_id" nullable:"true" doc:"Invoice it was made for." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
	Amount           money.Amount    `json:"amount" doc:"What is paid." example:"207.06"`
	Currency         string          `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Status           string          `json:"status" enum:"SCHEDULED,PENDING,SUCCEEDED,FAILED,PARTIALLY_REFUNDED,REFUNDED,RETURNED,CANCELED" doc:"Status." example:"SUCCEEDED"`
	Method           string          `json:"method" enum:"ACH,CARD,CHECK,WIRE,CASH,OTHER" doc:"Payment method type." example:"ACH"`
	PaymentMethodID  *string         `json:"payment_method_id" nullable:"true" doc:"Account debited or credited; null for money already received." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	Direction        string          `json:"direction" enum:"IN,OUT" doc:"IN: from the company; OUT: credit sent back to it." example:"IN"`
	ScheduledDate    *calendar.Date  `json:"scheduled_date" nullable:"true" doc:"Settlement date: the requested date, or the next possible banking day." example:"2026-02-17"`
	EffectiveDate    *calendar.Date  `json:"effective_date" nullable:"true" doc:"Effective date; null until it succeeds." example:"2026-02-17"`
	Reference        *string         `json:"reference" nullable:"true" doc:"Reference from the payer or the bank." example:"check 1042"`
	ExternalID       *string         `json:"external_id" nullable:"true" doc:"The caller's ID, unique per merchant." example:"ERP-556"`
	Memo             *string         `json:"memo" nullable:"true" doc:"A note." example:"paid by phone"`
	RefundedAmount   money.Amount    `json:"refunded_amount" doc:"Sum of the refunds." example:"0.00"`
	RefundableAmount money.Amount    `json:"refundable_amount" doc:"Amount left to refund, excluding credit created by order refunds." example:"207.06"`
	UnappliedAmount  money.Amount    `json:"unapplied_amount" doc:"Unapplied amount." example:"0.00"`
	Allocations      []Allocation    `json:"allocations" doc:"Current allocations."`
	Refunds          []PaymentRefund `json:"refunds" doc:"Refunds, oldest first."`
	Failure          *Failure        `json:"failure" nullable:"true" doc:"Why it failed or was returned."`
	Attempt          int             `json:"attempt" doc:"Attempt number of the debit, from 1." example:"1"`
	CreatedAt        time.Time       `json:"created_at" doc:"When the payment was recorded." example:"2026-02-15T11:00:00Z"`
	UpdatedAt        time.Time       `json:"updated_at" doc:"When it last changed." example:"2026-02-20T13:30:00Z"`
	SubmittedAt      *time.Time      `json:"submitted_at" nullable:"true" doc:"When it was handed to the bank or the card processor." example:"2026-02-16T21:00:00Z"`
	SettledAt        *time.Time      `json:"settled_at" nullable:"true" doc:"When it settled." example:"2026-02-17T13:30:00Z"`
}

// Allocation is the part of a payment applied to one installment of one order.
type Allocation struct {
	OrderKey      *string      `json:"order_key" nullable:"true" doc:"The order; null for an order other than the payment's own, paid from its credit with the company's consent." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Installment   int          `json:"installment" doc:"Number of the installment." example:"1"`
	Fee           money.Amount `json:"fee" doc:"Of it, fees." example:"0.00"`
	FinanceCharge money.Amount `json:"finance_charge" doc:"Finance charge portion." example:"12.00"`
	Principal     money.Amount `json:"principal" doc:"Principal portion." example:"195.06"`
}

// PaymentRefund is a refund of a payment.
type PaymentRefund struct {
	ID        string       `json:"id" doc:"Identifier of the refund." example:"rfd_01KN4C8D2F6H0K4M8P2R6T0V4X"`
	Amount    money.Amount `json:"amount" doc:"Refunded amount." example:"50.00"`
	Reason    *string      `json:"reason" nullable:"true" doc:"Why." example:"paid twice"`
	Reversal  *string      `json:"reversal" nullable:"true" enum:"DUPLICATE,WRONG_RECEIVER,WRONG_AMOUNT,WRONG_DATE" doc:"The error in the debit, if this is a reversal; otherwise null." example:"DUPLICATE"`
	Status    string       `json:"status" enum:"PENDING,SETTLED,FAILED,CANCELED" doc:"Status of the refund. FAILED is still owed; CANCELED is not, because the payment itself was returned before the refund was sent." example:"SETTLED"`
	Method    *string      `json:"method" nullable:"true" enum:"CHECK,WIRE,CASH,OTHER" doc:"How it was paid manually; null if sent by a bank or card processor, or not yet paid." example:"CHECK"`
	Reference *string      `json:"reference" nullable:"true" doc:"Check or wire number." example:"check 1042"`
	Failure   *Failure     `json:"failure" nullable:"true" doc:"Why it did not arrive."`
	CreatedAt time.Time    `json:"created_at" doc:"When it was refunded." example:"2026-03-02T16:20:00Z"`
	SettledAt *time.Time   `json:"settled_at" nullable:"true" doc:"When it arrived or was paid manually." example:"2026-03-03T13:30:00Z"`
}

// OwedRefund is money of a payment that is on account 2110: on its way back, or waiting for
// staff.
type OwedRefund struct {
	PaymentID string          `json:"payment_id" doc:"The payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	CompanyID int64           `json:"company_id" doc:"Company that is owed." example:"4821073356"`
	OrderKey  *string         `json:"order_key" nullable:"true" doc:"The payment's order; null for a company-level payment." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Direction string          `json:"direction" enum:"IN,OUT" doc:"IN: refunds of it; OUT: credit sent back." example:"IN"`
	Amount    money.Amount    `json:"amount" doc:"What is owed." example:"50.00"`
	Currency  string          `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Since     time.Time       `json:"since" doc:"Since when." example:"2026-03-02T16:20:00Z"`
	Days      int             `json:"days" doc:"Days since then." example:"3"`
	Refunds   []PaymentRefund `json:"refunds" doc:"Refunds not yet arrived; empty for a payment OUT."`
}

// NewOwedRefund returns the resource of what is owed on a payment, as of a day.
func NewOwedRefund(p *credit.Payment, z calendar.Zone, today calendar.Date) OwedRefund {
	open := []PaymentRefund{}
	for i := range p.Refunds {
		if r := &p.Refunds[i]; r.Open() {
			open = append(open, newPaymentRefund(r))
		}
	}
	return OwedRefund{
		PaymentID: p.ID, CompanyID: p.Company, OrderKey: textIn(&p.Order), Direction: p.Direction, Amount: p.InTransit(), Currency: string(p.Currency),
		Since: instant(p.OwedSince), Days: z.Date(p.OwedSince).DaysUntil(today), Refunds: open,
	}
}

// Failure says why a payment failed or was returned.
type Failure struct {
	Code       string  `json:"code" doc:"For programs." example:"insufficient_funds"`
	Message    *string `json:"message" nullable:"true" doc:"For people." example:"The account does not hold enough money."`
	Retryable  bool    `json:"retryable" doc:"Whether the debit can be retried." example:"true"`
	ReturnCode *string `json:"return_code" nullable:"true" doc:"The bank's code." example:"R01"`
}

// NewPayment returns the resource of a payment with all of its allocations.
func NewPayment(p *credit.Payment) Payment {
	return Payment{
		ID: p.ID, CompanyID: p.Company, OrderKey: textIn(&p.Order), InvoiceID: textIn(&p.Invoice), Amount: p.Amount,
		Currency: string(p.Currency), Status: string(p.Status), Method: string(p.Method), PaymentMethodID: textIn(&p.MethodID), Direction: p.Direction,
		ScheduledDate: dateIn(&p.ScheduledDate), EffectiveDate: dateIn(&p.EffectiveDate), Reference: textIn(&p.Reference),
		ExternalID: textIn(&p.ExternalID), Memo: textIn(&p.Memo), RefundedAmount: p.Refunded, RefundableAmount: p.Refundable(), UnappliedAmount: p.Unapplied,
		Allocations: convert(p.Allocations, newAllocation), Refunds: convert(p.Refunds, newPaymentRefund),
		Failure: newFailure(p.Failure), Attempt: p.Attempt, CreatedAt: instant(p.CreatedAt), UpdatedAt: instant(p.UpdatedAt),
		SubmittedAt: instantIn(&p.SubmittedAt), SettledAt: instantIn(&p.SettledAt),
	}
}

func newAllocation(a *credit.Allocation) Allocation {
	order := textIn(&a.Order)
	if a.Elsewhere {
		order = nil
	}
	return Allocation{OrderKey: order, Installment: a.Installment, Fee: a.Fee, FinanceCharge: a.Charge, Principal: a.Principal}
}

func newPaymentRefund(r *credit.PaymentRefund) PaymentRefund {
	method, reversal := string(r.Method), string(r.Reversal)
	return PaymentRefund{
		ID: r.ID, Amount: r.Amount, Reason: textIn(&r.Reason), Reversal: Text(reversal), Status: string(r.Status), Method: Text(method), Reference: textIn(&r.Reference),
		Failure: newFailure(r.Failure), CreatedAt: instant(r.CreatedAt), SettledAt: instantIn(&r.SettledAt),
	}
}

func newFailure(f *credit.Failure) *Failure {
	if f == nil {
		return nil
	}
	return &Failure{Code: f.Code, Message: textIn(&f.Message), Retryable: f.Retryable, ReturnCode: textIn(&f.ReturnCode)}
}
