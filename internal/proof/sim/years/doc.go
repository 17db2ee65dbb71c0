// Package years lets a lender live for years on the world of package sim: nodes that die, the
// clockwork, a bank and a processor beyond lines that fail; every command that can move money, a
// bank's statement and monthly papers. In the end the books must agree with the bank.
//
// Senders of events and receivers fail, hang and go away for days: in the end each event was
// taken, parked or canceled, as it is recorded. Once in a life an older backup is restored, and
// the bank, receivers and people know more.
//
// A longer night: TENOR_TEST_NIGHT=1 go test ./internal/proof/sim/years -run TestYears -sim.seeds 500 -sim.days 900 -timeout 0
package years
