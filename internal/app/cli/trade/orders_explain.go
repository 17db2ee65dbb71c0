package trade

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// OrderExplain is the command "orders explain".
type OrderExplain struct {
	terminal.Remote
	orderKeyed
	Amount string `placeholder:"NAME" help:"Only this amount, or all amounts with this prefix, with their inputs and postings."`
}

func (OrderExplain) Examples() []string {
	return []string{"orders explain ord_…", "orders explain ord_… --amount 'schedule.installments[3]'", "orders explain ord_… --json"}
}

// Run is called by the parser. Each amount is a record.
func (c *OrderExplain) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := api.ExplainOrder(ctx, c.Key, client.Record(&raw))
	if err != nil {
		return err
	}
	if c.JSON {
		return terminal.Document(a.Out, raw.Body)
	}
	var chosen []client.ExplainedAmount
	for _, m := range x.Amounts {
		if strings.HasPrefix(m.Name, c.Amount) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 && c.Amount != "" {
		return &exit.Failure{Code: exit.NotFound, Text: fmt.Sprintf("the order has no amount %q", c.Amount), Hint: a.Then("List them all:", "orders explain "+c.Key)}
	}
	switch {
	case c.Quiet && !c.Plain:
		for _, m := range chosen {
			fmt.Fprintln(a.Out, terminal.Clean(m.Name))
		}
		return nil
	case c.Plain:
		t := terminal.NewTable("AMOUNT", ">VALUE", "RULE", "BECAUSE")
		for _, m := range chosen {
			t.Row(m.Name, m.Value, m.Rule, m.RuleText)
		}
		return t.Plain(a.Out)
	case c.Amount == "":
		return ruled(a, chosen)
	}
	return explained(a, chosen, x.Entries)
}

// ruled prints amounts with their rules, and then each rule once.
func ruled(a *terminal.App, list []client.ExplainedAmount) error {
	t := terminal.NewTable("AMOUNT", ">VALUE", "RULE")
	var rules []any
	told := map[string]bool{}
	for _, m := range list {
		t.Row(m.Name, m.Value, m.Rule)
		if !told[m.Rule] {
			told[m.Rule] = true
			rules = append(rules, m.Rule, m.RuleText)
		}
	}
	if err := a.Show(t); err != nil {
		return err
	}
	fmt.Fprintln(a.Out)
	return terminal.Facts(a.Out, rules...)
}

// explained prints amounts with their inputs and the postings that carry them.
func explained(a *terminal.App, list []client.ExplainedAmount, entries []client.Entry) error {
	byID := map[string]*client.Entry{}
	for i := range entries {
		byID[entries[i].ID] = &entries[i]
	}
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		fmt.Fprintf(a.Out, "%s = %s\n%s: %s\n", a.Style(a.OutTerminal, terminal.Bold, terminal.Clean(m.Name)), terminal.Dollars(m.Value), terminal.Clean(m.Rule), terminal.Clean(m.RuleText))
		var pairs []any
		for _, in := range m.Inputs {
			pairs = append(pairs, "  "+in.Name, in.Value)
		}
		if err := terminal.Facts(a.Out, pairs...); err != nil {
			return err
		}
		t := terminal.NewTable("  DATE", "EVENT", "ACCOUNT", "NAME", ">DEBIT", ">CREDIT", "ENTRY")
		for _, p := range m.Postings {
			e := byID[p.EntryID]
			if e == nil || p.Line < 0 || p.Line >= len(e.Postings) {
				continue
			}
			l := e.Postings[p.Line]
			t.Row("  "+e.BookDate, e.Event, l.Account, l.AccountName, terminal.Side(l.Debit), terminal.Side(l.Credit), e.ID)
		}
		if err := a.Show(t); err != nil {
			return err
		}
		if cents, _ := m.Unposted.Cents(); cents != 0 {
			fmt.Fprintf(a.Out, "  not posted: %s\n", terminal.Dollars(m.Unposted))
		}
	}
	return nil
}
