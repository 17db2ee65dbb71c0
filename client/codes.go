package client

// Code is a code of the contract. It is an error, so that errors.Is can compare a
// *Problem with it:
//
//	if errors.Is(err, client.CodeInsufficientCredit) { … }
//
// A server that is newer than this package may answer with codes that are not
// listed here; Problem.Code has them as they came.
type Code string

// Error is the code itself.
func (c Code) Error() string { return string(c) }

// The codes of the contract, by status. Each has one status and one meaning, and
// both stay.
const (
	// 400
	CodeMalformedRequest Code = "malformed_request" // The body is not well-formed JSON
	CodeMalformedCSV     Code = "malformed_csv"     // The body is not a CSV with the columns that this operation takes
	CodeUnknownMember    Code = "unknown_member"    // The body has a member that this operation does not know
	CodeUnknownParameter Code = "unknown_parameter" // The query has a parameter that this operation does not know
	CodeInvalidParameter Code = "invalid_parameter" // A query parameter has a value that is not allowed
	CodeInvalidHeader    Code = "invalid_header"    // A request header has a value that is not allowed
	CodeInvalidCursor    Code = "invalid_cursor"    // The cursor is not one that this list has given out

	// 401
	CodeUnauthorized Code = "unauthorized" // The request carries no valid access token

	// 403
	CodeInsufficientScope Code = "insufficient_scope" // The access token does not allow this operation
	CodeCompanyNotLinked  Code = "company_not_linked" // The company is not linked to the merchant

	// 404
	CodeNotFound Code = "not_found" // There is no such resource

	// 405
	CodeMethodNotAllowed Code = "method_not_allowed" // The resource does not have this method

	// 406
	CodeNotAcceptable Code = "not_acceptable" // The resource has none of the accepted media types

	// 409
	CodeIdempotencyKeyInUse      Code = "idempotency_key_in_use"      // A request with this Idempotency-Key is still running
	CodeInvalidTransition        Code = "invalid_transition"          // The present status does not allow this
	CodeAmountLocked             Code = "amount_locked"               // The amount of a captured order is final
	CodeOrderLocked              Code = "order_locked"                // The order can no longer be changed
	CodeOrderNotCaptured         Code = "order_not_captured"          // The order has not been captured
	CodeInstallmentsRequired     Code = "installments_required"       // No number of installments has been chosen
	CodeAuthorizationExpired     Code = "authorization_expired"       // The authorization has expired
	CodeAlreadyExtended          Code = "already_extended"            // The authorization has already been extended once
	CodeAcceptanceRequired       Code = "acceptance_required"         // The buyer must accept the terms in the hosted checkout
	CodeCompanyNotEligible       Code = "company_not_eligible"        // The company's status does not allow this
	CodeDuplicateMerchantOrderID Code = "duplicate_merchant_order_id" // Another order has this merchant_order_id
	CodeRefundReferenceUsed      Code = "refund_reference_used"       // A refund of another amount has this reference
	CodePaymentNotRefundable     Code = "payment_not_refundable"      // The payment cannot be refunded
	CodePaymentNotCancelable     Code = "payment_not_cancelable"      // The payment can no longer be canceled
	CodeDuplicateExternalID      Code = "duplicate_external_id"       // Another payment has this external_id
	CodePaymentMethodLocked      Code = "payment_method_locked"       // The payment method's status does not allow this
	CodePaymentMethodUnverified  Code = "payment_method_unverified"   // The account has not been verified, or has failed its check
	CodeTransferLocked           Code = "transfer_locked"             // The transfer's status does not allow this
	CodePeriodClosed             Code = "period_closed"               // The period is closed, or cannot be closed yet
	CodeAlreadyMatched           Code = "already_matched"             // Something of it is in another match
	CodeLenderIncomplete         Code = "lender_incomplete"           // The lender has not set what this paper must say
	CodeClientLocked             Code = "client_locked"               // The client can no longer be changed
	CodeEndpointDisabled         Code = "endpoint_disabled"           // The endpoint is not enabled
	CodeClockMoving              Code = "clock_moving"                // The sandbox's clock is being moved
	CodeSnapshotsUnavailable     Code = "snapshots_unavailable"       // The sandbox's database cannot be copied
	CodeCheckoutNotAccepted      Code = "checkout_not_accepted"       // The buyer has not accepted the terms
	CodeCheckoutExpired          Code = "checkout_expired"            // The checkout has expired
	CodeCheckoutAlreadyCompleted Code = "checkout_already_completed"  // The checkout has already been completed
	CodeCheckoutTaken            Code = "checkout_taken"              // Somebody else has begun this checkout
	CodeOwnerRequired            Code = "owner_required"              // An owner of the company must accept
	CodeTermsChanged             Code = "terms_changed"               // The terms have changed since they were shown
	CodeApplicationDecided       Code = "application_decided"         // The application has been decided, or has ended

	// 412
	CodePreconditionFailed Code = "precondition_failed" // The resource has changed since it was read

	// 413
	CodeBodyTooLarge Code = "body_too_large" // The body is larger than this operation takes

	// 415
	CodeUnsupportedMediaType Code = "unsupported_media_type" // The body's media type, charset or encoding is not supported

	// 422
	CodeValidationFailed      Code = "validation_failed"       // The request breaks the operation's schema
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"  // The Idempotency-Key belongs to another request
	CodeMatchRefused          Code = "match_refused"           // The lines and the entries do not come to the same
	CodeChargesMismatch       Code = "charges_mismatch"        // charges.grand_total differs from the order's amount
	CodeAmountOutOfBounds     Code = "amount_out_of_bounds"    // The amount is outside the merchant's bounds
	CodeTermNotAvailable      Code = "term_not_available"      // The number of installments is not offered for this order
	CodeInsufficientCredit    Code = "insufficient_credit"     // The amount is above the available credit
	CodeLimitExceeded         Code = "limit_exceeded"          // A limit of the deployment would be exceeded
	CodePartialTooLarge       Code = "partial_too_large"       // The part is not smaller than what the order has left
	CodeRefundExceedsCaptured Code = "refund_exceeds_captured" // The refund is above what is left to refund
	CodeRefundWindowClosed    Code = "refund_window_closed"    // The time for refunds has passed
	CodeRefundExceedsPayment  Code = "refund_exceeds_payment"  // The refund is above what is left of the payment
	CodePaymentMethodRequired Code = "payment_method_required" // The company has no usable payment method
	CodeInvalidEffectiveDate  Code = "invalid_effective_date"  // The effective date is not allowed
	CodeCreditExceeded        Code = "credit_exceeded"         // The amount is above the credit that can be sent
	CodeDebitExceedsBalance   Code = "debit_exceeds_balance"   // The debit is above what is left to pay
	CodeDebitTooSmall         Code = "debit_too_small"         // The debit is too small
	CodeTooManyOpenDebits     Code = "too_many_open_debits"    // Too many debits are on their way
	CodeMerchantDueLimit      Code = "merchant_due_limit"      // The merchant would owe the lender more than it may
	CodeReasonsRequired       Code = "reasons_required"        // What is taken from an account needs specific reasons
	CodeURLNotAllowed         Code = "url_not_allowed"         // The URL is not one that may be used here

	// 429
	CodeRateLimited Code = "rate_limited" // The client has used up its rate limit

	// 500
	CodeInternalError Code = "internal_error" // An unexpected fault occurred

	// 503
	CodeOverloaded      Code = "overloaded"       // The service takes no more requests for the moment
	CodeReadOnly        Code = "read_only"        // The service takes no writes for the moment
	CodeMailUnavailable Code = "mail_unavailable" // The deployment cannot send mail
	CodeOutcomeUnknown  Code = "outcome_unknown"  // Whether the request took effect is not known yet

	// of OAuth (RFC 6749)
	CodeInvalidClient        Code = "invalid_client"         // The credentials are wrong
	CodeInvalidScope         Code = "invalid_scope"          // A scope is not one of the client's
	CodeInvalidRequest       Code = "invalid_request"        // The request for a token is malformed
	CodeUnsupportedGrantType Code = "unsupported_grant_type" // Only client_credentials is offered
)
