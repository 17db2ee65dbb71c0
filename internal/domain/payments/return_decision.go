package payments

import (
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// ReturnDecision is what is done about a returned debit (F23).
type ReturnDecision string

// The decisions (F23).
const (
	RetryAllowed          ReturnDecision = "RETRY_ALLOWED"
	NoMoreRetries         ReturnDecision = "NO_MORE_RETRIES"
	DisableAccount        ReturnDecision = "DISABLE_ACCOUNT"
	UnauthorizedStop      ReturnDecision = "UNAUTHORIZED_STOP"
	NeedsNewAuthorization ReturnDecision = "NEEDS_NEW_AUTHORIZATION"
	CorrectedEntryAllowed ReturnDecision = "CORRECTED_ENTRY_ALLOWED"
	StopComplianceReview  ReturnDecision = "STOP_COMPLIANCE_REVIEW"
	CorrectAndResend      ReturnDecision = "CORRECT_AND_RESEND"
	ManualReview          ReturnDecision = "MANUAL"
)

// Limits of the rails' rules on entries that are made again (F23).
const (
	MaxReinitiations   = 2
	ReinitiationDays   = 180 // from the settlement of the original entry
	correctedEntryDays = 60  // from the settlement of the return
)

// DecideReturn is what a return code leads to (F23). Reinitiations are those made
// before; the days are counted from the settlement of the original entry to that of a
// further one, and from the return. A code that is not known is for a person.
func DecideReturn(code string, reinitiations, sinceSettlement, sinceReturn int) ReturnDecision {
	r, _ := lending.LookUpReturn(code)
	switch r.Class {
	case lending.ClassRetryFunds:
		if reinitiations < MaxReinitiations && sinceSettlement <= ReinitiationDays {
			return RetryAllowed
		}
		return NoMoreRetries
	case lending.ClassBadAccount:
		return DisableAccount
	case lending.ClassUnauthorized:
		return UnauthorizedStop
	case lending.ClassStopPayment:
		return NeedsNewAuthorization
	case lending.ClassCorrectableTerms:
		if sinceReturn <= correctedEntryDays {
			return CorrectedEntryAllowed
		}
		return UnauthorizedStop
	case lending.ClassFrozen:
		return StopComplianceReview
	case lending.ClassCorrectable:
		return CorrectAndResend
	}
	return ManualReview
}

// Reason is why a payment failed or came back, in words for whoever has paid: what its return
// code means, else what was said of it; "" if nothing was, as of no failure.
func Reason(f *credit.Failure) string {
	if f == nil {
		return ""
	}
	if r, ok := lending.LookUpReturn(f.ReturnCode); ok {
		return r.Title
	}
	return f.Message
}

// failureOf says why a transfer failed or came back: the class of its return code, or
// the code that was given.
func failureOf(code, message string, retryable bool) *credit.Failure {
	f := &credit.Failure{Code: code, Message: message, Retryable: retryable}
	if r, ok := lending.LookUpReturn(code); ok {
		f.Code, f.ReturnCode = strings.ToLower(string(r.Class)), code
		if message == "" {
			f.Message = r.Title
		}
	}
	return f
}
