// Package docstest reads the README and the pages in docs as a reader would, and
// fails when they are not true: it runs their commands, follows their links,
// looks up the tests that they name, and plays the examples whose entries they
// print. It holds no code that ships.
//
// A fenced block says by the words after its language what is done with it:
//
//	sh test              run by bash; must succeed
//	sh test background   started, and stopped after the page's last block; the
//	                     lines "export NAME=VALUE" of its output hold afterwards
//	text, json           directly after such a block: what it must print
//	text entries=NAME    the ledger entries of that example
//	go server            a shop's whole server, also in javascript, php and python:
//	                     run against a sandbox, with buyers and with liars
//
// The blocks of a page run in order, in one shell, in an empty directory, with
// tenor on the PATH. How output is compared is told in match_test.go.
package docstest
