// Package outage takes the network and the database server away from an engine on
// PostgreSQL, and asks the books afterwards. Its tests run the engine and its
// backend in their own process, real servers of package pgtest beside it, and a
// proxy of package faultproxy between the two, so that a fault comes at a byte
// that the test names.
//
//	T14         connections that break before, in and after a COMMIT, and servers
//	            that restart or lose a process
//	EN5         a pipeline that is still on its way when its outcome is asked for
//	T15         the primary dies while its standby is cut off, and the standby takes
//	            its place
//	T16         a COMMIT that waits for its standby is canceled in every way there is
//	EN15, EN16  what a node refuses at its start, and when the books' epoch has grown
//
// Each client keeps a ledger of what it asked and of what it was told. What was
// told to be done is there, what was told not to be is not, what was not answered
// gets an answer under its old Idempotency-Key, and nothing is there twice.
//
// Beside each test runs a control, which is the same with a part that is known to
// be wrong: a driver that repeats a statement, a look instead of a tombstone, a
// COMMIT with a deadline, a standby that nobody waits for. A control must fail.
package outage
