package cli

import (
	"os"
	"os/exec"

	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
)

// Main runs one command line, starting with the program's name, and returns the exit code. The
// first interrupt stops the command, the second the process, through end.
func Main(args []string, in, out, errs *os.File, end func(code int)) int {
	ctx, stop := terminal.Interruptible(errs, end)
	defer stop()
	return Run(ctx, args[1:], &terminal.App{
		In: in, Out: out, Err: errs, Interactive: terminal.IsTerminal(in) && terminal.IsTerminal(errs),
		OutTerminal: terminal.IsTerminal(out), ErrTerminal: terminal.IsTerminal(errs), Getenv: os.Getenv, SystemDir: systemDir(),
		Program: terminal.StartedAs(args[0], exec.LookPath), Wall: clock.Wall{}.Now,
	})
}

// systemDir is where machine-wide settings are stored, "" if there is no such place.
func systemDir() string {
	if os.PathSeparator != '/' {
		return ""
	}
	return "/etc/tenor"
}
