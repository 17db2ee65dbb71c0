package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"tenor/internal/app/terminal"
)

// nasty is what somebody may have written into a name: it clears the screen, sets the title,
// overwrites the line, starts a new one, changes the text direction, hides characters.
const nasty = "\x1b[2J\x1b]0;owned\x07\u009b31m\r\nerror: forged\t\b\x7f\u202e\u200b\u2028\U000e0041"

// untouched matches texts that a client does not read as plain text.
var untouched = regexp.MustCompile(`^(-?[0-9][0-9.:TZ-]*|[A-Z_]{2,}|[a-z_]+\.[a-z_]+)$`)

// spoilt returns a JSON value with something nasty in each of its texts.
func spoilt(t *testing.T, body string) string {
	t.Helper()
	if body == "" {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var spoil func(v any) any
	spoil = func(v any) any {
		switch v := v.(type) {
		case string:
			if !untouched.MatchString(v) {
				return v + nasty
			}
		case []any:
			for i := range v {
				v[i] = spoil(v[i])
			}
		case map[string]any:
			for name := range v {
				if name != "next_cursor" { // the fake would return the first page forever
					v[name] = spoil(v[name])
				}
			}
		}
		return v
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // it leaves C1 and invisible characters unescaped
	if err := e.Encode(spoil(v)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var ownStyles = strings.NewReplacer(terminal.Bold, "", terminal.Red, "", terminal.Dim, "", terminal.PlainAgain, "")

// drawnOver matches what the spinner and the bar write, on a terminal and to stderr only.
var drawnOver = regexp.MustCompile(`\r(\x1b\[K)?([^\r\n]*(waiting for|\[#*\.*\])[^\r\n]*)?`)

// T30: whatever a server returns, and whatever merchants, buyers and receivers have written into
// it, does not control the terminal. The command lines of the golden files run against a server
// with nasty text everywhere: as they are, and those without an output format in one additional
// format each, in turn.
func TestTerminalObeysNothing(t *testing.T) {
	lines, forms := goldenLines(t), regexp.MustCompile(` --json| --plain| -q| --url`)
	for turn, form := range []string{"", " --plain", " -q", " --json", "terminal"} {
		f := newFake(t)
		for line, a := range f.answers {
			f.answers[line] = fakeAnswer{a.status, spoilt(t, a.body)}
		}
		f.spoil = func(body string) string { return spoilt(t, body) }
		d := newDesk(t, f.URL)
		d.terminal = form == "terminal"
		d.env["TERM"] = "xterm"
		told := 0
		for i, line := range lines {
			if form != "" && (forms.MatchString(line) || i%4+1 != turn) || strings.Contains(line, "--url") {
				continue
			}
			d.answer = "y"
			out, errs, _ := d.do(wordsOf(t, strings.TrimPrefix(line, "tenor ")+strings.TrimPrefix(form, "terminal"))...)
			for name, text := range map[string]string{"stdout": out, "stderr": drawnOver.ReplaceAllString(errs, "")} {
				for _, r := range ownStyles.Replace(text) {
					if r != '\n' && r != '\t' && terminal.Unseen(r) {
						t.Errorf("%s%s: %s has %U: %q", line, form, name, r, text)
						break
					}
				}
				if !utf8.ValidString(text) || strings.Contains(text, "\nerror: forged") {
					t.Errorf("%s%s: %s: %q", line, form, name, text)
				}
				if strings.Contains(text, "owned") {
					told++
				}
			}
			if form == " --json" && strings.HasPrefix(out, "{") && strings.Contains(out, "owned") && !strings.Contains(valueOf(out), nasty) {
				t.Errorf("%s: the document has another value: %q", line, out)
			}
		}
		if told < 10 {
			t.Errorf("%q: only %d outputs showed something of it", form, told)
		}
	}
}

// goldenLines returns the command lines of the golden files.
func goldenLines(t *testing.T) (lines []string) {
	t.Helper()
	for _, name := range []string{"lists.txt", "changes.txt", "errors.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata/golden", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if typed, ok := strings.CutPrefix(line, "$ tenor "); ok {
				lines = append(lines, "tenor "+strings.TrimSpace(typed))
			}
		}
	}
	return lines
}

// valueOf returns all decoded texts of a JSON document.
func valueOf(document string) string {
	var texts []string
	d := json.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if err != nil {
			return strings.Join(texts, "\x00")
		}
		if s, ok := token.(string); ok {
			texts = append(texts, s)
		}
	}
}
