package httpapi

import "net/http"

// Code is one stable error code of the contract. A code has exactly one status.
type Code struct {
	Name   string // snake_case, never reused for another meaning
	Status int
	Title  string // one sentence, the same for every problem with this code
}

// Names of the codes that this package itself answers with.
const (
	codeMalformed        = "malformed_request"
	codeMalformedCSV     = "malformed_csv"
	codeUnknownMember    = "unknown_member"
	codeUnknownParameter = "unknown_parameter"
	codeInvalidParameter = "invalid_parameter"
	codeInvalidHeader    = "invalid_header"
	codeInvalidCursor    = "invalid_cursor"
	codeUnauthorized     = "unauthorized"
	codeScope            = "insufficient_scope"
	codeNotFound         = "not_found"
	codeMethod           = "method_not_allowed"
	codeNotAcceptable    = "not_acceptable"
	codeLender           = "lender_incomplete"
	codePrecondition     = "precondition_failed"
	codeTooLarge         = "body_too_large"
	codeMediaType        = "unsupported_media_type"
	codeValidation       = "validation_failed"
	codeRateLimited      = "rate_limited"
	codeInternal         = "internal_error"
	codeOverloaded       = "overloaded"
)

// codes is the whole table. Within a status the order is the order of
// precedence; the OpenAPI document lists codes in this order too.
var codes = [...]Code{
	{codeMalformed, 400, "The body is not well-formed JSON."},
	{codeMalformedCSV, 400, "The body is not a CSV with the columns that this operation takes."},
	{codeUnknownMember, 400, "The body has a member that this operation does not know."},
	{codeUnknownParameter, 400, "The query has a parameter that this operation does not know."},
	{codeInvalidParameter, 400, "A query parameter has a value that is not allowed."},
	{codeInvalidHeader, 400, "A request header has a value that is not allowed."},
	{codeInvalidCursor, 400, "The cursor is not one that this list has given out."},

	{codeUnauthorized, 401, "The request carries no valid access token."},

	{codeScope, 403, "The access token does not allow this operation."},
	{"company_not_linked", 403, "The company is not linked to the merchant."},

	{codeNotFound, 404, "There is no such resource."},
	{codeMethod, 405, "The resource does not have this method."},
	{codeNotAcceptable, 406, "The resource has none of the accepted media types."},

	{"payment_method_unverified", 409, "The account has not been verified, or has failed its check."},
	{"idempotency_key_in_use", 409, "A request with this Idempotency-Key is still running."},
	{"invalid_transition", 409, "The present status does not allow this."},
	{"amount_locked", 409, "The amount of a captured order is final."},
	{"order_locked", 409, "The order can no longer be changed."},
	{"order_not_captured", 409, "The order has not been captured."},
	{"installments_required", 409, "No number of installments has been chosen."},
	{"authorization_expired", 409, "The authorization has expired."},
	{"already_extended", 409, "The authorization has already been extended once."},
	{"checkout_not_accepted", 409, "The buyer has not accepted the terms."},
	{"checkout_expired", 409, "The checkout has expired."},
	{"checkout_already_completed", 409, "The checkout has already been completed."},
	{"checkout_taken", 409, "Somebody else has begun this checkout."},
	{"owner_required", 409, "An owner of the company must accept."},
	{"terms_changed", 409, "The terms have changed since they were shown."},
	{"application_decided", 409, "The application has been decided, or has ended."},
	{"company_not_eligible", 409, "The company's status does not allow this."},
	{"acceptance_required", 409, "The buyer must accept the terms in the hosted checkout."},
	{"duplicate_merchant_order_id", 409, "Another order has this merchant_order_id."},
	{"refund_reference_used", 409, "A refund of another amount has this reference."},
	{"payment_not_refundable", 409, "The payment cannot be refunded."},
	{"payment_not_cancelable", 409, "The payment can no longer be canceled."},
	{"duplicate_external_id", 409, "Another payment has this external_id."},
	{"payment_method_locked", 409, "The payment method's status does not allow this."},
	{"transfer_locked", 409, "The transfer's status does not allow this."},
	{"period_closed", 409, "The period is closed, or cannot be closed yet."},
	{codeMatched, 409, "Something of it is in another match."},
	{codeLender, 409, "The lender has not set what this paper must say."},
	{"client_locked", 409, "The client can no longer be changed."},
	{"endpoint_disabled", 409, "The endpoint is not enabled."},
	{"clock_moving", 409, "The sandbox's clock is being moved."},
	{"snapshots_unavailable", 409, "The sandbox's database cannot be copied."},

	{codePrecondition, 412, "The resource has changed since it was read."},
	{codeTooLarge, 413, "The body is larger than this operation takes."},
	{codeMediaType, 415, "The body's media type, charset or encoding is not supported."},

	{codeValidation, 422, "The request breaks the operation's schema."},
	{"idempotency_key_reused", 422, "The Idempotency-Key belongs to another request."},
	{codeNoMatch, 422, "The lines and the entries do not come to the same."},
	{"charges_mismatch", 422, "charges.grand_total differs from the order's amount."},
	{"amount_out_of_bounds", 422, "The amount is outside the merchant's bounds."},
	{"term_not_available", 422, "The number of installments is not offered for this order."},
	{"insufficient_credit", 422, "The amount is above the available credit."},
	{"limit_exceeded", 422, "A limit of the deployment would be exceeded."},
	{"partial_too_large", 422, "The part is not smaller than what the order has left."},
	{"refund_exceeds_captured", 422, "The refund is above what is left to refund."},
	{"refund_window_closed", 422, "The time for refunds has passed."},
	{"refund_exceeds_payment", 422, "The refund is above what is left of the payment."},
	{"payment_method_required", 422, "The company has no usable payment method."},
	{"invalid_effective_date", 422, "The effective date is not allowed."},
	{"credit_exceeded", 422, "The amount is above the credit that can be sent."},
	{"debit_exceeds_balance", 422, "The debit is above what is left to pay."},
	{"debit_too_small", 422, "The debit is too small."},
	{"too_many_open_debits", 422, "Too many debits are on their way."},
	{"merchant_due_limit", 422, "The merchant would owe the lender more than it may."},
	{"reasons_required", 422, "What is taken from an account needs specific reasons."},
	{"url_not_allowed", 422, "The URL is not one that may be used here."},

	{codeRateLimited, 429, "The client has used up its rate limit."},
	{codeInternal, 500, "An unexpected fault occurred."},
	{codeOverloaded, 503, "The service takes no more requests for the moment."},
	{"read_only", 503, "The service takes no writes for the moment."},
	{"mail_unavailable", 503, "The deployment cannot send mail."},
	{"outcome_unknown", 503, "Whether the request took effect is not known yet."},
}

// Codes returns every code of the contract: by status, and within a status in
// order of precedence.
func Codes() []Code { return append([]Code(nil), codes[:]...) }

// LookupCode returns the code of a name.
func LookupCode(name string) (Code, bool) {
	for _, c := range codes {
		if c.Name == name {
			return c, true
		}
	}
	return Code{}, false
}

// codeOrInternal never fails: a code that is not in the table is a bug of ours,
// and the caller learns no more than that.
func codeOrInternal(name string) Code {
	if c, ok := LookupCode(name); ok {
		return c
	}
	return Code{codeInternal, http.StatusInternalServerError, "An unexpected fault occurred."}
}
