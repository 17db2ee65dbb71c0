// Package httpapi is Tenor's API, assembled: the table of its operations, the contract
// generated from the table, and the codes of its problems. Package rest reads, checks and
// answers requests; it knows nothing of orders and merchants.
//
// Where to look for an operation:
//
//	orders       orders, checkouts, papers      payments    payments, payouts, invoices
//	buyers       companies, applications        developer   tokens, events, webhooks
//	operator     the lender's back office       sandboxapi  what only a sandbox has
//	serve        what they have in common
//
// Here: table.go orders the operations, api.go has what they share, contract.go is the
// published contract, codes.go has every code in order, shown.go what the request log
// shows.
//
// To add a noun: in its package write its types with tags, its handlers, and a method of
// API that returns its rows; add the rows to Table. The example shows all of it.
package httpapi
