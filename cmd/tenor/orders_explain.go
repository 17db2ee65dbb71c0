package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

type orderExplain struct {
	remote
	orderKeyed
	Amount string `placeholder:"NAME" help:"Only this amount, or those whose names begin so, with what went into them and their postings."`
}

// Examples are shown by -h.
func (orderExplain) Examples() []string {
	return []string{"orders explain ord_…", "orders explain ord_… --amount 'schedule.installments[3]'", "orders explain ord_… --json"}
}

// Run is called by the parser. An amount is a record.
func (c *orderExplain) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := api.Explain(ctx, c.Key, client.Record(&raw))
	if err != nil {
		return err
	}
	if c.JSON {
		return document(a.out, raw.Body)
	}
	var chosen []client.ExplainedAmount
	for _, m := range x.Amounts {
		if strings.HasPrefix(m.Name, c.Amount) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 && c.Amount != "" {
		return &failure{code: exitNotFound, text: fmt.Sprintf("the order has no amount %q", c.Amount), hint: a.then("All of them are listed by", "orders explain "+c.Key)}
	}
	switch {
	case c.Quiet && !c.Plain:
		for _, m := range chosen {
			fmt.Fprintln(a.out, clean(m.Name))
		}
		return nil
	case c.Plain:
		t := newTable("AMOUNT", ">VALUE", "RULE", "BECAUSE")
		for _, m := range chosen {
			t.row(m.Name, m.Value, m.Rule, m.RuleText)
		}
		return t.plain(a.out)
	case c.Amount == "":
		return ruled(a, chosen)
	}
	return explained(a, chosen, x.Entries)
}

// ruled prints amounts with their rules, and below them each rule once.
func ruled(a *app, list []client.ExplainedAmount) error {
	t := newTable("AMOUNT", ">VALUE", "RULE")
	var rules []any
	told := map[string]bool{}
	for _, m := range list {
		t.row(m.Name, m.Value, m.Rule)
		if !told[m.Rule] {
			told[m.Rule] = true
			rules = append(rules, m.Rule, m.RuleText)
		}
	}
	if err := a.show(t); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	return facts(a.out, rules...)
}

// explained prints amounts with what went into them and the postings that carry them.
func explained(a *app, list []client.ExplainedAmount, entries []client.Entry) error {
	byID := map[string]*client.Entry{}
	for i := range entries {
		byID[entries[i].ID] = &entries[i]
	}
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s = %s\n%s: %s\n", a.style(a.outTerminal, bold, clean(m.Name)), dollars(m.Value), clean(m.Rule), clean(m.RuleText))
		var pairs []any
		for _, in := range m.Inputs {
			pairs = append(pairs, "  "+in.Name, in.Value)
		}
		if err := facts(a.out, pairs...); err != nil {
			return err
		}
		t := newTable("  DATE", "EVENT", "ACCOUNT", "NAME", ">DEBIT", ">CREDIT", "ENTRY")
		for _, p := range m.Postings {
			e := byID[p.EntryID]
			if e == nil || p.Line < 0 || p.Line >= len(e.Postings) {
				continue
			}
			l := e.Postings[p.Line]
			t.row("  "+e.BookDate, e.Event, l.Account, l.AccountName, side(l.Debit), side(l.Credit), e.ID)
		}
		if err := a.show(t); err != nil {
			return err
		}
		if cents, _ := m.Unposted.Cents(); cents != 0 {
			fmt.Fprintf(a.out, "  not posted: %s\n", dollars(m.Unposted))
		}
	}
	return nil
}
