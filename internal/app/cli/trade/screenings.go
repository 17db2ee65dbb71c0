package trade

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func screeningNoun() terminal.Noun[client.Screening] {
	return terminal.Noun[client.Screening]{
		Head: []string{"ID", "OF", "STATUS", "OPENED", ">SCORE", "RESEMBLES", "REPORT BY"},
		Row: func(x *client.Screening) []any {
			best := client.ScreeningMatch{}
			if len(x.Matches) > 0 {
				best = x.Matches[0]
			}
			return []any{x.ID, screened(x), x.Status, x.OpenedAt, strconv.Itoa(best.Score), terminal.Maybe(best.Name), terminal.Maybe(x.ReportBy)}
		},
		Key:  func(x *client.Screening) string { return x.ID },
		Text: printScreening,
	}
}

// screened returns the company or merchant that was screened.
func screened(x *client.Screening) string {
	if x.CompanyID != 0 {
		return strconv.FormatInt(x.CompanyID, 10)
	}
	return x.MerchantID
}

func printScreening(a *terminal.App, x *client.Screening) error {
	company := ""
	if x.CompanyID != 0 {
		company = screened(x)
	}
	if err := terminal.Facts(a.Out, "id", x.ID, "company", company, "merchant", x.MerchantID, "names", strings.Join(x.Names, "; "), "list", x.List, "status", x.Status,
		"opened", x.OpenedAt, "decided", x.DecidedAt, "reason", x.Reason, "report by", x.ReportBy, "version", strconv.Itoa(x.Version)); err != nil {
		return err
	}
	fmt.Fprintln(a.Out)
	t := terminal.NewTable(">SCORE", "ENTRY", "NAME ON THE LIST")
	for _, m := range x.Matches {
		t.Row(strconv.Itoa(m.Score), m.Entry, m.Name)
	}
	return a.Show(t)
}

// ScreeningsList is the command "screenings list".
type ScreeningsList struct {
	terminal.Remote
	terminal.Paging
	Status   terminal.WordFlag `placeholder:"STATUS" help:"${screening_status}." complete:"screening-status"`
	Company  int64             `placeholder:"ID" help:"For this company." complete:"company"`
	Merchant string            `placeholder:"ID" help:"For this merchant: mch_…" complete:"merchant"`
}

func (ScreeningsList) Examples() []string {
	return []string{"screenings list --status OPEN", "screenings list --company 1000000001"}
}

func (c *ScreeningsList) Run(ctx context.Context, a *terminal.App) error {
	f := client.ScreeningFilter{CompanyID: c.Company, MerchantID: c.Merchant, Status: string(c.Status)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, screeningNoun(), f, (*client.Client).ListScreenings)
}

type screeningKeyed struct {
	ID string `arg:"" help:"Screening ID: scr_…"`
}

// ScreeningGet is the command "screenings get".
type ScreeningGet struct {
	terminal.Remote
	screeningKeyed
}

func (ScreeningGet) Examples() []string { return []string{"screenings get scr_…"} }

func (c *ScreeningGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, screeningNoun(), c.ID, (*client.Client).Screening)
}

// screeningDecide is a decision on a screening.
type screeningDecide struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	screeningKeyed
	Reason string `required:"" placeholder:"TEXT" help:"What was compared and found, for the record."`
}

// ScreeningConfirm is the command "screenings confirm".
type ScreeningConfirm struct{ screeningDecide }

func (ScreeningConfirm) Examples() []string {
	return []string{"screenings confirm scr_… --reason 'same date of birth and address' --yes"}
}

func (c *ScreeningConfirm) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Confirm the match in %s? The company is suspended and its money is blocked.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, screeningNoun(), func(api *client.Client, o ...client.Option) (*client.Screening, error) {
		return api.ConfirmScreening(ctx, c.ID, c.Reason, append(o, c.Options()...)...)
	}, func(x *client.Screening) string {
		return fmt.Sprintf("Confirmed %s: the money of %s is blocked. File the report by %s.", x.ID, screened(x), x.ReportBy)
	})
}

// ScreeningClear is the command "screenings clear".
type ScreeningClear struct{ screeningDecide }

func (ScreeningClear) Examples() []string {
	return []string{"screenings clear scr_… --reason 'different date of birth' --yes"}
}

func (c *ScreeningClear) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Clear %s? Its list entries will not match again, and held transactions continue.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, screeningNoun(), func(api *client.Client, o ...client.Option) (*client.Screening, error) {
		return api.ClearScreening(ctx, c.ID, c.Reason, append(o, c.Options()...)...)
	}, func(x *client.Screening) string {
		return fmt.Sprintf("Cleared %s: held transactions of %s continue.", x.ID, screened(x))
	})
}
