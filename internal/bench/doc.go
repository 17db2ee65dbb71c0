// Package bench holds the first workloads of the performance programme as Go
// benchmarks: authorizations spread over many companies (W1) and all on one
// company's line (W2), through the engine on both embedded backends, with real
// durable commits on SQLite.
//
//	go test -run '^$' -bench Authorize -count 5 ./internal/bench
//
// A timing never decides a test. What does is in the tests of engine and store:
// statements per batch and allocations.
package bench
