package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenor/internal/app/exit"
)

var rewriteGolden = flag.Bool("rewrite", false, "write what the command lines of testdata/golden print, to be reviewed like code")

// TestGolden runs the command lines of testdata/golden and compares their output with the file. A
// file whose name begins with terminal is typed at a terminal; the answer to a prompt is in
// brackets before the line. Output to stderr follows "2>", the exit code follows "=".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text), strings.HasPrefix(filepath.Base(path), "terminal"))
			if got == string(text) {
				return
			}
			if *rewriteGolden {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s\nIf that is right, write it with -rewrite.", firstDifference(string(text), got))
		})
	}
}

// play runs every line of a file and returns the file as it should be.
func play(t *testing.T, text string, terminal bool) string {
	f := newFake(t)
	d := newDesk(t, f.URL)
	d.terminal = terminal
	d.env["TERM"] = "xterm"
	var out strings.Builder
	printed := false // the last command's lines, which are replaced
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "$ "):
			out.WriteString(line + d.typed(f, strings.TrimSpace(strings.TrimPrefix(line, "$ "))))
			printed = true
		case strings.HasPrefix(line, "= ") && printed:
			printed = false
		case !printed || strings.HasPrefix(line, "# "):
			out.WriteString(line)
			printed = false
		}
	}
	return out.String()
}

// typed runs one line and returns its output.
func (d *desk) typed(f *fake, line string) string {
	d.answer = ""
	if strings.HasPrefix(line, "(") {
		d.answer, line, _ = strings.Cut(line[1:], ") ")
	}
	stdout, stderr, code := d.do(wordsOf(d.t, strings.TrimPrefix(line, "tenor "))...)
	return steadyOutput(stdout, "", f, d) + steadyOutput(stderr, "2> ", f, d) + fmt.Sprintf("= %d\n", code)
}

// wordsOf splits a line like a shell: at blanks, but not inside single quotes.
func wordsOf(t *testing.T, line string) []string {
	parts := strings.Split(line, "'")
	if len(parts)%2 == 0 {
		t.Fatalf("a quote is not closed: %s", line)
	}
	var words []string
	glued := false
	for i, p := range parts {
		if i%2 == 1 {
			if glued {
				words[len(words)-1] += p
			} else {
				words = append(words, p)
			}
			glued = true
			continue
		}
		fields := strings.Fields(p)
		if glued && len(fields) > 0 && !strings.HasPrefix(p, " ") {
			words[len(words)-1] += fields[0]
			fields = fields[1:]
		}
		words = append(words, fields...)
		glued = p != "" && !strings.HasSuffix(p, " ") || p == "" && glued
	}
	return words
}

var drawn = regexp.MustCompile(`cli-[A-Z2-7]{26}`)

var signingSecret = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{44}`)

// steadyOutput replaces the parts of an output that vary. Control characters are escaped.
func steadyOutput(s, mark string, f *fake, d *desk) string {
	s = drawn.ReplaceAllString(s, "cli-KEY")
	s = signingSecret.ReplaceAllString(s, "whsec_SECRET")
	s = strings.NewReplacer(f.URL, "http://SERVER", strings.TrimPrefix(f.URL, "http://"), "SERVER", d.env["HOME"], "~", "\x1b", `\e`, "\r", `\r`).Replace(s)
	var out strings.Builder
	for line := range strings.Lines(s) {
		out.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return out.String()
}

// firstDifference shows the first lines that differ between two texts.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "", ""
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d is\n  %q\ninstead of\n  %q", i+1, b, a)
		}
	}
	return ""
}

// The golden files cover what they must: every exit code except that of an interruption, and
// enough errors.
func TestGoldenCovers(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	codes, errors := map[string]int{}, map[string]bool{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if code, ok := strings.CutPrefix(line, "= "); ok {
				codes[strings.TrimSpace(code)]++
			}
			if strings.HasPrefix(line, "2> error: ") {
				errors[line] = true
			}
		}
	}
	for code := range exit.CheckFailed + 1 {
		if codes[fmt.Sprint(code)] == 0 {
			t.Errorf("no line ends with %d", code)
		}
	}
	if len(errors) < 20 {
		t.Errorf("only %d different errors", len(errors))
	}
}
