package trade

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func applicationNoun() terminal.Noun[client.Application] {
	return terminal.Noun[client.Application]{
		Head: []string{"ID", "BUSINESS", "STATUS", ">REQUESTED", ">APPROVED", "TIER", "COMPANY", "SUBMITTED"},
		Row: func(x *client.Application) []any {
			return []any{x.ID, x.LegalName, x.Status, x.RequestedLimit, x.ApprovedLimit, terminal.Maybe(x.Tier), terminal.Maybe(terminal.CompanyOf(x.CompanyID)), x.SubmittedAt}
		},
		Key: func(x *client.Application) string { return x.ID },
		Text: func(a *terminal.App, x *client.Application) error {
			wanted := make([]string, len(x.Requests))
			for i, r := range x.Requests {
				wanted[i] = r.What + " by " + r.DueOn
			}
			pairs := []any{"id", x.ID, "kind", x.Kind, "business", x.LegalName, "status", x.Status, "requested", x.RequestedLimit, "approved", x.ApprovedLimit, "tier", x.Tier,
				"company", terminal.CompanyOf(x.CompanyID), "checkout", x.CheckoutID, "requested", strings.Join(wanted, "; "), "reference", x.MerchantReference,
				"submitted", x.SubmittedAt, "decided", x.DecidedAt, "sources", strings.Join(sourcesOf(x), "; "), "points", terminal.CountOf(x.Total), "why", x.Why, "reasons", strings.Join(x.Reasons, ", "),
				"decided by", x.DecidedBy, "note", x.Note, "assigned", x.Assigned, "documents", strings.Join(x.DocumentIDs, " ")}
			if n := x.Notice; n != nil {
				pairs = append(pairs, "notice", n.Kind+" due "+n.DueOn, "notice sent", n.SentAt)
			}
			if n := x.OwnerNotice; n != nil {
				pairs = append(pairs, "owner's notice", n.Kind+" due "+n.DueOn, "owner's notice sent", n.SentAt)
			}
			if p := x.Applicant; p != nil {
				pairs = append(pairs, "applicant", p.FirstName+" "+p.LastName+", "+p.Title+" <"+p.Email+">")
			}
			return terminal.Facts(a.Out, pairs...)
		},
	}
}

// sourcesOf lists which sources an application was checked with, and the results.
func sourcesOf(x *client.Application) []string {
	out := make([]string, len(x.Sources))
	for i, s := range x.Sources {
		out[i] = s.Port + " " + cmp.Or(s.Missing, s.Source)
	}
	return out
}

// ApplicationsList is the command "applications list".
type ApplicationsList struct {
	terminal.Remote
	terminal.Paging
	Status terminal.WordFlag `placeholder:"STATUS" help:"${application_status}." complete:"application-status"`
	Kind   terminal.WordFlag `placeholder:"KIND" help:"${application_kind}. Default: all but PREQUALIFICATION." complete:"application-kind"`
	From   terminal.DateFlag `placeholder:"DATE" help:"Submitted on or after this business date."`
	To     terminal.DateFlag `placeholder:"DATE" help:"Submitted on or before this business date."`
	Email  string            `placeholder:"ADDRESS" help:"By this applicant."`
}

func (ApplicationsList) Examples() []string {
	return []string{"applications list --status IN_REVIEW", "applications list --email ada@alder.example", "applications list --kind PREQUALIFICATION"}
}

func (c *ApplicationsList) Run(ctx context.Context, a *terminal.App) error {
	f := client.ApplicationFilter{Status: string(c.Status), Kind: string(c.Kind), From: string(c.From), To: string(c.To), Email: c.Email}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, applicationNoun(), f, (*client.Client).ListApplications)
}

type applicationKeyed struct {
	ID string `arg:"" help:"Application ID: app_…"`
}

// ApplicationShow is the command "applications show".
type ApplicationShow struct {
	terminal.Remote
	applicationKeyed
	Review bool `help:"Include score, reasons and owners (lender); the access is recorded."`
}

func (ApplicationShow) Examples() []string {
	return []string{"applications show app_…", "applications show app_… --review"}
}

func (c *ApplicationShow) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.One(ctx, a, &c.Remote, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		if c.Review {
			return api.ReviewedApplication(ctx, c.ID, o...)
		}
		return api.Application(ctx, c.ID, o...)
	})
}

// ApplicationSubmit is the command "applications submit".
type ApplicationSubmit struct {
	terminal.Change
	File string `arg:"" help:"Request body for POST /v1/applications, as JSON; - for standard input."`
}

