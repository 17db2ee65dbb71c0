package trade

import (
	"context"
	"fmt"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// OrderHold is the command "orders hold".
type OrderHold struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Days   int    `required:"" placeholder:"N" help:"For how many days from today, 365 at most; 0 ends the running hold."`
	Reason string `required:"" placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (OrderHold) Examples() []string {
	return []string{"orders hold ord_… --days 30 --reason 'goods disputed'", "orders hold ord_… --days 0 --reason 'settled with the shop'"}
}

// Run is called by the parser.
func (c *OrderHold) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if c.Days < 0 || c.Days > 365 {
		return &exit.Failure{Code: exit.Usage, Text: "--days must be between 0 and 365"}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.HoldOrder(ctx, c.Key, c.Days, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		if c.Days == 0 {
			return fmt.Sprintf("The hold of %s has ended. See: %s payments schedule %s", nameOf(o), a.Program, o.Key)
		}
		return a.Mildly(fmt.Sprintf("%s is held for %d days: nothing is debited by itself, and no late fee is charged.", nameOf(o), c.Days),
			fmt.Sprintf("orders hold %s --days 0 --reason …", o.Key))
	})
}

// OrderReschedule is the command "orders reschedule".
type OrderReschedule struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
	Installment int               `required:"" placeholder:"N" help:"First installment that moves: one that is not due yet. Those after it follow in months."`
	Due         terminal.DateFlag `required:"" placeholder:"DATE" help:"Its new due date, at most 92 days after the present one."`
	Reason      string            `required:"" placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (OrderReschedule) Examples() []string {
	return []string{
		"orders reschedule ord_… --installment 3 --due 2026-04-30 --reason 'flood at the buyer' --yes",
		"orders reschedule ord_… --installment 3 --due 2026-04-30 --reason 'flood at the buyer' --dry-run",
	}
}

// Run is called by the parser.
func (c *OrderReschedule) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if c.Installment < 1 || c.Installment > 36 {
		return &exit.Failure{Code: exit.Usage, Text: "--installment must be between 1 and 36"}
	}
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Move installment %d of %s to %s, and those after it?", c.Installment, c.Key, c.Due)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ReviseSchedule(ctx, c.Key, client.ScheduleRevision{Installment: c.Installment, DueDate: string(c.Due), Reason: c.Reason}, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Installment %d of %s is due on %s now, those after it in months from there. See: %s payments schedule %s", c.Installment, nameOf(o), c.Due, a.Program, o.Key)
	})
}

// OrderReamortize is the command "orders reamortize".
type OrderReamortize struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (OrderReamortize) Examples() []string {
	return []string{"orders reamortize ord_… --reason hardship --dry-run", "orders reamortize ord_… --reason hardship --yes"}
}

// Run is called by the parser.
func (c *OrderReamortize) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Spread all that is unpaid of %s over the installments left?", c.Key)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ReviseSchedule(ctx, c.Key, client.ScheduleRevision{Reamortize: true, Reason: c.Reason}, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Spread what is unpaid of %s over the installments left. See: %s payments schedule %s", nameOf(o), a.Program, o.Key)
	})
}

// OrderChargeOff is the command "orders charge-off".
type OrderChargeOff struct {
	terminal.Change
	terminal.Versioned
	terminal.Oath
	orderKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (OrderChargeOff) Examples() []string {
	return []string{"orders charge-off ord_… --reason 'company dissolved'", "orders charge-off ord_… --reason 'company dissolved' --dry-run"}
}

// Run is called by the parser.
func (c *OrderChargeOff) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if !c.DryRun {
		if err := c.Swear(a, fmt.Sprintf("Charge the order %s off, for ever?", c.Key), c.Key); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ChargeOffOrder(ctx, c.Key, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Charged %s off. Financing %s. What comes in from now on is a recovery. See: %s ledger entries --order %s", nameOf(o), o.FinancingStatus, a.Program, o.Key)
	})
}

// OrderReverse is the command "orders reverse-charge-off".
type OrderReverse struct {
	terminal.Change
	terminal.Versioned
	terminal.Oath
	orderKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (OrderReverse) Examples() []string {
	return []string{"orders reverse-charge-off ord_… --reason 'another company was meant'", "orders reverse-charge-off ord_… --reason 'another company was meant' --dry-run"}
}

// Run is called by the parser.
func (c *OrderReverse) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if !c.DryRun {
		if err := c.Swear(a, fmt.Sprintf("Reverse the charge-off of the order %s?", c.Key), c.Key); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ReverseChargeOff(ctx, c.Key, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("%s is as if it had never been charged off. Financing %s. What has come due meanwhile is left to you: %s orders resume %s. The company stays suspended: %s companies release %d",
			nameOf(o), o.FinancingStatus, a.Program, o.Key, a.Program, o.CompanyID)
	})
}

// FeeWaive is the command "orders fees waive".
type FeeWaive struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
	Fee    string `arg:"" help:"Identifier of the fee: fee_…, as payments schedule shows it."`
	Reason string `required:"" placeholder:"TEXT" help:"Why, for the record."`
}

// Examples are shown by -h.
func (FeeWaive) Examples() []string {
	return []string{"orders fees waive ord_… fee_… --reason 'the bank was closed' --yes"}
}

// Run is called by the parser.
func (c *FeeWaive) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Waive what is unpaid of %s?", c.Fee)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.WaiveFee(ctx, c.Key, c.Fee, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Waived what was unpaid of %s. See: %s payments schedule %s", c.Fee, a.Program, o.Key)
	})
}
