//go:build !failpoint

package main

// arm does nothing: only the program of the crash tests stops at failpoints.
func arm() {}
