// Package lending decides about companies, orders and their loans: a company's line, an
// order's way from creation to capture, what its loan is owed, and what follows when money
// comes, goes back or stays away. It is above package credit, whose records it changes, and
// below package payments, whose commands move money.
//
// company.go and order_*.go are the commands of companies and orders; order_service.go is the
// daily run. loan.go plays a money event on a loan, replay.go plays the past again, post.go
// and post_item.go alone turn the effects of package schedule into ledger entries (F39).
// program.go says what a program offers; collection.go, charge_off.go, revise.go and
// order_hold.go are about what is owed; autopay_build.go, payment_rail.go and good_funds.go
// are what a loan asks of the rails.
package lending
