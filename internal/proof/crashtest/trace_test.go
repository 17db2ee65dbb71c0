//go:build linux

package crashtest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/proof/proctest"
)

// tracedCalls are the recorded system calls. SQLite in pure Go uses open and fsync where other
// builds use openat and fdatasync; not every machine has all of them.
const tracedCalls = "?open,openat,write,pwrite64,pwritev,?pwritev2,fsync,fdatasync,ftruncate,fallocate,?unlink,unlinkat,?rename,?renameat,?renameat2,close,?sync_file_range,msync"

// traced is the command line that records a program. If possible, the program dies with its
// tracer.
func traced(strace, output string, program []string, more ...string) []string {
	argv := append([]string{strace, "-f", "--seccomp-bpf", "-ttt", "-xx", "-s", "1000000", "-e", "trace=" + tracedCalls, "-o", output}, more...)
	if setpriv, err := exec.LookPath("setpriv"); err == nil {
		argv = append(argv, setpriv, "--pdeathsig", "KILL")
	}
	return append(argv, program...)
}

// killTraced kills the traced process, and lets the tracer write what it has seen.
func killTraced(t *testing.T, tracer *proctest.Process) {
	t.Helper()
	pid := tracer.PID()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		t.Fatalf("the tracer has children %q", children)
	}
	_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended meanwhile
	tracer.Wait(t)
}

// stepKind is the kind of a step in a recording.
type stepKind int

const (
	created   stepKind = iota // a file's name
	removed                   // a file's name
	written                   // a write started: from here on its bytes may be anywhere
	truncated                 // the same for a truncation
	returned                  // write or truncation op has returned
	flushing                  // a sync started
	flushed                   // sync op has returned, without an error if ok
	acked                     // a 2xx response starts to leave
)

// step is one thing that a recorded server did to its files or sent to a client.
type step struct {
	kind stepKind
	file int    // number of the file; a recreated file gets a new one
	name string // its name in the directory
	op   int    // number of the write, truncation or sync
	at   int64  // offset, or length of a truncation
	data []byte
	ok   bool
	seq  int64 // Commit-Seq of a response
}

// recording is what a traced server did, in order.
type recording struct {
	steps []step
	dir   string // its data directory
	files int
	ops   int
	names map[string]int // file by name
	open  map[int]int    // file by descriptor
	begun map[string]pending
}

// pending is a thread's system call that has not returned.
type pending struct {
	call, args string
	op, file   int
}

// parseTrace parses the output of strace. Existing files in the directory are numbered in order
// of their names.
func parseTrace(r io.Reader, dir string, before []string) (*recording, error) {
	p := &recording{dir: dir, names: map[string]int{}, open: map[int]int{}, begun: map[string]pending{}}
	for _, name := range before {
		p.create(name)
	}
	lines := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return p, nil
		}
		if err == nil {
			err = p.line(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return nil, fmt.Errorf("trace line %d: %w", n, err)
		}
	}
}

// line parses "thread time call(arguments) = result", complete or in two halves.
func (p *recording) line(line string) error {
	thread, rest, _ := strings.Cut(line, " ")
	_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	switch {
	case strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "+++"):
		return nil
	case strings.HasPrefix(rest, "<... "):
		call, ok := p.begun[thread]
		delete(p.begun, thread)
		_, end, found := strings.Cut(rest, " resumed>")
		if !ok || !found {
			return fmt.Errorf("a call ends that never began: %.100s", rest)
		}
		return p.end(call, call.args+end)
	}
	name, args, found := strings.Cut(rest, "(")
	if !found {
		return fmt.Errorf("no call: %.100s", rest)
	}
	half, unfinished := strings.CutSuffix(args, " <unfinished ...>")
	call, err := p.begin(name, half)
	if err != nil {
		return err
	}
	if unfinished {
		p.begun[thread] = call
		return nil
	}
	return p.end(call, args)
}

