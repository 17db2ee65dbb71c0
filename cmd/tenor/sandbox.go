package main

import (
	"context"
	"fmt"
	"time"

	"tenor/client"
)

// sandboxSnapshot is a copy of a whole sandbox.
type sandboxSnapshot struct {
	client.Raw
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	Clock     time.Time `json:"clock"`
	Size      int64     `json:"size"`
}

func snapshotNoun() noun[sandboxSnapshot] {
	return noun[sandboxSnapshot]{
		head: []string{"SNAPSHOT", "NAME", "CLOCK", "CREATED", ">BYTES"},
		row:  func(x *sandboxSnapshot) []any { return []any{x.ID, x.Name, x.Clock, x.CreatedAt, x.Size} },
		key:  func(x *sandboxSnapshot) string { return x.ID },
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
	p, err := listSnapshots(ctx, api, client.Record(&raw))
	if err != nil {
		return err
	}
	return snapshotNoun().printPage(a, c.output, raw, p)
}

func listSnapshots(ctx context.Context, api *client.Client, o ...client.Option) (*client.Page[sandboxSnapshot], error) {
	return get[client.Page[sandboxSnapshot]](ctx, api, pathOf("sandbox", "snapshots"), o...)
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
	body := map[string]any{}
	if c.Name != "" {
		body["name"] = c.Name
	}
	return actOn(ctx, a, &c.change, snapshotNoun(), post(body, "sandbox", "snapshots"), func(x *sandboxSnapshot) string {
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
	return actOn(ctx, a, &c.change, snapshotNoun(), post(nil, "sandbox", "snapshots", c.Snapshot, "restore"), func(x *sandboxSnapshot) string {
		return "The sandbox is as it was at " + newYork(x.Clock) + "."
	})
}

type sandboxReset struct {
	change
	oath
	Seed bool `help:"Make the demo data. Without them only the lender may empty a sandbox."`
}

// Examples are shown by -h.
func (sandboxReset) Examples() []string {
	return []string{"sandbox reset --seed", "sandbox reset --seed --confirm=sandbox"}
}

// Run is called by the parser.
func (c *sandboxReset) Run(ctx context.Context, a *app) error {
	if err := c.swear(a, "Empty the sandbox at "+c.URL+"?", "sandbox"); err != nil {
		return err
	}
	return actOn(ctx, a, &c.change, clockNoun(), post(map[string]any{"seed": c.Seed}, "sandbox", "reset"), func(x *sandboxClock) string {
		what := "The sandbox is empty; demo data: " + a.program + " sandbox seed."
		if c.Seed {
			what = "The sandbox holds the demo data and nothing else."
		}
		return what + " " + clockLine(x) + " Let it run: " + a.program + " clock resume"
	})
}

// seeded is what the demo data begin with.
type seeded struct {
	client.Raw
	MerchantID string `json:"merchant_id"`
}

func seedNoun() noun[seeded] {
	return noun[seeded]{
		head: []string{"MERCHANT"}, row: func(x *seeded) []any { return []any{x.MerchantID} }, key: func(x *seeded) string { return x.MerchantID },
	}
}

type sandboxSeed struct{ change }

// Examples are shown by -h.
func (sandboxSeed) Examples() []string { return []string{"sandbox seed"} }

// Run is called by the parser.
func (c *sandboxSeed) Run(ctx context.Context, a *app) error {
	return actOn(ctx, a, &c.change, seedNoun(), post(nil, "sandbox", "seed"), func(x *seeded) string {
		return fmt.Sprintf("The demo data are there: merchant %s, companies 1000000001 to 1000000010. Undo: %s sandbox reset", x.MerchantID, a.program)
	})
}
