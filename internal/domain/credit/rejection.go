package credit

// Stage is a step in the precedence of errors that the domain answers. The earlier ones
// (authentication to schema) belong to the edge.
type Stage int

// The stages, in order. A stored answer is replayed between Link and Precondition.
const (
	StageExistence Stage = iota + 1
	StageLink
	StagePrecondition
	StageState
	StageRule
)

// Reason is why a command is refused: an entry of the table below.
type Reason struct {
	Code   string // stable, part of the contract
	Status int    // HTTP status
	Stage  Stage
	Title  string // one sentence for people
}

// The reasons, in order of precedence: a command that breaks several rules is refused for the
// first of them.
var (
	NotFound         = Reason{"not_found", 404, StageExistence, "There is no such resource."}
	NotAllowed       = Reason{"insufficient_scope", 403, StageLink, "The access token does not allow this operation."}
	CompanyNotLinked = Reason{"company_not_linked", 403, StageLink, "The company is not linked to the merchant."}

	PreconditionFailed = Reason{"precondition_failed", 412, StagePrecondition, "The resource has changed since it was read."}

	PaymentMethodUnverified  = Reason{"payment_method_unverified", 409, StageState, "The account is not verified, or failed verification."}
	InvalidTransition        = Reason{"invalid_transition", 409, StageState, "The current status does not allow this."}
	AmountLocked             = Reason{"amount_locked", 409, StageState, "The amount of a captured order is final."}
	OrderLocked              = Reason{"order_locked", 409, StageState, "The order can no longer be changed."}
	OrderNotCaptured         = Reason{"order_not_captured", 409, StageState, "The order is not captured."}
	InstallmentsRequired     = Reason{"installments_required", 409, StageState, "The number of installments is not set."}
	AuthorizationExpired     = Reason{"authorization_expired", 409, StageState, "The authorization has expired."}
	AlreadyExtended          = Reason{"already_extended", 409, StageState, "The authorization was already extended once."}
	CheckoutNotAccepted      = Reason{"checkout_not_accepted", 409, StageState, "The buyer has not accepted the terms."}
	CheckoutOver             = Reason{"checkout_expired", 409, StageState, "The checkout has expired."}
	CheckoutAlreadyCompleted = Reason{"checkout_already_completed", 409, StageState, "The checkout has already been completed."}
	CheckoutTaken            = Reason{"checkout_taken", 409, StageState, "This checkout was started by someone else."}
	OwnerRequired            = Reason{"owner_required", 409, StageState, "An owner of the company must accept."}
	TermsChanged             = Reason{"terms_changed", 409, StageState, "The terms have changed since they were shown."}
	ApplicationDecided       = Reason{"application_decided", 409, StageState, "The application was already decided or has ended."}
	CompanyNotEligible       = Reason{"company_not_eligible", 409, StageState, "The company's status does not allow this."}
	AcceptanceRequired       = Reason{"acceptance_required", 409, StageState, "The buyer must accept the terms in the hosted checkout."}
	DuplicateMerchantOrderID = Reason{"duplicate_merchant_order_id", 409, StageState, "Another order has this merchant_order_id."}
	RefundReferenceUsed      = Reason{"refund_reference_used", 409, StageState, "A refund with a different amount has this reference."}
	PaymentNotRefundable     = Reason{"payment_not_refundable", 409, StageState, "The payment cannot be refunded."}
	PaymentNotCancelable     = Reason{"payment_not_cancelable", 409, StageState, "The payment can no longer be canceled."}
	DuplicateExternalID      = Reason{"duplicate_external_id", 409, StageState, "Another payment has this external_id."}
	PaymentMethodLocked      = Reason{"payment_method_locked", 409, StageState, "The payment method's status does not allow this."}
	TransferLocked           = Reason{"transfer_locked", 409, StageState, "The transfer's status does not allow this."}
	PeriodClosed             = Reason{"period_closed", 409, StageState, "The period is closed, or cannot be closed yet."}
	ClientLocked             = Reason{"client_locked", 409, StageState, "The client can no longer be changed."}
	EndpointDisabled         = Reason{"endpoint_disabled", 409, StageState, "The endpoint is not enabled."}
	ChargesMismatch          = Reason{"charges_mismatch", 422, StageRule, "charges.grand_total differs from the order's amount."}
	AmountOutOfBounds        = Reason{"amount_out_of_bounds", 422, StageRule, "The amount is outside the merchant's order limits."}
	TermNotAvailable         = Reason{"term_not_available", 422, StageRule, "The number of installments is not offered for this order."}
	InsufficientCredit       = Reason{"insufficient_credit", 422, StageRule, "The amount exceeds the available credit."}
	LimitExceeded            = Reason{"limit_exceeded", 422, StageRule, "This would exceed a limit of the deployment."}
	PartialTooLarge          = Reason{"partial_too_large", 422, StageRule, "The partial amount must be less than what is left to capture."}
	RefundExceedsCaptured    = Reason{"refund_exceeds_captured", 422, StageRule, "The refund exceeds what is left to refund."}
	RefundWindowClosed       = Reason{"refund_window_closed", 422, StageRule, "The refund window has closed."}
	RefundExceedsPayment     = Reason{"refund_exceeds_payment", 422, StageRule, "The refund exceeds what is left of the payment."}
	PaymentMethodRequired    = Reason{"payment_method_required", 422, StageRule, "The company has no usable payment method."}
	InvalidEffectiveDate     = Reason{"invalid_effective_date", 422, StageRule, "The effective date is not allowed."}
	CreditExceeded           = Reason{"credit_exceeded", 422, StageRule, "The amount exceeds the credit that can be sent."}
	URLNotAllowed            = Reason{"url_not_allowed", 422, StageRule, "The URL is not allowed here."}
	DebitExceedsBalance      = Reason{"debit_exceeds_balance", 422, StageRule, "The debit exceeds the unpaid balance."}
	DebitTooSmall            = Reason{"debit_too_small", 422, StageRule, "The debit is too small."}
	TooManyOpenDebits        = Reason{"too_many_open_debits", 422, StageRule, "Too many debits are pending."}
	MerchantDueLimit         = Reason{"merchant_due_limit", 422, StageRule, "This would exceed the limit on what the merchant may owe the lender."}
	ValidationFailed         = Reason{"validation_failed", 422, StageRule, "The request breaks a rule of the operator API."}
	ReasonsRequired          = Reason{"reasons_required", 422, StageRule, "An adverse change to an account requires specific reasons."}
)

