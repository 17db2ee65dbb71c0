package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// told returns what a report prints for lines of go test -json, and the report.
func told(strict bool, lines string) (string, *report) {
	var out strings.Builder
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	r := newReport(&out, func() time.Time { return now }, strict)
	for line := range strings.Lines(lines) {
		if strings.HasPrefix(line, "later") {
			now = now.Add(patience)
			r.tick()
			continue
		}
		r.line([]byte(line))
	}
	return out.String(), r
}

const passing = `{"Action":"start","Package":"tenor/a"}
{"Action":"run","Package":"tenor/a","Test":"TestOne"}
{"Action":"output","Package":"tenor/a","Test":"TestOne","Output":"    chatter\n"}
{"Action":"pass","Package":"tenor/a","Test":"TestOne","Elapsed":0}
{"Action":"output","Package":"tenor/a","Output":"PASS\n"}
{"Action":"output","Package":"tenor/a","Output":"ok  \ttenor/a\t0.010s\n"}
{"Action":"pass","Package":"tenor/a","Elapsed":0.01}
`

const skipping = `{"Action":"run","Package":"tenor/b","Test":"TestTwo"}
{"Action":"output","Package":"tenor/b","Test":"TestTwo","Output":"    suite.go:41: SKIP PostgreSQL: apt-get install -y postgresql\n"}
{"Action":"skip","Package":"tenor/b","Test":"TestTwo","Elapsed":0}
{"Action":"output","Package":"tenor/b","Output":"ok  \ttenor/b\t0.010s\n"}
{"Action":"pass","Package":"tenor/b","Elapsed":0.01}
`

// For a passing package one line is printed, without the output of its tests.
func TestPassing(t *testing.T) {
	if out, r := told(true, passing); out != "ok  \ttenor/a\t0.010s\n" || r.failed || len(r.skips()) > 0 {
		t.Errorf("%q, %+v", out, r)
	}
}

// The whole output of failed tests is printed, including that of a test that never ended.
func TestFailing(t *testing.T) {
	out, r := told(false, `{"Action":"run","Package":"tenor/a","Test":"TestRed"}
{"Action":"output","Package":"tenor/a","Test":"TestRed","Output":"    a_test.go:7: it is wrong\n"}
{"Action":"output","Package":"tenor/a","Test":"TestRed","Output":"--- FAIL: TestRed (0.00s)\n"}
{"Action":"fail","Package":"tenor/a","Test":"TestRed","Elapsed":0}
{"Action":"run","Package":"tenor/a","Test":"TestHangs"}
{"Action":"output","Package":"tenor/a","Test":"TestHangs","Output":"panic: it does not end\n"}
{"Action":"output","Package":"tenor/a","Output":"FAIL\ttenor/a\t0.010s\n"}
{"Action":"fail","Package":"tenor/a","Elapsed":0.01}
`)
	for _, want := range []string{"it is wrong", "--- FAIL: TestRed", "panic: it does not end", "\nFAIL\ttenor/a\t0.010s\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if !r.failed {
		t.Error("it did not fail")
	}
}

// A package that does not compile fails with the compiler's output.
func TestBuildFails(t *testing.T) {
	out, r := told(false, `{"ImportPath":"tenor/a [tenor/a.test]","Action":"build-output","Output":"a/a_test.go:3:1: expected declaration\n"}
{"ImportPath":"tenor/a [tenor/a.test]","Action":"build-fail"}
{"Action":"start","Package":"tenor/a"}
{"Action":"output","Package":"tenor/a","Output":"FAIL\ttenor/a [build failed]\n"}
{"Action":"fail","Package":"tenor/a","Elapsed":0,"FailedBuild":"tenor/a [tenor/a.test]"}
`)
	if !r.failed || !strings.Contains(out, "expected declaration") || strings.Count(out, "FAIL\ttenor/a [build failed]") != 1 {
		t.Errorf("failed %t:\n%s", r.failed, out)
	}
}

// While nothing ends, it prints what is running, and at which test.
func TestProgress(t *testing.T) {
	out, _ := told(false, "later\n"+strings.Join(strings.SplitAfter(passing, "\n")[:2], "")+"later\n")
	for _, want := range []string{"… 20s, 0 packages done; compiling\n", "… 40s, 0 packages done; running a TestOne (20s)\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// What is missing is listed with how to install it, once for all tests that lack it; where
// nothing may be skipped, it fails.
func TestSkipped(t *testing.T) {
	_, r := told(false, passing+skipping)
	file := filepath.Join(t.TempDir(), "skipped")
	for range 2 { // as with the race detector, a second time
		if err := keep(file, r.skips()); err != nil || r.failed {
			t.Fatalf("failed %t, %v", r.failed, err)
		}
	}
	if err := keep(file, []string{"staticcheck: go mod download", "PostgreSQL: apt-get install -y postgresql\tc.TestThree"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `== skipped here, and how to run it
SKIP PostgreSQL: apt-get install -y postgresql (2 tests, such as b.TestTwo)
SKIP staticcheck: go mod download
`
	if got := list(string(text)); got != want {
		t.Errorf("listed:\n%s", got)
	}
	if got := list(""); got != "== nothing was skipped\n" {
		t.Errorf("of nothing: %s", got)
	}
	if out, r := told(true, skipping); !r.failed || !strings.Contains(out, "tenor/b.TestTwo was skipped: PostgreSQL") {
		t.Errorf("where nothing may be skipped: failed %t\n%s", r.failed, out)
	}
}

// A test that continues without a part reports it, and that is listed too.
func TestPartIsSkipped(t *testing.T) {
	_, r := told(false, strings.ReplaceAll(skipping, `"Action":"skip"`, `"Action":"pass"`))
	if got := r.skips(); len(got) != 1 || got[0] != "PostgreSQL: apt-get install -y postgresql\tb.TestTwo" {
		t.Errorf("%q", got)
	}
}
