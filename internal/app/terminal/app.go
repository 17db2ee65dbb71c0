// Package terminal is shared by the commands that talk to people and to a server: how they print
// results and errors, ask for consent and show progress, and their common flags. A noun defines
// once how it is printed. Text written by others cannot control the terminal.
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

// App is a command's environment. A command has no other state.
type App struct {
	In          io.Reader
	Out, Err    io.Writer           // for people and programs; Run wraps them to hide unseen characters
	Screen      io.Writer           // the original Err, for displays that redraw themselves
	Interactive bool                // a person can be asked
	OutTerminal bool                // Out is a terminal
	ErrTerminal bool                // Err is one
	noColor     bool                // --no-color was given
	Waits       time.Duration       // for tests, replaces the times after which a wait is shown or given up; 0: no change
	Getenv      func(string) string // the environment, then the settings files
	SystemDir   string              // where the machine-wide settings are; "": nowhere
	Program     string              // how the user starts tenor, for printed commands
	Wall        func() time.Time
	Command     string // the running command, such as "orders capture"
	Subject     string // what the command is about, for hints: an order's key, a payment's ID
}

// errInterrupted is the cause of a context canceled by a signal.
var errInterrupted = errors.New("interrupted")

// Interruptible returns a context that the first SIGINT or SIGTERM cancels. The second one ends
// the process at once.
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

// StartedAs returns how the user would start this program again: with go run, by name if the
// shell finds it, or by path.
func StartedAs(arg0 string, lookPath func(string) (string, error)) string {
	slashed := filepath.ToSlash(arg0)
	if strings.Contains(slashed, "/go-build") { // built for this run, or cached by Go in an earlier one
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
