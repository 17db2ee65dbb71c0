package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/calendar"
	"tenor/internal/scenario"
)

// scenarioRow is a scenario in a list.
type scenarioRow struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
}

func scenarioNoun() noun[scenarioRow] {
	return noun[scenarioRow]{
		head: []string{"NAME", "PURPOSE"},
		row:  func(x *scenarioRow) []any { return []any{x.Name, x.Purpose} },
		key:  func(x *scenarioRow) string { return x.Name },
	}
}

type scenariosList struct{ output }

// Examples are shown by -h.
func (scenariosList) Examples() []string { return []string{"scenarios list", "scenarios list -q"} }

// Run is called by the parser.
func (c *scenariosList) Run(a *app) error {
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
	return scenarioNoun().printPage(a, c.output, client.Response{Status: http.StatusOK, Body: body}, &p)
}

type scenariosRun struct {
	progressFlag
	Names  []string `arg:"" optional:"" help:"Names, as scenarios list shows them; * stands for any text, ? for one character."`
	All    bool     `help:"All of them."`
	Server string   `placeholder:"URL" help:"Play them in this running sandbox, whose clock moves on. TENOR_TOKEN is the lender's, with the scope sandbox."`
	Calls  bool     `help:"Show each call."`
	JSON   bool     `name:"json" help:"Print one object a line: each call, and the result of each scenario."`
}

// Examples are shown by -h.
func (scenariosRun) Examples() []string {
	return []string{"scenarios run nsf-then-cure", "scenarios run 'checkout-*'", "scenarios run --all", "scenarios run early-payoff --calls", "scenarios run happy-path --server http://localhost:8080"}
}

// scenariosBegin is where the clock of a private copy stands.
const scenariosBegin = "2026-01-05"

// Run is called by the parser.
func (c *scenariosRun) Run(ctx context.Context, a *app) error {
	chosen, err := c.chosen()
	if err != nil {
		return err
	}
	failed := 0
	m := c.meter(a, output{JSON: c.JSON}, "Playing")
	m.unit = "scenarios"
	for i, s := range chosen {
		m.at(i, len(chosen))
		result, err := c.play(ctx, a, s)
		if err != nil {
			m.end()
			return err
		}
		if !result.Passed {
			failed++
		}
		m.end()
		if err := c.report(a, result); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &failure{code: exitCheckFailed, text: fmt.Sprintf("%d of %d scenarios did not end as they must", failed, len(chosen))}
	}
	return nil
}

// chosen are the scenarios that are asked for.
func (c *scenariosRun) chosen() ([]scenario.Scenario, error) {
	all, err := scenario.All()
	if err != nil {
		return nil, err
	}
	if c.All == (len(c.Names) > 0) {
		return nil, &failure{code: exitUsage, text: "name scenarios, or give --all", hint: "tenor scenarios list shows their names"}
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
				return nil, &failure{code: exitUsage, text: clean(name) + " is not a pattern", hint: "* stands for any text, ? for one character"}
			}
			if fits {
				out = append(out, s)
			}
		}
		if len(out) == before {
			return nil, &failure{code: exitNotFound, text: "there is no scenario " + clean(name), hint: "tenor scenarios list shows their names"}
		}
	}
	return out, nil
}

// play plays one scenario: in the sandbox that was named, or in a private copy.
func (c *scenariosRun) play(ctx context.Context, a *app, s scenario.Scenario) (result scenario.Result, err error) {
	if c.Calls && !c.JSON {
		fmt.Fprintf(a.out, "%s  %s\n", s.Name, s.Purpose)
	}
	tell := func(l scenario.Line) { c.line(a, l) }
	if c.Server != "" {
		return runScenario(ctx, a.wall, strings.TrimRight(c.Server, "/"), a.getenv("TENOR_TOKEN"), s, tell)
	}
	zone, err := businessZone()
	if err != nil {
		return result, err
	}
	// The log of a story, whose debits come back on purpose, is for one that goes wrong.
	var log bytes.Buffer
	x, err := openPrivate(ctx, a.wall, &log, demoMakers(), zone.At(calendar.MustParse(scenariosBegin), 9, 0), nil)
	if err != nil {
		return result, err
	}
	defer func() {
		if err = errors.Join(err, x.shut()); err != nil || !result.Passed {
			_, _ = a.err.Write(log.Bytes()) // the error itself follows
		}
	}()
	return runScenario(ctx, a.wall, x.url, x.desk, s, tell)
}

// runScenario plays a scenario at a server, in the name of its lender.
func runScenario(ctx context.Context, wall func() time.Time, url, token string, s scenario.Scenario, tell func(scenario.Line)) (scenario.Result, error) {
	lender, err := client.New(url, token)
	if err != nil {
		return scenario.Result{}, &failure{code: exitUsage, text: "--server must look like http://localhost:8080"}
	}
	zone, err := businessZone()
	if err != nil {
		return scenario.Result{}, err
	}
	return scenario.Run(ctx, scenario.Config{
		Lender: lender, Zone: zone.Location(), Wall: wall, Tell: tell,
		Shop: func(id, secret string) (scenario.Caller, error) {
			return client.NewWithCredentials(url, client.Credentials{ID: id, Secret: secret})
		},
	}, s)
}

// line shows one act of a scenario.
func (c *scenariosRun) line(a *app, l scenario.Line) {
	switch {
	case c.JSON:
		if b, err := json.Marshal(l); err == nil {
			_ = document(a.out, b) // what cannot be printed here cannot be printed at the end
		}
	case c.Calls && l.Say != "":
		fmt.Fprintf(a.out, "\n  %s\n", clean(l.Say))
	}
	if c.Calls && !c.JSON && l.Method != "" {
		fmt.Fprintf(a.out, "  %d  %-6s %s %s\n", l.Status, l.As, l.Method, clean(l.Path))
	}
	if c.Calls && !c.JSON && l.Event != "" {
		fmt.Fprintf(a.out, "       event  %s\n", l.Event)
	}
}

// report says how a scenario ended.
func (c *scenariosRun) report(a *app, r scenario.Result) error {
	if c.JSON {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return document(a.out, b)
	}
	if r.Passed {
		_, err := fmt.Fprintf(a.out, "ok      %-36s %d calls\n", r.Scenario, r.Calls)
		return err
	}
	fmt.Fprintf(a.out, "FAILED  %s\n\n", r.Scenario)
	t := newTable("WHAT", "EXPECTED", "GOT")
	for _, d := range r.Differences {
		t.row(d.What, d.Expected, d.Got)
	}
	if err := a.show(t); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.out)
	return err
}
