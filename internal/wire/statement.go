package wire

import (
	"tenor/internal/calendar"
	"tenor/internal/money"
)

// StatementMonth is a month of which a company has a statement.
type StatementMonth struct {
	Month string        `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	From  calendar.Date `json:"from" doc:"Its first day." example:"2026-01-01"`
	To    calendar.Date `json:"to" doc:"Its last day." example:"2026-01-31"`
	Final bool          `json:"final" doc:"Whether the month is over: its statement never changes any more." example:"true"`
}

// Statement is a company's month, computed from the ledger by book date. closing =
// opening + the sum of totals.
type Statement struct {
	CompanyID       string           `json:"company_id" doc:"The company." example:"4821073356"`
	Month           string           `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	From            calendar.Date    `json:"from" doc:"Its first day." example:"2026-01-01"`
	To              calendar.Date    `json:"to" doc:"Its last day." example:"2026-01-31"`
	Final           bool             `json:"final" doc:"Whether the month is over: the statement never changes any more." example:"true"`
	Currency        string           `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Opening         money.Amount     `json:"opening" doc:"What was owed when the month began." example:"0.00"`
	Closing         money.Amount     `json:"closing" doc:"What is owed at its end." example:"1200.00"`
	Totals          []StatementTotal `json:"totals" doc:"What happened between, by kind."`
	UnappliedCredit money.Amount     `json:"unapplied_credit" doc:"Money of the company that pays nothing yet, at the end." example:"0.00"`
	CreditLine      CreditLine       `json:"credit_line" doc:"The credit line at the end."`
	YearCharge      money.Amount     `json:"finance_charge_this_year" doc:"Finance charge since 1 January." example:"0.00"`
	YearFees        money.Amount     `json:"fees_this_year" doc:"Fees since 1 January." example:"0.00"`
	Orders          []StatementOrder `json:"orders" doc:"Orders with a balance at either end or a line between, in order of capture."`
	Lines           []StatementLine  `json:"lines" doc:"What happened, in order of posting."`
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
	CaptureDate     calendar.Date `json:"capture_date" doc:"Business date of the capture." example:"2026-01-15"`
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
	EntryID   string        `json:"entry_id" doc:"The ledger entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Amount    money.Amount  `json:"amount" doc:"Above zero: owed more; below: owed less." example:"1200.00"`
}