func (ApplicationSubmit) Examples() []string {
	return []string{"applications submit application.json", "applications submit - --json"}
}

func (c *ApplicationSubmit) Run(ctx context.Context, a *terminal.App) error {
	text, err := a.ReadAll(c.File)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return &exit.Failure{Code: exit.Usage, Text: "the file is not JSON"}
	}
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.SubmitApplication(ctx, json.RawMessage(text), o...)
	}, func(x *client.Application) string {
		return a.WithUndo(fmt.Sprintf("Submitted %s for %s.", x.ID, x.LegalName), "applications withdraw "+x.ID)
	})
}

// decided describes the decision on an application.
func decided(x *client.Application) string {
	text := fmt.Sprintf("%s for %s is %s.", x.ID, x.LegalName, x.Status)
	if x.CompanyID != 0 {
		text += fmt.Sprintf(" Company %d has a line of %s.", x.CompanyID, terminal.Dollars(x.ApprovedLimit))
	}
	return text
}

// ApplicationWithdraw is the command "applications withdraw".
type ApplicationWithdraw struct {
	terminal.Change
	terminal.Consent
	applicationKeyed
}

func (ApplicationWithdraw) Examples() []string {
	return []string{"applications withdraw app_… --yes"}
}

func (c *ApplicationWithdraw) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Withdraw %s?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.WithdrawApplication(ctx, c.ID, o...)
	}, decided)
}

// ApplicationApprove is the command "applications approve".
type ApplicationApprove struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	terminal.Audited
	applicationKeyed
	Limit terminal.AmountFlag `required:"" placeholder:"AMOUNT" help:"Credit line."`
	Tier  string              `required:"" enum:"A,B,C" placeholder:"TIER" help:"Tier of the company: A, B or C."`
	Codes []string            `name:"reason-code" placeholder:"CODE" help:"For a line below the requested amount: up to four reason codes for the notice."`
}

func (ApplicationApprove) Examples() []string {
	return []string{"applications approve app_… --limit 10000 --tier A --yes --reason 'different person with the same name'"}
}

func (c *ApplicationApprove) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Approve %s with a line of %s?", c.ID, terminal.Dollars(client.Amount(c.Limit)))); err != nil {
		return err
	}
	x := client.ApplicationApproval{Limit: client.Amount(c.Limit), Tier: c.Tier, Reasons: c.Codes}
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.ApproveApplication(ctx, c.ID, x, c.WithReason(append(o, c.Options()...))...)
	}, decided)
}

// ApplicationDecline is the command "applications decline".
type ApplicationDecline struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	applicationKeyed
	Codes []string `name:"reason-code" required:"" placeholder:"CODE" help:"Up to four reason codes for the notice."`
	Note  string   `placeholder:"TEXT" help:"Reason, for the record."`
}

func (ApplicationDecline) Examples() []string {
	return []string{"applications decline app_… --reason-code credit_score --note 'two open liens' --yes"}
}

func (c *ApplicationDecline) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Decline %s?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.DeclineApplication(ctx, c.ID, client.Refusal{Reasons: c.Codes, Note: c.Note}, append(o, c.Options()...)...)
	}, decided)
}

// ApplicationRequest is the command "applications request".
type ApplicationRequest struct {
	terminal.Change
	applicationKeyed
	What string            `arg:"" help:"What the applicant should send; quoted in the e-mail."`
	Due  terminal.DateFlag `placeholder:"DATE" help:"Deadline. Default: in two weeks."`
}

func (ApplicationRequest) Examples() []string {
	return []string{"applications request app_… 'Articles of organization' --due 2026-01-29"}
}

func (c *ApplicationRequest) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.RequestInformation(ctx, c.ID, client.ApplicationInformation{What: c.What, DueOn: string(c.Due)}, o...)
	}, decided)
}

// ApplicationAssign is the command "applications assign".
type ApplicationAssign struct {
	terminal.Change
	applicationKeyed
	To string `arg:"" optional:"" help:"Reviewer. Default: nobody."`
}

func (ApplicationAssign) Examples() []string {
	return []string{"applications assign app_… dana", "applications assign app_…"}
}

func (c *ApplicationAssign) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.AssignApplication(ctx, c.ID, client.Reviewer{To: c.To}, o...)
	}, func(x *client.Application) string {
		if x.Assigned == "" {
			return x.ID + " is unassigned."
		}
		return x.ID + " is " + x.Assigned + "'s."
	})
}
