package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tenor/client"
)

func applicationNoun() noun[client.Application] {
	return noun[client.Application]{
		head: []string{"ID", "BUSINESS", "STATUS", ">REQUESTED", ">APPROVED", "TIER", "COMPANY", "SUBMITTED"},
		row: func(x *client.Application) []any {
			return []any{x.ID, x.LegalName, x.Status, x.RequestedLimit, x.ApprovedLimit, maybe(x.Tier), maybe(companyOf(x.CompanyID)), x.SubmittedAt}
		},
		key: func(x *client.Application) string { return x.ID },
		text: func(a *app, x *client.Application) error {
			wanted := make([]string, len(x.Requests))
			for i, r := range x.Requests {
				wanted[i] = r.What + " by " + r.DueOn
			}
			pairs := []any{"id", x.ID, "kind", x.Kind, "business", x.LegalName, "status", x.Status, "requested", x.RequestedLimit, "approved", x.ApprovedLimit, "tier", x.Tier,
				"company", companyOf(x.CompanyID), "checkout", x.CheckoutID, "asked for", strings.Join(wanted, "; "), "reference", x.MerchantReference,
				"submitted", x.SubmittedAt, "decided", x.DecidedAt, "sources", strings.Join(sourcesOf(x), "; "), "points", countOf(x.Total), "why", x.Why, "reasons", strings.Join(x.Reasons, ", "),
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
			return facts(a.out, pairs...)
		},
	}
}

// sourcesOf are who was asked about an application, and what came of it.
func sourcesOf(x *client.Application) []string {
	out := make([]string, len(x.Sources))
	for i, s := range x.Sources {
		out[i] = s.Port + " " + cmp.Or(s.Missing, s.Source)
	}
	return out
}

type applicationsList struct {
	remote
	paging
	Status wordFlag `placeholder:"STATUS" help:"SUBMITTED, IN_REVIEW, INFORMATION_REQUESTED, APPROVED, DECLINED, WITHDRAWN, EXPIRED or ESTIMATED." complete:"application-status"`
	Kind   wordFlag `placeholder:"KIND" help:"NEW, LINE_INCREASE or PREQUALIFICATION; absent: all but the last." complete:"application-kind"`
	From   dateFlag `placeholder:"DATE" help:"Submitted on or after this business date."`
	To     dateFlag `placeholder:"DATE" help:"Submitted on or before this business date."`
	Email  string   `placeholder:"ADDRESS" help:"Of this applicant."`
}

// Examples are shown by -h.
func (applicationsList) Examples() []string {
	return []string{"applications list --status IN_REVIEW", "applications list --email ada@alder.example", "applications list --kind PREQUALIFICATION"}
}

// Run is called by the parser.
func (c *applicationsList) Run(ctx context.Context, a *app) error {
	f := client.ApplicationFilter{Status: string(c.Status), Kind: string(c.Kind), From: string(c.From), To: string(c.To), Email: c.Email}
	return list(ctx, a, &c.remote, c.paging, applicationNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Application], error) {
		return api.ListApplications(ctx, f, p, o...)
	})
}

type applicationKeyed struct {
	ID string `arg:"" help:"Identifier of the application: app_…"`
}

type applicationShow struct {
	remote
	applicationKeyed
	Review bool `help:"With points, reasons and people (lender); that they were read is recorded."`
}

// Examples are shown by -h.
func (applicationShow) Examples() []string {
	return []string{"applications show app_…", "applications show app_… --review"}
}

// Run is called by the parser.
func (c *applicationShow) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		if c.Review {
			return api.ReviewedApplication(ctx, c.ID, o...)
		}
		return api.Application(ctx, c.ID, o...)
	})
}

type applicationSubmit struct {
	change
	File string `arg:"" help:"The application as JSON, as POST /v1/applications takes it; - for standard input."`
}

// Examples are shown by -h.
func (applicationSubmit) Examples() []string {
	return []string{"applications submit application.json", "applications submit - --json"}
}

