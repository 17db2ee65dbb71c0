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

// inMemory returns a directory whose files are in memory, "" if there is no room for the data of
// some servers. There, a copy of a database takes a fourteenth of the time it takes on a disk.
func inMemory() string {
	const (
		tmpfs = 0x01021994
		room  = 6 << 30
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Type != tmpfs || fs.Bavail*uint64(fs.Bsize) < room || available() < room {
		return ""
	}
	return memory
}

// available returns how many bytes of memory programs can still have, 0 if that is not known: the
// machine's, or less if the group of processes may have less.
func available() uint64 {
	free := func(file, name string) (n uint64, known bool) {
		b, err := os.ReadFile(file)
		if err != nil {
			return 0, false
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(strings.TrimPrefix(line, name))
			if strings.HasPrefix(line, name) && len(f) > 0 {
				n, err = strconv.ParseUint(f[0], 10, 64)
				return n, err == nil
			}
		}
		return 0, false
	}
	n, known := free("/proc/meminfo", "MemAvailable:")
	if !known {
		return 0
	}
	n <<= 10
	if most, limited := free("/sys/fs/cgroup/memory.max", ""); limited {
		used, _ := free("/sys/fs/cgroup/memory.current", "")
		n = min(n, most-min(used, most))
	}
	return n
}
