package cli

import (
	"os"
	"os/exec"

	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
)

// Main runs one command line, the program's name first, and returns the exit code. A
// first interrupt ends the command, a second one the process, by end.
func Main(args []string, in, out, errs *os.File, end func(code int)) int {
	ctx, stop := terminal.Interruptible(errs, end)
	defer stop()
	return Run(ctx, args[1:], &terminal.App{
		In: in, Out: out, Err: errs, Interactive: terminal.IsTerminal(in) && terminal.IsTerminal(errs),
		OutTerminal: terminal.IsTerminal(out), ErrTerminal: terminal.IsTerminal(errs), Getenv: os.Getenv, SystemDir: systemDir(),
		Program: terminal.StartedAs(args[0], exec.LookPath), Wall: clock.Wall{}.Now,
	})
}

// systemDir is where settings of the whole machine are, "" if it has no such place.
func systemDir() string {
	if os.PathSeparator != '/' {
		return ""
	}
	return "/etc/tenor"
}
