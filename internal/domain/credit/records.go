package credit

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Program is one version of a merchant's terms (F30). It never changes; To is
// implied by the next version's From.
type Program struct {
	Merchant string
	Version  int // 1, 2, …
	From     calendar.Date
	Settings Settings
}

// Settings are the terms of a program version (F30). Amounts are cents.
type Settings struct {
	Terms              []Term                `json:"terms"`
	TierRates          map[string]money.Rate `json:"tier_rates"`
	MinOrder           money.Amount          `json:"min_order_amount"`
	MaxOrder           money.Amount          `json:"max_order_amount"` // 0: no maximum
	DayCount           schedule.DayCount     `json:"day_count"`
	DueDay             int                   `json:"due_day"`
	LateFeeRate        money.Rate            `json:"late_fee_rate"`
	LateFeeCap         money.Amount          `json:"late_fee_cap"`
	LateFeeGraceDays   int                   `json:"late_fee_grace_days"`
	ReturnedPaymentFee money.Amount          `json:"returned_payment_fee"`
	RefundWindowDays   int                   `json:"refund_window_days"`
	BackdatingDays     int                   `json:"backdating_days"` // how many days late a merchant may report a payment on an externally managed order (F41.6)
	DisputeHoldDays    int                   `json:"dispute_hold_days"`
	AuthorizationDays  int                   `json:"authorization_days"`
	ExtensionDays      int                   `json:"extension_days"`
	GoodFundsDays      int                   `json:"good_funds_days"`
	FirstGoodFundsDays int                   `json:"first_payment_good_funds_days"`
	SuspendDPD         int                   `json:"suspend_dpd"`
	NonaccrualDPD      int                   `json:"nonaccrual_dpd"`
	ChargeOffDPD       int                   `json:"charge_off_dpd"`
	PayoutDelayDays    int                   `json:"payout_delay_days"`
	ClawbackDebitDays  int                   `json:"clawback_debit_days"`
	ClawbackWriteOff   int                   `json:"clawback_write_off_days"`
	ExternalFunding    ExternalFunding       `json:"external_funding"`
	Acceptance         Acceptance            `json:"acceptance"`
	MaxAPR             map[string]money.Rate `json:"max_apr"`             // by state, as a fraction
	StateFees          map[string]StateFees  `json:"state_fees,omitzero"` // by state
	AccrualPosting     AccrualPosting        `json:"accrual_posting"`
}

// Term is a number of installments that a program offers.
type Term struct {
	Installments   int           `json:"installments"`
	Plan           schedule.Plan `json:"plan"`
	AnnualRate     money.Rate    `json:"annual_rate"`
	ByTier         bool          `json:"by_tier"` // the annual rate is the company's tier rate
	MonthlyFeeRate money.Rate    `json:"monthly_fee_rate"`
	DiscountRate   money.Rate    `json:"merchant_discount_rate"`
}

// ExternalFunding is who funds externally managed orders (F33).
type ExternalFunding string

// Acceptance is how a buyer accepts terms (F21).
type Acceptance string

// AccrualPosting is when earned charge is posted (F7).
type AccrualPosting string

// The values of the three settings above.
const (
	Funded          ExternalFunding = "FUNDED"
	Unfunded        ExternalFunding = "UNFUNDED"
	MasterAgreement Acceptance      = "MASTER_AGREEMENT"
	PerOrder        Acceptance      = "PER_ORDER"
	PeriodEnd       AccrualPosting  = "PERIOD_END"
	MonthEnd        AccrualPosting  = "MONTH_END"
)

// CompanyStatus is one of the statuses of a company.
type CompanyStatus string

// Company statuses (docs/guides/statuses.md).
const (
	CompanyPending   CompanyStatus = "PENDING"
	CompanyApproved  CompanyStatus = "APPROVED"
	CompanyDeclined  CompanyStatus = "DECLINED"
	CompanyOnHold    CompanyStatus = "ON_HOLD"
	CompanySuspended CompanyStatus = "SUSPENDED"
	CompanyClosed    CompanyStatus = "CLOSED"
)

