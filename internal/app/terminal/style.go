package terminal

import (
	"io"
	"strings"
)

// NoColorFlag turns colors off, anywhere among the arguments.
type NoColorFlag bool

// BeforeReset is called by the parser once it has read the whole line.
func (NoColorFlag) BeforeReset(a *App) error {
	a.noColor = true
	return nil
}

// Terminal styles (ECMA-48).
const (
	Bold = "\x1b[1m"
	Red  = "\x1b[1;31m"
	Dim  = "\x1b[2m"

	PlainAgain = "\x1b[0m"
)

// Style styles a text where colors are shown: on a terminal, unless it is dumb, NO_COLOR is set
// or --no-color is given; elsewhere if FORCE_COLOR is set.
func (a *App) Style(terminal bool, code, text string) string {
	if text == "" || !a.colors(terminal) {
		return text
	}
	return code + text + PlainAgain
}

func (a *App) colors(terminal bool) bool {
	switch force := a.Getenv("FORCE_COLOR"); {
	case a.noColor || a.Getenv("NO_COLOR") != "":
		return false
	case force != "":
		return force != "0" && !strings.EqualFold(force, "false")
	}
	return terminal && a.Getenv("TERM") != "dumb"
}

// Show prints a table for people.
func (a *App) Show(t *Table) error {
	return t.styled(a.Out, func(head string) string { return a.Style(a.OutTerminal, Bold, head) })
}

// tell prints a message for people.
func (a *App) tell(text string) { io.WriteString(a.Err, text+"\n") }
