// Package crashtest takes away what a server stands on, and asks the books
// afterwards. Its tests run the real program over real HTTP on the loopback
// address and kill it at random moments and at named points of the code, take the
// power away at every write of a recorded run, and let system calls fail.
//
// What they show together: an answer with a 2xx survives (P1), a command is there
// whole or not at all (P2), one Idempotency-Key is at most one execution (P4), and
// a restart needs nobody's help (P8).
//
// Each test has a control, which is a run that the same checker must refuse: a
// checker that cannot fail proves nothing.
package crashtest
