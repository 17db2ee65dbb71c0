// Package credit is the domain: companies and their lines, programs, orders,
// loans, invoices and payments. It decides; it does not store, wait or look at
// a clock.
//
// A Command names the Keys that it needs. Admit says whether the caller may see
// what the command names, Decide what comes of it: Changes, or a Rejection. Both
// are pure functions of the state, the Env and the command. Whatever a command
// does, it does in one Changes value, which is committed whole or not at all.
//
// Read state.go, command.go, changes.go, rejection.go and event.go first, then
// one file a noun. money moves only through post.go, which turns the effects of
// package schedule into ledger entries (F39).
package credit
