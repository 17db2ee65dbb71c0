//go:build !linux && !darwin

package node

import "os"

// FreeBytes is not known here.
func FreeBytes(string) (free int64, known bool) { return 0, false }

// OpenFileLimit is not known here.
func OpenFileLimit() (n uint64, known bool) { return 0, false }

// ofSuperuser is not known here.
func ofSuperuser(os.FileInfo) bool { return false }
