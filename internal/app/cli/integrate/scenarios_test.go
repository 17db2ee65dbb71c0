package integrate

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"tenor/internal/app/exit"
	"tenor/internal/app/scenario"
	"tenor/internal/app/terminal"
)

// A name may be a pattern, whose matches are played in order of their names; a pattern without a
// match is not found.
func TestScenariosByPattern(t *testing.T) {
	for _, c := range []struct {
		names string
		want  string
		code  int
	}{
		{"partial-*", "partial-capture partial-refund-two-paid", exit.Done},
		{"nsf-then-cur? partial-c*", "nsf-then-cure partial-capture", exit.Done},
		{"happy-path", "happy-path", exit.Done},
		{"happy-path no-such-*", "", exit.NotFound},
		{"[", "", exit.Usage},
	} {
		chosen, err := (&ScenariosRun{Names: strings.Fields(c.names)}).chosen()
		var names []string
		for _, s := range chosen {
			names = append(names, s.Name)
		}
		code := exit.Done
		if f := (*exit.Failure)(nil); errors.As(err, &f) {
			code = f.Code
		}
		if code != c.code || strings.Join(names, " ") != c.want {
			t.Errorf("%s: %v, %v", c.names, names, err)
		}
	}
	all, err := (&ScenariosRun{Names: []string{"checkout-*"}}).chosen()
	if err != nil || len(all) < 15 {
		t.Errorf("%d scenarios of checkouts, %v", len(all), err)
	}
}

// An unmet expectation is shown next to the actual value, and is a failed check.
func TestScenarioDiffers(t *testing.T) {
	var out bytes.Buffer
	c := &ScenariosRun{}
	if err := c.report(&terminal.App{Out: &out, Getenv: func(string) string { return "" }}, scenario.Result{Scenario: "happy-path", Differences: []scenario.Difference{{What: "account 1000", Expected: "78.35", Got: "78.34"}}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "FAILED  happy-path") || !strings.Contains(got, "account 1000  78.35     78.34") {
		t.Errorf("%s", got)
	}
}
