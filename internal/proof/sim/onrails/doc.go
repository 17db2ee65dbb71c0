// Package onrails draws what rails, payouts and the books know, on the world of package sim. It
// has no model, but the invariants after each command.
package onrails
