// Package contracttest holds the running API against its own contract. It reads
// the OpenAPI document that the API publishes, makes requests of it, good ones and
// bad ones, and asks that every answer is one that the document tells of: its
// status, its headers, its body. What the document forbids must be refused, with
// the code that it names, and without an effect.
//
// Nothing here knows an operation's Go types. A new operation is walked as soon as
// it is in the document; what it needs to exist beforehand stands in stage_test.go.
//
//	world_test.go     the API in process, and who calls it
//	stage_test.go     the objects that operations need
//	money_test.go     those that need money to have moved
//	document_test.go  the document, as the tests ask for it
//	check_test.go     is this answer one that the document tells of?
//	faults_test.go    values, bodies, queries and headers that must be refused
//	sweep_test.go     every operation × every fault; every status that can be had
//	walk_test.go      random requests in random order
//	lint_test.go      is the document itself whole?
package contracttest
