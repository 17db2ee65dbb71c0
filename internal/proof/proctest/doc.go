// Package proctest runs the real program in tests: it builds the binary, fills a database with
// the program's own commands, starts a server as a child process, waits until it serves, and
// stops it like an operator, a crash or a kill -9.
//
// Only tests import it. What it starts ends with the test, and at the latest with the test
// process.
package proctest
