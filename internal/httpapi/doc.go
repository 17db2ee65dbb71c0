// Package httpapi is the edge that speaks HTTP and JSON. It knows how a request
// is read, checked and answered; what the answer is, the operations decide.
//
// Everything hangs on one table of operations (Operation). A row names a path, a
// scope, the types of parameters, body and answer, and a handler. From the same
// row and the struct tags of its types come the route, the compiled checks of a
// request, and the OpenAPI document, so that none of them can say something else
// than the others.
//
// A request goes through the stages of the contract in their order, and the
// first one that refuses answers: authentication, rate, route, scope, media
// type, size, syntax, schema (API.ServeHTTP). A handler sees only what has
// passed all of them. Every error is a problem document (Problem) with a code of
// the table in codes.go.
//
// Where to look:
//
//	route.go      the stages, in order        operation.go  a row of the table
//	decode.go     bodies: strict JSON         schema.go     struct tags → rules
//	values.go     money, dates, instants      text.go       printable text
//	params.go     query and path              headers.go    headers
//	auth.go       tokens and scopes           limit.go      rate limits of clients
//	guard.go      limits on everybody         address.go    who calls, behind proxies
//	oauth.go      how a token is got          service.go    commands and reads
//	cursor.go     pages of lists              answer.go     what is sent back
//	problem.go    errors                      codes.go      all their codes
//	openapi*.go   the published contract      server.go     limits of connections
//
// To add a noun: write its types with tags, its handlers, and a function that
// returns its rows; join the rows to the table that New gets. The example shows
// all of it.
package httpapi
