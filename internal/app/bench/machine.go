package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Machine describes the machine of a run.
type Machine struct {
	CPU    string `json:"cpu,omitempty"`
	Cores  int    `json:"cores"` // available to the program
	Memory int64  `json:"memory_mib,omitempty"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Go     string `json:"go"`
	// Sync is how long a small write to the run's disk takes to become durable: commits cannot be
	// faster.
	Sync spread `json:"fsync_ms"`
}

// syncs is the number of timed writes.
const syncs = 50

func thisMachine(dir string) (Machine, error) {
	m := Machine{Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	// Both files exist only on Linux; elsewhere the machine has no name and no size.
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = field(text, "model name")
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		m.Memory = kibibytes(field(text, "MemTotal")) / 1024
	}
	took, err := timeSyncs(dir)
	m.Sync = spreadOf(took)
	return m, err
}

// field finds the value of the first line "name : value".
func field(text []byte, name string) string {
	for line := range bytes.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		if string(bytes.TrimSpace(key)) == name {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// kibibytes parses "1234 kB"; 0 if it is something else.
func kibibytes(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(s, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// timeSyncs appends to a file like a log, and times how long each write takes to reach the disk.
func timeSyncs(dir string) (ms []float64, err error) {
	name := filepath.Join(dir, "sync")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(name)) }()
	block := make([]byte, 4096)
	for range syncs {
		begin := time.Now()
		if _, err := f.Write(block); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, fmt.Errorf("sync: %w", err)
		}
		ms = append(ms, milliseconds(time.Since(begin)))
	}
	return ms, nil
}
