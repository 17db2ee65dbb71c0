// Package outage takes the network and the database server away from an engine on
// PostgreSQL, and checks the books afterwards. Its tests run the engine and its
// backend in their own process, real servers from package pgtest, and a
// proxy from package faultproxy in between, so that a fault occurs at a byte
// that the test names.
//
//	T14         connections that break before, in and after a COMMIT, and servers
//	            that restart or lose a process
//	EN5         a pipeline that is still in transit when its outcome is looked up
//	T15         the primary dies while its standby is cut off, and the standby takes
//	            its place
//	T16         a COMMIT waiting for its standby is canceled in every possible way
//	EN15, EN16  what a node refuses at its start, and after the books' epoch has increased
//
// Each client keeps a ledger of its requests and their responses. What was
// reported done exists, what was reported not done does not, what was unanswered
// gets a response under its old Idempotency-Key, and nothing exists twice.
//
// Each test has a control, which is the same with a part that is known to
// be wrong: a driver that repeats a statement, a lookup instead of a tombstone, a
// COMMIT with a deadline, a standby that is not waited for. A control must fail.
package outage
