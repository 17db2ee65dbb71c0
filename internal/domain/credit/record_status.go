package credit

import (
	"slices"

	"tenor/internal/domain/underwriting"
)

// beginning is the status of a new record.
func beginning(n Noun) string {
	return map[Noun]string{
		NounPerson: PersonActive, NounApplication: ApplicationSubmitted, NounCheckout: CheckoutOpen, NounDocument: DocumentKept, NounMail: MailQueued, NounCase: CaseOpen,
	}[n]
}

// MayBegin reports that a new record may have its status: a prequalification is decided at once.
func MayBegin(r Record) bool {
	if a, ok := r.(*Application); ok && a.Kind == underwriting.Estimate {
		return a.Status == ApplicationEstimated || a.Status == ApplicationDeclined
	}
	return r.Head().Status == beginning(r.Noun())
}

// MayBecome reports that one command may take a record from a status to another: what is not in
// the list ends there.
func MayBecome(n Noun, from, to string) bool {
	return from == to || slices.Contains(recordMoves(n)[from], to)
}

func recordMoves(n Noun) map[string][]string {
	switch n {
	case NounApplication:
		ends := []string{ApplicationApproved, ApplicationDeclined, ApplicationWithdrawn}
		return map[string][]string{
			ApplicationSubmitted: append([]string{ApplicationInReview, ApplicationRequested}, ends...), // a sandbox asks at once
			ApplicationInReview:  append([]string{ApplicationRequested}, ends...),
			ApplicationRequested: append([]string{ApplicationInReview, ApplicationExpired}, ends...),
		}
	case NounCheckout:
		return map[string][]string{
			CheckoutOpen:     {CheckoutPending, CheckoutAccepted, CheckoutCanceled, CheckoutDeclined, CheckoutExpired},
			CheckoutPending:  {CheckoutOpen, CheckoutCanceled, CheckoutDeclined, CheckoutExpired},
			CheckoutAccepted: {CheckoutCompleted, CheckoutCanceled, CheckoutExpired},
		}
	case NounDocument:
		return map[string][]string{DocumentKept: {DocumentErased}}
	case NounMail:
		return map[string][]string{MailQueued: {MailSent, MailFailed}}
	case NounCase:
		return map[string][]string{CaseOpen: {CaseWaiting, CaseResolved}, CaseWaiting: {CaseOpen, CaseResolved}}
	}
	return nil
}

// StatusOf is a record's status, "nothing" without a record.
func StatusOf(r Record) string {
	if r == nil {
		return "nothing"
	}
	return r.Head().Status
}

// reachableStatus reports that a record of a kind may have a status.
func reachableStatus(n Noun, status string) bool {
	if status == beginning(n) || n == NounApplication && status == ApplicationEstimated {
		return true
	}
	for _, next := range recordMoves(n) { // unordered: any will do
		if slices.Contains(next, status) {
			return true
		}
	}
	return false
}
