// Package httpapi is Tenor's API: its operations, each of which turns a request into a command
// or a read into a resource, and what they have in common. How a request is read, checked and
// answered, package rest knows; it knows nothing of orders and merchants.
//
// Where to look:
//
//	api.go        what Tenor's operations share   codes.go    every code, in its order
//	service.go    commands and reads              shown.go    what the request log shows
//	contract.go   the published contract          oauth.go    how a token is got
//	orders.go …   the nouns, one or more files each
//
// To add a noun: write its types with tags, its handlers, and a function that
// returns its rows; join the rows to the table that Service.Table makes. The example shows
// all of it.
package httpapi
