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
//	Faulty    a backend that loses commits, answers and room by script
//	Clients   callers that time out, ask again, and reuse keys
//	Situations count what must have happened for a run to mean something
//
// The model is slow and plain so that it can be read beside the rules. It works
// out ZERO and NET30 loans to the cent; for the other plans it checks that money
// is conserved and the invariants of F40.
//
// Package onrails draws what rails, payouts and the books know; package years lets lenders live
// for years, with nodes that die and a bank beyond lines that fail.
package sim
