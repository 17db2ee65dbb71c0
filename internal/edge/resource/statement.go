package resource

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// StatementMonth is a month of which a company has a statement.
type StatementMonth struct {
	Month string        `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	From  calendar.Date `json:"from" doc:"Its first day." example:"2026-01-01"`
	To    calendar.Date `json:"to" doc:"Its last day." example:"2026-01-31"`
	Final bool          `json:"final" doc:"Whether the month is over: the figures of its statement never change any more." example:"true"`
}

// Statement is a company's month, computed from the ledger by book date. closing =
// opening + the sum of totals.
type Statement struct {
	CompanyID       string            `json:"company_id" doc:"The company." example:"4821073356"`
	Month           string            `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	From            calendar.Date     `json:"from" doc:"Its first day." example:"2026-01-01"`
	To              calendar.Date     `json:"to" doc:"Its last day." example:"2026-01-31"`
	Final           bool              `json:"final" doc:"Whether the month is over: its figures never change any more." example:"true"`
	Currency        string            `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Opening         money.Amount      `json:"opening" doc:"What was owed when the month began." example:"0.00"`
	Closing         money.Amount      `json:"closing" doc:"What is owed at its end." example:"1200.00"`
	Totals          []StatementTotal  `json:"totals" doc:"What happened between, by kind."`
	UnappliedCredit money.Amount      `json:"unapplied_credit" doc:"Money of the company that pays nothing yet, at the end." example:"0.00"`
	UnappliedBefore money.Amount      `json:"unapplied_credit_opening" doc:"The same when the month began." example:"0.00"`
	CreditLine      CreditLine        `json:"credit_line" doc:"The credit line at the end."`
	YearCharge      money.Amount      `json:"finance_charge_this_year" doc:"Finance charge since 1 January." example:"0.00"`
	YearFees        money.Amount      `json:"fees_this_year" doc:"Fees since 1 January." example:"0.00"`
	DueSoon         []StatementDue    `json:"due_soon" doc:"Installments that fall due in the 30 days after its end, in order of their dates."`
	PastDue         []StatementLate   `json:"past_due" doc:"What is late at its end, by days past due of the installment."`
	Notices         []StatementNote   `json:"notices" doc:"What it says of paying off, of whom to ask, and of the rights in errors and disputes."`
	Orders          []StatementOrder  `json:"orders" doc:"Orders with a balance at either end or a line between, in order of capture."`
	Lines           []StatementLine   `json:"lines" doc:"What happened, in order of posting."`
	Credits         []StatementCredit `json:"credits" doc:"What happened to unapplied credit, in order of posting: its sum leads from unapplied_credit_opening to unapplied_credit."`
}

// StatementCredit is what one entry has done to a company's unapplied credit.
type StatementCredit struct {
	Date      calendar.Date `json:"date" doc:"Business date on which it was written." example:"2026-03-16"`
	ValueDate calendar.Date `json:"value_date" doc:"Date for which it counts." example:"2026-03-16"`
	Kind      string        `json:"kind" enum:"OVERPAYMENT,REFUND,REBATE,APPLIED,SENT_BACK,REVERSAL,ADJUSTMENT" doc:"What it is: left of a payment, of a merchant's refund, of a flat fee that was given back; paid what was owed; sent back; its payment came back." example:"OVERPAYMENT"`
	PaymentID *string       `json:"payment_id" nullable:"true" doc:"The payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	EntryID   string        `json:"entry_id" doc:"The ledger entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Amount    money.Amount  `json:"amount" doc:"Above zero: more credit; below: less." example:"25.00"`
	Balance   money.Amount  `json:"balance" doc:"The credit after it." example:"25.00"`
}

