package trade

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// LedgerTrial is the command "ledger trial-balance".
type LedgerTrial struct {
	terminal.Remote
	AsOf terminal.DateFlag `placeholder:"DATE" help:"As of this book date. Default: today."`
}

func (LedgerTrial) Examples() []string {
	return []string{"ledger trial-balance", "ledger trial-balance --as-of 2026-01-31 --plain"}
}

// Run is called by the parser. Each account is a record.
func (c *LedgerTrial) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	b, err := api.TrialBalance(ctx, string(c.AsOf), client.Record(&raw))
	if err != nil {
		return err
	}
	t := terminal.NewTable("ACCOUNT", "NAME", ">DEBIT", ">CREDIT")
	for _, l := range b.Lines {
		t.Row(strconv.Itoa(l.Account), l.AccountName, terminal.Side(l.Debit), terminal.Side(l.Credit))
		if c.Quiet && !c.Plain && !c.JSON {
			fmt.Fprintln(a.Out, l.Account)
		}
	}
	switch {
	case c.JSON:
		if err := terminal.Document(a.Out, raw.Body); err != nil {
			return err
		}
	case c.Plain:
		if err := t.Plain(a.Out); err != nil {
			return err
		}
	case !c.Quiet:
		t.Row("", "sum", b.Debits, b.Credits)
		t.Row("", "sum of memo accounts", b.MemoDebits, b.MemoCredits)
		if err := a.Show(t); err != nil {
			return err
		}
	}
	if !b.Balanced {
		return &exit.Failure{Code: exit.CheckFailed, Text: "the books as of " + b.AsOf + " do not balance", Hint: "Leave the data unchanged and check the books:\n  " + a.Program + " verify"}
	}
	return nil
}

// LedgerExport is the command "ledger export".
type LedgerExport struct {
	terminal.Remote
	From   terminal.DateFlag `placeholder:"DATE" help:"Entries on or after this book date."`
	To     terminal.DateFlag `placeholder:"DATE" help:"Entries on or before this book date."`
	Format string            `default:"csv" enum:"csv,hledger,json" help:"csv, hledger or json."`
	Out    string            `short:"o" type:"path" placeholder:"FILE" help:"Output file; it must not exist. Default: standard output."`
}

func (LedgerExport) Examples() []string {
	return []string{"ledger export --from 2026-01-01 --to 2026-01-31 -o january.csv", "ledger export --format hledger -o books.journal"}
}

// Run is called by the parser. The export is written as it arrives.
func (c *LedgerExport) Run(ctx context.Context, a *terminal.App) error {
	if err := terminal.InOrder("--from", c.From, "--to", c.To); err != nil {
		return err
	}
	format := c.Format
	if c.JSON {
		format = "json"
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	kind := map[string]string{"csv": client.CSV, "hledger": client.Ledger, "json": client.JSON}[format]
	return c.Write(a, c.Out, func(w io.Writer) error { return api.ExportEntries(ctx, string(c.From), string(c.To), kind, w) })
}

// LedgerBalances is the command "ledger balances".
type LedgerBalances struct {
	terminal.Remote
	Company  int64             `xor:"whose" placeholder:"ID" help:"For this company." complete:"company"`
	Merchant string            `xor:"whose" placeholder:"ID" help:"For this merchant: mch_…"`
	AsOf     terminal.DateFlag `placeholder:"DATE" help:"As of this book date. Default: today."`
}

func (LedgerBalances) Examples() []string {
	return []string{"ledger balances --company 1000000001", "ledger balances --merchant mch_… --as-of 2026-01-31 --plain"}
}

// Run is called by the parser. Each account is a record.
func (c *LedgerBalances) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	b, err := api.Balances(ctx, c.Company, c.Merchant, string(c.AsOf), client.Record(&raw))
	if err != nil {
		return err
	}
	t := terminal.NewTable("ACCOUNT", "NAME", ">DEBIT", ">CREDIT")
	for _, l := range b.Lines {
		t.Row(strconv.Itoa(l.Account), l.AccountName, terminal.Side(l.Debit), terminal.Side(l.Credit))
		if c.Quiet && !c.Plain && !c.JSON {
			fmt.Fprintln(a.Out, l.Account)
		}
	}
	switch {
	case c.JSON:
		return terminal.Document(a.Out, raw.Body)
	case c.Plain:
		return t.Plain(a.Out)
	case c.Quiet:
		return nil
	case len(b.Lines) == 0:
		c.Say(a, "Nothing found.")
	}
	return a.Show(t)
}

func periodNoun() terminal.Noun[client.Period] {
	return terminal.Noun[client.Period]{
		Head: []string{"MONTH", "CLOSED", ">DEBITS"},
		Row:  func(p *client.Period) []any { return []any{p.Month, p.ClosedAt, p.Debits} },
		Key:  func(p *client.Period) string { return p.Month },
	}
}

// LedgerClose is the command "ledger close".
type LedgerClose struct {
	terminal.Change
	terminal.TypedConfirmation
	Month string `arg:"" optional:"" help:"Month to close, YYYY-MM; it must have ended. Default: list closed months."`
}

func (LedgerClose) Examples() []string {
	return []string{"ledger close", "ledger close 2026-01", "ledger close 2026-01 --confirm=2026-01"}
}

func (c *LedgerClose) Run(ctx context.Context, a *terminal.App) error {
	if c.Month == "" {
		return terminal.List(ctx, a, &c.Remote, terminal.Paging{Limit: terminal.MaxPage}, periodNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Period], error) {
			return api.ListPeriods(ctx, p, o...)
		})
	}
	if _, err := time.Parse("2006-01", c.Month); err != nil {
		return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%q is not a month such as 2026-01", c.Month)}
	}
	if !c.DryRun {
		if err := c.ConfirmTyped(a, fmt.Sprintf("Close %s? This is permanent.", c.Month), c.Month); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, periodNoun(), func(api *client.Client, o ...client.Option) (*client.Period, error) {
		return api.ClosePeriod(ctx, c.Month, o...)
	}, func(p *client.Period) string {
		return fmt.Sprintf("Closed %s: debits and credits of %s. No more entries can be booked in it.", p.Month, terminal.Dollars(p.Debits))
	})
}
