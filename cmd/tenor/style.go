package main

import (
	"io"
	"strings"
)

// noColorFlag switches colours off, wherever it stands among the arguments.
type noColorFlag bool

// BeforeReset is called by the parser as soon as it has read the whole line.
func (noColorFlag) BeforeReset(a *app) error {
	a.noColor = true
	return nil
}

// Styles of a terminal (ECMA-48).
const (
	bold = "\x1b[1m"
	red  = "\x1b[1;31m"
	dim  = "\x1b[2m"

	plainAgain = "\x1b[0m"
)

// style writes a text in a style where colours are shown: on a terminal, unless it
// is a dumb one, NO_COLOR is set or --no-color is given; elsewhere if FORCE_COLOR is
// set.
func (a *app) style(terminal bool, code, text string) string {
	if text == "" || !a.colors(terminal) {
		return text
	}
	return code + text + plainAgain
}

func (a *app) colors(terminal bool) bool {
	switch force := a.getenv("FORCE_COLOR"); {
	case a.noColor || a.getenv("NO_COLOR") != "":
		return false
	case force != "":
		return force != "0" && !strings.EqualFold(force, "false")
	}
	return terminal && a.getenv("TERM") != "dumb"
}

// show prints a table for people.
func (a *app) show(t *table) error {
	return t.styled(a.out, func(head string) string { return a.style(a.outTerminal, bold, head) })
}

// tell prints a message for people.
func (a *app) tell(text string) { io.WriteString(a.err, text+"\n") }
