package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"tenor/internal/app/exit"
)

// Exampled is a command with examples: what follows the program's name.
type Exampled interface{ Examples() []string }

// ErrHelp means that help was shown instead of running a command.
var ErrHelp = errors.New("help was shown")

// WantsJSON looks for --json before the line is parsed, so that even an error in the line is
// reported in the requested format.
func WantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// Output is how a command prints its result.
type Output struct {
	JSON  bool `name:"json" help:"Print the server's JSON; errors as problem documents."`
	Plain bool `help:"Print one record per line, tab-separated."`
	Quiet bool `short:"q" help:"Print only keys."`
}

// Say prints a message for people; with --json or -q it prints nothing.
func (o Output) Say(a *App, format string, args ...any) {
	if !o.JSON && !o.Quiet {
		fmt.Fprintf(a.Err, format+"\n", args...)
	}
}

// Document prints one JSON document.
func Document(w io.Writer, text []byte) error {
	text = escaped(text)
	if len(text) == 0 || text[len(text)-1] != '\n' {
		text = append(slices.Clip(text), '\n')
	}
	_, err := w.Write(text)
	return err
}

// Write writes a download to a new file, or to standard output. The file of an interrupted
// download is removed, so no incomplete file is left.
func (o Output) Write(a *App, path string, download func(io.Writer) error) error {
	if path == "" {
		return download(a.Out)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &exit.Failure{Code: exit.Refused, Text: "create the file", Err: err}
	}
	err = download(f)
	written, _ := f.Seek(0, io.SeekEnd)
	if end := f.Close(); err == nil {
		err = end
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	o.Say(a, "Wrote %s to %s.", Size(int(written)), path)
	return nil
}

// Table prints a table for people, or its rows as records.
func (o Output) Table(a *App, t *Table) error {
	if o.Plain {
		return t.Plain(a.Out)
	}
	return a.Show(t)
}