// begin processes the half of a call that is known when it is made.
func (p *recording) begin(name, args string) (pending, error) {
	call := pending{call: name, args: args, file: -1}
	fd, _ := strconv.Atoi(strings.SplitN(strings.SplitN(args, ",", 2)[0], ")", 2)[0])
	file, ours := p.open[fd]
	switch name {
	case "close":
		delete(p.open, fd)
	case "write":
		if ours {
			return call, fmt.Errorf("a write without an offset to file %d", file)
		}
		return call, p.answer(args)
	case "pwrite64", "ftruncate", "fsync", "fdatasync":
		if ours {
			p.ops++
			call.op, call.file = p.ops, file
			return call, p.change(call)
		}
	case "open", "openat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "msync":
	default:
		if ours {
			return call, fmt.Errorf("%s of file %d: the model does not know it", name, file)
		}
	}
	return call, nil
}

// change adds the step with which a write, truncation or sync starts.
func (p *recording) change(call pending) error {
	s := step{file: call.file, op: call.op}
	switch call.call {
	case "fsync", "fdatasync":
		s.kind = flushing
	case "ftruncate":
		_, size, _ := strings.Cut(strings.TrimSpace(call.args), ", ")
		size, _, _ = strings.Cut(size, ")")
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return err
		}
		s.kind, s.at = truncated, n
	default:
		data, rest, err := hexText(call.args)
		if err != nil {
			return err
		}
		parts := strings.Split(strings.TrimPrefix(rest, ", "), ", ")
		if len(parts) != 2 {
			return fmt.Errorf("pwrite64 with %q", rest)
		}
		offset, _, _ := strings.Cut(parts[1], ")")
		n, err := strconv.ParseInt(offset, 10, 64)
		if err != nil || parts[0] != strconv.Itoa(len(data)) {
			return fmt.Errorf("pwrite64 of %d bytes with %q: %w", len(data), rest, err)
		}
		s.kind, s.at, s.data = written, n, data
	}
	p.steps = append(p.steps, s)
	return nil
}

// hexText decodes the first string in a call's arguments and returns the rest.
func hexText(args string) (text []byte, rest string, err error) {
	_, args, _ = strings.Cut(args, `"`)
	coded, rest, found := strings.Cut(args, `"`)
	if !found || strings.HasPrefix(rest, "...") {
		return nil, "", fmt.Errorf("a text without an end")
	}
	text, err = hex.DecodeString(strings.ReplaceAll(coded, `\x`, ""))
	return text, rest, err
}

var commitSeq = regexp.MustCompile(`\r\n(?i:Commit-Seq): ([0-9]+)\r\n`)

// answer records a 2xx response that names a commit.
func (p *recording) answer(args string) error {
	text, _, err := hexText(args)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 2") {
		return err
	}
	m := commitSeq.FindSubmatch(text)
	if m == nil {
		return nil // a read
	}
	q, err := strconv.ParseInt(string(m[1]), 10, 64)
	p.steps = append(p.steps, step{kind: acked, seq: q})
	return err
}

var resultOf = regexp.MustCompile(`\) += (-?[0-9]+|\?)(?: |$)`)

// end processes a call's result.
func (p *recording) end(call pending, args string) error {
	m := resultOf.FindAllStringSubmatch(args, -1)
	if m == nil {
		return fmt.Errorf("%s without a result", call.call)
	}
	result, err := strconv.Atoi(m[len(m)-1][1])
	if err != nil {
		return nil // the process was killed in the call: it never returned
	}
	switch call.call {
	case "open", "openat":
		return p.opened(args, result)
	case "unlink", "unlinkat", "rename", "renameat", "renameat2":
		return p.renamed(call.call, args, result)
	case "pwrite64", "ftruncate":
		return p.changed(call, result)
	case "fsync", "fdatasync":
		if call.file >= 0 {
			p.steps = append(p.steps, step{kind: flushed, file: call.file, op: call.op, ok: result == 0})
		}
	}
	return nil
}

// changed adds the step with which a write or truncation has returned. The model does not cover
// short writes; a failed one had no effect.
func (p *recording) changed(call pending, result int) error {
	if call.file < 0 {
		return nil
	}
	i := len(p.steps) - 1
	for p.steps[i].op != call.op {
		i--
	}
	if result >= 0 && p.steps[i].kind == written && result != len(p.steps[i].data) {
		return fmt.Errorf("a write of %d bytes wrote %d", len(p.steps[i].data), result)
	}
	p.steps = append(p.steps, step{kind: returned, file: call.file, op: call.op, ok: result >= 0})
	return nil
}