// Reasons lists every reason in order of precedence.
func Reasons() []Reason {
	return []Reason{
		NotFound, NotAllowed, CompanyNotLinked, PreconditionFailed,
		PaymentMethodUnverified, InvalidTransition, AmountLocked, OrderLocked, OrderNotCaptured, InstallmentsRequired, AuthorizationExpired,
		AlreadyExtended, CheckoutNotAccepted, CheckoutOver, CheckoutAlreadyCompleted, CheckoutTaken, OwnerRequired, TermsChanged, ApplicationDecided,
		CompanyNotEligible, AcceptanceRequired, DuplicateMerchantOrderID, RefundReferenceUsed,
		PaymentNotRefundable, PaymentNotCancelable, DuplicateExternalID,
		PaymentMethodLocked, TransferLocked, PeriodClosed, ClientLocked, EndpointDisabled,
		ChargesMismatch, AmountOutOfBounds, TermNotAvailable, InsufficientCredit, LimitExceeded, PartialTooLarge,
		RefundExceedsCaptured, RefundWindowClosed, RefundExceedsPayment, PaymentMethodRequired, InvalidEffectiveDate,
		CreditExceeded, URLNotAllowed, DebitExceedsBalance, DebitTooSmall, TooManyOpenDebits, MerchantDueLimit, ValidationFailed, ReasonsRequired,
	}
}

// Rejection is a business answer: the command is refused and nothing changes.
type Rejection struct {
	Reason
	Detail  string         // one sentence with this case's figures; never a rejected value
	Members map[string]any // further members of the problem, such as from, to, available
}

// Error makes a Rejection usable as an error.
func (r *Rejection) Error() string { return r.Code + ": " + r.Detail }

// Stored reports whether the answer is kept under an Idempotency-Key: refusals by
// precondition, state and rule are, those by existence and link are not.
func (r *Rejection) Stored() bool { return r.Stage >= StagePrecondition }

// Because is a rejection for the reason, with this case's detail.
func (r Reason) Because(detail string) *Rejection { return &Rejection{Reason: r, Detail: detail} }

// With is a rejection that also gives members to programs.
func (r Reason) With(detail string, members map[string]any) *Rejection {
	return &Rejection{Reason: r, Detail: detail, Members: members}
}
