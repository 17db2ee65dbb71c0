package docstest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// Time limits for a page's commands, with a margin for a busy machine.
const (
	startTime = 2 * time.Minute // for the output of a background block
	blockTime = 5 * time.Minute // for one block
	stopTime  = time.Minute     // for a background block to stop
)

// TestCommands runs the commands of every page; with every change those of the README and of every
// third page.
func TestCommands(t *testing.T) {
	var runnable []page
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.lang == "sh" && b.has("test") {
				runnable = append(runnable, p)
				break
			}
		}
	}
	if len(runnable) == 0 {
		t.Fatal("no page has a command to run")
	}
	require(t, "bash", "curl")
	bin := build(t)
	for i, p := range runnable {
		if suite.By(i%3 == 0 || p.name == "README.md", true) {
			t.Run(p.name, func(t *testing.T) { runPage(t, p, bin) })
		}
	}
}

// require skips the test if a program is missing, or fails it if skipping is not allowed.
func require(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		suite.Program(t, name, name)
	}
}

// build creates a folder for the PATH: the current tenor, and a go that can only do "go run
// ./cmd/tenor", with that tenor.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	program, err := proctest.Program("")
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(bin, "go-build", "exe") // where go run would put it: tenor prints its commands as they were started
	if err := errors.Join(os.MkdirAll(run, 0o755), os.Symlink(program, filepath.Join(bin, "tenor")), os.Symlink(program, filepath.Join(run, "tenor")),
		os.WriteFile(filepath.Join(bin, "go"), []byte(goInPages), 0o755)); err != nil {
		t.Fatal(err)
	}
	return bin
}

const goInPages = `#!/usr/bin/env bash
set -euo pipefail
if [[ "${1-} ${2-}" != "run ./cmd/tenor" ]]; then
	echo "a page may only say: go run ./cmd/tenor" >&2
	exit 2
fi
shift 2
exec "$(dirname "$0")/go-build/exe/tenor" "$@"
`

func runPage(t *testing.T, p page, bin string) {
	s := openShell(t, bin)
	for i, b := range p.blocks {
		if b.lang != "sh" || !b.has("test") {
			continue
		}
		want, shown := p.outputOf(i)
		if b.has("background") {
			if !shown {
				t.Fatalf("%s:%d: a background block needs the output to wait for", p.name, b.line)
			}
			s.background(t, fmt.Sprintf("%s:%d", p.name, b.line), b.text, want)
			continue
		}
		got, err := s.run(b.text)
		if err != nil {
			t.Fatalf("%s:%d: %v\n%s", p.name, b.line, err, got)
		}
		if !shown {
			continue
		}
		if d := differs(want.lang, want.text, got); d != "" {
			t.Errorf("%s:%d: %s\nthe whole output:\n%s", p.name, want.line, d, got)
		}
	}
}

// shell is one bash in which a page's blocks run, with what they started.
type shell struct {
	dir, bin string
	stdin    io.WriteCloser
	out      *output
	exited   chan struct{}
	blocks   int
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func newOutput() *output { return &output{news: make(chan struct{}, 1)} }

// Write appends; it never fails.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	select {
	case o.news <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.text.String()
	o.text.Reset()
	return s
}

func openShell(t *testing.T, bin string) *shell {
	t.Helper()
	s := &shell{dir: t.TempDir(), bin: bin, out: newOutput(), exited: make(chan struct{})}
	cmd := exec.Command("bash", "--norc", "-euo", "pipefail")
	cmd.Dir, cmd.Env = s.dir, s.environment(t)
	cmd.Stdout, cmd.Stderr = s.out, s.out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(func() {
		_ = s.stdin.Close()
		end(t, cmd, s.exited)
	})
	return s
}

// environment returns a reader's environment. A server gets a free port, since the usual one may
// be taken here, and stops without waiting for a load balancer.
func (s *shell) environment(t *testing.T) []string {
	t.Helper()
	env := []string{
		"PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.dir, "LANG=C.UTF-8", "TENOR_ADDR=" + proctest.FreeAddress(t), "TENOR_DRAIN=0s",
	}
	if d := os.Getenv("TMPDIR"); d != "" {
		env = append(env, "TMPDIR="+d)
	}
	return env
}

// run runs a block in the shell and returns its output.
func (s *shell) run(text string) (string, error) {
	s.blocks++
	file := filepath.Join(s.bin, fmt.Sprintf("block-%d", s.blocks))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return "", err
	}
	s.out.take()
	mark := fmt.Sprintf("\x1e block %d done \x1e", s.blocks)
	if _, err := fmt.Fprintf(s.stdin, "source %s </dev/null\nprintf '%%s' '%s'\n", file, mark); err != nil {
		return s.out.take(), err
	}
	late := time.After(blockTime)
	for {
		if got, done := strings.CutSuffix(s.out.String(), mark); done {
			return got, nil
		}
		select {
		case <-s.out.news:
		case <-s.exited:
			return s.out.take(), errors.New("a command failed")
		case <-late:
			return s.out.take(), fmt.Errorf("not done after %s", blockTime)
		}
	}
}

var export = regexp.MustCompile(`^\s*(export [A-Z_]+=\S+)`)

// background starts a block, waits until it has printed what the page shows, and passes its
// exports to the shell, like a reader who copies them.
func (s *shell) background(t *testing.T, where, text string, want block) {
	t.Helper()
	out, exited := newOutput(), make(chan struct{})
	cmd := exec.Command("bash", "--norc", "-euo", "pipefail", "-c", text)
	cmd.Dir, cmd.Env = s.dir, s.environment(t)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		end(t, cmd, exited)
		if t.Failed() {
			t.Logf("%s printed:\n%s", where, out)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	for d := "nothing"; d != ""; d = differs(want.lang, want.text, out.String()) {
		select {
		case <-out.news:
		case <-exited:
			t.Fatalf("%s: ended at once:\n%s", where, out)
		case <-ctx.Done():
			t.Fatalf("%s: after %s: %s", where, startTime, d)
		}
	}
	printed := bufio.NewScanner(strings.NewReader(out.String()))
	for printed.Scan() {
		if m := export.FindStringSubmatch(printed.Text()); m != nil {
			if _, err := s.run(m[1]); err != nil {
				t.Fatalf("%s: %v", where, err)
			}
		}
	}
}

// end asks a process group to stop, like Ctrl+C, and then kills it.
func end(t *testing.T, cmd *exec.Cmd, exited chan struct{}) {
	t.Helper()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	select {
	case <-exited:
	case <-time.After(stopTime):
		t.Errorf("%v did not stop within %s", cmd.Args, stopTime)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-exited
	}
}

// The shell must notice failures.
func TestShell(t *testing.T) {
	require(t, "bash")
	s := openShell(t, t.TempDir())
	if got, err := s.run("NAME=x\n"); err != nil || got != "" {
		t.Fatalf("%q, %v", got, err)
	}
	if got, err := s.run("echo $NAME; echo err >&2; cat\n"); err != nil || got != "x\nerr\n" {
		t.Fatalf("%q, %v: variables, stderr or stdin are wrong", got, err)
	}
	s.background(t, "here", "echo up; echo '  export ADDRESS=http://localhost:1/'; sleep 60", block{lang: "text", text: "up\n  export ADDRESS=…\n"})
	if got, err := s.run("echo $ADDRESS\n"); err != nil || got != "http://localhost:1/\n" {
		t.Fatalf("%q, %v", got, err)
	}
	if got, err := s.run("echo before; false | cat; echo after\n"); err == nil || got != "before\n" {
		t.Errorf("%q, %v: a failed command goes unnoticed", got, err)
	}
}
