// Package pgtest runs real PostgreSQL servers, installed on the machine,
// for tests.
//
// [Database] gives a test an empty database on a server that all tests of the
// process share. [New] gives a test a server of its own, which it may stop, kill,
// configure, or give a standby. Servers listen on the loopback address and
// on a socket in their own directory, and end with the tests.
//
// A package whose tests use [Database] needs this TestMain, with which [New] is faster, too:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
// Only tests import this package.
package pgtest
