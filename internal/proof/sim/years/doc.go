// Package years runs a lender for years on the world of package sim: nodes that die, the
// scheduler, a bank and a processor behind connections that fail; every command that can move
// money, a bank statement and monthly papers. At the end the books must agree with the bank.
//
// Senders of events and receivers fail, hang and disappear for days: at the end each event was
// accepted, parked or canceled, and is recorded so. Once in a life an older backup is restored,
// and the bank, receivers and people know more than the lender.
//
// A longer night: TENOR_TEST_NIGHT=1 go test ./internal/proof/sim/years -run TestYears -sim.seeds
// 500 -sim.days 900 -timeout 0
package years
