// Command tenor is the whole product in one binary: it serves the API and the pages, plays a
// sandbox, and is the command line of both. It alone knows which database is behind them.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tenor/internal/clock"
)

func main() { os.Exit(entry(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

// entry runs one command line, the program's name first, and returns the exit code. A
// first interrupt ends the command, a second one the process.
func entry(args []string, in, out, errs *os.File) int {
	ctx, stop := interruptible(errs, os.Exit)
	defer stop()
	return run(ctx, args[1:], &app{
		in: in, out: out, err: errs, interactive: isTerminal(in) && isTerminal(errs),
		outTerminal: isTerminal(out), errTerminal: isTerminal(errs), getenv: os.Getenv,
		program: startedAs(args[0], exec.LookPath), wall: clock.Wall{}.Now,
	})
}

// app is what a command has around it. A command keeps no other state.
type app struct {
	in          io.Reader
	out, err    io.Writer     // for people and programs; run keeps what is unseen from them
	screen      io.Writer     // err as it is, for what draws over itself
	interactive bool          // somebody sits there and can be asked
	outTerminal bool          // out is a terminal
	errTerminal bool          // err is one
	noColor     bool          // --no-color was given
	waits       time.Duration // for tests, in the place of the times after which a wait is shown or given up; 0: those
	getenv      func(string) string
	program     string // how the user starts tenor, for commands that are printed
	wall        func() time.Time
	command     string // what is run, such as "orders capture"
	subject     string // what the command is about, for hints: an order's key, a payment's id
}

// errInterrupted is the cause of a context that a signal has ended.
var errInterrupted = errors.New("interrupted")

// interruptible returns a context that the first SIGINT or SIGTERM ends. The
// second one ends the process at once.
func interruptible(stderr io.Writer, end func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case <-done:
				return
			case <-signals:
			}
			if !first {
				end(exitInterrupted)
			}
			io.WriteString(stderr, "Stopping… (again to force)\n")
			cancel(errInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// startedAs is how the user would start this program again: by go run, by its
// name if the shell finds it, or by its path.
func startedAs(arg0 string, lookPath func(string) (string, error)) string {
	slashed := filepath.ToSlash(arg0)
	if strings.Contains(slashed, "/go-build") { // built for this run, or kept in Go's cache by an earlier one
		return "go run ./cmd/tenor"
	}
	name := filepath.Base(arg0)
	if found, err := lookPath(name); err == nil && (arg0 == name || sameFile(found, arg0)) {
		return strings.TrimSuffix(name, ".exe")
	}
	return arg0
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
