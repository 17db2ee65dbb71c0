package resource

import (
	"fmt"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// Disclosure describes an order's financing to its buyer (F21).
type Disclosure struct {
	OrderKey      string             `json:"order_key" doc:"Key of the order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Template      string             `json:"template" enum:"CA,NY,UT,GA,FL,KS,MO,DEFAULT" doc:"State form used." example:"DEFAULT"`
	Text          int                `json:"text_version" doc:"Version of the text." example:"1"`
	Digest        string             `json:"digest" doc:"SHA-256 of its figures, in hex; the buyer's acceptance refers to it." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Accepted      bool               `json:"accepted" doc:"Whether a buyer accepted exactly these figures." example:"true"`
	Funding       money.Amount       `json:"funding_provided" doc:"Amount financed." example:"1200.00"`
	Recipient     money.Amount       `json:"recipient_funds" doc:"Amount disbursed to the buyer; 0.00: all of it goes to the merchant." example:"0.00"`
	FinanceCharge money.Amount       `json:"finance_charge" doc:"Finance charge." example:"42.35"`
	APR           string             `json:"apr" doc:"Annual percentage rate." example:"12.00"`
	TotalPayments money.Amount       `json:"total_payment_amount" doc:"Sum of all payments." example:"1242.35"`
	Payment       money.Amount       `json:"payment" doc:"Every payment except the last." example:"207.06"`
	FirstPayment  money.Amount       `json:"first_payment" doc:"The first payment." example:"207.06"`
	LastPayment   money.Amount       `json:"last_payment" doc:"The last payment." example:"207.05"`
	Count         int                `json:"count" doc:"Number of payments." example:"6"`
	Average       money.Amount       `json:"average_monthly_payment" doc:"Average monthly cost." example:"207.06"`
	TermMonths    int                `json:"term_months" doc:"Term in months." example:"6"`
	FirstDueDate  calendar.Date      `json:"first_due_date" doc:"Due date of the first payment." example:"2026-02-15"`
	CapturedOn    calendar.Date      `json:"captured_on" doc:"Capture date these figures assume." example:"2026-01-15"`
	Payments      []DisclosedPayment `json:"payments" doc:"The payments."`
	LateFee       DisclosedLateFee   `json:"late_fee" doc:"Late fee as a fraction of the late amount."`
	Returned      money.Amount       `json:"returned_payment_fee" doc:"Returned payment fee." example:"25.00"`
	Signature     bool               `json:"signature_required" doc:"Whether the form must be signed." example:"false"`
}

// DisclosedPayment is one payment of a disclosure.
type DisclosedPayment struct {
	Number    int           `json:"number" doc:"Its number, from 1." example:"1"`
	DueDate   calendar.Date `json:"due_date" doc:"Due date." example:"2026-02-15"`
	Amount    money.Amount  `json:"amount" doc:"How much." example:"207.06"`
	Principal money.Amount  `json:"principal" doc:"Principal portion." example:"195.06"`
	Charge    money.Amount  `json:"finance_charge" doc:"Finance charge portion." example:"12.00"`
}

// DisclosedLateFee is the late fee terms of a disclosure.
type DisclosedLateFee struct {
	Rate      string       `json:"rate" doc:"Fraction of the late amount." example:"0.050000"`
	Cap       money.Amount `json:"cap" doc:"The most." example:"50.00"`
	GraceDays int          `json:"grace_days" doc:"Days after the due date." example:"10"`
}

// NewDisclosure returns the resource of an order's disclosure. accepted is the digest of
// what a buyer has accepted, "" for none.
func NewDisclosure(order, accepted string, x lending.Disclosure) Disclosure {
	d := Disclosure{
		OrderKey: order, Template: x.Template, Text: x.Text, Digest: x.Digest(), Funding: x.Funding, Recipient: x.Recipient, FinanceCharge: x.FinanceCharge,
		APR: fmt.Sprintf("%d.%02d", x.APR/100, x.APR%100), TotalPayments: x.TotalPayments, Payment: x.Payment, FirstPayment: x.FirstPayment,
		LastPayment: x.LastPayment, Count: x.Count, Average: x.Average, TermMonths: x.TermMonths, FirstDueDate: x.FirstDueDate, CapturedOn: x.CapturedOn,
		Payments: []DisclosedPayment{}, LateFee: DisclosedLateFee{Rate: x.LateFeeRate.String(), Cap: x.LateFeeCap, GraceDays: x.LateFeeGrace},
		Returned: x.ReturnedPayment, Signature: x.Signature,
	}
	d.Accepted = accepted == d.Digest
	for _, r := range x.Rows {
		d.Payments = append(d.Payments, DisclosedPayment(r))
	}
	return d
}

// Agreement is a buyer's acceptance of an order's terms, with the papers that were shown.
type Agreement struct {
	OrderKey     string       `json:"order_key" doc:"Key of the order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	CheckoutID   string       `json:"checkout_id" doc:"The checkout it was accepted in." example:"chk_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	CompanyID    int64        `json:"company_id" doc:"The company it was accepted for." example:"4821073356"`
	Amount       money.Amount `json:"amount" doc:"Accepted amount." example:"1200.00"`
	Installments int          `json:"installments" doc:"Accepted number of installments." example:"6"`
	Program      int          `json:"program_version" doc:"Version of the merchant's program at that time." example:"1"`
	Digest       string       `json:"digest" doc:"SHA-256 of the disclosed figures, in hex." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	AcceptedAt   time.Time    `json:"accepted_at" doc:"When it was accepted." example:"2026-01-15T15:04:00Z"`
	Documents    []Document   `json:"documents" doc:"Documents shown, with their hashes."`
}

// NewAgreement returns the resource of an acceptance.
func NewAgreement(x *credit.Checkout, papers []*credit.Document) Agreement {
	a := x.Accepted
	w := Agreement{
		OrderKey: x.Of, CheckoutID: x.ID, CompanyID: a.Company, Amount: a.Amount, Installments: a.Installments, Program: a.Program,
		Digest: a.Digest, AcceptedAt: instant(a.At), Documents: []Document{},
	}
	for _, p := range papers {
		w.Documents = append(w.Documents, NewDocument(p))
	}
	return w
}
