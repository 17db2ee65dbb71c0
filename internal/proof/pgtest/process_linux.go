package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// children returns the processes that a process has started and not reaped.
func children(pid int) ([]int, error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	if len(lists) == 0 {
		return nil, fmt.Errorf("there is no process %d", pid)
	}
	var pids []int
	for _, list := range lists {
		b, err := os.ReadFile(list)
		if err != nil {
			return nil, err
		}
		for _, word := range strings.Fields(string(b)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				return nil, err
			}
			pids = append(pids, child)
		}
	}
	return pids, nil
}

// alive reports whether a process is running. A zombie is not: if process 1 reaps nothing it
// stays forever.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// inMemory is a directory whose files are in memory, "" if it has no room for the data of some
// servers. A copy of a database takes a fourteenth of what it takes on a disk there.
func inMemory() string {
	const (
		dir   = "/dev/shm"
		tmpfs = 0x01021994
		room  = 6 << 30
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Type != tmpfs || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return dir
}
