package resource

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// StatementMonth is a month for which a company has a statement.
type StatementMonth struct {
	Month string        `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	From  calendar.Date `json:"from" doc:"Its first day." example:"2026-01-01"`
	To    calendar.Date `json:"to" doc:"Its last day." example:"2026-01-31"`
	Final bool          `json:"final" doc:"Whether the month is over; its statement is then final." example:"true"`
}

// Statement is a company's month, computed from the ledger by book date. closing =
// opening + the sum of totals.
type Statement struct {
	CompanyID       string            `json:"company_id" doc:"The company." example:"4821073356"`
	Month           string            `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	From            calendar.Date     `json:"from" doc:"Its first day." example:"2026-01-01"`
	To              calendar.Date     `json:"to" doc:"Its last day." example:"2026-01-31"`
	Final           bool              `json:"final" doc:"Whether the month is over; its figures are then final." example:"true"`
	Currency        string            `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Opening         money.Amount      `json:"opening" doc:"Opening balance." example:"0.00"`
	Closing         money.Amount      `json:"closing" doc:"Closing balance." example:"1200.00"`
	Totals          []StatementTotal  `json:"totals" doc:"Activity by kind."`
	UnappliedCredit money.Amount      `json:"unapplied_credit" doc:"Unapplied credit at the end of the month." example:"0.00"`
	UnappliedBefore money.Amount      `json:"unapplied_credit_opening" doc:"Unapplied credit at the start of the month." example:"0.00"`
	CreditLine      CreditLine        `json:"credit_line" doc:"Credit line at the end of the month."`
	YearCharge      money.Amount      `json:"finance_charge_this_year" doc:"Finance charge year to date." example:"0.00"`
	YearFees        money.Amount      `json:"fees_this_year" doc:"Fees year to date." example:"0.00"`
	DueSoon         []StatementDue    `json:"due_soon" doc:"Installments due in the 30 days after the month, by date."`
	PastDue         []StatementLate   `json:"past_due" doc:"Past due amounts at the end of the month, by days past due."`
	Notices         []StatementNote   `json:"notices" doc:"Texts on payoff, contact, and rights in case of errors and disputes."`
	Orders          []StatementOrder  `json:"orders" doc:"Orders with an opening or closing balance or activity, in order of capture."`
	Lines           []StatementLine   `json:"lines" doc:"Activity, in posting order."`
	Credits         []StatementCredit `json:"credits" doc:"Activity in unapplied credit, in posting order; reconciles unapplied_credit_opening with unapplied_credit."`
}

// StatementCredit is the effect of one entry on a company's unapplied credit.
type StatementCredit struct {
	Date      calendar.Date `json:"date" doc:"Business date it was booked." example:"2026-03-16"`
	ValueDate calendar.Date `json:"value_date" doc:"Effective date." example:"2026-03-16"`
	Kind      string        `json:"kind" enum:"OVERPAYMENT,REFUND,REBATE,APPLIED,SENT_BACK,REVERSAL,ADJUSTMENT" doc:"Kind: left from a payment, a merchant refund or a returned flat fee; applied to a balance; sent back; source payment returned." example:"OVERPAYMENT"`
	PaymentID *string       `json:"payment_id" nullable:"true" doc:"The payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	EntryID   string        `json:"entry_id" doc:"The ledger entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Amount    money.Amount  `json:"amount" doc:"Positive: more credit; negative: less." example:"25.00"`
	Balance   money.Amount  `json:"balance" doc:"Credit balance after it." example:"25.00"`
}

// StatementDue is an installment that falls due soon.
type StatementDue struct {
	OrderKey    string        `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Installment int           `json:"installment" doc:"Its number." example:"2"`
	DueDate     calendar.Date `json:"due_date" doc:"Due date." example:"2026-03-15"`
	Amount      money.Amount  `json:"amount" doc:"Unpaid amount, including fees." example:"207.06"`
}

// StatementLate is the amount late in one bucket of days.
type StatementLate struct {
	Bucket string       `json:"bucket" enum:"DPD_1_29,DPD_30_59,DPD_60_89,DPD_90_119,DPD_120_PLUS" doc:"How late." example:"DPD_1_29"`
	Amount money.Amount `json:"amount" doc:"Unpaid amount of these installments, including fees." example:"0.00"`
}

// StatementNote is a text of a statement.
type StatementNote struct {
	Kind string `json:"kind" enum:"PAYOFF,CONTACT,ERROR,DISPUTE" doc:"What it is about." example:"PAYOFF"`
	Text string `json:"text" doc:"The text." example:"You may pay an order off at any time without a penalty."`
}

// StatementTotal is the sum of a month's lines of one kind. It is positive if it increased
// what the company owes.
type StatementTotal struct {
	Kind   string       `json:"kind" enum:"PURCHASE,FINANCE_CHARGE,FEE,PAYMENT,REFUND,REVERSAL,ADJUSTMENT" doc:"The kind." example:"PURCHASE"`
	Amount money.Amount `json:"amount" doc:"The sum." example:"1200.00"`
}

// StatementOrder is an order on a statement.
type StatementOrder struct {
	OrderKey        string        `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	MerchantOrderID *string       `json:"merchant_order_id" nullable:"true" doc:"The merchant's order number." example:"PO-10042"`
	MerchantID      string        `json:"merchant_id" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Merchant        string        `json:"merchant_name" doc:"Its name." example:"Harbor Supply"`
	CaptureDate     calendar.Date `json:"capture_date" doc:"Business date of the capture." example:"2026-01-15"`
	Status          string        `json:"status" enum:"CREATED,AUTHORIZED,CAPTURED,CANCELED,RETURNED" doc:"Order status at the end of the month." example:"CAPTURED"`
	Financing       string        `json:"financing_status" enum:"NONE,ACTIVE,PAID_OFF,OVERDUE,CHARGED_OFF" doc:"Loan status at the end of the month." example:"ACTIVE"`
	Amount          money.Amount  `json:"amount" doc:"Captured amount." example:"1200.00"`
	Opening         money.Amount  `json:"opening" doc:"Opening balance of the order." example:"0.00"`
	Closing         money.Amount  `json:"closing" doc:"Closing balance of the order." example:"1200.00"`
}

// StatementLine is the effect of one entry on what the company owes.
type StatementLine struct {
	Date      calendar.Date `json:"date" doc:"Business date it was booked." example:"2026-01-15"`
	ValueDate calendar.Date `json:"value_date" doc:"Effective date." example:"2026-01-15"`
	Kind      string        `json:"kind" enum:"PURCHASE,FINANCE_CHARGE,FEE,PAYMENT,REFUND,REVERSAL,ADJUSTMENT" doc:"What it is." example:"PURCHASE"`
	OrderKey  *string       `json:"order_key" nullable:"true" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	PaymentID *string       `json:"payment_id" nullable:"true" doc:"The payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	Method    *string       `json:"method" nullable:"true" enum:"ACH,CARD,CHECK,WIRE,CASH,OTHER" doc:"How the payment was made." example:"ACH"`
	State     *string       `json:"payment_status" nullable:"true" enum:"SUCCEEDED,RETURNED" doc:"Whether the payment was returned or refunded by the end of the month; later returns appear in their own month." example:"SUCCEEDED"`
	EntryID   string        `json:"entry_id" doc:"The ledger entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Amount    money.Amount  `json:"amount" doc:"Positive: more owed; negative: less owed." example:"1200.00"`
	Balance   money.Amount  `json:"balance" doc:"Order balance after it." example:"1200.00"`
}
