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

// Examples are shown by -h.
func (SandboxSnapshots) Examples() []string {
	return []string{"sandbox snapshots", "sandbox snapshots -q"}
}

// Run is called by the parser.
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
	Name string `arg:"" optional:"" help:"What to call it."`
}

// Examples are shown by -h.
func (SandboxSnapshotMake) Examples() []string {
	return []string{"sandbox snapshot", "sandbox snapshot 'before the refund'"}
}

// Run is called by the parser.
func (c *SandboxSnapshotMake) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Act(ctx, a, &c.Change, snapshotNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSnapshot, error) {
		return api.MakeSnapshot(ctx, client.SandboxCopying{Name: c.Name}, o...)
	}, func(x *client.SandboxSnapshot) string {
		return fmt.Sprintf("Copied the sandbox as it is at %s. Back to it: %s sandbox restore %s", terminal.NewYork(x.Clock), a.Program, x.ID)
	})
}

// SandboxRestore is the command "sandbox restore".
type SandboxRestore struct {
	terminal.Change
	terminal.Consent
	Snapshot string `arg:"" help:"A copy: snp_…, as sandbox snapshots lists them."`
}

// Examples are shown by -h.
func (SandboxRestore) Examples() []string {
	return []string{"sandbox restore snp_…", "sandbox restore snp_… --yes"}
}

// Run is called by the parser.
func (c *SandboxRestore) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Snapshot
	if err := c.Ask(a, "Put "+c.Snapshot+" in the place of the sandbox? What happened since will never have been."); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, snapshotNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSnapshot, error) {
		return api.RestoreSnapshot(ctx, c.Snapshot, o...)
	}, func(x *client.SandboxSnapshot) string {
		return "The sandbox is as it was at " + terminal.NewYork(x.Clock) + "."
	})
}

// SandboxReset is the command "sandbox reset".
type SandboxReset struct {
	terminal.Change
	terminal.Oath
	Seed    bool `help:"Make the demo data. Without them only the lender may empty a sandbox."`
	History bool `help:"With a past: 14 months of orders, payments and payouts. Takes some seconds, or minutes on a slow machine; means --seed."`
}

// Examples are shown by -h.
func (SandboxReset) Examples() []string {
	return []string{"sandbox reset --seed", "sandbox reset --seed --confirm=sandbox", "sandbox reset --history"}
}

// Run is called by the parser.
func (c *SandboxReset) Run(ctx context.Context, a *terminal.App) error {
	if err := c.Swear(a, "Empty the sandbox at "+c.URL+"?", "sandbox"); err != nil {
		return err
	}
	return onlyInASandbox(terminal.Act(ctx, a, &c.Change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.ResetSandbox(ctx, client.SandboxReset{Seed: c.Seed || c.History, History: c.History}, o...)
	}, func(x *client.SandboxClock) string {
		what := "The sandbox is empty; demo data: " + a.Program + " sandbox seed."
		if c.Seed || c.History {
			what = "The sandbox holds the demo data and nothing else."
		}
		return what + " " + clockLine(x) + " Let it run: " + a.Program + " clock resume"
	}))
}

// onlyInASandbox says of a call that names nothing, and that the server does not know, what
// that means: the server holds live data.
func onlyInASandbox(err error) error {
	var p *client.Problem
	if errors.As(err, &p) && p.Code == "not_found" {
		return &exit.Failure{Code: exit.Forbidden, Text: "the server holds live data: it has no sandbox", Hint: "A sandbox is what tenor dev serves. Is --url, or TENOR_URL, right?"}
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
	History bool `help:"With a past: 14 months of orders, payments and payouts. Takes some seconds, or minutes on a slow machine; needs an empty sandbox."`
}

// Examples are shown by -h.
func (SandboxSeed) Examples() []string { return []string{"sandbox seed", "sandbox seed --history"} }

// Run is called by the parser.
func (c *SandboxSeed) Run(ctx context.Context, a *terminal.App) error {
	return onlyInASandbox(terminal.Act(ctx, a, &c.Change, seedNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxSeed, error) {
		return api.SeedSandbox(ctx, client.SandboxSeeding{History: c.History}, o...)
	}, func(x *client.SandboxSeed) string {
		companies := "1000000001 to 1000000010"
		if c.History {
			companies += ", and 1000000101 to 1000000112 with a past"
		}
		return fmt.Sprintf("The demo data are there: merchant %s, companies %s. Undo: %s sandbox reset", x.MerchantID, companies, a.Program)
	}))
}
