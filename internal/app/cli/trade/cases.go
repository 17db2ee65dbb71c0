package trade

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func caseNoun() terminal.Noun[client.Case] {
	return terminal.Noun[client.Case]{
		Head: []string{"ID", "KIND", "WHAT", "STATUS", "COMPANY", "ABOUT", "DUE", "OUTCOME", "OPENED"},
		Row: func(x *client.Case) []any {
			return []any{x.ID, x.Kind, terminal.Maybe(x.What), x.Status, terminal.CompanyOf(x.CompanyID), terminal.Maybe(x.OrderKey + x.PaymentID), x.DueOn, terminal.Maybe(x.Outcome), x.CreatedAt}
		},
		Key: func(x *client.Case) string { return x.ID },
		Text: func(a *terminal.App, x *client.Case) error {
			if err := terminal.Facts(a.Out, "id", x.ID, "kind", x.Kind, "what", x.What, "status", x.Status, "company", terminal.CompanyOf(x.CompanyID), "about", x.OrderKey+x.PaymentID,
				"opened by", x.OpenedBy, "person", x.PersonID, "merchant", x.MerchantID, "opened", x.CreatedAt, "due", x.DueOn, "outcome", x.Outcome, "resolved", x.ResolvedAt,
				"resolved by", x.ResolvedBy, "documents", strings.Join(x.DocumentIDs, " ")); err != nil {
				return err
			}
			said := func(who, text string) {
				if text != "" { // it has been erased
					fmt.Fprintf(a.Out, "\n%s: %s\n", who, terminal.Clean(text))
				}
			}
			said("subject", x.Subject)
			said(x.OpenedBy, x.Text)
			for _, n := range x.Notes {
				said(n.By+", "+terminal.Instant(&n.At), n.Text)
			}
			said("answer", x.Answer)
			return nil
		},
	}
}

// CasesList is the command "cases list".
type CasesList struct {
	terminal.Remote
	terminal.Paging
	Status  terminal.WordFlag `placeholder:"STATUS" help:"${case_status}." complete:"case-status"`
	Company int64             `placeholder:"ID" help:"For this company." complete:"company"`
	From    terminal.DateFlag `placeholder:"DATE" help:"Opened on or after this business date."`
	To      terminal.DateFlag `placeholder:"DATE" help:"Opened on or before this business date."`
}

func (CasesList) Examples() []string {
	return []string{"cases list --status OPEN", "cases list --company 4821073356"}
}

func (c *CasesList) Run(ctx context.Context, a *terminal.App) error {
	f := client.CaseFilter{Status: string(c.Status), CompanyID: c.Company, From: string(c.From), To: string(c.To)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, caseNoun(), f, (*client.Client).ListReviewedCases)
}

type caseKeyed struct {
	ID string `arg:"" help:"Case ID: case_…"`
}

// CaseShow is the command "cases show".
type CaseShow struct {
	terminal.Remote
	caseKeyed
}

func (CaseShow) Examples() []string { return []string{"cases show case_…"} }

func (c *CaseShow) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, caseNoun(), c.ID, (*client.Client).ReviewedCase)
}

// wordsOrInput returns a text of the command line, or standard input if it is -.
func wordsOrInput(a *terminal.App, text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	given, err := a.ReadAll(text)
	return strings.TrimSpace(string(given)), err
}

// CaseAnswer is the command "cases note".
type CaseAnswer struct {
	terminal.Change
	caseKeyed
	Text string `arg:"" help:"Text of the note; - for standard input."`
}

func (CaseAnswer) Examples() []string {
	return []string{"cases note case_… 'Which ones are missing?'", "cases note case_… -"}
}

func (c *CaseAnswer) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	text, err := wordsOrInput(a, c.Text)
	if err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, caseNoun(), func(api *client.Client, o ...client.Option) (*client.Case, error) {
		return api.AnswerCase(ctx, c.ID, text, o...)
	}, func(x *client.Case) string {
		return fmt.Sprintf("Note added. %s is waiting for the person who opened it; due %s.", x.ID, x.DueOn)
	})
}

// CaseResolve is the command "cases resolve".
type CaseResolve struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	caseKeyed
	Outcome terminal.WordFlag `arg:"" help:"UPHELD or REJECTED for a dispute, ANSWERED for a question." complete:"case-outcome"`
	Text    string            `arg:"" help:"Explanation for the person who opened the case; - for standard input."`
}

func (CaseResolve) Examples() []string {
	return []string{"cases resolve case_… UPHELD 'The merchant will refund two shelves.' --yes"}
}

func (c *CaseResolve) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	text, err := wordsOrInput(a, c.Text)
	if err != nil {
		return err
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Resolve %s? This is final.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, caseNoun(), func(api *client.Client, o ...client.Option) (*client.Case, error) {
		return api.ResolveCase(ctx, c.ID, string(c.Outcome), text, append(o, c.Options()...)...)
	}, func(x *client.Case) string {
		return fmt.Sprintf("%s is %s. No money was moved.", x.ID, x.Outcome)
	})
}