// Company is an approved business account with its credit line (F26).
type Company struct {
	ID             int64 // ten random digits
	Name           string
	LegalName      string
	TaxIDLast4     string
	Status         CompanyStatus
	StatusCode     string // status_reason
	StatusMessage  string
	Phone          string
	Email          string
	BillingAddress CompanyAddress
	Tier           string // A, B or C
	Limit          money.Amount
	Reserved       money.Amount // amounts of AUTHORIZED orders
	Outstanding    money.Amount // unpaid principal of all orders
	OnHold         money.Amount // principal paid with money that is not good funds yet
	Credit         money.Amount // unapplied credit: minus the balance of 2100
	Linked         []string     // merchants that may use it, sorted
	MoneySeq       int64        // of the company's last money event: recording order (F34)
	JointReplay    bool         // a company-level payment has tied its orders' histories together (F34)
	Servicing      CompanyServicing
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Version        int
	EventSeq       int64
}

// CompanyAddress is a company's billing address.
type CompanyAddress struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
}

// OrderStatus is one of the statuses of an order.
type OrderStatus string

// Order statuses (interface document, part 3).
const (
	OrderCreated    OrderStatus = "CREATED"
	OrderAuthorized OrderStatus = "AUTHORIZED"
	OrderCaptured   OrderStatus = "CAPTURED"
	OrderCanceled   OrderStatus = "CANCELED"
	OrderReturned   OrderStatus = "RETURNED"
)

// FinancingStatus is the state of an order's loan.
type FinancingStatus string

// Financing statuses (docs/guides/statuses.md).
const (
	FinancingNone       FinancingStatus = "NONE"
	FinancingActive     FinancingStatus = "ACTIVE"
	FinancingPaidOff    FinancingStatus = "PAID_OFF"
	FinancingOverdue    FinancingStatus = "OVERDUE"
	FinancingChargedOff FinancingStatus = "CHARGED_OFF"
)

// Order is one financed purchase. Amounts are cents.
type Order struct {
	Key             string // ord_…
	Company         int64
	Merchant        string
	MerchantOrderID string // "" for null
	Currency        money.Currency
	Amount          money.Amount
	Status          OrderStatus
	Financing       FinancingStatus
	Installments    int  // 0 until chosen
	External        bool // externally_managed_payments
	Program         int  // version fixed at authorization, 0 before
	Terms           *OrderTerms
	Authorized      money.Amount // last reservation less what children took
	Reserved        money.Amount // currently reserved
	Captured        money.Amount
	Refunded        money.Amount
	Discount        money.Amount // merchant discount posted at capture
	DiscountBack    money.Amount // part of Discount given back by refunds (F13.6)
	CaptureDate     calendar.Date
	CapturedAt      time.Time // zero before capture
	AuthorizedAt    time.Time
	ExpiresAt       time.Time
	Extended        bool
	WarnedFor       time.Time // the expiry that was warned of
	CanceledAt      time.Time
	CancelReason    string
	ReturnedAt      time.Time
	MerchantStatus  string
	Cart            []CartItem
	Charges         *Charges
	Shipping        *Address
	Billing         *Address
	Metadata        map[string]string
	Refunds         []Refund
	Invoice         string
	Parent          string
	Checkout        string
	Revision        int       // of the schedule, 0 before capture
	NextAt          time.Time // when time alone next changes it (ServiceOrder); zero: never
	Servicing       Servicing
	CreatedAt       time.Time
	UpdatedAt       time.Time
	Version         int
	EventSeq        int64
}

