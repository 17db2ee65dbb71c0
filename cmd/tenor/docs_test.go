package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tenor/internal/app/cli"
	"tenor/internal/app/terminal"
)

// grammarOf returns the grammar of the command line.
func grammarOf(t *testing.T) *kong.Node {
	t.Helper()
	var grammar cli.Grammar
	parser, err := kong.New(&grammar, kong.Name("tenor"), cli.Vars(), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Node
}

// leaves returns the runnable commands with their nodes.
func leaves(n *kong.Node) map[string]*kong.Node {
	out := map[string]*kong.Node{}
	for _, l := range n.Leaves(true) {
		out[strings.TrimPrefix(l.FullPath(), "tenor ")] = l
	}
	return out
}

var named = regexp.MustCompile("`([a-z]+( [a-z-]+){0,2})`")

// Every command with --json has a row that says what it prints, and every row is about an
// existing command.
func TestJSONPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli-json.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range named.FindAllStringSubmatch(cells[1], -1) {
				told[m[1]] = true
			}
		}
	}
	known := leaves(grammarOf(t))
	for name, n := range known {
		knows := slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == "json" })
		if knows != told[name] {
			t.Errorf("%s knows --json: %v, and has a row: %v", name, knows, told[name])
		}
		delete(told, name)
	}
	for name := range told {
		t.Errorf("there is no command %s", name)
	}
}

// The command line page names every command.
func TestCommandPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range leaves(grammarOf(t)) {
		noun, verb, _ := strings.Cut(name, " ")
		row := regexp.MustCompile("(?m)^\\| .*`tenor " + noun + "`.*$").FindString(string(text))
		if row == "" || verb != "" && !slices.Contains(strings.FieldsFunc(row, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }), strings.Fields(verb)[0]) {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// Every command has examples, and the parser accepts them.
func TestExamples(t *testing.T) {
	for name, n := range leaves(grammarOf(t)) {
		e, ok := n.Target.Addr().Interface().(terminal.Exampled)
		if !ok || len(e.Examples()) == 0 {
			t.Errorf("%s has no examples", name)
			continue
		}
		for _, line := range e.Examples() {
			if line, _, _ = strings.Cut(line, " >"); !strings.HasPrefix(line, name) {
				t.Errorf("%s: the example %q is of something else", name, line)
			}
			takes(t, name, line)
		}
	}
}
