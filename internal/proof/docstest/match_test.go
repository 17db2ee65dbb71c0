package docstest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Pages show what a reader sees, and some of it differs with each run. Before a comparison, both
// sides are normalized for what always differs. Anything else that differs is written as … on the
// page: it stands for anything up to the end of the line, inside a JSON string for anything in
// that string, and alone on a line for any number of lines or members.
var changing = []struct {
	what *regexp.Regexp
	form string
}{
	{regexp.MustCompile(`\b(ord|pay|inv|app|chk|evt|whk|po|mch|pm|req|rfd|ent|cli)_[0-9A-Z]{26}\b`), "${1}_ID"},
	{regexp.MustCompile(`\btnr_[A-Za-z0-9_-]+`), "tnr_TOKEN"},
	{regexp.MustCompile(`\bINV-[0-9A-Z]{10}\b`), "INV-NUMBER"},
	{regexp.MustCompile(`\b(localhost|127\.0\.0\.1):\d+`), "HOST:PORT"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "INSTANT"},
	{regexp.MustCompile(`(tenor|version) v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?`), "$1 VERSION"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ns|µs|ms|s|seconds?)\b`), "SECONDS"},
	{regexp.MustCompile(`(?m)^[a-z-]+ \d+ %\n`), ""}, // progress, which only slow work shows
}

func steady(s string) string {
	for _, c := range changing {
		s = c.what.ReplaceAllString(s, c.form)
	}
	return s
}

// differs describes how output differs from what a page shows, "" if it does not.
func differs(lang, want, got string) string {
	want, got = steady(want), steady(got)
	if lang == "json" {
		return differsJSON(want, got)
	}
	return differsText(lines(want), lines(got))
}

// lines splits a text, without trailing blanks and trailing blank lines.
func lines(s string) []string {
	all := strings.Split(strings.TrimRight(s, " \n"), "\n")
	for i, l := range all {
		all[i] = strings.TrimRight(l, " \t\r")
	}
	return all
}

const rest = "…"

func differsText(want, got []string) string {
	for i, w := range want {
		if strings.TrimSpace(w) == rest {
			return differsAfterRest(want[i+1:], got, i)
		}
		if i >= len(got) {
			return fmt.Sprintf("line %d is missing: %q", i+1, w)
		}
		if !glob(w, `.*`).MatchString(got[i]) {
			return fmt.Sprintf("line %d is\n  %q instead of\n  %q", i+1, got[i], w)
		}
	}
	if len(got) > len(want) {
		return fmt.Sprintf("line %d is not on the page: %q", len(want)+1, got[len(want)])
	}
	return ""
}

// differsAfterRest tries every position at which the page may continue.
func differsAfterRest(want, got []string, from int) string {
	why := "the output ends early"
	for i := from; i <= len(got); i++ {
		if len(want) == 0 {
			return ""
		}
		if d := differsText(want, got[i:]); d == "" {
			return ""
		} else if i < len(got) && glob(want[0], `.*`).MatchString(got[i]) {
			why = d
		}
	}
	return "after " + rest + ": " + why
}

// glob compiles a text in which … stands for anything that the expression matches.
func glob(s, anything string) *regexp.Regexp {
	parts := strings.Split(s, rest)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`^` + strings.Join(parts, anything) + `$`)
}

// differsJSON compares JSON texts without white space. The members of an object are in the order
// of the page.
func differsJSON(want, got string) string {
	var b strings.Builder
	b.WriteString("^")
	for _, t := range tokens(want) {
		switch {
		case t == rest:
			b.WriteString(`.*?`)
		case strings.HasPrefix(t, `"`):
			b.WriteString(strings.TrimSuffix(strings.TrimPrefix(glob(t, `[^"]*`).String(), "^"), "$"))
		default:
			b.WriteString(regexp.QuoteMeta(t))
		}
	}
	flat := strings.Join(tokens(got), "")
	if regexp.MustCompile(b.String() + "$").MatchString(flat) {
		return ""
	}
	return fmt.Sprintf("the output is\n  %s\ninstead of\n  %s", flat, strings.Join(tokens(want), ""))
}