// OrderTerms are the terms fixed at authorization. Until capture the figures are those of a
// capture on the day of authorization, without a first due date.
type OrderTerms struct {
	Plan            schedule.Plan     `json:"plan"`
	AnnualRate      money.Rate        `json:"annual_rate"`
	MonthlyFeeRate  money.Rate        `json:"monthly_fee_rate"`
	DiscountRate    money.Rate        `json:"merchant_discount_rate"`
	DayCount        schedule.DayCount `json:"day_count"`
	DueDay          int               `json:"due_day"`
	MonthEnd        bool              `json:"month_end"` // charge is posted at month ends too (F7)
	Tier            string            `json:"tier"`
	State           string            `json:"state,omitzero"` // the company's state, whose fees apply; "" if unknown
	Installments    int               `json:"installments"`
	FirstDueDate    calendar.Date     `json:"first_due_date"`
	FinanceCharge   money.Amount      `json:"finance_charge"`
	TotalOfPayments money.Amount      `json:"total_of_payments"`
	APR             int64             `json:"apr"`      // hundredths of a percent
	Unfunded        bool              `json:"unfunded"` // external, and the lender does not fund it (F33)
}

// CartItem is one line of a cart. It never changes money.
type CartItem struct {
	MerchantID string       `json:"merchant_id"`
	Name       string       `json:"name"`
	Price      money.Amount `json:"price"`
	SKU        string       `json:"sku"`
	Quantity   int          `json:"quantity"`
	Size       string       `json:"size"`
	Color      string       `json:"color"`
}

// Charges are the shop's own totals.
type Charges struct {
	Total          money.Amount `json:"total"`
	Shipping       money.Amount `json:"shipping"`
	Tax            money.Amount `json:"tax"`
	DiscountAmount money.Amount `json:"discount_amount"`
	GrandTotal     money.Amount `json:"grand_total"`
}

// Address is a shipping or billing address of an order.
type Address struct {
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name"`
	CompanyName string `json:"company_name"`
	Email       string `json:"email"`
	PhoneNumber string `json:"phone_number"`
	Address1    string `json:"address1"`
	Address2    string `json:"address2"`
	City        string `json:"city"`
	State       string `json:"state"`
	Zip         string `json:"zip"`
	Country     string `json:"country"`
}

// Refund is one refund of an order by its merchant.
type Refund struct {
	ID        string       `json:"id"`
	Amount    money.Amount `json:"amount"`
	Reason    string       `json:"reason"`
	Reference string       `json:"reference"`
	Items     []RefundItem `json:"items"`
	Discount  money.Amount `json:"discount"` // share of the merchant discount given back
	Clawback  bool         `json:"clawback"` // booked on 1200 because the capture had been paid out
	CreatedAt time.Time    `json:"created_at"`
}

// RefundItem identifies returned goods.
type RefundItem struct {
	SKU        string `json:"sku"`
	MerchantID string `json:"merchant_id"`
	Quantity   int    `json:"quantity"`
}

// PaymentStatus is one of the statuses of a payment.
type PaymentStatus string

// Payment statuses (docs/guides/statuses.md).
const (
	PaymentScheduled         PaymentStatus = "SCHEDULED"
	PaymentPending           PaymentStatus = "PENDING"
	PaymentSucceeded         PaymentStatus = "SUCCEEDED"
	PaymentFailed            PaymentStatus = "FAILED"
	PaymentPartiallyRefunded PaymentStatus = "PARTIALLY_REFUNDED"
	PaymentRefunded          PaymentStatus = "REFUNDED"
	PaymentReturned          PaymentStatus = "RETURNED"
	PaymentCanceled          PaymentStatus = "CANCELED"
)

// Method is how money moves.
type Method string

// Payment methods (docs/decisions.md, gap 2.2).
const (
	ACH   Method = "ACH"
	Card  Method = "CARD"
	Check Method = "CHECK"
	Wire  Method = "WIRE"
	CashM Method = "CASH"
	Other Method = "OTHER"
)

