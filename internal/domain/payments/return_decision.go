package payments

import (
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// ReturnDecision is how a returned debit is handled (F23).
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

// Limits of the network's rules on reinitiated entries (F23).
const (
	MaxReinitiations   = 2
	ReinitiationDays   = 180 // from the settlement of the original entry
	correctedEntryDays = 60  // from the settlement of the return
)

// DecideReturn is what a return code leads to (F23). reinitiations are those made before; the
// days count from the settlement of the original entry to that of the next one, and from the
// return. An unknown code is left to a person.
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

// Reason is why a payment failed or came back, in words for the payer: the meaning of its
// return code, else the message given; "" if there is neither, or no failure.
func Reason(f *credit.Failure) string {
	if f == nil {
		return ""
	}
	if r, ok := lending.LookUpReturn(f.ReturnCode); ok {
		return r.Title
	}
	return f.Message
}

// failureOf is why a transfer failed or came back: the class of its return code, or the given
// code.
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
