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

// Names of the codes that the layer itself answers with.
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

// OwnCodes are the codes of the layer, in the order of their precedence.
func OwnCodes() []Code {
	return []Code{
		{CodeMalformed, 400, "The body is not well-formed JSON."},
		{CodeMalformedCSV, 400, "The body is not a CSV with the columns that this operation takes."},
		{CodeUnknownMember, 400, "The body has a member that this operation does not know."},
		{CodeUnknownParameter, 400, "The query has a parameter that this operation does not know."},
		{CodeInvalidParameter, 400, "A query parameter has a value that is not allowed."},
		{CodeInvalidHeader, 400, "A request header has a value that is not allowed."},
		{CodeInvalidCursor, 400, "The cursor is not one that this list has given out."},
		{CodeUnauthorized, 401, "The request carries no valid access token."},
		{CodeScope, 403, "The access token does not allow this operation."},
		{CodeNotFound, 404, "There is no such resource."},
		{CodeMethod, 405, "The resource does not have this method."},
		{CodeNotAcceptable, 406, "The resource has none of the accepted media types."},
		{CodeKeyInUse, 409, "A request with this Idempotency-Key is still running."},
		{CodePrecondition, 412, "The resource has changed since it was read."},
		{CodeTooLarge, 413, "The body is larger than this operation takes."},
		{CodeMediaType, 415, "The body's media type, charset or encoding is not supported."},
		{CodeValidation, 422, "The request breaks the operation's schema."},
		{CodeKeyReused, 422, "The Idempotency-Key belongs to another request."},
		{CodeRateLimited, 429, "The client has used up its rate limit."},
		{CodeInternal, 500, "An unexpected fault occurred."},
		{CodeOverloaded, 503, "The service takes no more requests for the moment."},
		{CodeReadOnly, 503, "The service takes no writes for the moment."},
		{CodeOutcomeUnknown, 503, "Whether the request took effect is not known yet."},
	}
}

// WithOwnCodes are the codes of the layer and those of an API, which stand behind the layer's
// of the same status.
func WithOwnCodes(codes ...Code) []Code {
	all := append(OwnCodes(), codes...)
	slices.SortStableFunc(all, func(a, b Code) int { return cmp.Compare(a.Status, b.Status) })
	return all
}
