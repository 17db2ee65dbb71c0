package lending

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"tenor/internal/domain/apr"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Disclosure is what a buyer is shown about a financing before accepting it (F21). Its figures
// come from the schedule's own rows.
type Disclosure struct {
	Template        string         `json:"template"` // CA, NY, UT, GA, FL, KS, MO or DEFAULT
	Text            int            `json:"text"`     // version of the text
	Funding         money.Amount   `json:"funding_provided"`
	Recipient       money.Amount   `json:"recipient_funds"` // 0.00: everything goes to the merchant
	FinanceCharge   money.Amount   `json:"finance_charge"`
	APR             int64          `json:"apr"` // hundredths of a percent
	Plan            schedule.Plan  `json:"plan"`
	AnnualRate      money.Rate     `json:"annual_rate"`
	TotalPayments   money.Amount   `json:"total_payment_amount"`
	Payment         money.Amount   `json:"payment"`
	FirstPayment    money.Amount   `json:"first_payment"`
	LastPayment     money.Amount   `json:"last_payment"`
	Count           int            `json:"count"`
	Average         money.Amount   `json:"average_monthly_payment"`
	TermMonths      int            `json:"term_months"`
	FirstDueDate    calendar.Date  `json:"first_due_date"`
	Rows            []DisclosedRow `json:"rows"`
	LateFeeRate     money.Rate     `json:"late_fee_rate"`
	LateFeeCap      money.Amount   `json:"late_fee_cap"`
	LateFeeGrace    int            `json:"late_fee_grace_days"`
	ReturnedPayment money.Amount   `json:"returned_payment_fee"`
	Signature       bool           `json:"signature_required"`
	CapturedOn      calendar.Date  `json:"captured_on"` // capture date that these figures assume
}

// DisclosedRow is one payment.
type DisclosedRow struct {
	Number    int           `json:"number"`
	DueDate   calendar.Date `json:"due_date"`
	Amount    money.Amount  `json:"amount"`
	Principal money.Amount  `json:"principal"`
	Charge    money.Amount  `json:"charge"`
}

// DisclosureText is the current version of the text of disclosures.
const DisclosureText = 1

// disclosureBounds are the states with a form of their own, and the largest amount each
// applies to (F21).
func disclosureBounds() map[string]money.Amount {
	return map[string]money.Amount{
		"CA": 500_000_00, "NY": 2_500_000_00, "UT": 1_000_000_00, "GA": 500_000_00, "FL": 500_000_00, "KS": 500_000_00, "MO": 500_000_00,
	}
}

// disclosureTemplate is the form for a state and an amount.
func disclosureTemplate(state string, amount money.Amount) string {
	if bound, ok := disclosureBounds()[state]; ok && amount <= bound {
		return state
	}
	return "DEFAULT"
}

// Disclose creates the disclosure of an amount under terms, with the schedule that a capture
// on a day would have (F21). The settings are those of the program that offers it.
func Disclose(t credit.OrderTerms, s *credit.Settings, amount money.Amount, captured calendar.Date) (Disclosure, *credit.Rejection) {
	loan, t, r := FiguresOf(t, amount, captured)
	if r != nil {
		return Disclosure{}, r
	}
	s = s.In(t.State)
	x := Disclosure{
		Template: disclosureTemplate(t.State, amount), Text: DisclosureText, Plan: t.Plan, AnnualRate: t.AnnualRate,
		LateFeeRate: s.LateFeeRate, LateFeeCap: s.LateFeeCap, LateFeeGrace: s.LateFeeGraceDays, ReturnedPayment: s.ReturnedPaymentFee,
		FirstDueDate: loan.Rows[0].DueDate, CapturedOn: captured, APR: t.APR,
	}
	x.Signature = x.Template == "CA" || x.Template == "NY"
	amounts := make([]money.Amount, len(loan.Rows))
	for i, row := range loan.Rows {
		amounts[i] = row.Principal.Add(row.Charge)
		x.Rows = append(x.Rows, DisclosedRow{Number: row.Number, DueDate: row.DueDate, Amount: amounts[i], Principal: row.Principal, Charge: row.Charge})
	}
	f, err := apr.Disclose(amount, amounts, TimingOf(loan))
	if err != nil {
		return Disclosure{}, credit.TermNotAvailable.Because("The term has no annual percentage rate.")
	}
	x.Funding, x.FinanceCharge, x.TotalPayments, x.Average, x.TermMonths = f.Funding, f.FinanceCharge, f.Total, f.AverageMonthly, f.TermMonths
	x.Payment, x.FirstPayment, x.LastPayment, x.Count = f.Payment, f.First, f.Last, f.Count
	return x, nil
}

// Digest identifies a disclosure's content: two with the same digest are the same.
func (x Disclosure) Digest() string {
	text, err := json.Marshal(x)
	if err != nil {
		panic("credit: encode disclosure: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
