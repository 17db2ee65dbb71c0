//go:build linux

package nodetest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// readProblem decodes the body of a problem.
func readProblem(a answer, into any) error { return json.Unmarshal([]byte(a.Body), into) }

// memory returns the server's peak memory so far, in bytes; the final value once it has been
// stopped.
func (o *overload) memory() int64 {
	o.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.servers[0].PID()))
	if err != nil {
		return o.peak
	}
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); !found || err != nil {
		o.t.Fatalf("the memory of the server: %v in %s", err, text)
	}
	o.peak = kilobytes << 10
	return o.peak
}

// files returns how many descriptors the server has open.
func (o *overload) files() int {
	o.t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", o.servers[0].PID()))
	if err != nil {
		o.t.Fatal(err)
	}
	return len(list)
}

// rest checks the state after everybody has left: the server uses no more than before, and never
// exceeded its bound.
func (o *overload) rest(memory int64, files int) {
	o.t.Helper()
	for _, c := range append(o.flooders, o.quiet) {
		c.client.close()
		for _, a := range c.asked {
			o.count.sent++
			if a.err == nil && a.answer.accepted() {
				o.count.accepted++
			}
		}
	}
	if now := o.memory(); now > memory+mostMemory {
		o.t.Errorf("the server held %d MiB, %d before", now>>20, memory>>20)
	}
	for end := time.Now().Add(patience); o.files() > files+mostFiles; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			o.t.Fatalf("the server has %d files open, %d before", o.files(), files)
		}
	}
}
