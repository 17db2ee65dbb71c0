// Package docstest reads the README and the pages in docs like a reader, and
// fails when they are wrong: it runs their commands, follows their links,
// looks up the tests that they name, and plays the examples whose entries they
// print. It contains no code that ships.
//
// The words after the language of a fenced block say what to do with it:
//
//	sh test              run by bash; must succeed
//	sh test background   started, and stopped after the page's last block; the
//	                     "export NAME=VALUE" lines of its output apply afterwards
//	text, json           directly after such a block: what it must print
//	text entries=NAME    the ledger entries of that example
//	go server            a shop's whole server, also in javascript, php and python:
//	                     run against a sandbox, with buyers and with liars
//
// The blocks of a page run in order, in one shell, in an empty directory, with
// tenor on the PATH. match_test.go describes how output is compared.
package docstest
