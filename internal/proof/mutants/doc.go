// Package mutants shows that tests can fail. Each mutant is a small fault in a copy of
// the code: a bug of a kind that somebody has really made. The test that is named
// beside it must go red; a mutant that survives shows a test that is missing.
//
// No mutant is in the code: its text is replaced in a temporary copy, which the
// compiler takes in the place of the file (go test -overlay). An empty mutant, which
// changes a comment only, must survive.
//
// By default the mutants run that every change must kill, the Change ones of the table.
// All of them:
//
//	go test ./internal/proof/mutants -mutants all
package mutants
