package statement

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// ReasonText returns a reason code in the plain words of a notice; false if neither this
// program nor its policy gives the code (F27, F28).
func ReasonText(code string) (string, bool) {
	text, known := reasonTexts()[code]
	return text, known
}

// ReasonCodes lists the codes that have words, in no order.
func ReasonCodes() []string { return slices.Collect(maps.Keys(reasonTexts())) }

// reasonTexts returns the policy's codes, with the sentences of F27, and those of the rules
// that suspend a company automatically.
func reasonTexts() map[string]string {
	return map[string]string{
		"credit_score":         "Credit score of the owner or guarantor",
		"annual_revenue":       "Annual revenue insufficient for the credit",
		"time_in_business":     "Length of time in business",
		"bank_balance":         "Insufficient average bank balance",
		"returned_items":       "Returned items on the bank account",
		"business_credit_file": "Insufficient or adverse business credit history",

		credit.SanctionsMatch:   "A name of the business is on a government sanctions list",
		"identity_unverified":   "Unable to verify the identity of the business",
		"duplicate_application": "The tax number belongs to another account or application",
		"state_not_served":      "We do not grant credit in the state of the business",
		"bankruptcy":            "Bankruptcy of the business or an owner",
		"ownership_unverified":  "Unable to verify who owns and controls the business",

		"limit_maximum": "The amount asked for is above the most that we grant to one business",
		"limit_step":    "The amount asked for is not one of the even amounts in which we grant credit lines",

		credit.SuspendedPastDue:    "Delinquent obligations to this creditor",
		credit.SuspendedChargedOff: "An obligation to this creditor was charged off",
		"returned_payments":        "Payments to this creditor were returned by the bank of the business",
		"compliance_review":        "A bank account of the business is frozen",
	}
}

// reasonOf returns the text of a reason. One invented by staff uses the words they gave
// with it, or else those of its code; "" if neither gives a reason. Text that is not a code
// is used as is.
func reasonOf(code string, c *credit.Company) string {
	if text, known := ReasonText(code); known {
		return text
	}
	if message := strings.TrimSpace(c.StatusMessage); c.StatusCode == code && message != "" {
		return message
	}
	if !lending.SpecificReason(code) {
		return ""
	}
	if strings.ContainsFunc(code, func(r rune) bool {
		return r != '_' && (r > unicode.MaxASCII || !unicode.IsLower(r) && !unicode.IsDigit(r))
	}) {
		return code
	}
	words := strings.ReplaceAll(code, "_", " ")
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}
