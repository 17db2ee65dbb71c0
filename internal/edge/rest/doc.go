// Package rest is a layer for JSON APIs over HTTP. It knows how a request is read, checked
// and answered; what the answer is, the operations decide. It knows nothing of what they are
// about.
//
// Everything hangs on one table of operations (Operation). A row names a path, a scope, the
// types of parameters, body and answer, and a handler. From the same row and the struct tags
// of its types come the route, the compiled checks of a request, and the OpenAPI document, so
// that none of them can say something else than the others. The example is an API of two rows.
//
// A request goes through the stages in their order, and the first one that refuses answers:
// authentication, rate, route, scope, media type, size, syntax, schema (API.ServeHTTP). A
// handler sees only what has passed all of them. Every error is a problem document of
// RFC 9457 (Problem) with a code of the API's table (Contract.Codes).
//
// What the layer must know of its surroundings it gets by Config: who is called by a token,
// the clock, the log, the limits, and by Contract what all operations of the API have in
// common, such as its codes, the types of values that have a text of their own (package
// value), the paths of an operation, and what the request log may show.
//
// It brings along what an API in public needs: idempotency keys and fingerprints of requests,
// entity tags and conditions, pages with sealed cursors, dry runs, streamed bodies and answers,
// lists as CSV, limits by client, tenant and network address, places for what is being
// answered, a log of calls in which everything is masked that the contract does not mark as
// plain, and a server whose limits keep slow and hostile connections from holding memory. It
// keeps no answers of its own: what an idempotency key is bound to, the handler stores.
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
//	guard.go      limits on everybody         address.go    who calls, behind proxies
//	cursor.go     pages of lists              answer.go     what is sent back
//	stream.go     bodies and answers in parts rows.go, csv.go  lists row by row
//	problem.go    errors                      mask.go, requestlog.go  the log of calls
//	openapi*.go   the published contract
package rest
