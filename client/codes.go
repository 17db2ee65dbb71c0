package client

// Code is a code of the contract. It is an error, so that errors.Is can compare a
// *Problem with it:
//
//	if errors.Is(err, client.CodeInsufficientCredit) { … }
//
// A server newer than this package may return codes that are not
// listed here; Problem.Code contains them unchanged.
type Code string

// Error returns the code itself.
func (c Code) Error() string { return string(c) }

// The codes of OAuth (RFC 6749), in addition to those of the contract.
const (
	CodeInvalidClient        Code = "invalid_client"         // The credentials are wrong
	CodeInvalidScope         Code = "invalid_scope"          // A scope is not one of the client's
	CodeInvalidRequest       Code = "invalid_request"        // The request for a token is malformed
	CodeUnsupportedGrantType Code = "unsupported_grant_type" // Only client_credentials is offered
)
