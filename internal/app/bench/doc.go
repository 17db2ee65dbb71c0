// Package bench measures a Tenor server: what can this machine do, and how far is
// the program from what the machine allows. It is the library behind
//
//	tenor bench
//
// Machines are shared and noisy, so no figure stands alone. Variants take turns
// (A B A B), a few rounds of some seconds each; what is compared with a target is
// the ratio of two variants of one round, and what is printed is the median of the
// rounds with the least and the greatest.
//
// The server under test is a child process, the same binary, on a database of its
// own that is made for the run: durable, with the settings of production, its log
// written to a file. Companies and orders are put into that database before the
// server starts. They are decided by the engine like any others (see forge), only
// without HTTP.
//
// A run counts only if afterwards every write that was acknowledged is in the
// database, the trial balance is zero and verify finds nothing. Otherwise the
// report is INVALID and says why.
//
// The reading order of the code: run.go (what is measured in which order), load.go
// and conn.go (the load generator), shop.go (the requests), world.go and forge.go
// (databases and what is in them), w6.go, w6_fill.go, w6_load.go and w6_watch.go (a
// business day; its lender runs in this process, so that it can be killed and its heap
// be seen, and its callers in another), w7.go and receiver.go (webhooks and who gets
// them), w8.go, w8_buyer.go and mailbox.go (buyers at hosted checkouts), check.go (validity), hang.go (what a server did that answered nothing),
// report.go.
//
// There are Go benchmarks beside it, for the profiler: authorizations through the
// engine on both embedded backends, without HTTP, and days of W6.
//
//	go test -run '^$' -bench Authorize -count 5 ./internal/app/bench
//	go test -run '^$' -bench Day -benchtime 1x -cpuprofile cpu.out ./internal/app/bench
//
// A timing never decides a test. What does is in the tests of engine and store:
// statements per batch and allocations.
package bench
