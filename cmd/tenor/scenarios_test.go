package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/scenario"
	"tenor/internal/proof/devtest"
)

// Every scenario ends in the state of its statement, to the cent.
func TestScenarios(t *testing.T) {
	all, err := scenario.All()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d scenarios, %v", len(all), err)
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var out, errs devtest.Pipe
			if code := cli.Run(t.Context(), []string{"scenarios", "run", s.Name, "--progress", "off"}, devtest.App(&out, &errs)); code != exit.Done || errs.String() != "" {
				t.Errorf("ended with %d\n%s%s", code, out.String(), errs.String())
			}
		})
	}
}

// In a running sandbox a scenario creates its participants, and runs again in the next year.
func TestScenariosInARunningSandbox(t *testing.T) {
	dir := t.TempDir()
	w := devtest.Sandbox(t, t.Cleanup, "--data", dir)
	var token devtest.Pipe
	if code := cli.Run(t.Context(), []string{"token", "--operator", "--data", dir, "-q"}, devtest.App(&token, &token)); code != exit.Done {
		t.Fatalf("token: %d %s", code, token.String())
	}
	var out, errs devtest.Pipe
	a := devtest.App(&out, &errs)
	a.Getenv = func(name string) string {
		return map[string]string{"TENOR_TOKEN": strings.TrimSpace(token.String())}[name]
	}
	if code := cli.Run(t.Context(), []string{"scenarios", "run", "partial-capture", "line-used-twice", "--json", "--server", w.URL}, a); code != exit.Done {
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

// Scenarios can be named; otherwise all are played.
func TestScenariosAreNamed(t *testing.T) {
	var out, errs devtest.Pipe
	for _, x := range []struct {
		args string
		code int
	}{{"scenarios run", exit.Usage}, {"scenarios run happy-path --all", exit.Usage}, {"scenarios run no-such", exit.NotFound}} {
		if code := cli.Run(t.Context(), strings.Fields(x.args), devtest.App(&out, &errs)); code != x.code {
			t.Errorf("%s ended with %d, want %d", x.args, code, x.code)
		}
	}
}
