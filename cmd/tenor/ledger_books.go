package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"tenor/client"
)

// trialBalance is the balance of every account.
type trialBalance struct {
	AsOf  string `json:"as_of"`
	Lines []struct {
		Account int           `json:"account"`
		Name    string        `json:"account_name"`
		Debit   client.Amount `json:"debit"`
		Credit  client.Amount `json:"credit"`
	} `json:"lines"`
	Debits      client.Amount `json:"debits"`
	Credits     client.Amount `json:"credits"`
	MemoDebits  client.Amount `json:"memo_debits"`
	MemoCredits client.Amount `json:"memo_credits"`
	Balanced    bool          `json:"balanced"`
}

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
	path := pathOf("operator", "ledger", "trial_balance")
	if c.AsOf != "" {
		path += "?as_of=" + url.QueryEscape(string(c.AsOf))
	}
	var raw client.Response
	b, err := get[trialBalance](ctx, api, path, client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("ACCOUNT", "NAME", ">DEBIT", ">CREDIT")
	for _, l := range b.Lines {
		t.row(strconv.Itoa(l.Account), l.Name, side(l.Debit), side(l.Credit))
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

// Run is called by the parser. The whole export is read before a file is made, so that
// none is there which is not complete.
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
	q := url.Values{}
	for name, value := range map[string]dateFlag{"from": c.From, "to": c.To} {
		if value != "" {
			q.Set(name, string(value))
		}
	}
	path := strings.TrimSuffix(pathOf("operator", "ledger", "entries")+"?"+q.Encode(), "?")
	accept := map[string]string{"csv": "text/csv", "hledger": "text/plain", "json": "application/json"}[format]
	r, err := api.Do(ctx, http.MethodGet, path, nil, client.Accept(accept))
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err := a.out.Write(r.Body)
		return err
	}
	f, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &failure{code: exitRefused, text: "make the file", err: err}
	}
	_, err = f.Write(r.Body)
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil {
		c.say(a, "Wrote %s to %s.", size(len(r.Body)), c.Out)
	}
	return err
}

// period is a month of the books that is closed.
type period struct {
	client.Raw
	Month    string        `json:"month"`
	ClosedAt time.Time     `json:"closed_at"`
	Debits   client.Amount `json:"debits"`
}

func periodNoun() noun[period] {
	return noun[period]{
		head: []string{"MONTH", "CLOSED", ">DEBITS"},
		row:  func(p *period) []any { return []any{p.Month, p.ClosedAt, p.Debits} },
		key:  func(p *period) string { return p.Month },
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
	path := pathOf("operator", "ledger", "periods")
	if c.Month == "" {
		return list(ctx, a, &c.remote, paging{Limit: maxPage}, periodNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[period], error) {
			return get[client.Page[period]](ctx, api, onPage(path, p), o...)
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
	return actOn(ctx, a, &c.change, periodNoun(), target{http.MethodPost, path, map[string]any{"month": c.Month}}, func(p *period) string {
		return fmt.Sprintf("Closed %s: debits of %s, which is the sum of the credits. Nothing is booked in it any more.", p.Month, dollars(p.Debits))
	})
}
