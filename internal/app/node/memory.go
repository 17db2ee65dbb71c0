package node

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// collectAt lets the heap grow to five times what is in use before it is collected. A
	// server holds little and allocates much: collecting at twice costs a tenth of its time.
	collectAt = 400
	// memoryShare is the part of the machine's memory, as a divisor, from which on the heap is
	// collected more often instead. SQLite's pages, PostgreSQL and the system's cache of files
	// need the rest.
	memoryShare = 4
)

// TuneMemory makes the process use memory as a server does: it collects less often than a
// program that runs for seconds, while the machine has room. GOGC and GOMEMLIMIT in the
// environment come first.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		if n := MachineMemory(os.ReadFile); n > 0 {
			debug.SetMemoryLimit(n / memoryShare)
		}
	}
}

// MachineMemory returns how many bytes of memory this process may use: the machine's, or less
// if its control group allows less. It is 0 where the system does not say.
func MachineMemory(read func(name string) ([]byte, error)) int64 {
	n := int64(0)
	if text, err := read("/proc/meminfo"); err == nil {
		n = memTotal(text)
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := read(name)
		if err != nil {
			continue
		}
		if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && most > 0 && (n == 0 || most < n) {
			n = most
		}
	}
	return n
}

// memTotal finds the first line of /proc/meminfo, which is in KiB.
func memTotal(text []byte) int64 {
	for line := range bytes.Lines(text) {
		if fields := bytes.Fields(line); len(fields) >= 2 && string(fields[0]) == "MemTotal:" {
			kib, err := strconv.ParseInt(string(fields[1]), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
