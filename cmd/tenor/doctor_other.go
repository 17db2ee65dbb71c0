//go:build !linux && !darwin

package main

// freeBytes is not known here.
func freeBytes(string) (free int64, known bool) { return 0, false }

// openFileLimit is not known here.
func openFileLimit() (n uint64, known bool) { return 0, false }
