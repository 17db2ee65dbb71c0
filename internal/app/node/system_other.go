//go:build !linux && !darwin

package node

import "os"

// FreeBytes is unknown here.
func FreeBytes(string) (free int64, known bool) { return 0, false }

// OpenFileLimit is unknown here.
func OpenFileLimit() (n uint64, known bool) { return 0, false }

// ofSuperuser is unknown here.
func ofSuperuser(os.FileInfo) bool { return false }