// Payment is money from a company (IN) or back to it (OUT).
type Payment struct {
	ID            string // pay_…
	Company       int64
	Merchant      string // merchant that recorded it, "" for the operator
	Order         string // "" for a company-level payment
	Invoice       string
	Amount        money.Amount
	Currency      money.Currency
	Status        PaymentStatus
	Method        Method
	Direction     string // IN or OUT
	ScheduledDate calendar.Date
	EffectiveDate calendar.Date
	Reference     string
	ExternalID    string
	Memo          string
	HoldExcess    bool
	Refunded      money.Amount
	Freed         money.Amount // turned into credit by refunds of orders, sent or not, or sent back through the merchant that holds it (F13.4, F41.3)
	Held          money.Amount // part still on 1210: a merchant holds it (F41.4)
	Unapplied     money.Amount // part left on 2100
	Allocations   []Allocation // current allocations
	Refunds       []PaymentRefund
	Failure       *Failure
	Attempt       int
	FromMerchant  bool           // the merchant holds the money: booked on 1210 (F33)
	MethodID      string         // payment method, "" outside of a rail
	Transfer      string         // transfer that moves it, "" outside of a rail
	Original      string         // of a retry: the first attempt; else ""
	Items         []schedule.Ref // earmarked by autopay (F12); nil: by the waterfall
	Autopay       bool           // made by autopay, or a retry of it
	FeeAssessed   bool           // of an original: its return, or a retry's, has cost the fee (F11)
	OnHold        money.Amount   // principal it paid that is not good funds yet (F24)
	OwedSince     time.Time      // since when money of it is on 2110 (InTransit), zero if none is
	CreatedAt     time.Time
	UpdatedAt     time.Time
	SubmittedAt   time.Time
	SettledAt     time.Time
	Version       int
	EventSeq      int64
}

// Allocation is what a payment paid on one row of one order.
type Allocation struct {
	Order       string       `json:"order_key"`
	Installment int          `json:"installment"`
	Fee         money.Amount `json:"fee"`
	Charge      money.Amount `json:"finance_charge"`
	Principal   money.Amount `json:"principal"`
	// Other is the part of Fee that paid what is owed on 1130; it frees the line as principal
	// does (F41.7).
	Other money.Amount `json:"other,omitzero"`
	// Elsewhere is true if credit of a payment for one order paid another one (F36). A reader
	// of the payment must not learn that order: it may be another merchant's.
	Elsewhere bool `json:"elsewhere,omitzero"`
}

// PaymentRefund is a refund of a payment.
type PaymentRefund struct {
	ID     string       `json:"id"`
	Amount money.Amount `json:"amount"`
	Reason string       `json:"reason"`
	// Reversal is what was wrong with the debit that the lender reverses with this (F22), ""
	// for other refunds.
	Reversal ReversalReason `json:"reversal,omitzero"`
	// Withdrawn is true if a merchant took back its report of this money; it was never paid
	// (F41.5).
	Withdrawn bool         `json:"withdrawn,omitzero"`
	Status    RefundStatus `json:"status"`
	Transfer  string       `json:"transfer,omitzero"`  // transfer that sends it, "" outside of a rail
	Method    Method       `json:"method,omitzero"`    // how it was paid outside of a rail, else ""
	Reference string       `json:"reference,omitzero"` // of Method: the check's or wire's number
	Failure   *Failure     `json:"failure,omitzero"`   // of the transfer that was to send it
	CreatedAt time.Time    `json:"created_at"`
	SettledAt time.Time    `json:"settled_at,omitzero"`
}

// RefundStatus is one of the statuses of a payment's refund.
type RefundStatus string

// Refund statuses: PENDING → SETTLED → FAILED, PENDING → FAILED. A person resends what has
// FAILED. Until SETTLED its money is on 2110.
const (
	RefundPending RefundStatus = "PENDING"
	RefundSettled RefundStatus = "SETTLED" // the buyer has it, or the merchant that holds it owes it to the buyer (F35)
	RefundFailed  RefundStatus = "FAILED"
	// RefundCanceled means that the payment itself came back before its refund had been sent
	// (F16). Nothing is owed, and it does not count as refunded.
	RefundCanceled RefundStatus = "CANCELED"
)

