package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

func caseNoun() noun[client.Case] {
	return noun[client.Case]{
		head: []string{"ID", "KIND", "WHAT", "STATUS", "COMPANY", "ABOUT", "DUE", "OUTCOME", "OPENED"},
		row: func(x *client.Case) []any {
			return []any{x.ID, x.Kind, maybe(x.What), x.Status, companyOf(x.CompanyID), maybe(x.OrderKey + x.PaymentID), x.DueOn, maybe(x.Outcome), x.CreatedAt}
		},
		key: func(x *client.Case) string { return x.ID },
		text: func(a *app, x *client.Case) error {
			if err := facts(a.out, "id", x.ID, "kind", x.Kind, "what", x.What, "status", x.Status, "company", companyOf(x.CompanyID), "about", x.OrderKey+x.PaymentID,
				"opened by", x.OpenedBy, "person", x.PersonID, "merchant", x.MerchantID, "opened", x.CreatedAt, "due", x.DueOn, "outcome", x.Outcome, "resolved", x.ResolvedAt,
				"resolved by", x.ResolvedBy, "documents", strings.Join(x.DocumentIDs, " ")); err != nil {
				return err
			}
			said := func(who string, text *string) {
				if text != nil {
					fmt.Fprintf(a.out, "\n%s: %s\n", who, clean(*text))
				}
			}
			said("subject", x.Subject)
			said(x.OpenedBy, x.Text)
			for _, n := range x.Notes {
				said(n.By+", "+instant(&n.At), n.Text)
			}
			said("answer", x.Answer)
			return nil
		},
	}
}

type casesList struct {
	remote
	paging
	Status  wordFlag `placeholder:"STATUS" help:"OPEN, WAITING or RESOLVED." complete:"case-status"`
	Company int64    `placeholder:"ID" help:"Of this company." complete:"company"`
	From    dateFlag `placeholder:"DATE" help:"Opened on or after this business date."`
	To      dateFlag `placeholder:"DATE" help:"Opened on or before this business date."`
}

// Examples are shown by -h.
func (casesList) Examples() []string {
	return []string{"cases list --status OPEN", "cases list --company 4821073356"}
}

// Run is called by the parser.
func (c *casesList) Run(ctx context.Context, a *app) error {
	f := client.CaseFilter{Status: string(c.Status), CompanyID: c.Company, From: string(c.From), To: string(c.To)}
	return list(ctx, a, &c.remote, c.paging, caseNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Case], error) {
		return api.ListReviewedCases(ctx, f, p, o...)
	})
}

type caseKeyed struct {
	ID string `arg:"" help:"Identifier of the case: case_…"`
}

type caseShow struct {
	remote
	caseKeyed
}

// Examples are shown by -h.
func (caseShow) Examples() []string { return []string{"cases show case_…"} }

// Run is called by the parser.
func (c *caseShow) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, caseNoun(), func(api *client.Client, o ...client.Option) (*client.Case, error) {
		return api.ReviewedCase(ctx, c.ID, o...)
	})
}

// wordsOrInput is a text of the command line, or what standard input says where it is -.
func wordsOrInput(a *app, text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	given, err := a.readAll(text)
	return strings.TrimSpace(string(given)), err
}

type caseAnswer struct {
	change
	caseKeyed
	Text string `arg:"" help:"What there is to say; - for standard input."`
}

// Examples are shown by -h.
func (caseAnswer) Examples() []string {
	return []string{"cases note case_… 'Which ones are missing?'", "cases note case_… -"}
}

// Run is called by the parser.
func (c *caseAnswer) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	text, err := wordsOrInput(a, c.Text)
	if err != nil {
		return err
	}
	return act(ctx, a, &c.change, caseNoun(), func(api *client.Client, o ...client.Option) (*client.Case, error) {
		return api.AnswerCase(ctx, c.ID, text, o...)
	}, func(x *client.Case) string {
		return fmt.Sprintf("Noted. %s waits for who has opened it, and is due on %s.", x.ID, x.DueOn)
	})
}

type caseResolve struct {
	change
	consent
	versioned
	caseKeyed
	Outcome wordFlag `arg:"" help:"UPHELD or REJECTED of a dispute, ANSWERED of a question." complete:"case-outcome"`
	Text    string   `arg:"" help:"Why, as who has opened it reads it; - for standard input."`
}

// Examples are shown by -h.
func (caseResolve) Examples() []string {
	return []string{"cases resolve case_… UPHELD 'The merchant refunds two shelves.' --yes"}
}

// Run is called by the parser.
func (c *caseResolve) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	text, err := wordsOrInput(a, c.Text)
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Resolve %s for ever?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, caseNoun(), func(api *client.Client, o ...client.Option) (*client.Case, error) {
		return api.ResolveCase(ctx, c.ID, string(c.Outcome), text, append(o, c.options()...)...)
	}, func(x *client.Case) string {
		return fmt.Sprintf("%s is %s. No money has moved by it.", x.ID, x.Outcome)
	})
}
