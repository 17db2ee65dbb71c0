package integrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"

	"tenor/client"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/app/scenario"
	"tenor/internal/app/stage"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/domain/calendar"
)

// scenarioRow is a scenario in a list.
type scenarioRow struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
}

func scenarioNoun() terminal.Noun[scenarioRow] {
	return terminal.Noun[scenarioRow]{
		Head: []string{"NAME", "PURPOSE"},
		Row:  func(x *scenarioRow) []any { return []any{x.Name, x.Purpose} },
		Key:  func(x *scenarioRow) string { return x.Name },
	}
}

// ScenariosList is the command "scenarios list".
type ScenariosList struct{ terminal.Output }

func (ScenariosList) Examples() []string { return []string{"scenarios list", "scenarios list -q"} }

func (c *ScenariosList) Run(a *terminal.App) error {
	all, err := scenario.All()
	if err != nil {
		return err
	}
	p := client.Page[scenarioRow]{Data: []scenarioRow{}}
	for _, s := range all {
		p.Data = append(p.Data, scenarioRow{s.Name, s.Purpose})
	}
	body, err := json.Marshal(struct {
		Data []scenarioRow `json:"data"`
		More bool          `json:"has_more"`
		Next *string       `json:"next_cursor"`
	}{Data: p.Data})
	if err != nil {
		return err
	}
	return scenarioNoun().PrintPage(a, c.Output, client.Response{Status: http.StatusOK, Body: body}, &p)
}

// ScenariosRun is the command "scenarios run".
type ScenariosRun struct {
	terminal.ProgressFlag
	Names  []string `arg:"" optional:"" help:"Names, as shown by scenarios list; * matches any text, ? one character."`
	All    bool     `help:"Run all scenarios."`
	Server string   `placeholder:"URL" help:"Run them in this running sandbox, whose clock advances. TENOR_TOKEN must be a lender token with the scope sandbox."`
	Calls  bool     `help:"Show each call."`
	JSON   bool     `name:"json" help:"Print one JSON object per line: each call, and the result of each scenario."`
}

func (ScenariosRun) Examples() []string {
	return []string{"scenarios run nsf-then-cure", "scenarios run 'checkout-*'", "scenarios run --all", "scenarios run early-payoff --calls", "scenarios run happy-path --server http://localhost:8080"}
}

// scenariosBegin is the date on which the clock of a private copy starts.
const scenariosBegin = "2026-01-05"

func (c *ScenariosRun) Run(ctx context.Context, a *terminal.App) error {
	chosen, err := c.chosen()
	if err != nil {
		return err
	}
	failed := 0
	m := c.Meter(a, terminal.Output{JSON: c.JSON}, "Playing")
	m.Unit = "scenarios"
	for i, s := range chosen {
		m.At(i, len(chosen))
		result, err := c.play(ctx, a, s)
		if err != nil {
			m.End()
			return err
		}
		if !result.Passed {
			failed++
		}
		m.End()
		if err := c.report(a, result); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &exit.Failure{Code: exit.CheckFailed, Text: fmt.Sprintf("%d of %d scenarios failed", failed, len(chosen))}
	}
	return nil
}

// chosen returns the requested scenarios.
func (c *ScenariosRun) chosen() ([]scenario.Scenario, error) {
	all, err := scenario.All()
	if err != nil {
		return nil, err
	}
	if c.All == (len(c.Names) > 0) {
		return nil, &exit.Failure{Code: exit.Usage, Text: "name scenarios, or use --all", Hint: "tenor scenarios list shows the names."}
	}
	if c.All {
		return all, nil
	}
	var out []scenario.Scenario
	for _, name := range c.Names {
		before := len(out)
		for _, s := range all {
			fits, err := path.Match(name, s.Name)
			if err != nil {
				return nil, &exit.Failure{Code: exit.Usage, Text: terminal.Clean(name) + " is not a valid pattern", Hint: "* matches any text, ? one character."}
			}
			if fits {
				out = append(out, s)
			}
		}
		if len(out) == before {
			return nil, &exit.Failure{Code: exit.NotFound, Text: "there is no scenario " + terminal.Clean(name), Hint: "tenor scenarios list shows the names."}
		}
	}
	return out, nil
}

// play plays one scenario: in the named sandbox, or in a private copy.
func (c *ScenariosRun) play(ctx context.Context, a *terminal.App, s scenario.Scenario) (result scenario.Result, err error) {
	if c.Calls && !c.JSON {
		fmt.Fprintf(a.Out, "%s  %s\n", s.Name, s.Purpose)
	}
	tell := func(l scenario.Line) { c.line(a, l) }
	if c.Server != "" {
		return stage.RunScenario(ctx, a.Wall, strings.TrimRight(c.Server, "/"), a.Getenv("TENOR_TOKEN"), s, tell)
	}
	zone, err := clock.BusinessZone()
	if err != nil {
		return result, err
	}
	// The log is shown only when a story goes wrong: its debits are returned on purpose.
	var log bytes.Buffer
	x, err := stage.OpenPrivate(ctx, a.Wall, &log, demo.Makers(), zone.At(calendar.MustParse(scenariosBegin), 9, 0), nil)
	if err != nil {
		return result, err
	}
	defer func() {
		if err = errors.Join(err, x.Shut()); err != nil || !result.Passed {
			_, _ = a.Err.Write(log.Bytes()) // the error itself follows
		}
	}()
	return stage.RunScenario(ctx, a.Wall, x.URL, x.Desk, s, tell)
}

// line shows one step of a scenario.
func (c *ScenariosRun) line(a *terminal.App, l scenario.Line) {
	switch {
	case c.JSON:
		if b, err := json.Marshal(l); err == nil {
			_ = terminal.Document(a.Out, b) // if it cannot be printed here, neither can the end
		}
	case c.Calls && l.Say != "":
		fmt.Fprintf(a.Out, "\n  %s\n", terminal.Clean(l.Say))
	}
	if c.Calls && !c.JSON && l.Method != "" {
		fmt.Fprintf(a.Out, "  %d  %-6s %s %s\n", l.Status, l.As, l.Method, terminal.Clean(l.Path))
	}
	if c.Calls && !c.JSON && l.Event != "" {
		fmt.Fprintf(a.Out, "       event  %s\n", l.Event)
	}
}

// report prints the result of a scenario.
func (c *ScenariosRun) report(a *terminal.App, r scenario.Result) error {
	if c.JSON {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, b)
	}
	if r.Passed {
		_, err := fmt.Fprintf(a.Out, "ok      %-36s %d calls\n", r.Scenario, r.Calls)
		return err
	}
	fmt.Fprintf(a.Out, "FAILED  %s\n\n", r.Scenario)
	t := terminal.NewTable("WHAT", "EXPECTED", "GOT")
	for _, d := range r.Differences {
		t.Row(d.What, d.Expected, d.Got)
	}
	if err := a.Show(t); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.Out)
	return err
}
