// Package rest is a layer for JSON APIs over HTTP. It knows how a request is read, checked
// and answered; the operations decide the answer. It knows nothing about their subject.
//
// Everything depends on one table of operations (Operation). A row has a path, a scope, the
// types of parameters, body and answer, and a handler. The route, the compiled checks of a
// request, and the OpenAPI document all come from the same row and the struct tags of its
// types, so that they cannot contradict each other. The example is an API of two rows.
//
// A request passes through the stages in order, and the first one that refuses answers:
// authentication, rate, route, scope, media type, size, syntax, schema (API.ServeHTTP). A
// handler sees only requests that have passed all of them. Every error is a problem
// document of RFC 9457 (Problem) with a code from the API's table (Contract.Codes).
//
// Config gives the layer its surroundings: who owns a token, the clock, the log, the
// limits. Contract gives it what all operations of the API have in common, such as its
// codes, the types of values with a text format of their own (package value), the paths of
// an operation, and what the request log may show.
//
// It includes what a public API needs: idempotency keys and fingerprints of requests,
// entity tags and conditions, pages with sealed cursors, dry runs, streamed bodies and
// answers, lists as CSV, limits by client, tenant and network address, a bounded number of
// concurrent requests, a log of calls that masks everything the contract does not mark as
// plain, and a server whose limits keep slow and hostile connections from holding memory.
// It stores no answers: the handler stores what an idempotency key is bound to.
//
// Where to look:
//
//	route.go      the stages, in order        operation.go  a row of the table
//	contract.go   what operations share       group.go      what rows of a noun share
//	codes.go      the layer's own codes       server.go     limits of connections
//	decode.go     bodies: strict JSON         schema.go     struct tags → rules
//	set.go        values from their texts     text.go       printable text
//	params.go     query and path              headers.go    headers
//	auth.go       tokens and scopes           limit.go      rate limits of clients
//	guard.go      limits on everybody         address.go    the caller, behind proxies
//	cursor.go     pages of lists              answer.go     what is sent back
//	stream.go     bodies and answers in parts rows.go, csv.go  lists row by row
//	problem.go    errors                      mask.go, requestlog.go  the log of calls
//	openapi*.go   the published contract
package rest
