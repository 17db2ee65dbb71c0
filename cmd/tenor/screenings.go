package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

func screeningNoun() noun[client.Screening] {
	return noun[client.Screening]{
		head: []string{"ID", "OF", "STATUS", "OPENED", ">SCORE", "RESEMBLES", "REPORT BY"},
		row: func(x *client.Screening) []any {
			best := client.ScreeningMatch{}
			if len(x.Matches) > 0 {
				best = x.Matches[0]
			}
			return []any{x.ID, screened(x), x.Status, x.OpenedAt, strconv.Itoa(best.Score), maybe(best.Name), maybe(x.ReportBy)}
		},
		key:  func(x *client.Screening) string { return x.ID },
		text: printScreening,
	}
}

// screened is the company or the merchant whose name it is.
func screened(x *client.Screening) string {
	if x.CompanyID != 0 {
		return strconv.FormatInt(x.CompanyID, 10)
	}
	return x.MerchantID
}

func printScreening(a *app, x *client.Screening) error {
	company := ""
	if x.CompanyID != 0 {
		company = screened(x)
	}
	if err := facts(a.out, "id", x.ID, "company", company, "merchant", x.MerchantID, "names", strings.Join(x.Names, "; "), "list", x.List, "status", x.Status,
		"opened", x.OpenedAt, "decided", x.DecidedAt, "reason", x.Reason, "report by", x.ReportBy, "version", strconv.Itoa(x.Version)); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	t := newTable(">SCORE", "ENTRY", "NAME ON THE LIST")
	for _, m := range x.Matches {
		t.row(strconv.Itoa(m.Score), m.Entry, m.Name)
	}
	return a.show(t)
}

type screeningsList struct {
	remote
	paging
	Status   wordFlag `placeholder:"STATUS" help:"OPEN, CLEARED or CONFIRMED." complete:"screening-status"`
	Company  int64    `placeholder:"ID" help:"Of this company." complete:"company"`
	Merchant string   `placeholder:"ID" help:"Of this merchant: mch_…" complete:"merchant"`
}

// Examples are shown by -h.
func (screeningsList) Examples() []string {
	return []string{"screenings list --status OPEN", "screenings list --company 1000000001"}
}

// Run is called by the parser.
func (c *screeningsList) Run(ctx context.Context, a *app) error {
	f := client.ScreeningFilter{CompanyID: c.Company, MerchantID: c.Merchant, Status: string(c.Status)}
	return list(ctx, a, &c.remote, c.paging, screeningNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Screening], error) {
		return api.ListScreenings(ctx, f, p, o...)
	})
}

type screeningKeyed struct {
	ID string `arg:"" help:"Identifier of the screening: scr_…"`
}

type screeningGet struct {
	remote
	screeningKeyed
}

// Examples are shown by -h.
func (screeningGet) Examples() []string { return []string{"screenings get scr_…"} }

// Run is called by the parser.
func (c *screeningGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, screeningNoun(), func(api *client.Client, o ...client.Option) (*client.Screening, error) {
		return api.Screening(ctx, c.ID, o...)
	})
}

// screeningDecide is a decision on a screening.
type screeningDecide struct {
	change
	consent
	versioned
	screeningKeyed
	Reason string `required:"" placeholder:"TEXT" help:"What was compared and found, for the record."`
}

type screeningConfirm struct{ screeningDecide }

// Examples are shown by -h.
func (screeningConfirm) Examples() []string {
	return []string{"screenings confirm scr_… --reason 'same date of birth and address' --yes"}
}

// Run is called by the parser.
func (c *screeningConfirm) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Confirm %s? The company is suspended, and no money of it moves.", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, screeningNoun(), func(api *client.Client, o ...client.Option) (*client.Screening, error) {
		return api.ConfirmScreening(ctx, c.ID, c.Reason, append(o, c.options()...)...)
	}, func(x *client.Screening) string {
		return fmt.Sprintf("Confirmed %s: money of %s is stopped. Report it by %s.", x.ID, screened(x), x.ReportBy)
	})
}

type screeningClear struct{ screeningDecide }

// Examples are shown by -h.
func (screeningClear) Examples() []string {
	return []string{"screenings clear scr_… --reason 'another date of birth' --yes"}
}

// Run is called by the parser.
func (c *screeningClear) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Clear %s? Its entries are not found again, and what was held goes on.", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, screeningNoun(), func(api *client.Client, o ...client.Option) (*client.Screening, error) {
		return api.ClearScreening(ctx, c.ID, c.Reason, append(o, c.options()...)...)
	}, func(x *client.Screening) string {
		return fmt.Sprintf("Cleared %s: what it had held of %s goes on.", x.ID, screened(x))
	})
}