// Run is called by the parser.
func (c *applicationSubmit) Run(ctx context.Context, a *app) error {
	text, err := a.readAll(c.File)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return &failure{code: exitUsage, text: "the file is not JSON"}
	}
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.SubmitApplication(ctx, json.RawMessage(text), o...)
	}, func(x *client.Application) string {
		return a.mildly(fmt.Sprintf("Submitted %s of %s.", x.ID, x.LegalName), "applications withdraw "+x.ID)
	})
}

// decided says what an application has become.
func decided(x *client.Application) string {
	text := fmt.Sprintf("%s of %s is %s.", x.ID, x.LegalName, x.Status)
	if x.CompanyID != 0 {
		text += fmt.Sprintf(" Company %d has a line of %s.", x.CompanyID, dollars(x.ApprovedLimit))
	}
	return text
}

type applicationWithdraw struct {
	change
	consent
	applicationKeyed
}

// Examples are shown by -h.
func (applicationWithdraw) Examples() []string {
	return []string{"applications withdraw app_… --yes"}
}

// Run is called by the parser.
func (c *applicationWithdraw) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Withdraw %s?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.WithdrawApplication(ctx, c.ID, o...)
	}, decided)
}

type applicationApprove struct {
	change
	consent
	versioned
	audited
	applicationKeyed
	Limit amountFlag `required:"" placeholder:"AMOUNT" help:"The line."`
	Tier  string     `required:"" enum:"A,B,C" placeholder:"TIER" help:"The company's tier: A, B or C."`
	Codes []string   `name:"reason-code" placeholder:"CODE" help:"Of a line below the one that was asked for: up to four reason codes for the notice."`
}

// Examples are shown by -h.
func (applicationApprove) Examples() []string {
	return []string{"applications approve app_… --limit 10000 --tier A --yes --reason 'the namesake is somebody else'"}
}

// Run is called by the parser.
func (c *applicationApprove) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Approve %s with a line of %s?", c.ID, dollars(client.Amount(c.Limit)))); err != nil {
			return err
		}
	}
	x := client.Approval{Limit: client.Amount(c.Limit), Tier: c.Tier, Reasons: c.Codes}
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.ApproveApplication(ctx, c.ID, x, c.because(append(o, c.options()...))...)
	}, decided)
}

type applicationDecline struct {
	change
	consent
	versioned
	applicationKeyed
	Codes []string `name:"reason-code" required:"" placeholder:"CODE" help:"Up to four reason codes for the notice."`
	Note  string   `placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (applicationDecline) Examples() []string {
	return []string{"applications decline app_… --reason-code credit_score --note 'two open liens' --yes"}
}

// Run is called by the parser.
func (c *applicationDecline) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Decline %s?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.DeclineApplication(ctx, c.ID, c.Note, c.Codes, append(o, c.options()...)...)
	}, decided)
}

type applicationRequest struct {
	change
	applicationKeyed
	What string   `arg:"" help:"What the applicant is to send, as the mail says it."`
	Due  dateFlag `placeholder:"DATE" help:"By when; absent: in two weeks."`
}

// Examples are shown by -h.
func (applicationRequest) Examples() []string {
	return []string{"applications request app_… 'Articles of organization' --due 2026-01-29"}
}

// Run is called by the parser.
func (c *applicationRequest) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.RequestInformation(ctx, c.ID, client.ApplicationInformation{What: c.What, DueOn: string(c.Due)}, o...)
	}, decided)
}

type applicationAssign struct {
	change
	applicationKeyed
	To string `arg:"" optional:"" help:"Who looks at it; absent: nobody."`
}

// Examples are shown by -h.
func (applicationAssign) Examples() []string {
	return []string{"applications assign app_… dana", "applications assign app_…"}
}

// Run is called by the parser.
func (c *applicationAssign) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.AssignApplication(ctx, c.ID, c.To, o...)
	}, func(x *client.Application) string {
		if x.Assigned == "" {
			return x.ID + " is nobody's."
		}
		return x.ID + " is " + x.Assigned + "'s."
	})
}
