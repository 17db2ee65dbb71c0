// Package onrails generates commands on rails, payouts and the books, on the world of package
// sim. It has no model; it checks the invariants after each command.
package onrails
