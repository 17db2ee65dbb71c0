package main

import (
	"context"
	"errors"
	"fmt"

	"tenor/client"
)

func snapshotNoun() noun[client.SandboxSnapshot] {
	return noun[client.SandboxSnapshot]{
		head: []string{"SNAPSHOT", "NAME", "CLOCK", "CREATED", ">BYTES"},
		row:  func(x *client.SandboxSnapshot) []any { return []any{x.ID, x.Name, x.Clock, x.CreatedAt, x.Size} },
		key:  func(x *client.SandboxSnapshot) string { return x.ID },
	}
}

type sandboxSnapshots struct{ remote }

// Examples are shown by -h.
func (sandboxSnapshots) Examples() []string {
	return []string{"sandbox snapshots", "sandbox snapshots -q"}
}

// Run is called by the parser.
func (c *sandboxSnapshots) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.ListSnapshots(ctx, client.Record(&raw))
	if err != nil {
		return err
	}
	return snapshotNoun().printPage(a, c.output, raw, p)
}

type sandboxSnapshotMake struct {
	change
	Name string `arg:"" optional:"" help:"What to call it."`
}

// Examples are shown by -h.
func (sandboxSnapshotMake) Examples() []string {
	return []string{"sandbox snapshot", "sandbox snapshot 'before the refund'"}
}

// Run is called by the parser.
func (c *sandboxSnapshotMake) Run(ctx context.Context, a *app) error {
	return act(ctx, a, &c.change, snapshotNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSnapshot, error) {
		return api.MakeSnapshot(ctx, c.Name, o...)
	}, func(x *client.SandboxSnapshot) string {
		return fmt.Sprintf("Copied the sandbox as it is at %s. Back to it: %s sandbox restore %s", newYork(x.Clock), a.program, x.ID)
	})
}

type sandboxRestore struct {
	change
	consent
	Snapshot string `arg:"" help:"A copy: snp_…, as sandbox snapshots lists them."`
}

// Examples are shown by -h.
func (sandboxRestore) Examples() []string {
	return []string{"sandbox restore snp_…", "sandbox restore snp_… --yes"}
}

// Run is called by the parser.
func (c *sandboxRestore) Run(ctx context.Context, a *app) error {
	a.subject = c.Snapshot
	if err := c.ask(a, "Put "+c.Snapshot+" in the place of the sandbox? What happened since will never have been."); err != nil {
		return err
	}
	return act(ctx, a, &c.change, snapshotNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSnapshot, error) {
		return api.RestoreSnapshot(ctx, c.Snapshot, o...)
	}, func(x *client.SandboxSnapshot) string {
		return "The sandbox is as it was at " + newYork(x.Clock) + "."
	})
}

type sandboxReset struct {
	change
	oath
	Seed    bool `help:"Make the demo data. Without them only the lender may empty a sandbox."`
	History bool `help:"With a past: 14 months of orders, payments and payouts. Takes some seconds, or minutes on a slow machine; means --seed."`
}

// Examples are shown by -h.
func (sandboxReset) Examples() []string {
	return []string{"sandbox reset --seed", "sandbox reset --seed --confirm=sandbox", "sandbox reset --history"}
}

// Run is called by the parser.
func (c *sandboxReset) Run(ctx context.Context, a *app) error {
	if err := c.swear(a, "Empty the sandbox at "+c.URL+"?", "sandbox"); err != nil {
		return err
	}
	return onlyInASandbox(act(ctx, a, &c.change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.ResetSandbox(ctx, client.SandboxReset{Seed: c.Seed || c.History, History: c.History}, o...)
	}, func(x *client.SandboxClock) string {
		what := "The sandbox is empty; demo data: " + a.program + " sandbox seed."
		if c.Seed || c.History {
			what = "The sandbox holds the demo data and nothing else."
		}
		return what + " " + clockLine(x) + " Let it run: " + a.program + " clock resume"
	}))
}

// onlyInASandbox says of a call that names nothing, and that the server does not know, what
// that means: the server holds live data.
func onlyInASandbox(err error) error {
	var p *client.Problem
	if errors.As(err, &p) && p.Code == "not_found" {
		return &failure{code: exitForbidden, text: "the server holds live data: it has no sandbox", hint: "A sandbox is what tenor dev serves. Is --url, or TENOR_URL, right?"}
	}
	return err
}

func seedNoun() noun[client.SandboxSeed] {
	return noun[client.SandboxSeed]{
		head: []string{"MERCHANT"}, row: func(x *client.SandboxSeed) []any { return []any{x.MerchantID} }, key: func(x *client.SandboxSeed) string { return x.MerchantID },
	}
}

type sandboxSeed struct {
	change
	History bool `help:"With a past: 14 months of orders, payments and payouts. Takes some seconds, or minutes on a slow machine; needs an empty sandbox."`
}

// Examples are shown by -h.
func (sandboxSeed) Examples() []string { return []string{"sandbox seed", "sandbox seed --history"} }

// Run is called by the parser.
func (c *sandboxSeed) Run(ctx context.Context, a *app) error {
	return onlyInASandbox(act(ctx, a, &c.change, seedNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSeed, error) {
		return api.SeedSandbox(ctx, c.History, o...)
	}, func(x *client.SandboxSeed) string {
		companies := "1000000001 to 1000000010"
		if c.History {
			companies += ", and 1000000101 to 1000000112 with a past"
		}
		return fmt.Sprintf("The demo data are there: merchant %s, companies %s. Undo: %s sandbox reset", x.MerchantID, companies, a.program)
	}))
}
