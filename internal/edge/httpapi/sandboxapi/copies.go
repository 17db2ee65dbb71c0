package sandboxapi

import (
	"encoding/json"
	"io"
	"net/http"

	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type snapshotBody struct {
	Name *string `json:"name" minLength:"1" maxLength:"100" doc:"Name of the snapshot." example:"before the refund"`
}

type resetBody struct {
	Seed    bool `json:"seed" default:"false" doc:"Load the demo data. Without it no merchant is left, so only the lender can do that." example:"true"`
	History bool `json:"history" default:"false" doc:"Include 14 months of history: orders, payments and payouts. Takes seconds, or minutes on a slow machine. Only with seed." example:"true"`
}

type seedBody struct {
	History bool `json:"history" default:"false" doc:"Include 14 months of history: orders, payments and payouts. Takes seconds, or minutes on a slow machine. Needs an empty sandbox." example:"false"`
}

type snapshotID struct {
	ID string `path:"id" prefix:"snp_" doc:"The snapshot's identifier." example:"snp_01KB2C4E6G8J0M2P4R6T8V0X2Z"`
}

type scenarioName struct {
	Name string `path:"name" doc:"The scenario's name." example:"nsf-then-cure"`
}

const mediaLines = "application/jsonl"

// sandboxCopies returns the operations on a sandbox as a whole.
func (s API) sandboxCopies() []rest.Operation {
	op := func(id, method, path, summary, doc string, response any, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: method, Path: "/v1/sandbox/" + path, Tag: "Sandbox", Summary: summary, Doc: doc,
			Scopes: []string{"sandbox"}, Response: response, Endpoint: e, Undecided: method == "POST", Slow: method == "POST",
		}
	}
	refused := func(o rest.Operation, codes ...string) rest.Operation {
		o.Problems = append(o.Problems, codes...)
		return o
	}
	const none, waits = "snapshots_unavailable", "Running requests finish first, and new ones wait. Tokens stay valid if their client exists. "
	take := refused(op("makeSnapshot", "POST", "snapshots", "Copy the whole sandbox", "Its books, its clock and its bank.", resource.SandboxSnapshot{}, rest.Handle(s.makeSnapshot)), none, "clock_moving")
	take.Success, take.BodyOptional = 201, true
	reset := refused(op("resetSandbox", "POST", "reset", "Empty the sandbox", waits+"The clock is stopped where a new sandbox begins.", resource.SandboxClock{}, rest.Handle(s.resetSandbox)), none)
	reset.BodyOptional = true
	seed := refused(op("seedSandbox", "POST", "seed", "Make the demo data", "Once; repeating it returns the same.", resource.SandboxSeed{}, rest.Handle(s.seedSandbox)), "clock_moving", none)
	seed.BodyOptional = true
	run := refused(op("runScenario", "POST", "scenarios/{name}/run", "Play a scenario", "With its own merchant and company; the sandbox's clock advances. "+
		"Streams one JSON object per line: each call as it is made, and the result at the end.", resource.SandboxLine{}, rest.Handle(s.runScenario)), "not_found")
	run.Produces = []string{mediaLines}
	return []rest.Operation{
		take,
		refused(op("listSnapshots", "GET", "snapshots", "List sandbox snapshots", "Newest first.", resource.List[resource.SandboxSnapshot]{}, rest.Handle(s.listSnapshots)), none),
		refused(op("restoreSnapshot", "POST", "snapshots/{id}/restore", "Restore a sandbox snapshot",
			waits+"Ends a move of the clock. Everything since the snapshot is lost.", resource.SandboxSnapshot{}, rest.Handle(s.restoreSnapshot)), none, "not_found"),
		reset,
		seed,
		op("listScenarios", "GET", "scenarios", "List the scenarios", "All of them, by name.", resource.List[resource.SandboxScenario]{}, rest.Handle(s.listScenarios)),
		run,
	}
}

func (s API) makeSnapshot(c *rest.Call, _ *rest.None, b *snapshotBody) (rest.Answer, error) {
	x, err := s.Controls.Snapshot(c.Context(), serve.Deref(b.Name))
	if err != nil {
		return rest.Answer{}, obeyed(err)
	}
	return rest.Answer{Status: http.StatusCreated, Location: "/v1/sandbox/snapshots", Body: &x}, nil
}

func (s API) listSnapshots(*rest.Call, *rest.None, *rest.None) (rest.Answer, error) {
	list, err := s.Controls.Snapshots()
	return rest.OK(allOf(list)), obeyed(err)
}

// allOf is a list on one page.
func allOf[T any](list []T) any {
	page := resource.NewList(list, "")
	return &page
}

func (s API) restoreSnapshot(c *rest.Call, p *snapshotID, _ *rest.None) (rest.Answer, error) {
	x, err := s.Controls.Restore(c.Context(), p.ID)
	return rest.OK(&x), obeyed(err)
}

func (s API) resetSandbox(c *rest.Call, _ *rest.None, b *resetBody) (rest.Answer, error) {
	caller := c.Principal.Tenant
	if c.Principal.Operator {
		caller = ""
	}
	if !b.Seed && caller != "" {
		return rest.Answer{}, rest.NewProblem(rest.CodeValidation, "An empty sandbox has no merchant, so you would lose access. Load the demo data with seed, or use a lender token.")
	}
	if b.History && !b.Seed {
		return rest.Answer{}, rest.NewProblem(rest.CodeValidation, "history requires seed.")
	}
	w, err := s.Controls.Reset(c.Context(), caller, b.Seed, b.History)
	return rest.OK(&w), obeyed(err)
}

func (s API) seedSandbox(c *rest.Call, _ *rest.None, b *seedBody) (rest.Answer, error) {
	merchant, err := s.Controls.Seed(c.Context(), b.History)
	return rest.OK(&resource.SandboxSeed{MerchantID: merchant}), obeyed(err)
}

func (s API) listScenarios(*rest.Call, *rest.None, *rest.None) (rest.Answer, error) {
	list, err := s.Controls.Scenarios()
	return rest.OK(allOf(list)), err
}

func (s API) runScenario(c *rest.Call, p *scenarioName, _ *rest.None) (rest.Answer, error) {
	return rest.Answer{ContentType: mediaLines, Stream: func(begin func(asOf int64) io.Writer) error {
		return obeyed(s.Controls.RunScenario(c.Context(), p.Name, func() func(any) error {
			out := begin(0)
			return func(line any) error { return writeLine(out, line) }
		}))
	}}, nil
}

// writeLine writes one line, and flushes it.
func writeLine(out io.Writer, line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := out.Write(append(b, '\n')); err != nil {
		return err
	}
	if f, ok := out.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}
