// Package mutants shows that tests can fail. Each mutant is a small fault in a copy of
// the code: a bug of a kind that has really occurred. The test named
// next to it must fail; a surviving mutant reveals a missing test.
//
// No mutant is in the code: its text is replaced in a temporary copy, which the
// compiler uses instead of the file (go test -overlay). An empty mutant, which
// only changes a comment, must survive.
//
// By default only the mutants marked for every change run.
// All of them:
//
//	go test ./internal/proof/mutants -mutants all
package mutants