// Failure is why a payment failed or came back.
type Failure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Retryable  bool   `json:"retryable"`
	ReturnCode string `json:"return_code"`
}

// InvoiceStatus is one of the statuses of an invoice.
type InvoiceStatus string

// Invoice statuses (docs/guides/statuses.md).
const (
	InvoiceOpen    InvoiceStatus = "OPEN"
	InvoicePaid    InvoiceStatus = "PAID"
	InvoicePastDue InvoiceStatus = "PAST_DUE"
	InvoiceVoid    InvoiceStatus = "VOID"
)

// Invoice is created at capture for everything that the buyer will pay (F31).
type Invoice struct {
	ID        string // inv_…
	Number    string
	Order     string
	Company   int64
	Merchant  string
	AmountDue money.Amount
	Paid      money.Amount
	Status    InvoiceStatus
	IssuedAt  time.Time
	DueDate   calendar.Date
	Lines     []InvoiceLine
	UpdatedAt time.Time
	Version   int
	EventSeq  int64
}

// InvoiceLine is one amount of an invoice; refunds and rebates are negative.
type InvoiceLine struct {
	Kind        string        `json:"kind"` // PRINCIPAL, FINANCE_CHARGE, REFUND, ADJUSTMENT, FEE
	Description string        `json:"description"`
	Amount      money.Amount  `json:"amount"`
	Date        calendar.Date `json:"date"`
}

// Credit is a company's money that pays nothing yet (F36), kept per source.
type Credit struct {
	Company int64
	schedule.Credit
	NextAt time.Time  // when time alone next sends it back, or checks again whether it can (ServiceCredit); zero: never
	Waits  CreditWait // why it was not sent on its day, "" before that day
}

// CreditWait is why credit that should be sent back has to wait.
type CreditWait string

// What credit waits for. CreditUnripe and CreditOwed end with time alone; CreditNoAccount when
// another account is set for autopay; CreditUnderReview with the review. Credit that came back
// waits for a person, or for the company to request it. Credit that a merchant holds is the
// merchant's to pay back (F33).
const (
	CreditUnripe         CreditWait = "funds_not_good"    // F24
	CreditOwed           CreditWait = "held_for_order"    // hold_excess, and the order still owes
	CreditNoAccount      CreditWait = "no_payment_method" // nowhere to send it
	CreditUnderReview    CreditWait = "under_review"      // F23, F26
	CreditCameBack       CreditWait = "returned"          // the bank did not deliver it
	CreditHeldByMerchant CreditWait = "held_by_merchant"  // F33
)

// MoneyEvent is a stored event of a loan's history: the event, its current effects and the
// entries that posted them. Only Posted, Touches and Returned change, through a replay.
type MoneyEvent struct {
	schedule.Event
	Company  int64
	Touches  []string // histories it belongs to: its own order or account first, then other orders it touches
	Posted   []Posted // in order of effect
	Returned bool     // a RETURN names it
	At       time.Time
}

// Posted is one effect with the entries that booked it: one, several for the money
// of a company-level payment, or none.
type Posted struct {
	Effect  schedule.Effect `json:"effect"`
	Entries []string        `json:"entries"`
	Due     money.Amount    `json:"due"` // what the entries added to the merchant's debt on 1210
	// Held is, for a refund that goes back through more than one merchant's accounts, what was
	// taken off 1210 for each share; nil if there is only one.
	Held []money.Amount `json:"held,omitzero"`
	// Nonaccrual lists the orders that were in nonaccrual at that time: it determines where
	// their charge is posted (F18).
	Nonaccrual []string `json:"nonaccrual,omitzero"`
}
