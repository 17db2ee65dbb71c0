//go:build !linux && !darwin

package main

import "os"

// freeBytes is not known here.
func freeBytes(string) (free int64, known bool) { return 0, false }

// openFileLimit is not known here.
func openFileLimit() (n uint64, known bool) { return 0, false }

// ofSuperuser is not known here.
func ofSuperuser(os.FileInfo) bool { return false }
