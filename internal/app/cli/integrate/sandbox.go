package integrate

import (
	"context"
	"errors"
	"fmt"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func snapshotNoun() terminal.Noun[client.SandboxSnapshot] {
	return terminal.Noun[client.SandboxSnapshot]{
		Head: []string{"SNAPSHOT", "NAME", "CLOCK", "CREATED", ">BYTES"},
		Row:  func(x *client.SandboxSnapshot) []any { return []any{x.ID, x.Name, x.Clock, x.CreatedAt, x.Size} },
		Key:  func(x *client.SandboxSnapshot) string { return x.ID },
	}
}

// SandboxSnapshots is the command "sandbox snapshots".
type SandboxSnapshots struct{ terminal.Remote }

func (SandboxSnapshots) Examples() []string {
	return []string{"sandbox snapshots", "sandbox snapshots -q"}
}

func (c *SandboxSnapshots) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.ListSnapshots(ctx, client.Record(&raw))
	if err != nil {
		return err
	}
	return snapshotNoun().PrintPage(a, c.Output, raw, p)
}

// SandboxSnapshotMake is the command "sandbox snapshot".
type SandboxSnapshotMake struct {
	terminal.Change
	Name string `arg:"" optional:"" help:"Name of the snapshot."`
}

func (SandboxSnapshotMake) Examples() []string {
	return []string{"sandbox snapshot", "sandbox snapshot 'before the refund'"}
}

func (c *SandboxSnapshotMake) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Act(ctx, a, &c.Change, snapshotNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSnapshot, error) {
		return api.MakeSnapshot(ctx, client.SandboxCopying{Name: c.Name}, o...)
	}, func(x *client.SandboxSnapshot) string {
		return fmt.Sprintf("Took a snapshot at %s. To restore it: %s sandbox restore %s", terminal.NewYork(x.Clock), a.Program, x.ID)
	})
}

// SandboxRestore is the command "sandbox restore".
type SandboxRestore struct {
	terminal.Change
	terminal.Consent
	Snapshot string `arg:"" help:"Snapshot ID, snp_…, as shown by sandbox snapshots."`
}

func (SandboxRestore) Examples() []string {
	return []string{"sandbox restore snp_…", "sandbox restore snp_… --yes"}
}

func (c *SandboxRestore) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Snapshot
	if err := c.Ask(a, false, "Restore "+c.Snapshot+"? Everything since then is lost."); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, snapshotNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSnapshot, error) {
		return api.RestoreSnapshot(ctx, c.Snapshot, o...)
	}, func(x *client.SandboxSnapshot) string {
		return "Restored the sandbox to " + terminal.NewYork(x.Clock) + "."
	})
}

// SandboxReset is the command "sandbox reset".
type SandboxReset struct {
	terminal.Change
	terminal.TypedConfirmation
	Seed    bool `help:"Load the demo data. Only the lender can empty a sandbox without loading it."`
	History bool `help:"With history: 14 months of orders, payments and payouts. Takes seconds, or minutes on a slow machine. Implies --seed."`
}

func (SandboxReset) Examples() []string {
	return []string{"sandbox reset --seed", "sandbox reset --seed --confirm=sandbox", "sandbox reset --history"}
}

func (c *SandboxReset) Run(ctx context.Context, a *terminal.App) error {
	if err := c.ConfirmTyped(a, "Empty the sandbox at "+c.URL+"?", "sandbox"); err != nil {
		return err
	}
	return onlyInASandbox(terminal.Act(ctx, a, &c.Change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.ResetSandbox(ctx, client.SandboxReset{Seed: c.Seed || c.History, History: c.History}, o...)
	}, func(x *client.SandboxClock) string {
		what := "The sandbox is empty. To load the demo data: " + a.Program + " sandbox seed."
		if c.Seed || c.History {
			what = "The sandbox now holds only the demo data."
		}
		return what + " " + clockLine(x) + " To start the clock: " + a.Program + " clock resume"
	}))
}

// onlyInASandbox explains a not_found from a call that names no object: the server holds live
// data.
func onlyInASandbox(err error) error {
	var p *client.Problem
	if errors.As(err, &p) && p.Code == "not_found" {
		return &exit.Failure{Code: exit.Forbidden, Text: "the server is live, not a sandbox", Hint: "tenor dev serves a sandbox. Check --url or TENOR_URL."}
	}
	return err
}

func seedNoun() terminal.Noun[client.SandboxSeed] {
	return terminal.Noun[client.SandboxSeed]{
		Head: []string{"MERCHANT"}, Row: func(x *client.SandboxSeed) []any { return []any{x.MerchantID} }, Key: func(x *client.SandboxSeed) string { return x.MerchantID },
	}
}

// SandboxSeed is the command "sandbox seed".
type SandboxSeed struct {
	terminal.Change
	History bool `help:"With history: 14 months of orders, payments and payouts. Takes seconds, or minutes on a slow machine. Needs an empty sandbox."`
}

func (SandboxSeed) Examples() []string { return []string{"sandbox seed", "sandbox seed --history"} }

func (c *SandboxSeed) Run(ctx context.Context, a *terminal.App) error {
	return onlyInASandbox(terminal.Act(ctx, a, &c.Change, seedNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSeed, error) {
		return api.SeedSandbox(ctx, client.SandboxSeeding{History: c.History}, o...)
	}, func(x *client.SandboxSeed) string {
		companies := "1000000001 to 1000000010"
		if c.History {
			companies += ", and 1000000101 to 1000000112 with history"
		}
		return fmt.Sprintf("Loaded the demo data: merchant %s, companies %s. Undo: %s sandbox reset", x.MerchantID, companies, a.Program)
	}))
}