// ours returns the name of a file of the database, "" for all others: the lock, and the WAL
// index, which SQLite recreates.
func (p *recording) ours(path string) string {
	name := filepath.Base(path)
	if filepath.Dir(path) != p.dir || !strings.HasPrefix(name, "tenor.db") || name == "tenor.db-shm" || name == "tenor.db-lock" {
		return ""
	}
	return name
}

func (p *recording) create(name string) int {
	p.names[name] = p.files
	p.steps = append(p.steps, step{kind: created, file: p.files, name: name})
	p.files++
	return p.files - 1
}

func (p *recording) opened(args string, fd int) error {
	path, rest, err := hexText(args)
	name := p.ours(string(path))
	if err != nil || fd < 0 || name == "" {
		return err
	}
	if strings.Contains(rest, "O_TRUNC") {
		return fmt.Errorf("%s opened with O_TRUNC: the model does not know it", name)
	}
	file, known := p.names[name]
	if !known {
		file = p.create(name)
	}
	p.open[fd] = file
	return nil
}

func (p *recording) renamed(call, args string, result int) error {
	path, _, err := hexText(args)
	name := p.ours(string(path))
	if err != nil || result < 0 || name == "" {
		return err
	}
	if strings.HasPrefix(call, "rename") {
		return fmt.Errorf("%s renamed: the model does not know it", name)
	}
	p.steps = append(p.steps, step{kind: removed, file: p.names[name], name: name})
	delete(p.names, name)
	return nil
}

// The two halves of a call may be separated, and a descriptor is free when its close starts.
func TestParseTrace(t *testing.T) {
	hexed := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return b.String()
	}
	text := strings.Join([]string{
		`11 1.0 open("` + hexed("/d/tenor.db") + `", O_RDWR|O_CREAT, 0644) = 7`,
		`11 1.1 open("` + hexed("/d/tenor.db-shm") + `", O_RDWR|O_CREAT, 0644) = 8`,
		`11 1.2 pwrite64(7, "` + hexed("ab") + `", 2, 4096) = 2`,
		`12 1.3 fsync(7 <unfinished ...>`,
		`11 1.4 pwrite64(7, "` + hexed("c") + `", 1, 0 <unfinished ...>`,
		`11 1.5 --- SIGURG {si_signo=SIGURG} ---`,
		`12 1.6 <... fsync resumed>)               = 0`,
		`11 1.7 <... pwrite64 resumed>)            = 1`,
		`11 1.8 write(9, "` + hexed("HTTP/1.1 201 Created\r\nCommit-Seq: 42\r\n\r\n{}") + `", 44) = 44`,
		`11 1.9 write(9, "` + hexed("HTTP/1.1 200 OK\r\nAs-Of-Seq: 42\r\n\r\n{}") + `", 44) = 44`,
		`11 2.0 fsync(7) = -1 EIO (Input/output error) (INJECTED)`,
		`12 2.1 close(7 <unfinished ...>`,
		`11 2.2 openat(AT_FDCWD, "` + hexed("/d/other") + `", O_RDONLY) = 7`,
		`12 2.3 <... close resumed>) = 0`,
		`11 2.4 fsync(7) = 0`,
		`11 2.5 unlink("` + hexed("/d/tenor.db") + `") = 0`,
		`11 2.6 +++ exited with 0 +++`,
	}, "\n") + "\n"
	p, err := parseTrace(strings.NewReader(text), "/d", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{kind: created, name: "tenor.db"},
		{kind: written, op: 1, at: 4096, data: []byte("ab")}, {kind: returned, op: 1, ok: true},
		{kind: flushing, op: 2}, {kind: written, op: 3, data: []byte("c")}, {kind: flushed, op: 2, ok: true}, {kind: returned, op: 3, ok: true},
		{kind: acked, seq: 42},
		{kind: flushing, op: 4}, {kind: flushed, op: 4},
		{kind: removed, name: "tenor.db"},
	}
	if diff := cmp.Diff(want, p.steps, cmp.AllowUnexported(step{})); diff != "" {
		t.Error(diff)
	}
}
