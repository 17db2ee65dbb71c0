// Package bench measures a Tenor server: what this machine can do, and how close the
// program comes to that. It is the library behind
//
//	tenor bench
//
// Machines are shared and noisy, so no figure is used alone. Variants take turns
// (A B A B), in a few rounds of some seconds each. Targets are compared with the
// ratio of two variants in the same round, and the report shows the median of the
// rounds with their minimum and maximum.
//
// The server under test is a child process, the same binary, on a database of its
// own, created for the run: durable, with production settings, its log
// written to a file. Companies and orders are added to that database before the
// server starts. They are decided by the engine like any others (see forge), only
// without HTTP.
//
// A run is valid only if afterwards every acknowledged write is in the
// database, the trial balance is zero and verify finds nothing. Otherwise the
// report is INVALID and says why.
//
// Read the code in this order: run.go (what is measured in which order), load.go
// and conn.go (the load generator), shop.go (the requests), world.go and forge.go
// (databases and their contents), w6.go, w6_fill.go, w6_load.go and w6_watch.go (a
// business day; its lender runs in this process, so that it can be killed and its heap
// measured, and its callers in another), w7.go and receiver.go (webhooks and their
// receivers), w8.go, w8_buyer.go and mailbox.go (buyers at hosted checkouts), check.go (validity), hang.go (what a hung server was doing),
// report.go.
//
// There are also Go benchmarks, for the profiler: authorizations through the
// engine on both embedded backends, without HTTP, and days of W6.
//
//	go test -run '^$' -bench Authorize -count 5 ./internal/app/bench
//	go test -run '^$' -bench Day -benchtime 1x -cpuprofile cpu.out ./internal/app/bench
//
// A timing never decides a test. The tests of engine and store check what can be counted:
// statements per batch and allocations.
package bench
