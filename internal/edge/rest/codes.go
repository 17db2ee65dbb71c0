package rest

import (
	"cmp"
	"slices"
)

// Code is one stable error code of a contract. A code has exactly one status.
type Code struct {
	Name   string // snake_case, never reused for another meaning
	Status int
	Title  string // one sentence, the same for every problem with this code
}

// Codes that the layer itself answers with.
const (
	CodeMalformed        = "malformed_request"
	CodeMalformedCSV     = "malformed_csv"
	CodeUnknownMember    = "unknown_member"
	CodeUnknownParameter = "unknown_parameter"
	CodeInvalidParameter = "invalid_parameter"
	CodeInvalidHeader    = "invalid_header"
	CodeInvalidCursor    = "invalid_cursor"
	CodeUnauthorized     = "unauthorized"
	CodeScope            = "insufficient_scope"
	CodeNotFound         = "not_found"
	CodeMethod           = "method_not_allowed"
	CodeNotAcceptable    = "not_acceptable"
	CodeKeyInUse         = "idempotency_key_in_use"
	CodePrecondition     = "precondition_failed"
	CodeTooLarge         = "body_too_large"
	CodeMediaType        = "unsupported_media_type"
	CodeValidation       = "validation_failed"
	CodeKeyReused        = "idempotency_key_reused"
	CodeRateLimited      = "rate_limited"
	CodeInternal         = "internal_error"
	CodeOverloaded       = "overloaded"
	CodeReadOnly         = "read_only"
	CodeOutcomeUnknown   = "outcome_unknown"
)

// OwnCodes returns the layer's codes, in order of precedence.
func OwnCodes() []Code {
	return []Code{
		{CodeMalformed, 400, "The body is not well-formed JSON."},
		{CodeMalformedCSV, 400, "The body is not a CSV with the columns this operation expects."},
		{CodeUnknownMember, 400, "The body has a member unknown to this operation."},
		{CodeUnknownParameter, 400, "The query has a parameter unknown to this operation."},
		{CodeInvalidParameter, 400, "A query parameter has a value that is not allowed."},
		{CodeInvalidHeader, 400, "A request header has a value that is not allowed."},
		{CodeInvalidCursor, 400, "The cursor was not issued by this list."},
		{CodeUnauthorized, 401, "The request carries no valid access token."},
		{CodeScope, 403, "The access token does not allow this operation."},
		{CodeNotFound, 404, "There is no such resource."},
		{CodeMethod, 405, "The resource does not support this method."},
		{CodeNotAcceptable, 406, "The resource is not available in an accepted media type."},
		{CodeKeyInUse, 409, "A request with this Idempotency-Key is still running."},
		{CodePrecondition, 412, "The resource has changed since it was read."},
		{CodeTooLarge, 413, "The body is larger than this operation accepts."},
		{CodeMediaType, 415, "The body's media type, charset or encoding is not supported."},
		{CodeValidation, 422, "The request does not match the operation's schema."},
		{CodeKeyReused, 422, "The Idempotency-Key belongs to another request."},
		{CodeRateLimited, 429, "The client exceeded its rate limit."},
		{CodeInternal, 500, "An unexpected error occurred."},
		{CodeOverloaded, 503, "The service is overloaded for the moment."},
		{CodeReadOnly, 503, "The service is temporarily read-only."},
		{CodeOutcomeUnknown, 503, "It is not known yet whether the request took effect."},
	}
}

// WithOwnCodes returns the codes of the layer and those of an API, which follow the layer's
// with the same status.
func WithOwnCodes(codes ...Code) []Code {
	all := append(OwnCodes(), codes...)
	slices.SortStableFunc(all, func(a, b Code) int { return cmp.Compare(a.Status, b.Status) })
	return all
}
