package resource

import (
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Company is an approved business account with its credit line.
type Company struct {
	ID              string           `json:"id" pattern:"^[1-9][0-9]{9}$" doc:"Identifier of the company: ten digits." example:"4821073356"`
	Name            string           `json:"name" doc:"Trade name (DBA)." example:"Marsh & Daughters"`
	Status          string           `json:"status" enum:"PENDING,APPROVED,DECLINED,ON_HOLD,SUSPENDED,CLOSED" doc:"Only an APPROVED company may create or authorize orders." example:"APPROVED"`
	Phone           string           `json:"phone" doc:"Phone number; empty if unknown." example:"+1 212 555 0142"`
	Email           string           `json:"email" doc:"Primary e-mail address; empty if unknown." example:"accounts@marsh.example"`
	BillingAddress  CompanyAddress   `json:"billing_address" doc:"Billing address."`
	LegalName       *string          `json:"legal_name" nullable:"true" doc:"Legal name." example:"Marsh & Daughters LLC"`
	TaxIDLast4      *string          `json:"tax_id_last4" nullable:"true" doc:"Last four digits of the tax ID." example:"6789"`
	CreditLine      CreditLine       `json:"credit_line" doc:"The credit line."`
	PastDueAmount   *money.Amount    `json:"past_due_amount" nullable:"true" doc:"Past due amount. Null in an event, because it depends on the day." example:"0.00"`
	DaysPastDue     *int             `json:"days_past_due" nullable:"true" doc:"Days since the oldest past due installment was due; 0 if none. Null in an event." example:"0"`
	UnappliedCredit money.Amount     `json:"unapplied_credit" doc:"Unapplied credit of the company." example:"0.00"`
	CreditRequested *time.Time       `json:"credit_requested_at" nullable:"true" doc:"When the company requested its credit back; null if it did not, or none is left." example:"2026-03-02T16:20:00Z"`
	ApplyCredit     bool             `json:"apply_credit_to_due" doc:"Whether unapplied credit is applied to what is due on any of the company's orders, by its consent." example:"false"`
	ApplyCreditAt   *time.Time       `json:"apply_credit_to_due_at" nullable:"true" doc:"When that was last changed; null if never." example:"2026-03-02T16:20:00Z"`
	Tier            *string          `json:"tier" nullable:"true" enum:"A,B,C" doc:"Tier, which sets the rate; null until decided." example:"A"`
	StatusReason    *StatusReason    `json:"status_reason" nullable:"true" doc:"Reason for the status."`
	Autopay         Autopay          `json:"autopay" doc:"Whether installments are debited on their collection dates."`
	Merchants       []string         `json:"merchants,omitzero" doc:"Merchants the company can buy from. Visible only to the lender." example:"[\"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0\"]"`
	Reports         []CompanyReport  `json:"reports,omitzero" doc:"Bankruptcy and fraud reports. Visible only to the lender."`
	Agreement       CompanyAgreement `json:"agreement,omitzero" doc:"Whether the master agreement is signed. Visible only to the lender."`
	CreatedAt       time.Time        `json:"created_at" doc:"When the company was created." example:"2025-12-01T10:00:00Z"`
	UpdatedAt       time.Time        `json:"updated_at" doc:"When the company last changed." example:"2026-01-12T15:04:05.123456Z"`
}

// CompanyReport is a report of bankruptcy or fraud.
type CompanyReport struct {
	Kind       string        `json:"kind" enum:"BANKRUPTCY,FRAUD" doc:"What it is." example:"BANKRUPTCY"`
	On         calendar.Date `json:"on" doc:"Date of the notice or discovery." example:"2026-03-02"`
	Reason     string        `json:"reason" doc:"Note by staff." example:"chapter 7, case 26-10442"`
	ProposesOn calendar.Date `json:"proposes_on" doc:"Date from which the company's orders are proposed for charge-off." example:"2026-05-01"`
	RecordedAt time.Time     `json:"recorded_at" doc:"When it was recorded." example:"2026-03-04T15:00:00Z"`
}

// CompanyAddress is a company's billing address. Its members are never null; unknown ones
// are empty.
type CompanyAddress struct {
	Street     string `json:"street" doc:"Street and number." example:"12 Canal St"`
	City       string `json:"city" doc:"City." example:"New York"`
	State      string `json:"state" doc:"State." example:"NY"`
	PostalCode string `json:"postal_code" doc:"Postal code." example:"10013"`
	Country    string `json:"country" doc:"Country." example:"US"`
}

// CreditLine is a company's credit limit and how much of it is used.
type CreditLine struct {
	Limit       money.Amount `json:"limit" doc:"Limit for outstanding, reserved and held amounts together." example:"25000.00"`
	Available   money.Amount `json:"available" doc:"limit less outstanding, reserved and on_hold; can be negative after the limit was lowered." example:"23800.00"`
	Reserved    money.Amount `json:"reserved" doc:"Amounts of AUTHORIZED orders." example:"0.00"`
	Outstanding money.Amount `json:"outstanding" doc:"Unpaid principal of captured orders." example:"1200.00"`
	OnHold      money.Amount `json:"on_hold" doc:"Principal paid with funds that are not yet good funds." example:"0.00"`
	Currency    string       `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
}

// StatusReason says why a company has its status.
type StatusReason struct {
	Code    string  `json:"code" doc:"For programs." example:"days_past_due"`
	Message *string `json:"message" nullable:"true" doc:"For people." example:"An installment is 30 days late."`
}

// Autopay says whether installments are debited automatically.
type Autopay struct {
	Enabled         bool    `json:"enabled" doc:"Whether autopay is on." example:"true"`
	PaymentMethodID *string `json:"payment_method_id" nullable:"true" doc:"Account debited." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	Paused          *string `json:"paused" nullable:"true" doc:"Why autopay is paused although on: a return code, returned_payments or bankruptcy. The lender lifts it." example:"R10"`
}

// Lateness is what a company owes past due on a day. A company's record does not contain
// it, so the caller computes it (PastDue of a store's view).
type Lateness struct {
	Amount money.Amount
	Days   int // since the oldest past-due installment was due, 0 if none
}

// NewCompany returns the resource of a company. operator adds the merchants it is linked
// to.
func NewCompany(c *credit.Company, late Lateness, operator bool) Company {
	w := newCompany(c)
	w.PastDueAmount, w.DaysPastDue = &late.Amount, &late.Days
	if operator {
		w.Merchants, w.Agreement = append([]string{}, c.Linked...), newCompanyAgreement(c)
		for i := range c.Servicing.Reports {
			r := &c.Servicing.Reports[i]
			w.Reports = append(w.Reports, CompanyReport{string(r.Kind), r.On, r.Reason, r.ProposesOn(), instant(r.At)})
		}
	}
	return w
}

// newCompany returns what the record alone contains.
func newCompany(c *credit.Company) Company {
	return Company{
		ID: strconv.FormatInt(c.ID, 10), Name: c.Name, Status: string(c.Status), Phone: c.Phone, Email: c.Email,
		BillingAddress: newCompanyAddress(&c.BillingAddress), LegalName: textIn(&c.LegalName), TaxIDLast4: textIn(&c.TaxIDLast4),
		CreditLine: NewCreditLine(c), UnappliedCredit: c.Credit, CreditRequested: instantIn(&c.Servicing.CreditAsked), Tier: textIn(&c.Tier),
		ApplyCredit: c.Servicing.CreditUse.On, ApplyCreditAt: instantIn(&c.Servicing.CreditUse.At),
		StatusReason: newStatusReason(c), Autopay: newAutopay(c, ""), CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

// NewCreditLine returns a company's credit line.
func NewCreditLine(c *credit.Company) CreditLine {
	return CreditLine{
		Limit: c.Limit, Available: c.Available(), Reserved: c.Reserved, Outstanding: c.Outstanding, OnHold: c.OnHold,
		Currency: string(money.USD),
	}
}

// For shows a company as a merchant sees it: with the autopay of that merchant's orders
// (F36).
func (w *Company) For(c *credit.Company, merchant string) {
	w.Autopay = newAutopay(c, merchant)
}

func newAutopay(c *credit.Company, merchant string) Autopay {
	a, paused := c.AutopayOf(merchant), c.AutopayPaused()
	return Autopay{Enabled: a.Enabled, PaymentMethodID: textIn(&a.Method), Paused: textIn(&paused)}
}

func newCompanyAddress(a *credit.CompanyAddress) CompanyAddress {
	return CompanyAddress(*a)
}

func newStatusReason(c *credit.Company) *StatusReason {
	if c.StatusCode == "" {
		return nil
	}
	return &StatusReason{Code: c.StatusCode, Message: textIn(&c.StatusMessage)}
}

// Credit is a company's money that has not been applied yet.
type Credit struct {
	Source    string        `json:"source" doc:"Source of the credit: a payment (pay_…) or a merchant refund of an order (rfd_…)." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	PaymentID *string       `json:"payment_id" nullable:"true" doc:"The payment the money came from and whose account it goes back to; null if unknown." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	OrderKey  *string       `json:"order_key" nullable:"true" doc:"Order of its source." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Amount    money.Amount  `json:"amount" doc:"Amount left." example:"12.50"`
	Currency  string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	MadeOn    calendar.Date `json:"made_on" doc:"Business date it counts from." example:"2026-03-02"`
	NextAt    *time.Time    `json:"next_at" nullable:"true" doc:"When it is next sent back or checked automatically; null: never." example:"2026-03-09T05:00:00Z"`
	Waits     *string       `json:"waits" nullable:"true" enum:"funds_not_good,held_for_order,no_payment_method,under_review,returned,held_by_merchant" doc:"Why it was not sent on its day: not yet good funds, held while its order has a balance, no source account or the account is gone, company under review, returned by the bank, or held by a merchant that pays it back. Null: not yet due, or nothing blocks it." example:"funds_not_good"`
}

// NewCredit returns the resource of a company's credit.
func NewCredit(x *credit.Credit) Credit {
	source, _ := schedule.SourceParts(x.Source)
	payment := x.Payment()
	w := Credit{
		Source: source, PaymentID: textIn(&payment), OrderKey: textIn(&x.Order), Amount: x.Amount, Currency: string(money.USD), MadeOn: x.Date, NextAt: instantIn(&x.NextAt),
	}
	if x.Waits != "" {
		waits := string(x.Waits)
		w.Waits = &waits
	}
	return w
}
