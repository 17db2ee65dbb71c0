// Package lending decides on companies, orders and their loans: a company's line, an order's
// path from creation to capture, what is owed on its loan, and what follows when money
// arrives, goes back or fails to arrive. It is above package credit, whose records it changes,
// and below package payments, whose commands move money.
//
// company.go and order_*.go are the commands of companies and orders; order_service.go is the
// daily run. loan.go applies a money event to a loan and replay.go replays the past. Only
// post.go and post_item.go turn the effects of package schedule into ledger entries (F39).
// program.go is what a program offers; collection.go, charge_off.go, revise.go and
// order_hold.go are about what is owed; autopay_build.go, payment_rail.go and good_funds.go
// are what a loan needs from the rails.
package lending
