// Package contracttest checks the running API against its own contract. It reads
// the OpenAPI document that the API publishes, makes requests, good and
// bad, and checks that every response is documented: its
// status, its headers, its body. What the document forbids must be refused, with
// the documented code, and without an effect.
//
// Nothing here knows an operation's Go types. A new operation is walked as soon as
// it is in the document; what it needs to exist beforehand is in stage_test.go.
//
//	world_test.go     the API in process, and its callers
//	stage_test.go     the objects that operations need
//	money_test.go     those that need money to have moved
//	document_test.go  the document, as used by the tests
//	check_test.go     is this response documented?
//	faults_test.go    values, bodies, queries and headers that must be refused
//	sweep_test.go     every operation × every fault; every reachable status
//	walk_test.go      random requests in random order
//	lint_test.go      is the document itself complete?
package contracttest
