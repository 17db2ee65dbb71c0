// Package sim is the simulation of the whole system: the same engine and domain
// that run in production, on a backend and a clock that a seed rules. It holds
// what the random tests T3, T4, T5, T17, T19 and T36 of docs/rules/tests.md are
// made of.
//
//	Rand      every choice of a run comes from one seed (EN23)
//	World     an engine on a backend, with a clock that the run sets
//	Generator draws the next command, with collisions and edges on purpose
//	Model     says what must come of a command, from the whole history, naively:
//	          it shares no code with credit, schedule and ledger
//	Books     what the backend holds, read whole, and the invariants on it
//	RailRun   draws what rails, payouts and the books know; it has no model, but
//	          the invariants after each command
//	Faulty    a backend that loses commits, answers and room by script
//	Clients   callers that time out, ask again, and reuse keys
//	Years      a lender over years: nodes that die, the clockwork, a bank and a processor
//	           beyond lines that fail; every command that can move money, a bank's
//	           statement and monthly papers; in the end the books must agree with the bank.
//	           Senders of events and receivers that fail, hang and go away for days: in the
//	           end each event was taken, parked or canceled, as it is recorded. Once in a life
//	           an older backup is restored, and the bank, receivers and people know more
//	Situations count what must have happened for a run to mean something
//
// A longer night: TENOR_TEST_NIGHT=1 go test ./internal/proof/sim -run TestYears -sim.seeds 500 -sim.days 900 -timeout 0
//
// The model is slow and plain so that it can be read beside the rules. It works
// out ZERO and NET30 loans to the cent; for the other plans it checks that money
// is conserved and the invariants of F40.
package sim
