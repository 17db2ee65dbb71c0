package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/scorecard"
)

// asGo makes this test binary act as the go command.
const asGo = "TENOR_TEST_AS_GO"

func TestMain(m *testing.M) {
	if os.Getenv(asGo) == "" {
		os.Exit(m.Run())
	}
	// go test -json ARGUMENTS -run ^(TestA|TestB)$ ./folder: TestRed fails, TestLame lacks
	// something, TestGone does not exist.
	args := os.Args
	pack := "tenor/" + strings.TrimPrefix(args[len(args)-1], "./")
	failed := false
	for _, name := range strings.Split(strings.Trim(args[len(args)-2], "^()$"), "|") {
		end := map[string]string{"TestRed": "fail", "TestLame": "skip"}[name]
		if end == "" {
			end = "pass"
		}
		failed = failed || end == "fail"
		if name == "TestGone" {
			continue
		}
		fmt.Printf(`{"Action":"run","Package":"%s","Test":"%s"}`+"\n", pack, name)
		if end == "skip" {
			fmt.Printf(`{"Action":"output","Package":"%s","Test":"%s","Output":"SKIP chromium: apt-get install -y chromium\n"}`+"\n", pack, name)
		}
		fmt.Printf(`{"Action":"%s","Package":"%s","Test":"%s"}`+"\n", end, pack, name)
	}
	if failed {
		fmt.Printf(`{"Action":"fail","Package":"%s"}`+"\n", pack)
		os.Exit(1)
	}
	fmt.Printf(`{"Action":"output","Package":"%s","Output":"ok %s\n"}`+"\n"+`{"Action":"pass","Package":"%s"}`+"\n", pack, strings.Join(args[1:], " "), pack)
}

// measured measures rows of a page in a new directory, and returns what was printed.
func measured(t *testing.T, row string, lines ...string) (string, bool) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("internal/docs", 0o755); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GO", os.Args[0])
	t.Setenv(asGo, "1")
	var out strings.Builder
	good, err := newReport(&out, time.Now, false).measure(page, row, []string{"-vet=off"})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), good
}

// Each row has the outcome of its own tests; a package that several rows need is tested once.
func TestRows(t *testing.T) {
	lines := []string{
		"| A1 | x | y | 3 | 3 | `docs.TestOne` `cmd/x.TestTwo` | [p](p.md) | |",
		"| A2 | x | y | 2 | 3 | `docs.TestOne` `docs.TestLame` | [p](p.md) | |",
		"| A3 | x | y | 1 | 2 | `docs.TestTwo` | | half of it |",
		"| B1 | x | y | 1 | 0 | | | all of it |",
	}
	out, good := measured(t, "", lines...)
	for _, want := range []string{
		"== package 1 of 2: cmd/x, 1 tests\nok test -json -vet=off -run ^(TestTwo)$ ./cmd/x\n",
		"== package 2 of 2: internal/docs, 3 tests\nok test -json -vet=off -run ^(TestOne|TestLame|TestTwo)$ ./internal/docs\n",
		"A1   3  3      pass\n", "A2   2  2      skip: chromium: apt-get install -y chromium\n", "A3   1  2      pass (missing: half of it)\n", "B1   1  0      none (missing: all of it)\n",
		"\n4 rows, 15 of 21 points, score 71.4%\nThe page says: 4 rows, 17 of 21 points, score 81.0%\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if !good {
		t.Error("nothing has failed, and it is not good")
	}
	if out, _ := measured(t, "A1", lines...); strings.Contains(out, "A2") || !strings.Contains(out, "\n1 rows, 9 of 9") {
		t.Errorf("of one row:\n%s", out)
	}
	if _, good := measured(t, "B1", lines...); good {
		t.Error("a row that nothing measures is good")
	}
	if out, _ := measured(t, "A", lines...); strings.Contains(out, "B1") || !strings.Contains(out, "A3") {
		t.Errorf("of a part:\n%s", out)
	}
}

// A row with a test that fails, or did not run, is broken; its neighbors are not.
func TestRowsFail(t *testing.T) {
	out, good := measured(t, "", "| A1 | x | y | 3 | 3 | `docs.TestRed` | [p](p.md) | |", "| A2 | x | y | 2 | 3 | `docs.TestGone` | [p](p.md) | |", "| A3 | x | y | 1 | 3 | `docs.TestOne` | [p](p.md) | |")
	for _, want := range []string{"A1   3  1      fail: docs.TestRed\n", "A2   2  1      fail: docs.TestGone has not run to its end\n", "A3   1  3      pass\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if good {
		t.Error("it is good")
	}
}

func TestChosen(t *testing.T) {
	rows := []scorecard.Row{{ID: "A1"}, {ID: "A10"}, {ID: "B1"}}
	for name, want := range map[string]string{"": "A1 A10 B1", "A1": "A1", "A": "A1 A10", "C1": ""} {
		got, err := chosen(rows, name)
		var ids []string
		for _, r := range got {
			ids = append(ids, r.ID)
		}
		if !slices.Equal(ids, strings.Fields(want)) || (err == nil) != (want != "") {
			t.Errorf("%s: %v, %v", name, ids, err)
		}
	}
}

// A subtest that fails or lacks something counts for its test.
func TestOutcomes(t *testing.T) {
	_, r := told(false, `{"Action":"fail","Package":"tenor/internal/b","Test":"TestTwo/red"}
{"Action":"pass","Package":"tenor/internal/b","Test":"TestTwo"}
{"Action":"skip","Package":"tenor/internal/b","Test":"TestThree/on_windows"}
{"Action":"pass","Package":"tenor/internal/b","Test":"TestThree"}
`)
	want := map[string]outcome{"internal/b.TestTwo": {failed: true}, "internal/b.TestThree": {lacks: "skipped by itself"}}
	if len(r.outcomes) != 2 || r.outcomes["internal/b.TestTwo"] != want["internal/b.TestTwo"] || r.outcomes["internal/b.TestThree"] != want["internal/b.TestThree"] {
		t.Errorf("%+v", r.outcomes)
	}
}
