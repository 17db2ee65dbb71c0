package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pulse is how often the generator checks that it is being scheduled itself.
const pulse = 100 * time.Millisecond

// gaps checks whether each beat of a pulse came in time, until ended is closed, and returns the
// longest delay.
func gaps(beats <-chan time.Time, now func() time.Time, ended <-chan struct{}) (longest time.Duration) {
	for last := now(); ; {
		select {
		case <-ended:
			return longest
		case <-beats:
			at := now()
			longest = max(longest, at.Sub(last)-pulse)
			last = at
		}
	}
}

// autopsy ends a run whose server did not respond in time, and saves what the server was doing:
// such a hang may not recur for weeks. It records the system's view of the threads first, because
// asking the program for its goroutines ends it. The error names the file, which is kept after
// the run.
func (r *runner) autopsy(s *site, res *result) error {
	if !errors.Is(res.first, os.ErrDeadlineExceeded) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v\nThe generator itself did not run for up to %s.\n", res.first, res.gap.Round(time.Millisecond))
	for _, x := range s.servers {
		x.dissect(&b)
	}
	s.servers = nil
	f, err := os.CreateTemp(r.cfg.Dir, "tenor-bench-hang-*.txt")
	if err != nil {
		return errors.Join(res.first, err)
	}
	if _, err := f.WriteString(b.String()); err != nil {
		return errors.Join(res.first, err, f.Close())
	}
	return errors.Join(fmt.Errorf("%w; the generator itself did not run for up to %s; what the server's threads and goroutines did is in %s",
		res.first, res.gap.Round(time.Millisecond), f.Name()), f.Close())
}

// dissect writes what the threads and goroutines of a server are doing, and kills it.
func (s *server) dissect(b *strings.Builder) {
	fmt.Fprintf(b, "\nProcess %d, threads:\n", s.cmd.Process.Pid)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", s.cmd.Process.Pid)) // none if not on Linux
	for _, task := range tasks {
		fmt.Fprintf(b, "%s %s\n", filepath.Base(task), threadState(task))
	}
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err == nil {
		select {
		case <-s.ended:
		case <-time.After(stopTimeout):
		}
	}
	_ = s.kill() // if it is still running, nothing better can be done
	text, err := os.ReadFile(s.log)
	fmt.Fprintf(b, "\nThe end of its log:\n%s\n", text[max(0, len(text)-(1<<20)):])
	if err != nil {
		fmt.Fprintln(b, err)
	}
}

// threadState is a thread's state and wait, as far as the system reports it: R runs, S sleeps, D
// waits for a disk.
func threadState(task string) string {
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(task, name)) // it may have ended; stack needs root
		return strings.TrimSpace(string(text))
	}
	_, stat, _ := strings.Cut(read("stat"), ") ")
	state, _, _ := strings.Cut(stat, " ")
	return strings.Join(strings.Fields(strings.Join([]string{state, read("wchan"), read("stack")}, " ")), " ")
}
