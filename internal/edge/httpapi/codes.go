package httpapi

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/operator"
	"tenor/internal/edge/rest"
)

// codes is the whole table. A row with only a name marks its position here: its meaning is
// defined by the layer or the domain (credit.Reasons). Within a status the order is the
// order of precedence; the OpenAPI document lists codes in this order too.
var codes = [...]rest.Code{
	{Name: rest.CodeMalformed},
	{Name: rest.CodeMalformedCSV},
	{Name: rest.CodeUnknownMember},
	{Name: rest.CodeUnknownParameter},
	{Name: rest.CodeInvalidParameter},
	{Name: rest.CodeInvalidHeader},
	{Name: rest.CodeInvalidCursor},

	{Name: rest.CodeUnauthorized},

	{Name: rest.CodeScope},
	{Name: "company_not_linked"},

	{Name: rest.CodeNotFound},
	{Name: rest.CodeMethod},
	{Name: rest.CodeNotAcceptable},

	{Name: "payment_method_unverified"},
	{Name: rest.CodeKeyInUse},
	{Name: "invalid_transition"},
	{Name: "amount_locked"},
	{Name: "order_locked"},
	{Name: "order_not_captured"},
	{Name: "installments_required"},
	{Name: "authorization_expired"},
	{Name: "already_extended"},
	{Name: "checkout_not_accepted"},
	{Name: "checkout_expired"},
	{Name: "checkout_already_completed"},
	{Name: "checkout_taken"},
	{Name: "owner_required"},
	{Name: "terms_changed"},
	{Name: "application_decided"},
	{Name: "company_not_eligible"},
	{Name: "acceptance_required"},
	{Name: "duplicate_merchant_order_id"},
	{Name: "refund_reference_used"},
	{Name: "payment_not_refundable"},
	{Name: "payment_not_cancelable"},
	{Name: "duplicate_external_id"},
	{Name: "payment_method_locked"},
	{Name: "transfer_locked"},
	{Name: "period_closed"},
	{Name: operator.CodeMatched, Status: 409, Title: "A line or entry is already in another match."},
	{Name: operator.CodeLender, Status: 409, Title: "The lender has not set the details this document requires."},
	{Name: "client_locked"},
	{Name: "endpoint_disabled"},
	{Name: "clock_moving", Status: 409, Title: "The sandbox clock is advancing."},
	{Name: "snapshots_unavailable", Status: 409, Title: "The sandbox database does not support snapshots."},

	{Name: rest.CodePrecondition},
	{Name: rest.CodeTooLarge},
	{Name: rest.CodeMediaType},

	{Name: rest.CodeValidation},
	{Name: rest.CodeKeyReused},
	{Name: operator.CodeNoMatch, Status: 422, Title: "The lines and the entries do not add up to the same amount."},
	{Name: "charges_mismatch"},
	{Name: "amount_out_of_bounds"},
	{Name: "term_not_available"},
	{Name: "insufficient_credit"},
	{Name: "limit_exceeded"},
	{Name: "partial_too_large"},
	{Name: "refund_exceeds_captured"},
	{Name: "refund_window_closed"},
	{Name: "refund_exceeds_payment"},
	{Name: "payment_method_required"},
	{Name: "invalid_effective_date"},
	{Name: "credit_exceeded"},
	{Name: "debit_exceeds_balance"},
	{Name: "debit_too_small"},
	{Name: "too_many_open_debits"},
	{Name: "merchant_due_limit"},
	{Name: "reasons_required"},
	{Name: "url_not_allowed"},

	{Name: rest.CodeRateLimited},
	{Name: rest.CodeInternal},
	{Name: rest.CodeOverloaded},
	{Name: rest.CodeReadOnly},
	{Name: "mail_unavailable", Status: 503, Title: "The deployment cannot send e-mail."},
	{Name: rest.CodeOutcomeUnknown},
}

// Codes returns every code of the contract: by status, and within a status in order of
// precedence.
func Codes() []rest.Code {
	said := map[string]rest.Code{}
	for _, r := range credit.Reasons() {
		said[r.Code] = rest.Code{Name: r.Code, Status: r.Status, Title: r.Title}
	}
	for _, own := range rest.OwnCodes() {
		said[own.Name] = own
	}
	all := slices.Clone(codes[:])
	for i, row := range all {
		if row.Status == 0 {
			all[i] = said[row.Name]
		}
	}
	return all
}

// LookupCode returns the code with a name.
func LookupCode(name string) (rest.Code, bool) {
	all := Codes()
	i := slices.IndexFunc(all, func(c rest.Code) bool { return c.Name == name })
	if i < 0 {
		return rest.Code{}, false
	}
	return all[i], true
}
