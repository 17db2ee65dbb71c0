package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"tenor/client"
)

type ledgerTrial struct {
	remote
	AsOf dateFlag `placeholder:"DATE" help:"Last book date that counts; absent: today."`
}

// Examples are shown by -h.
func (ledgerTrial) Examples() []string {
	return []string{"ledger trial-balance", "ledger trial-balance --as-of 2026-01-31 --plain"}
}

// Run is called by the parser. An account is a record.
func (c *ledgerTrial) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	b, err := api.TrialBalance(ctx, string(c.AsOf), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("ACCOUNT", "NAME", ">DEBIT", ">CREDIT")
	for _, l := range b.Lines {
		t.row(strconv.Itoa(l.Account), l.AccountName, side(l.Debit), side(l.Credit))
		if c.Quiet && !c.Plain && !c.JSON {
			fmt.Fprintln(a.out, l.Account)
		}
	}
	switch {
	case c.JSON:
		if err := document(a.out, raw.Body); err != nil {
			return err
		}
	case c.Plain:
		if err := t.plain(a.out); err != nil {
			return err
		}
	case !c.Quiet:
		t.row("", "sum", b.Debits, b.Credits)
		t.row("", "sum of memo accounts", b.MemoDebits, b.MemoCredits)
		if err := a.show(t); err != nil {
			return err
		}
	}
	if !b.Balanced {
		return &failure{code: exitCheckFailed, text: "the books of " + b.AsOf + " do not balance", hint: "Keep the data as they are, and have them checked:\n  " + a.program + " verify"}
	}
	return nil
}

type ledgerExport struct {
	remote
	From   dateFlag `placeholder:"DATE" help:"Entries with this book date or a later one."`
	To     dateFlag `placeholder:"DATE" help:"Entries with this book date or an earlier one."`
	Format string   `default:"csv" enum:"csv,hledger,json" help:"csv, hledger or json."`
	Out    string   `short:"o" type:"path" placeholder:"FILE" help:"File to write; it must not exist. Absent: standard output."`
}

// Examples are shown by -h.
func (ledgerExport) Examples() []string {
	return []string{"ledger export --from 2026-01-01 --to 2026-01-31 -o january.csv", "ledger export --format hledger -o books.journal"}
}

// Run is called by the parser. The export is written as it comes.
func (c *ledgerExport) Run(ctx context.Context, a *app) error {
	if err := inOrder("--from", c.From, "--to", c.To); err != nil {
		return err
	}
	format := c.Format
	if c.JSON {
		format = "json"
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	kind := map[string]string{"csv": client.CSV, "hledger": client.Ledger, "json": client.JSON}[format]
	return c.write(a, c.Out, func(w io.Writer) error { return api.ExportEntries(ctx, string(c.From), string(c.To), kind, w) })
}

// write writes a download to a file that is new, or to standard output. A file whose
// download breaks off is removed: none is there that is not complete.
func (o output) write(a *app, path string, download func(io.Writer) error) error {
	if path == "" {
		return download(a.out)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &failure{code: exitRefused, text: "make the file", err: err}
	}
	err = download(f)
	written, _ := f.Seek(0, io.SeekEnd)
	if end := f.Close(); err == nil {
		err = end
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	o.say(a, "Wrote %s to %s.", size(int(written)), path)
	return nil
}

type ledgerBalances struct {
	remote
	Company  string   `xor:"whose" placeholder:"ID" help:"Of this company." complete:"company"`
	Merchant string   `xor:"whose" placeholder:"ID" help:"Of this merchant: mch_…"`
	AsOf     dateFlag `placeholder:"DATE" help:"Last book date that counts; absent: today."`
}

// Examples are shown by -h.
func (ledgerBalances) Examples() []string {
	return []string{"ledger balances --company 1000000001", "ledger balances --merchant mch_… --as-of 2026-01-31 --plain"}
}

// Run is called by the parser. An account is a record.
func (c *ledgerBalances) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	b, err := api.Balances(ctx, c.Company, c.Merchant, string(c.AsOf), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("ACCOUNT", "NAME", ">DEBIT", ">CREDIT")
	for _, l := range b.Lines {
		t.row(strconv.Itoa(l.Account), l.AccountName, side(l.Debit), side(l.Credit))
		if c.Quiet && !c.Plain && !c.JSON {
			fmt.Fprintln(a.out, l.Account)
		}
	}
	switch {
	case c.JSON:
		return document(a.out, raw.Body)
	case c.Plain:
		return t.plain(a.out)
	case c.Quiet:
		return nil
	case len(b.Lines) == 0:
		c.say(a, "Nothing found.")
	}
	return a.show(t)
}

func periodNoun() noun[client.Period] {
	return noun[client.Period]{
		head: []string{"MONTH", "CLOSED", ">DEBITS"},
		row:  func(p *client.Period) []any { return []any{p.Month, p.ClosedAt, p.Debits} },
		key:  func(p *client.Period) string { return p.Month },
	}
}

type ledgerClose struct {
	change
	oath
	Month string `arg:"" optional:"" help:"The month, YYYY-MM, which has ended; absent: list the months that are closed."`
}

// Examples are shown by -h.
func (ledgerClose) Examples() []string {
	return []string{"ledger close", "ledger close 2026-01", "ledger close 2026-01 --confirm=2026-01"}
}

// Run is called by the parser.
func (c *ledgerClose) Run(ctx context.Context, a *app) error {
	if c.Month == "" {
		return list(ctx, a, &c.remote, paging{Limit: maxPage}, periodNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Period], error) {
			return api.ListPeriods(ctx, p, o...)
		})
	}
	if _, err := time.Parse("2006-01", c.Month); err != nil {
		return &failure{code: exitUsage, text: fmt.Sprintf("%q is not a month such as 2026-01", c.Month)}
	}
	if !c.DryRun {
		if err := c.swear(a, fmt.Sprintf("Close %s for ever?", c.Month), c.Month); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, periodNoun(), func(api *client.Client, o ...client.Option) (*client.Period, error) {
		return api.ClosePeriod(ctx, c.Month, o...)
	}, func(p *client.Period) string {
		return fmt.Sprintf("Closed %s: debits of %s, which is the sum of the credits. Nothing is booked in it any more.", p.Month, dollars(p.Debits))
	})
}
