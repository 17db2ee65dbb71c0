//go:build unix && !linux

package pgtest

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// children returns the processes that a process has started and not reaped.
func children(pid int) (pids []int, err error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		var child, parent int
		if _, err := fmt.Sscan(line, &child, &parent); err != nil {
			return nil, fmt.Errorf("ps says %s: %w", strconv.Quote(line), err)
		}
		if parent == pid {
			pids = append(pids, child)
		}
	}
	return pids, nil
}

// alive reports whether a process exists.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// inMemory returns a directory whose files are in memory: none is known.
func inMemory() string { return "" }
