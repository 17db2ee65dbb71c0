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

// pulse is how often the generator looks whether it runs itself.
const pulse = 100 * time.Millisecond

// gaps looks at every beat of a pulse whether it came in time, until ended is closed,
// and returns by how much the latest was late.
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

// autopsy ends a run whose server did not answer in time, and keeps what it was
// doing: such a thing may not come back for weeks. What the system knows of its
// threads comes first, because asking the program for its goroutines ends it. The
// error names the file, which stays when the run is over.
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

// dissect writes down what the threads and the goroutines of a server do, and ends it.
func (s *server) dissect(b *strings.Builder) {
	fmt.Fprintf(b, "\nProcess %d, threads:\n", s.cmd.Process.Pid)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", s.cmd.Process.Pid)) // none: no Linux
	for _, task := range tasks {
		fmt.Fprintf(b, "%s %s\n", filepath.Base(task), threadState(task))
	}
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err == nil {
		select {
		case <-s.ended:
		case <-time.After(stopTimeout):
		}
	}
	_ = s.kill() // if it has not ended, there is nothing better to do
	text, err := os.ReadFile(s.log)
	fmt.Fprintf(b, "\nThe end of its log:\n%s\n", text[max(0, len(text)-(1<<20)):])
	if err != nil {
		fmt.Fprintln(b, err)
	}
}

// threadState is what a thread waits for, as far as the system tells: R runs, S
// sleeps, D waits for a disk.
func threadState(task string) string {
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(task, name)) // it may have ended; stack is for root
		return strings.TrimSpace(string(text))
	}
	_, stat, _ := strings.Cut(read("stat"), ") ")
	state, _, _ := strings.Cut(stat, " ")
	return strings.Join(strings.Fields(strings.Join([]string{state, read("wchan"), read("stack")}, " ")), " ")
}
