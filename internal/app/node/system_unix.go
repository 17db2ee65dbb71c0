//go:build linux || darwin

package node

import (
	"os"
	"syscall"
)

// FreeBytes returns how much an ordinary user may still write on a directory's disk.
func FreeBytes(dir string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// OpenFileLimit returns how many files a process of this user may open.
func OpenFileLimit() (n uint64, known bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	return l.Cur, true
}

// ofSuperuser reports whether a file belongs to the superuser and this process to another user.
func ofSuperuser(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Uid == 0 && os.Geteuid() != 0
}
