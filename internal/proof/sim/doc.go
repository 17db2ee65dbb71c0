// Package sim simulates the whole system: the same engine and domain that run
// in production, on a backend and a clock controlled by a seed. The random
// tests T3, T4, T5, T17, T19 and T36 of docs/rules/tests.md are built from it.
//
//	Rand       every choice of a run comes from one seed (EN23)
//	World      an engine on a backend, with a clock that the run sets
//	Generator  generates the next command, with deliberate collisions and edge cases
//	Model      naively computes from the whole history what a command must result
//	           in; it shares no code with credit, schedule and ledger
//	Books      everything the backend holds, and the invariants on it
//	Faulty     a backend that loses commits and answers and runs full by script
//	Clients    callers that time out, retry, and reuse keys
//	Situations count what must have happened for a run to prove something
//
// The model is slow and plain so that it can be read alongside the rules. It
// computes ZERO and NET30 loans to the cent; for the other plans it checks that
// money is conserved and the invariants of F40.
//
// Package onrails generates commands on rails, payouts and the books. Package
// years runs lenders for years, with nodes that die and a bank behind
// connections that fail.
package sim
