package operate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/signin"
)

// StaffApprovals is the command "staff approvals".
type StaffApprovals struct {
	staffFlags
	Required *bool             `negatable:"" help:"Whether two people act together, or everybody alone."`
	Limits   map[string]string `name:"limit" placeholder:"PERMISSION=AMOUNT" help:"Amount up to which somebody acts alone."`
	Reason   string            `placeholder:"TEXT" help:"Reason, for the audit log."`
}

func (StaffApprovals) Examples() []string {
	return []string{
		"staff approvals --data ./tenor-data",
		"staff approvals --required --limit payments:refund=500.00 --reason 'policy of 2026-01' --data ./tenor-data",
	}
}

func (c *StaffApprovals) Run(ctx context.Context, a *terminal.App) error {
	cmd := staff.SetPolicy{Required: c.Required}
	usual := permit.UsualLimits()
	for name, text := range c.Limits { // unordered: into a map
		amount, err := money.Parse(text)
		if _, ok := usual[permit.Permission(name)]; !ok || err != nil {
			return &exit.Failure{
				Code: exit.Usage, Text: fmt.Sprintf("--limit %s=%s is not a permission with a limit and an amount", name, text),
				Hint: fmt.Sprintf("Permissions with a limit: %v.", slices.Sorted(maps.Keys(usual))),
			}
		}
		if cmd.Limits == nil {
			cmd.Limits = map[permit.Permission]money.Amount{}
		}
		cmd.Limits[permit.Permission(name)] = amount
	}
	return c.within(ctx, a, func(d *signin.Desk) error {
		var now permit.Policy
		var err error
		if cmd.Required == nil && cmd.Limits == nil {
			now, err = d.Policy(ctx)
		} else {
			now, err = d.SetPolicy(ctx, cmd, asked(c.Reason))
		}
		if err != nil {
			return err
		}
		return c.show(a, now)
	})
}

func (c *StaffApprovals) show(a *terminal.App, now permit.Policy) error {
	limits := permit.UsualLimits()
	maps.Copy(limits, now.Limits)
	if c.JSON {
		return encoded(a, map[string]any{"required": now.Required, "limits": limits})
	}
	said := "Everybody acts alone, as far as the roles go."
	if now.Required {
		said = "Two people act together above these limits, and on whatever takes two by its roles."
	}
	c.Say(a, "%s", said)
	t := terminal.NewTable("PERMISSION", ">ALONE UP TO")
	for _, p := range slices.Sorted(maps.Keys(limits)) {
		t.Row(string(p), limits[p].String())
	}
	return c.Table(a, t)
}
