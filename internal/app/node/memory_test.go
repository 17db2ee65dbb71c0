package node

import (
	"os"
	"testing"
)

// A server knows how much memory it may use, in a container too.
func TestMachineMemory(t *testing.T) {
	const info = "MemTotal:        8000000 kB\nMemFree:          100 kB\n"
	for what, x := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"a machine":               {map[string]string{"/proc/meminfo": info}, 8000000 << 10},
		"a group without a limit": {map[string]string{"/proc/meminfo": info, "/sys/fs/cgroup/memory.max": "max\n"}, 8000000 << 10},
		"a container":             {map[string]string{"/proc/meminfo": info, "/sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"an older container":      {map[string]string{"/proc/meminfo": info, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		"an older group without a limit": {map[string]string{
			"/proc/meminfo": info, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8000000 << 10},
		"nonsense":       {map[string]string{"/proc/meminfo": "MemTotal: much\n"}, 0},
		"another system": {nil, 0},
	} {
		read := func(name string) ([]byte, error) {
			text, ok := x.files[name]
			if !ok {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		}
		if got := MachineMemory(read); got != x.want {
			t.Errorf("%s: %d instead of %d", what, got, x.want)
		}
	}
}
