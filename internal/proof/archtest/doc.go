// Package archtest enforces the architecture: its tests read the source of the whole repository
// and fail when a rule of ARCHITECTURE.md is broken. It contains no code that ships.
//
// What is allowed is data: rooms_test.go says which package may import which, and
// exceptions_test.go lists every exception with its reason. An exception that is no longer needed
// fails, too, so the list can only get shorter.
//
// Each check has a folder in testdata with code that breaks it; the lines that must be found end
// in a comment "want: …". A check that finds nothing there fails, so no check can silently stop
// working.
package archtest
