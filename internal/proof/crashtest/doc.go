// Package crashtest breaks what a server depends on, and checks the books afterwards. Its tests
// run the real program over real HTTP on the loopback address and kill it at random moments and
// at named points of the code, cut the power at every write of a recorded run, and make system
// calls fail.
//
// Together they show: a 2xx response survives (P1), a command exists completely or not at all
// (P2), one Idempotency-Key is at most one execution (P4), and a restart needs no help (P8).
//
// Each test has a control, a run that the same checker must reject: a checker that cannot fail
// proves nothing.
package crashtest
