package underwriting

// Reason is the code of a specific reason for an adverse action (F27, F28).
type Reason string

// The codes. The first six are the factors of the scorecard, in table order; the next six
// decline at once, as do CreditScore and AnnualRevenue; then come what bounds a limit
// regardless of the points, and actions on an existing account.
const (
	CreditScore        Reason = "credit_score"
	AnnualRevenue      Reason = "annual_revenue"
	TimeInBusiness     Reason = "time_in_business"
	BankBalance        Reason = "bank_balance"
	ReturnedItems      Reason = "returned_items"
	BusinessCreditFile Reason = "business_credit_file"

	SanctionsMatch       Reason = "sanctions_match"
	IdentityUnverified   Reason = "identity_unverified"
	DuplicateApplication Reason = "duplicate_application"
	StateNotServed       Reason = "state_not_served"
	Bankruptcy           Reason = "bankruptcy"
	OwnershipUnverified  Reason = "ownership_unverified"

	LimitMaximum Reason = "limit_maximum"
	LimitStep    Reason = "limit_step"

	PastDue          Reason = "past_due"
	ChargedOff       Reason = "charged_off"
	ReturnedPayments Reason = "returned_payments"
	ComplianceReview Reason = "compliance_review"
)

// Worded is a reason with its sentence in a notice.
type Worded struct {
	Reason   Reason `json:"code"`
	Sentence string `json:"sentence"`
}

// Reasons lists every reason that has a sentence, in a fixed order (F27, F28). It is the only
// table of these sentences.
func Reasons() []Worded {
	return []Worded{
		{CreditScore, "Credit score of the owner or guarantor"},
		{AnnualRevenue, "Annual revenue insufficient for the credit"},
		{TimeInBusiness, "Length of time in business"},
		{BankBalance, "Insufficient average bank balance"},
		{ReturnedItems, "Returned items on the bank account"},
		{BusinessCreditFile, "Insufficient or adverse business credit history"},

		{SanctionsMatch, "A name of the business is on a government sanctions list"},
		{IdentityUnverified, "Unable to verify the identity of the business"},
		{DuplicateApplication, "The tax number belongs to another account or application"},
		{StateNotServed, "We do not grant credit in the state of the business"},
		{Bankruptcy, "Bankruptcy of the business or an owner"},
		{OwnershipUnverified, "Unable to verify who owns and controls the business"},

		{LimitMaximum, "The amount asked for is above the most that we grant to one business"},
		{LimitStep, "The amount asked for is not one of the even amounts in which we grant credit lines"},

		{PastDue, "Delinquent obligations to this creditor"},
		{ChargedOff, "An obligation to this creditor was charged off"},
		{ReturnedPayments, "Payments to this creditor were returned by the bank of the business"},
		{ComplianceReview, "A bank account of the business is frozen"},
	}
}

// Sentence is a reason's sentence in a notice; false if it is not in this table.
func (r Reason) Sentence() (string, bool) {
	for _, w := range Reasons() {
		if w.Reason == r {
			return w.Sentence, true
		}
	}
	return "", false
}
