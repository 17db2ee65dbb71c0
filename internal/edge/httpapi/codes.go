package httpapi

import (
	"slices"

	"tenor/internal/edge/httpapi/operator"
	"tenor/internal/edge/rest"
)

// codes is the whole table. A row with a name alone is one of the layer's, which says what it
// means; it stands here for its place. Within a status the order is the order of precedence;
// the OpenAPI document lists codes in this order too.
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
	{Name: "company_not_linked", Status: 403, Title: "The company is not linked to the merchant."},

	{Name: rest.CodeNotFound},
	{Name: rest.CodeMethod},
	{Name: rest.CodeNotAcceptable},

	{Name: "payment_method_unverified", Status: 409, Title: "The account is not verified, or failed verification."},
	{Name: rest.CodeKeyInUse},
	{Name: "invalid_transition", Status: 409, Title: "The current status does not allow this."},
	{Name: "amount_locked", Status: 409, Title: "The amount of a captured order is final."},
	{Name: "order_locked", Status: 409, Title: "The order can no longer be changed."},
	{Name: "order_not_captured", Status: 409, Title: "The order is not captured."},
	{Name: "installments_required", Status: 409, Title: "The number of installments is not set."},
	{Name: "authorization_expired", Status: 409, Title: "The authorization has expired."},
	{Name: "already_extended", Status: 409, Title: "The authorization was already extended once."},
	{Name: "checkout_not_accepted", Status: 409, Title: "The buyer has not accepted the terms."},
	{Name: "checkout_expired", Status: 409, Title: "The checkout has expired."},
	{Name: "checkout_already_completed", Status: 409, Title: "The checkout has already been completed."},
	{Name: "checkout_taken", Status: 409, Title: "This checkout was started by someone else."},
	{Name: "owner_required", Status: 409, Title: "An owner of the company must accept."},
	{Name: "terms_changed", Status: 409, Title: "The terms have changed since they were shown."},
	{Name: "application_decided", Status: 409, Title: "The application was already decided or has ended."},
	{Name: "company_not_eligible", Status: 409, Title: "The company's status does not allow this."},
	{Name: "acceptance_required", Status: 409, Title: "The buyer must accept the terms in the hosted checkout."},
	{Name: "duplicate_merchant_order_id", Status: 409, Title: "Another order has this merchant_order_id."},
	{Name: "refund_reference_used", Status: 409, Title: "A refund with a different amount has this reference."},
	{Name: "payment_not_refundable", Status: 409, Title: "The payment cannot be refunded."},
	{Name: "payment_not_cancelable", Status: 409, Title: "The payment can no longer be canceled."},
	{Name: "duplicate_external_id", Status: 409, Title: "Another payment has this external_id."},
	{Name: "payment_method_locked", Status: 409, Title: "The payment method's status does not allow this."},
	{Name: "transfer_locked", Status: 409, Title: "The transfer's status does not allow this."},
	{Name: "period_closed", Status: 409, Title: "The period is closed, or cannot be closed yet."},
	{Name: operator.CodeMatched, Status: 409, Title: "A line or entry is already in another match."},
	{Name: operator.CodeLender, Status: 409, Title: "The lender has not set the details this document requires."},
	{Name: "client_locked", Status: 409, Title: "The client can no longer be changed."},
	{Name: "endpoint_disabled", Status: 409, Title: "The endpoint is not enabled."},
	{Name: "clock_moving", Status: 409, Title: "The sandbox clock is advancing."},
	{Name: "snapshots_unavailable", Status: 409, Title: "The sandbox database does not support snapshots."},

	{Name: rest.CodePrecondition},
	{Name: rest.CodeTooLarge},
	{Name: rest.CodeMediaType},

	{Name: rest.CodeValidation},
	{Name: rest.CodeKeyReused},
	{Name: operator.CodeNoMatch, Status: 422, Title: "The lines and the entries do not add up to the same amount."},
	{Name: "charges_mismatch", Status: 422, Title: "charges.grand_total differs from the order's amount."},
	{Name: "amount_out_of_bounds", Status: 422, Title: "The amount is outside the merchant's order limits."},
	{Name: "term_not_available", Status: 422, Title: "The number of installments is not offered for this order."},
	{Name: "insufficient_credit", Status: 422, Title: "The amount exceeds the available credit."},
	{Name: "limit_exceeded", Status: 422, Title: "This would exceed a limit of the deployment."},
	{Name: "partial_too_large", Status: 422, Title: "The partial amount must be less than what is left to capture."},
	{Name: "refund_exceeds_captured", Status: 422, Title: "The refund exceeds what is left to refund."},
	{Name: "refund_window_closed", Status: 422, Title: "The refund window has closed."},
	{Name: "refund_exceeds_payment", Status: 422, Title: "The refund exceeds what is left of the payment."},
	{Name: "payment_method_required", Status: 422, Title: "The company has no usable payment method."},
	{Name: "invalid_effective_date", Status: 422, Title: "The effective date is not allowed."},
	{Name: "credit_exceeded", Status: 422, Title: "The amount exceeds the credit that can be sent."},
	{Name: "debit_exceeds_balance", Status: 422, Title: "The debit exceeds the unpaid balance."},
	{Name: "debit_too_small", Status: 422, Title: "The debit is too small."},
	{Name: "too_many_open_debits", Status: 422, Title: "Too many debits are pending."},
	{Name: "merchant_due_limit", Status: 422, Title: "This would exceed the limit on what the merchant may owe the lender."},
	{Name: "reasons_required", Status: 422, Title: "An adverse change to an account requires specific reasons."},
	{Name: "url_not_allowed", Status: 422, Title: "The URL is not allowed here."},

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
	all := slices.Clone(codes[:])
	for _, own := range rest.OwnCodes() {
		for i := range all {
			if all[i].Name == own.Name {
				all[i] = own
			}
		}
	}
	return all
}

// LookupCode returns the code of a name.
func LookupCode(name string) (rest.Code, bool) {
	all := Codes()
	i := slices.IndexFunc(all, func(c rest.Code) bool { return c.Name == name })
	if i < 0 {
		return rest.Code{}, false
	}
	return all[i], true
}
