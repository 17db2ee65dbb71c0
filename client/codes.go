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

// The codes of OAuth (RFC 6749), beside those of the contract.
const (
	CodeInvalidClient        Code = "invalid_client"         // The credentials are wrong
	CodeInvalidScope         Code = "invalid_scope"          // A scope is not one of the client's
	CodeInvalidRequest       Code = "invalid_request"        // The request for a token is malformed
	CodeUnsupportedGrantType Code = "unsupported_grant_type" // Only client_credentials is offered
)