var jsonToken = regexp.MustCompile(`"(\\.|[^"\\])*"|` + rest + `|[{}\[\]:,]|[^\s{}\[\]:,"` + rest + `]+`)

func tokens(s string) []string { return jsonToken.FindAllString(s, -1) }

// The comparison must be able to fail.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		name, lang, want, got string
		same                  bool
	}{
		{"same", "text", "a\nb\n", "a\nb", true},
		{"another word", "text", "a\nb\n", "a\nc", false},
		{"a line more", "text", "a\n", "a\nb", false},
		{"a line less", "text", "a\nb\n", "a", false},
		{"nothing at all", "text", "a\n", "", false},
		{"rest of a line", "text", "token …\n", "token abc", true},
		{"middle of a line", "text", "a … c\n", "a b c", true},
		{"middle of another line", "text", "a … c\n", "a b d", false},
		{"any lines", "text", "a\n…\nz\n", "a\nb\nc\nz", true},
		{"no lines", "text", "a\n…\nz\n", "a\nz", true},
		{"any lines but the last", "text", "a\n…\nz\n", "a\nb\nc", false},
		{"lines to the end", "text", "a\n…\n", "a\nb\nc", true},
		{"not a pattern", "text", "a.c\n", "abc", false},
		{"key", "text", "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "ord_01KB0A4E7V5N3R1P9M8K6J4H2G", true},
		{"kind of key", "text", "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "pay_01KB0A4E7V5N3R1P9M8K6J4H2G", false},
		{"not a key", "text", "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "ord_short", false},
		{"port", "text", "http://localhost:8080/x", "http://localhost:41234/x", true},
		{"path", "text", "http://localhost:8080/x", "http://localhost:41234/y", false},
		{"instant", "text", "at 2026-01-05T14:00:00Z", "at 2026-03-05T14:00:00.123Z", true},
		{"a date is no instant", "text", "2026-01-05", "2026-01-06", false},
		{"seconds", "text", "done in 0.8 s", "done in 12.25 s", true},
		{"progress of slow work", "text", "a\nb\n", "verify 50 %\na\nverify 100 %\nb\n", true},
		{"a share is no progress", "text", "a\nb\n", "a\n50 %\nb\n", false},
		{"amounts are no seconds", "text", "207.06", "207.05", false},
		{"version", "text", "tenor 0.1.0 here", "tenor 0.2.0-rc.1 here", true},
		{"json", "json", "{\n \"a\": 1.00, \"b\": [1, 2]\n}", `{"a":1.00,"b":[1,2]}`, true},
		{"json digits", "json", `{"a": 1.00}`, `{"a":1.0}`, false},
		{"json members between", "json", "{\n  \"a\": 1,\n  …\n  \"z\": 2\n}", `{"a":1,"b":{"c":3},"z":2}`, true},
		{"json members to the end", "json", "{\"a\": 1,\n  …\n}", `{"a":1,"b":2}`, true},
		{"json member too many", "json", `{"a": 1}`, `{"a":1,"b":2}`, false},
		{"json member missing", "json", `{"a": 1, …, "b": 2}`, `{"a":1,"c":2}`, false},
		{"json text", "json", `{"a": "x…", "b": 1}`, `{"a":"xyz","b":1}`, true},
		{"json text ends", "json", `{"a": "x…", "b": 1}`, `{"a":"xyz","c":"","b":1}`, false},
		{"json spaces in text", "json", `{"a": "x y"}`, `{"a":"xy"}`, false},
		{"json nothing", "json", `{"a": 1}`, ``, false},
	} {
		if d := differs(c.lang, c.want, c.got); (d == "") != c.same {
			t.Errorf("%s: %q against %q: %q", c.name, c.want, c.got, d)
		}
	}
}
