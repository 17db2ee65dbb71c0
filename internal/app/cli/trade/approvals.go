package trade

import (
	"context"
	"fmt"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func approvalNoun() terminal.Noun[client.Approval] {
	object := func(x *client.Approval) string {
		if x.ObjectType == "" {
			return ""
		}
		return x.ObjectType + " " + x.Object
	}
	return terminal.Noun[client.Approval]{
		Head: []string{"ID", "STATUS", "COMMAND", "OBJECT", ">AGAINST LIMIT", "REASON", "REQUESTED BY", "UNTIL"},
		Row: func(x *client.Approval) []any {
			return []any{x.ID, x.Status, x.Command, terminal.Maybe(object(x)), x.Amount, terminal.Maybe(x.Reason), x.RequestedBy, x.ExpiresAt}
		},
		Key: func(x *client.Approval) string { return x.ID },
		Text: func(a *terminal.App, x *client.Approval) error {
			return terminal.Facts(a.Out, "id", x.ID, "status", x.Status, "command", x.Command, "object", object(x), "against limit", x.Amount, "permission", x.Permission,
				"reason", x.Reason, "requested by", x.RequestedBy, "requested", x.CreatedAt, "until", x.ExpiresAt, "decided by", x.DecidedBy, "note", x.Note)
		},
	}
}

// ApprovalsList is the command "approvals list".
type ApprovalsList struct {
	terminal.Remote
	terminal.Paging
	Status terminal.WordFlag `placeholder:"STATUS" help:"${approval_status}." complete:"approval-status"`
	Object string            `placeholder:"TYPE/ID" help:"About this object, such as order/ord_…"`
	From   terminal.DateFlag `placeholder:"DATE" help:"Requested on or after this business date."`
	To     terminal.DateFlag `placeholder:"DATE" help:"Requested on or before this business date."`
}

func (ApprovalsList) Examples() []string {
	return []string{"approvals list --status WAITING", "approvals list --object order/ord_…"}
}

func (c *ApprovalsList) Run(ctx context.Context, a *terminal.App) error {
	f := client.ApprovalFilter{Status: string(c.Status), Object: c.Object, From: string(c.From), To: string(c.To)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, approvalNoun(), f, (*client.Client).ListApprovals)
}

type approvalKeyed struct {
	ID string `arg:"" help:"Approval ID: apv_…"`
}

// ApprovalShow is the command "approvals show".
type ApprovalShow struct {
	terminal.Remote
	approvalKeyed
}

func (ApprovalShow) Examples() []string { return []string{"approvals show apv_…"} }

func (c *ApprovalShow) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, approvalNoun(), c.ID, (*client.Client).Approval)
}

// ApprovalApprove is the command "approvals approve".
type ApprovalApprove struct {
	terminal.Change
	terminal.Consent
	approvalKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (ApprovalApprove) Examples() []string {
	return []string{"approvals approve apv_… --reason 'agreed by phone' --dry-run", "approvals approve apv_… --reason 'agreed by phone' --yes"}
}

func (c *ApprovalApprove) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Approve %s? What was requested is done at once.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, approvalNoun(), func(api *client.Client, o ...client.Option) (*client.Approval, error) {
		return api.Approve(ctx, c.ID, c.Reason, o...)
	}, func(x *client.Approval) string {
		return fmt.Sprintf("%s is approved, and %s is done.", x.ID, x.Command)
	})
}

// ApprovalEnd is the command "approvals end".
type ApprovalEnd struct {
	terminal.Change
	approvalKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (ApprovalEnd) Examples() []string {
	return []string{"approvals end apv_… --reason 'not what was agreed'"}
}

func (c *ApprovalEnd) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, approvalNoun(), func(api *client.Client, o ...client.Option) (*client.Approval, error) {
		return api.EndApproval(ctx, c.ID, c.Reason, o...)
	}, func(x *client.Approval) string {
		return fmt.Sprintf("%s is %s. Nothing was done.", x.ID, x.Status)
	})
}
