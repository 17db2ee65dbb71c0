package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/proof/devtest"
)

var doneIn = regexp.MustCompile(`Done in \d+ s`)

// The story is printed exactly the same each time, driven by webhooks, and its 36 entries are
// those of the specification: demo itself exits with 8 if one differs. Its pauses leave ten of
// thirty seconds for the work.
func TestDemo(t *testing.T) {
	want, err := os.ReadFile("testdata/demo/transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var out, errs devtest.Pipe
		began := time.Now()
		if code := cli.Run(t.Context(), []string{"demo", "--fast"}, devtest.App(&out, &errs)); code != exit.Done || errs.String() != "" {
			t.Fatalf("ended with %d: %s\n%s", code, errs.String(), out.String())
		}
		if got := doneIn.ReplaceAllString(out.String(), "Done in # s"); got != string(want) {
			t.Error(firstDifference(string(want), got))
		}
		t.Logf("without pauses in %s", time.Since(began).Round(time.Millisecond))
	}
	told := len(regexp.MustCompile(`(?m)^[ \d]\d  [A-Z]`).FindAllString(string(want), -1))
	if all := time.Duration(told) * demo.Pause; told != 15 || all > 20*time.Second {
		t.Errorf("%d lines with pauses of %s take %s", told, demo.Pause, all)
	}
}

// For programs it prints one object per line, also in a running sandbox. There it plays alongside
// existing data, and only until the day on which the story begins.
func TestDemoInARunningSandbox(t *testing.T) {
	dir := t.TempDir()
	w := devtest.Sandbox(t, t.Cleanup, "--data", dir)
	var token devtest.Pipe
	if code := cli.Run(t.Context(), []string{"token", "--operator", "--data", dir, "-q"}, devtest.App(&token, &token)); code != exit.Done {
		t.Fatalf("token: %d %s", code, token.String())
	}
	play := func() (string, string, int) {
		var out, errs devtest.Pipe
		a := devtest.App(&out, &errs)
		a.Getenv = func(name string) string {
			return map[string]string{"TENOR_TOKEN": strings.TrimSpace(token.String())}[name]
		}
		code := cli.Run(t.Context(), []string{"demo", "--fast", "--json", "--server", w.URL}, a)
		return out.String(), errs.String(), code
	}
	out, errs, code := play()
	if code != exit.Done {
		t.Fatalf("ended with %d: %s\n%s", code, errs, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var first demo.Line
	var sum demo.Sum
	if len(lines) != 16 || json.Unmarshal([]byte(lines[0]), &first) != nil || json.Unmarshal([]byte(lines[15]), &sum) != nil {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	if first.Line != 1 || first.Date != demo.StoryBegins || first.Event != "checkout.accepted" || !strings.HasPrefix(first.ID, "evt_") {
		t.Errorf("%+v", first)
	}
	if sum.Entries != 36 || !sum.Equal || sum.Debits != "8770.80" || sum.Verified != nil || sum.Webhooks < 40 {
		t.Errorf("%+v", sum)
	}
	if _, errs, code := play(); code != exit.Conflict || !strings.Contains(errs, "is past 2026-01-10") {
		t.Errorf("a second time: %d, %s", code, errs)
	}
}
