package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Environment of a build that prints a report of its own making.
const (
	calledEnv = "BENCH_TEST_CALLED" // file that each run adds its name to
	brokenEnv = "BENCH_TEST_BROKEN" // set: the control prints no report
)

// pretend is `bench` of a build: one named control reaches half as much, and takes longer.
func pretend(args []string) error {
	name := filepath.Base(os.Args[0])
	f, err := os.OpenFile(os.Getenv(calledEnv), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	fmt.Fprintln(f, name, strings.Join(args, " "))
	if err := f.Close(); err != nil {
		return err
	}
	value, latency := 3000.0, 10.0
	if name == "control" {
		value, latency = 1500, 25
		if os.Getenv(brokenEnv) != "" {
			return fmt.Errorf("no such workload")
		}
	}
	r := &Report{Version: "of " + name, Invalid: []string{}, Rows: []*Row{
		{Database: SQLite, Workload: W1, Variant: "group commit", Connections: 64, Unit: "requests/s", Value: spread{Median: value},
			P50: spread{Median: latency}, P99: spread{Median: 2 * latency}},
		{Database: SQLite, Workload: W1, Variant: "only " + name, Unit: "requests/s", Value: spread{Median: 1}},
	}}
	if name == "control" && slices.Contains(args, "--seed") && slices.Contains(args, "8") { // the second round
		r.Invalid = append(r.Invalid, "a write is missing")
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// builds are this test's program under two names.
func builds(t *testing.T) (c ControlConfig, called func() []string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c = ControlConfig{Binary: filepath.Join(dir, "tenor"), Control: filepath.Join(dir, "control"), Args: []string{"--only=w1"}, Rounds: 3, Seed: 7}
	for _, name := range []string{c.Binary, c.Control} {
		if err := os.Symlink(self, name); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "called")
	t.Setenv(calledEnv, log)
	return c, func() []string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// Both builds take turns with the same arguments, and what both measured is divided. A run
// that does not count makes the comparison one that does not.
func TestCompare(t *testing.T) {
	c, called := builds(t)
	got, err := Compare(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for i, name := range []string{"tenor", "control", "control", "tenor", "tenor", "control"} {
		want = append(want, fmt.Sprintf("%s --only=w1 --rounds 1 --json --quiet --seed %d", name, 7+i/2))
	}
	if !slices.Equal(called(), want) {
		t.Errorf("called\n%s\nwant\n%s", strings.Join(called(), "\n"), strings.Join(want, "\n"))
	}
	if got.Build.Version != "of tenor" || got.Control.Version != "of control" || len(got.Rows) != 3 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []float64{2, 0.4, 0.4} {
		if x := got.Rows[i]; x.Ratio.Median != want || len(x.build) != 3 {
			t.Errorf("%s: ratio %v of %v and %v, want %v", x.Unit, x.Ratio, x.Build, x.Control, want)
		}
	}
	if got.Valid() || !slices.Equal(got.Invalid, []string{"the control: a write is missing"}) {
		t.Errorf("invalid: %q", got.Invalid)
	}
	var page, table bytes.Buffer
	if err := got.Markdown(&page); err != nil {
		t.Fatal(err)
	}
	if err := got.Table(&table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "| sqlite | w1 | group commit | 64 | requests/s | 3000 | 1500 | 2 | 2–2 |") || !strings.Contains(table.String(), "INVALID: the control") {
		t.Errorf("the page says\n%s\nthe table\n%s", page.String(), table.String())
	}
}

// A build that prints no report ends the comparison with what it said.
func TestCompareWithoutAReport(t *testing.T) {
	c, _ := builds(t)
	t.Setenv(brokenEnv, "1")
	if _, err := Compare(context.Background(), c); err == nil || !strings.Contains(err.Error(), "measure the control: it printed no report: no such workload") {
		t.Errorf("got %v", err)
	}
}
