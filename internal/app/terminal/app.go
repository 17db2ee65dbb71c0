// Package terminal is what commands have in common that talk to people and to a server: how
// they print results and errors, ask for consent, show progress, and what their flags are. A
// noun says once how it is printed; nothing that others wrote is obeyed by the terminal.
package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tenor/internal/app/exit"
)

// App is what a command has around it. A command keeps no other state.
type App struct {
	In          io.Reader
	Out, Err    io.Writer           // for people and programs; run keeps what is unseen from them
	Screen      io.Writer           // Err as it is, for what draws over itself
	Interactive bool                // somebody sits there and can be asked
	OutTerminal bool                // Out is a terminal
	ErrTerminal bool                // Err is one
	noColor     bool                // --no-color was given
	Waits       time.Duration       // for tests, in the place of the times after which a wait is shown or given up; 0: those
	Getenv      func(string) string // the environment, and behind it the files of settings
	SystemDir   string              // where the machine's own settings are; "": nowhere
	Program     string              // how the user starts tenor, for commands that are printed
	Wall        func() time.Time
	Command     string // what is run, such as "orders capture"
	Subject     string // what the command is about, for hints: an order's key, a payment's id
}

// errInterrupted is the cause of a context that a signal has ended.
var errInterrupted = errors.New("interrupted")

// Interruptible returns a context that the first SIGINT or SIGTERM ends. The
// second one ends the process at once.
func Interruptible(stderr io.Writer, end func(int)) (context.Context, func()) {
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
				end(exit.Interrupted)
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

// StartedAs is how the user would start this program again: by go run, by its
// name if the shell finds it, or by its path.
func StartedAs(arg0 string, lookPath func(string) (string, error)) string {
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