// StatementDue is an installment that falls due soon.
type StatementDue struct {
	OrderKey    string        `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Installment int           `json:"installment" doc:"Its number." example:"2"`
	DueDate     calendar.Date `json:"due_date" doc:"When it is due." example:"2026-03-15"`
	Amount      money.Amount  `json:"amount" doc:"What is unpaid of it, with its fees." example:"207.06"`
}

// StatementLate is what is late by so many days.
type StatementLate struct {
	Bucket string       `json:"bucket" enum:"DPD_1_29,DPD_30_59,DPD_60_89,DPD_90_119,DPD_120_PLUS" doc:"How late." example:"DPD_1_29"`
	Amount money.Amount `json:"amount" doc:"What is unpaid of these installments, with their fees." example:"0.00"`
}

// StatementNote is a text of a statement.
type StatementNote struct {
	Kind string `json:"kind" enum:"PAYOFF,CONTACT,ERROR,DISPUTE" doc:"What it is about." example:"PAYOFF"`
	Text string `json:"text" doc:"The text." example:"You may pay an order off at any time without a penalty."`
}

// StatementTotal is the sum of a month's lines of one kind; above zero if it made the
// company owe more.
type StatementTotal struct {
	Kind   string       `json:"kind" enum:"PURCHASE,FINANCE_CHARGE,FEE,PAYMENT,REFUND,REVERSAL,ADJUSTMENT" doc:"The kind." example:"PURCHASE"`
	Amount money.Amount `json:"amount" doc:"The sum." example:"1200.00"`
}

// StatementOrder is an order on a statement.
type StatementOrder struct {
	OrderKey        string        `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	MerchantOrderID *string       `json:"merchant_order_id" nullable:"true" doc:"The merchant's own number." example:"PO-10042"`
	MerchantID      string        `json:"merchant_id" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Merchant        string        `json:"merchant_name" doc:"Its name." example:"Harbor Supply"`
	CaptureDate     calendar.Date `json:"capture_date" doc:"Business date of the capture." example:"2026-01-15"`
	Status          string        `json:"status" enum:"CREATED,AUTHORIZED,CAPTURED,CANCELED,RETURNED" doc:"The order's status at the end." example:"CAPTURED"`
	Financing       string        `json:"financing_status" enum:"NONE,ACTIVE,PAID_OFF,OVERDUE,CHARGED_OFF" doc:"State of its loan at the end." example:"ACTIVE"`
	Amount          money.Amount  `json:"amount" doc:"What was captured." example:"1200.00"`
	Opening         money.Amount  `json:"opening" doc:"What was owed on it when the month began." example:"0.00"`
	Closing         money.Amount  `json:"closing" doc:"What is owed on it at the end." example:"1200.00"`
}

// StatementLine is what one entry has done to what the company owes.
type StatementLine struct {
	Date      calendar.Date `json:"date" doc:"Business date on which it was written." example:"2026-01-15"`
	ValueDate calendar.Date `json:"value_date" doc:"Date for which it counts." example:"2026-01-15"`
	Kind      string        `json:"kind" enum:"PURCHASE,FINANCE_CHARGE,FEE,PAYMENT,REFUND,REVERSAL,ADJUSTMENT" doc:"What it is." example:"PURCHASE"`
	OrderKey  *string       `json:"order_key" nullable:"true" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	PaymentID *string       `json:"payment_id" nullable:"true" doc:"The payment." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	Method    *string       `json:"method" nullable:"true" enum:"ACH,CARD,CHECK,WIRE,CASH,OTHER" doc:"How the payment was made." example:"ACH"`
	State     *string       `json:"payment_status" nullable:"true" enum:"SUCCEEDED,RETURNED" doc:"Whether the payment came back or was refunded by the end; what comes back in a later month is told there." example:"SUCCEEDED"`
	EntryID   string        `json:"entry_id" doc:"The ledger entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Amount    money.Amount  `json:"amount" doc:"Above zero: owed more; below: owed less." example:"1200.00"`
	Balance   money.Amount  `json:"balance" doc:"What is owed on the order after it." example:"1200.00"`
}
