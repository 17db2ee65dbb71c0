// Tenor is a financing service for business buyers: merchants send it orders,
// it reserves and lends on the buyers' credit lines, keeps the schedules, takes
// payments and refunds, and keeps the books behind all of it.
//
// This program is the whole service. What follows is a tour of its code from the
// bottom up: each package uses only those before it, so they can be read in this
// order.
//
// # Values
//
// They are pure: no clock, no database, no randomness.
//
//   - internal/domain/money: amounts in cents, exact rates, every rounding.
//   - internal/domain/calendar: dates, months, banking days, the business zone.
//   - internal/domain/schedule: a loan's rows, and what payments, refunds and time do to
//     them. It replays a loan's history; nothing else computes a schedule.
//   - internal/domain/apr: the annual percentage rate shown to a buyer.
//   - internal/domain/ledger: the chart of accounts, and entries that balance.
//
// # Decisions
//
//   - internal/domain/credit: the domain. Decide takes a state, an instant and a command
//     and returns changes or a rejection. In lending and its neighbors, order_capture.go is
//     all that a capture does. invariant.Check checks the invariants of every
//     change before it is written, in production too.
//
// # Durability
//
//   - internal/core/store: what we require of a database: load these keys, apply this
//     batch, show a snapshot.
//   - internal/core/store/memory: the reference, in maps.
//   - internal/core/store/sqlite: the same in a file, durable.
//   - internal/core/store/postgres: the same on a server, for several nodes.
//   - internal/core/engine: one queue, one writer, one transaction for all the
//     commands that have arrived. It answers after the commit, never before.
//   - internal/core/verify: recomputes everything that is stored from the audit log,
//     and reports what differs.
//
// # Edges
//
//   - internal/edge/resource: the resources as JSON. The structs are the contract.
//   - internal/core/clock: business time, which a sandbox can set, and the wall clock.
//   - internal/edge/auth: clients, tokens, scopes.
//   - internal/edge/httpapi: one table of operations; a request is checked, becomes a
//     command, is submitted, and its answer is written.
//   - client: the API as Go methods. This program's own commands use it.
//   - internal/app/bench: measures servers, in child processes of its own.
//
// # This program
//
//   - internal/app/exit: how a command fails.
//   - internal/app/release: describes the binary.
//   - internal/app/terminal: shared by the commands. app.go is a command's
//     environment, remote.go is shared by all that call a server, change.go by all changes,
//     consent.go asks for consent. Each noun defines once how it is printed (Noun), print.go and
//     style.go print it; terminal.go keeps text written by others from controlling the terminal, flags.go
//     contains what the parser itself refuses. report.go and hints.go say what went wrong and what
//     to do next; state.go is what is saved between two runs.
//   - internal/app/node: a server. place.go says which database is meant, backend.go opens it;
//     nothing else knows whether it is SQLite or PostgreSQL. node.go puts an engine on it,
//     server.go adds HTTP, clockwork.go runs its scheduled work, rails.go configures
//     how its money moves, inspect.go adds the sandbox's pages.
//   - internal/app/stage: play.go adds a settable clock and a bank to a node,
//     controls.go exposes both to the API. stage.go serves such a sandbox and can replace it
//     with another one, which snapshot.go creates.
//   - internal/app/demo: seed.go creates the demo data, history.go describes their history and
//     history_play.go plays it. demo.go plays the worked example: story.go is the plot,
//     tell.go its lines, inbox.go the merchant's webhook receiver, books.go the journal
//     it is compared with.
//   - internal/app/cli/local: commands that open the data themselves.
//   - internal/app/cli/trade, integrate, operate: the commands, one file or two per noun: orders.go
//     reads, orders_change.go changes. serve.go and dev.go are the two ways to serve; doctor.go
//     checks a deployment and changes nothing.
//   - internal/app/cli: cli.go is the grammar, completion.go and complete.go serve the shells.
//
// main.go runs one command line. The tests next to it run command lines and check their
// results.
//
// # The life of an order
//
// POST /order reaches httpapi's createOrder, which builds a lending.CreateOrder and
// submits it. The engine loads the company and the merchant in bulk with whatever
// else the batch needs, has it decided on the state that earlier commands
// of the batch left, checks the invariants, encodes the response, and commits
// order, reservation, entries, events, audit row and response together. Then the
// caller gets the response; the same Idempotency-Key gets the same bytes again.
package main
