package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tenor/internal/scenario"
)

// Every scenario ends as its statement says, to the cent.
func TestScenarios(t *testing.T) {
	all, err := scenario.All()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d scenarios, %v", len(all), err)
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var out, errs pipe
			if code := run(t.Context(), []string{"scenarios", "run", s.Name, "--progress", "off"}, testApp(&out, &errs)); code != exitDone || errs.String() != "" {
				t.Errorf("ended with %d\n%s%s", code, out.String(), errs.String())
			}
		})
	}
}

// In a running sandbox a scenario makes who plays, and begins again in the next year.
func TestScenariosInARunningSandbox(t *testing.T) {
	dir := t.TempDir()
	w := startSandbox(t, t.Cleanup, "--data", dir)
	var token pipe
	if code := run(t.Context(), []string{"token", "--operator", "--data", dir, "-q"}, testApp(&token, &token)); code != exitDone {
		t.Fatalf("token: %d %s", code, token.String())
	}
	var out, errs pipe
	a := testApp(&out, &errs)
	a.getenv = func(name string) string {
		return map[string]string{"TENOR_TOKEN": strings.TrimSpace(token.String())}[name]
	}
	if code := run(t.Context(), []string{"scenarios", "run", "partial-capture", "line-used-twice", "--json", "--server", w.URL}, a); code != exitDone {
		t.Fatalf("ended with %d\n%s%s", code, out.String(), errs.String())
	}
	var years []string
	var results []scenario.Result
	for line := range strings.Lines(out.String()) {
		var act scenario.Line
		var result struct {
			scenario.Result
			Passed *bool `json:"passed"`
		}
		if err := errors.Join(json.Unmarshal([]byte(line), &act), json.Unmarshal([]byte(line), &result)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case result.Passed != nil:
			results = append(results, result.Result)
		case act.Step == 1:
			years = append(years, act.At.Format("2006-01-02"))
		}
	}
	if got := strings.Join(years, " "); got != "2026-01-12 2027-01-12" || len(results) != 2 || results[0].MerchantID == results[1].MerchantID {
		t.Errorf("played on %s: %+v", got, results)
	}
}

// A name may be a pattern, which is played in the order of the names; what it does not match is
// not found.
func TestScenariosByPattern(t *testing.T) {
	for _, c := range []struct {
		names string
		want  string
		code  int
	}{
		{"partial-*", "partial-capture partial-refund-two-paid", exitDone},
		{"nsf-then-cur? partial-c*", "nsf-then-cure partial-capture", exitDone},
		{"happy-path", "happy-path", exitDone},
		{"happy-path no-such-*", "", exitNotFound},
		{"[", "", exitUsage},
	} {
		chosen, err := (&scenariosRun{Names: strings.Fields(c.names)}).chosen()
		var names []string
		for _, s := range chosen {
			names = append(names, s.Name)
		}
		code := exitDone
		if f := (*failure)(nil); errors.As(err, &f) {
			code = f.code
		}
		if code != c.code || strings.Join(names, " ") != c.want {
			t.Errorf("%s: %v, %v", c.names, names, err)
		}
	}
	all, err := (&scenariosRun{Names: []string{"checkout-*"}}).chosen()
	if err != nil || len(all) < 15 {
		t.Errorf("%d scenarios of checkouts, %v", len(all), err)
	}
}

// A statement that is not met is shown beside what came instead, and is a failed check.
func TestScenarioDiffers(t *testing.T) {
	var out bytes.Buffer
	c := &scenariosRun{}
	if err := c.report(&app{out: &out, getenv: func(string) string { return "" }}, scenario.Result{Scenario: "happy-path", Differences: []scenario.Difference{{What: "account 1000", Expected: "78.35", Got: "78.34"}}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "FAILED  happy-path") || !strings.Contains(got, "account 1000  78.35     78.34") {
		t.Errorf("%s", got)
	}
}

// Scenarios are named, or all are played.
func TestScenariosAreNamed(t *testing.T) {
	var out, errs pipe
	for _, x := range []struct {
		args string
		code int
	}{{"scenarios run", exitUsage}, {"scenarios run happy-path --all", exitUsage}, {"scenarios run no-such", exitNotFound}} {
		if code := run(t.Context(), strings.Fields(x.args), testApp(&out, &errs)); code != x.code {
			t.Errorf("%s ended with %d, want %d", x.args, code, x.code)
		}
	}
}
